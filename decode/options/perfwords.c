#include "decode/options/perfwords.h"

#include "util/types.h"

#include <stdio.h>
#include <string.h>

struct perf_option {
	const char *name;
	char letter;
	const char *advice;
};

static const struct perf_option perf_options[] = {
	{ "dsos", 'd', "--binary=PATH selects binaries" },
	{ "dso", '\0', "--binary=PATH selects binaries" },
	{ "comms", 'c', "--comm=NAME selects processes by name" },
	{ "symbols", 'S', "--function=NAME selects functions" },
	{ "symbol", '\0', "--function=NAME selects functions" },
	{ "symbol-filter", '\0', "--function='*NAME*' selects functions" },
	{ NULL, 'C', "--cpu=LIST selects CPUs" }, /* perf's long name for it is also ours */
	{ "input", 'i', "the recording is named without an option: readperf FILE" },
	{ "sort", 's', "--by=KEY,... groups samples, e.g. --by=comm,binary,function" },
	{ "filter", '\0', "--where=CONDITION selects by the fields of tracepoints" },
	{ "hierarchy", '\0', "--by=KEY,... groups samples, e.g. --by=comm,binary,function" },
	{ "time-quantum", '\0', "--slice=TIME is the width of the slices of --by=time" },
	{ "fields", 'F', "--by=KEY,... groups samples; -t samples,trace writes a row for each" },
	{ "stdio", '\0', "the console is always plain text; leave it out" },
	{ "stdio2", '\0', "the console is always plain text; leave it out" },
	{ "tui", '\0', "the console is always plain text; leave it out" },
	{ "gtk", '\0', "--workbook=FILE.xlsx makes tables to look at; leave it out" },
	{ "children", '\0',
	  "results.csv has both: period is self, total_period is with children; leave it out" },
	{ "no-children", '\0', "period is always the function's own; leave it out" },
	{ "call-graph", 'g', "-t calltree,callers,folded,flame writes what the call chains say" },
	{ "inverted", 'G', "-t callers writes who calls whom" },
	{ "dump-raw-trace", 'D', "-t overview writes every record" },
	{ "percent-limit", '\0', "--limit=N shows the N costliest functions" },
	{ "show-nr-samples", '\0', "samples are always shown; leave it out" },
	{ "show-total-period", '\0', "periods are always shown; leave it out" },
	{ "header", '\0', "-t header writes header.csv" },
	{ "header-only", '\0', "-q -t header writes header.csv" },
	{ "stats", '\0', "-t stat writes stat.csv" },
	{ "tasks", '\0', "-t processes writes processes.csv" },
	{ "mem-mode", '\0', "-t memory writes which data was accessed, and where it was" },
	{ "branch-stack", 'b', "-t branches,blocks writes what the branch stacks say" },
	{ "total-cycles", '\0', "-t blocks writes the cycles of the code between branches" },
	{ "latency", '\0', "--by=parallelism --weight=wall counts time that passed" },
	{ "field-separator", '\0', "the tables are CSV; leave it out" },
	{ "demangle", '\0', "names are demangled unless --no-demangle is given" },
	{ "no-inline", '\0', "only --inline gives samples to inlined functions; leave it out" },
	{ "modules", '\0', "--vmlinux or --symfs names where the kernel's files are" },
	{ "mmaps", '\0', "-t overview writes every mapping" },
	{ "show-mmap-events", '\0', "-t overview writes every mapping" },
	{ "show-task-events", '\0', "-t overview writes every new name, fork and exit" },
	{ "show-switch-events", '\0', "-t overview writes every context switch" },
	{ "show-lost-events", '\0', "-t overview writes what was lost" },
	{ "samples", '\0', "-t samples writes a row for each sample" },
	{ "source", '\0', "-t lines,instructions writes source lines and instructions" },
	{ "ns", '\0', "the times in tables are always in ns; leave it out" },
	{ "max-stack", '\0', "stacks are always read whole; leave it out" },
	{ "group", '\0', "each event of a group has rows of its own; leave it out" },
	{ "hide-unresolved", 'U', "--function='![unknown]' leaves out what has no name" },
	{ NULL, 'T', "--by=tid groups samples by thread" }, /* "threads" is also ours */
	{ "force", 'f', "recordings of every owner are read; leave it out" },
};

/* Commands of perf that a user may expect here. */
static const struct perf_option perf_commands[] = {
	{ "report", '\0', "readperf FILE does what perf report does" },
	{ "script", '\0', "readperf -t samples FILE writes a row for each sample, with names" },
	{ "annotate", '\0',
	  "readperf -t lines,instructions FILE writes source lines and instructions" },
	{ "c2c", '\0',
	  "readperf -t cachelines,cacheoffsets FILE says which cache lines are shared" },
	{ "data", '\0',
	  "readperf --format=ndjson FILE writes the tables as JSON, a line for each row" },
	{ "diff", '\0', "readperf --base=FILE FILE compares recordings" },
	{ "evlist", '\0', "readperf -t events FILE writes the events" },
	{ "buildid-list", '\0', "readperf -t buildids FILE writes the build ids" },
	{ "archive", '\0', "readperf -t symbols FILE writes the names that the recording needs" },
	{ "inject", '\0',
	  "readperf FILE reads jitdump files as they are; --intervals=sched makes off-CPU time" },
	{ "kmem", '\0',
	  "readperf --event=kmem:kmalloc --weight=bytes_alloc FILE says who allocates how much" },
	{ "kvm", '\0',
	  "readperf --intervals=kvm -t latency FILE says how long guests did not run" },
	{ "kwork", '\0',
	  "readperf --intervals=irq,work -t latency FILE says how long interrupts and work took" },
	{ "lock", '\0', "readperf --intervals=locks -t latency FILE says how long threads waited" },
	{ "mem", '\0', "readperf -t memory FILE writes which data was accessed, and where it was" },
	{ "record", '\0', "perf record makes recordings, readperf reads them" },
	{ "sched", '\0',
	  "readperf --intervals=sched -t threads,latency FILE says how long threads waited" },
	{ "stat", '\0', "perf stat record makes recordings; readperf -t counters FILE reads them" },
	{ "timechart", '\0', "readperf --report=PAGE.html FILE makes a page with a timeline" },
	{ "top", '\0', "perf record makes recordings, readperf reads them" },
	{ "trace", '\0',
	  "readperf --intervals=syscalls -t latency FILE says how long system calls took" },
};

/* Words of --sort and --fields: a key of --by, a column of samples.csv. */
static const struct {
	const char *word, *key, *column;
} perf_words[] = {
	{ "addr", NULL, "data_address" },
	{ "brstack", NULL, "-t branches" },
	{ "callindent", NULL, "-t calltree" },
	{ "cgroup", "cgroup", "cgroup" },
	{ "comm", "comm", "comm" },
	{ "cpu", "cpu", "cpu" },
	{ "data_src", NULL, "data_source" },
	{ "dso", "binary", "binary" },
	{ "event", NULL, "event" },
	{ "ip", "address", "ip" },
	{ "parent", "caller", NULL },
	{ "period", NULL, "period" },
	{ "pid", "tid", "pid" }, /* perf sorts by threads */
	{ "srcfile", "source_file", "source_file" },
	{ "srcline", "line", "line" },
	{ "sym", "function", "function" },
	{ "symbol", "function", "function" },
	{ "tgid", "pid", NULL },
	{ "tid", "tid", "tid" },
	{ "time", "time", "time" },
	{ "trace", "field.NAME", NULL },
	{ "trace_fields", "field.NAME", NULL },
	{ "weight", NULL, "weight" },
};

/* Ours for one of perf's words; NULL: it is unknown. */
static const char *our_word(bool sorts, const char *word, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_words); i++)
		if (strlen(perf_words[i].word) == length &&
		    !memcmp(perf_words[i].word, word, length))
			return sorts ? perf_words[i].key : perf_words[i].column;
	return NULL;
}

bool perf_words_advice(const char *option, const char *list, char *text, size_t size)
{
	const bool sorts = !strcmp(option, "sort") || !strcmp(option, "s");
	size_t used = 0;
	bool traces = false;

	if (!sorts && strcmp(option, "fields") != 0 && strcmp(option, "F") != 0)
		return false;
	while (*list && used + 32 < size) {
		const size_t length = strcspn(list, ",");
		const char *ours = our_word(sorts, list, length);

		if (ours)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
			                         used    ? ","
			                         : sorts ? "--by="
			                                 : "",
			                         ours);
		traces |= length >= 5 && !memcmp(list, "trace", 5);
		list += length + (list[length] == ',');
	}
	if (!used && !traces)
		return false;
	if (used)
		used += (size_t)snprintf(text + used, size - used, "%s%s",
		                         sorts ? " groups by these" : " are columns of -t samples",
		                         traces ? "; " : "");
	if (traces)
		snprintf(text + used, size - used, "-t trace writes the fields of tracepoints");
	return true;
}

const char *perf_option_advice(const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_options); i++)
		if (perf_options[i].name && strlen(perf_options[i].name) == length &&
		    !memcmp(perf_options[i].name, name, length))
			return perf_options[i].advice;
	return NULL;
}

const char *perf_letter_advice(char letter)
{
	for (size_t i = 0; letter && i < ARRAY_SIZE(perf_options); i++)
		if (perf_options[i].letter == letter)
			return perf_options[i].advice;
	return NULL;
}

const char *perf_command_advice(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(perf_commands); i++)
		if (!strcmp(perf_commands[i].name, word))
			return perf_commands[i].advice;
	return NULL;
}
