#include "decode/tables/remarks.h"

#include "decode/tables/auxprinter.h"
#include "decode/tables/counters.h"
#include "util/digits.h"
#include "util/nearest.h"
#include "util/origperf.h"
#include "util/path.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SHOWN 200 /* bytes; of a longer path, messages show the end */

/* Whether the file is in a folder that perf record --threads made. */
static bool is_part(const char *file)
{
	const char *name = path_base(file);
	char first[4096];

	return !strcmp(name, "data") &&
	       snprintf(first, sizeof(first), "%.*sdata.0", (int)(name - file), file) <
	               (int)sizeof(first) &&
	       access(first, F_OK) == 0;
}

static void remark_on_losses(const struct read_summary *summary, struct diag *diag)
{
	if (summary->auxtrace_bytes)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " bytes of instruction trace (AUXTRACE) are not decoded",
		          summary->auxtrace_bytes);
	if (summary->lost_records)
		diag_warn(diag, ERR_NO_OFFSET, "the recorder lost %" PRIu64 " record%s (LOST)",
		          summary->lost_records, summary->lost_records == 1 ? "" : "s");
	if (summary->lost_samples)
		diag_warn(diag, ERR_NO_OFFSET,
		          "the recorder lost %" PRIu64 " sample%s (LOST_SAMPLES)%s",
		          summary->lost_samples, summary->lost_samples == 1 ? "" : "s",
		          summary->lost_records ? ", some of them counted as records too" : "");
	if (summary->late)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64
		          " records came too late for the order of time: they follow younger ones",
		          summary->late);
	if (summary->unknown_ids)
		diag_warn(diag, ERR_NO_OFFSET, "%" PRIu64 " record%s to no known event",
		          summary->unknown_ids,
		          summary->unknown_ids == 1 ? " belongs" : "s belong");
	if (summary->unknown_reads)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " counter value%s in samples belong%s to no known event",
		          summary->unknown_reads, summary->unknown_reads == 1 ? "" : "s",
		          summary->unknown_reads == 1 ? "s" : "");
}

/* Sums stay what they are, modulo 2^64, so that all tables have the same ones. */
static void remark_on_periods(const struct report *report, struct diag *diag)
{
	const struct buildstat *stat = report->stat;

	/* the first are of samples that belong to no event */
	for (size_t i = 0; i < stat->total_count; i++)
		if (stat->totals[i].wrapped)
			diag_warn(diag, ERR_NO_OFFSET,
			          "%s: its periods add up to more than 18446744073709551615, so "
			          "their sums are modulo 2^64 and the percentages wrong",
			          buildstat_event_name(report->session, (uint32_t)i - 1));
}

/* Of the tables of tracepoints, if they were asked for. */
static void remark_on_traces(const struct report *report, const struct table_set *set,
                             struct diag *diag)
{
	const struct trace_log *trace = &report->stat->trace;

	formats_report(trace_log_is_open(trace) ? &trace->formats
	                                        : &report->stat->choice.fields.formats,
	               diag);

	if (trace->shorter)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64 " record%s of a tracepoint %s shorter than its format: the "
		          "fields behind the end are empty",
		          trace->shorter, trace->shorter == 1 ? "" : "s",
		          trace->shorter == 1 ? "is" : "are");
	if (table_set_names(set, &trace_table) && !trace->traced)
		diag_warn(diag, ERR_NO_OFFSET,
		          "no samples of tracepoints are counted, so that there are no tables of "
		          "them: record with -e SYSTEM:NAME");
}

/* Explains why there are no samples, in which case most tables are empty. */
static void remark_on_samples(const struct report *report, const struct table_set *set,
                              const char *file, struct diag *diag)
{
	/* also those that are made of a trace */
	uint64_t samples = report->summary->types[PERF_RECORD_SAMPLE].count +
	                   report->session->derived_count;
	bool counted = report_counters(report)->count != 0;
	bool asked = table_set_has(set, &counters_table) || table_set_names(set, &ratios_table);

	if (report->stat->guessed_period)
		diag_warn(diag, ERR_NO_OFFSET,
		          "samples without a period at a fixed frequency count 1 each");
	if (counted && samples == 0 && !asked)
		diag_warn(diag, ERR_NO_OFFSET,
		          "a `perf stat record` file holds counters, no samples: "
		          "they are in the tables counters and ratios (--tables=counters,ratios)");
	else if (!counted && samples == 0 && is_part(file))
		diag_warn(
			diag, ERR_NO_OFFSET,
			"holds no samples: they are in data.0 and other files beside it; name the folder to read all of them");
	else if (!counted && samples == 0)
		diag_warn(diag, ERR_NO_OFFSET, "the recording holds no samples");
	else if (!counted && table_set_names(set, &counters_table))
		diag_warn(diag, ERR_NO_OFFSET,
		          "the recording holds no counters: `perf stat record` makes them");
}

/* Of aux.csv, if it was asked for. */
static void remark_on_aux(const struct aux_records *records, struct diag *diag)
{
	size_t truncated = 0;

	for (size_t i = 0; records && i < records->count; i++)
		truncated += (records->items[i].flags & PERF_AUX_FLAG_TRUNCATED) != 0;
	if (truncated)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"instruction trace was lost behind %zu of %zu pieces, which are truncated (AUX)",
			truncated, records->count);
}

void remarks_on_reading(const struct report *report, const struct table_set *set, const char *file,
                        struct diag *diag)
{
	remark_on_losses(report->summary, diag);
	remark_on_aux(collection_get(report->kept, &aux_collector), diag);
	remark_on_samples(report, set, file, diag);
	remark_on_periods(report, diag);
	remark_on_traces(report, set, diag);
}

#define WORTH_A_WARNING 100 /* a warning is printed if at least one in so many has no name */

/*
 * What the user can do about the kernel's functions if --kallsyms was given, which is then the only
 * list that is used. NULL: nothing that has to do with it.
 */
static const char *advice_on_list(enum symbol_origin reason, const char *binary)
{
	if (reason == ORIGIN_KERNEL_HIDDEN)
		return "the file of --kallsyms names none of its functions: pass a copy of "
		       "/proc/kallsyms that root made on the recorded machine, or leave "
		       "--kallsyms out";
	if (reason == ORIGIN_NO_SYMBOL && text_starts(binary, "[kernel"))
		return "the file of --kallsyms has no symbol there: it may be of another kernel "
		       "than the recorded one";
	return NULL;
}

/* What the user can do about a reason. */
static const char *advice_for(enum symbol_origin reason, const char *binary,
                              const struct symbol_options *options)
{
	const struct origin *origin = &origins[reason];
	bool debuginfod = options->files.debuginfod;
	const char *on_list = options->kallsyms && !options->vmlinux
	                              ? advice_on_list(reason, binary)
	                              : NULL;

	if (on_list)
		return on_list;
	if (*binary == '[' && origin->special_advice)
		return origin->special_advice;
	return debuginfod && origin->fetched_advice ? origin->fetched_advice : origin->advice;
}

/* The end of a long path, not from within a UTF-8 character. */
static const char *end_of_path(const char *path)
{
	const size_t length = strlen(path);

	if (length > PATH_SHOWN)
		for (path += length - PATH_SHOWN; ((uint8_t)*path & 0xc0) == 0x80;)
			path++;
	return path;
}

void remarks_on_names(const struct results *results, const struct strings *strings,
                      const struct symbol_options *options, bool verbose, struct diag *diag)
{
	enum symbol_origin largest = ORIGIN_FIRST_REASON;
	char reasons[300] = "", share[80], percent[40]; /* all reasons take less than 240 bytes */
	/* periods of several events do not add up */
	bool by_period = results->nameable.period && results->row_count &&
	                 results->rows[0].event == results->rows[results->row_count - 1].event;
	const uint64_t whole = by_period ? results->nameable.period : results->nameable.samples;
	uint64_t unnamed = 0, most = 0;
	const char *worst, *shown;

	for (size_t i = ORIGIN_FIRST_REASON; i < ORIGIN_COUNT; i++) {
		const struct unnamed *reason = &results->unnamed[i];
		uint64_t part = by_period ? reason->period : reason->samples;

		unnamed += part;
		if (part > most) {
			most = part;
			largest = (enum symbol_origin)i;
		}
		if (!part)
			continue;
		*format_percent(percent, part, whole, 2) = '\0';
		snprintf(share, sizeof(share), "%s %s %%",
		         symbol_origin_name((enum symbol_origin)i), percent);
		list_name(reasons, sizeof(reasons), ", ", share);
	}
	*format_percent(percent, unnamed, whole, 2) = '\0';
	/* a share that is printed as 0.00 is not worth a warning */
	if (strcmp(percent, "0.00") == 0 ||
	    ((double)unnamed * WORTH_A_WARNING < (double)whole && !verbose))
		return;
	worst = strings_get(strings, results->unnamed[largest].worst);
	shown = end_of_path(worst);
	diag_warn(diag, ERR_NO_OFFSET,
	          "%s %% of the %s no function name: %s; %s mostly in %s%s: %s", percent,
	          by_period ? "period has" : "samples have", reasons, symbol_origin_name(largest),
	          shown == worst ? "" : "...", shown, advice_for(largest, worst, options));
}

void remarks_on_keys(const struct report *report, struct diag *diag)
{
	static const struct {
		enum group_key key;
		uint64_t field;
		const char *advice;
	} keys[] = {
		{ KEY_CPU, PERF_SAMPLE_CPU, "--sample-cpu" },
		{ KEY_CGROUP, PERF_SAMPLE_CGROUP, "--all-cgroups" },
		{ KEY_TIME, PERF_SAMPLE_TIME, "--timestamp" },
		{ KEY_CALLER, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		  "-g or --call-graph dwarf" },
		{ KEY_FROM_FUNCTION, PERF_SAMPLE_BRANCH_STACK, "-b" },
		{ KEY_TO_FUNCTION, PERF_SAMPLE_BRANCH_STACK, "-b" },
	};
	const struct session *session = report->session;
	uint64_t recorded = 0;
	char missing[200] = "", key[100];

	for (size_t i = 0; i < session->event_count; i++)
		recorded |= session->events[i].attr.sample_type;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (group_tables_keys(report->by) >> keys[i].key & 1 &&
		    !(recorded & keys[i].field)) {
			snprintf(key, sizeof(key), "%s (perf record %s)",
			         group_key_column(keys[i].key)->name, keys[i].advice);
			list_name(missing, sizeof(missing), ", ", key);
		}
	if (*missing)
		diag_warn(diag, ERR_NO_OFFSET, "--by: no sample was recorded with its %s", missing);
}

#define LOST_PERCENT 5 /* percent of an event's stacks from which a warning is printed */

/* Ends of stacks that are not complete, and advice. */
struct stack_loss {
	enum stack_end end;
	const char *what, *advice;
};

static const struct stack_loss losses[] = {
	{ STACK_CUT, "cut", NULL },
	{ STACK_NO_RULE, "lost in code without unwind tables or between two stacks (signals, Go)",
	  "compile with -fasynchronous-unwind-tables, or with frame pointers and record with "
	  "--call-graph fp" },
	{ STACK_NO_BINARY, "lost in files that are not here",
	  "copy them here and name their root with --symfs" },
	{ STACK_OTHER_FILE, "lost in files that are not the recorded ones",
	  "name the folder of the recorded ones with --symfs" },
	{ STACK_NO_MAP, "lost where no code was mapped", "record with a larger buffer (-m)" },
	{ STACK_TOO_DEEP, "too deep", "nothing can be done about it" },
};

/* What to do if the recorded chain or the copied stack ends too early. */
static const char *advice_for_cut(const struct event_attr *attr)
{
	const bool few = attr->sample_max_stack && attr->sample_max_stack < PERF_MAX_STACK_DEPTH;

	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER) && few)
		return "record with a larger max-stack of the event (127 is the default), or "
		       "--call-graph dwarf,65528";
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return "record with more frames (sysctl kernel.perf_event_max_stack, and "
		       "--call-graph fp), or --call-graph dwarf,65528";
	if (attr->sample_stack_user < 65528)
		return "record with --call-graph dwarf,65528";
	return "no larger copies can be recorded: compile with frame pointers, and record with "
	       "--call-graph fp";
}

/* How the stacks of an event were recorded; of a derived one: of the recorded event with fewest
 * frames. */
static const struct event_attr *attr_of_stacks(const struct session *session, uint32_t number)
{
	const struct event_attr *fewest = &session->events[number].attr;

	if (!session->events[number].derived)
		return fewest;
	for (size_t i = 0; i < session_recorded_events(session); i++) {
		const struct event_attr *attr = &session->events[i].attr;

		if (attr->sample_type & PERF_SAMPLE_CALLCHAIN &&
		    (!(fewest->sample_type & PERF_SAMPLE_CALLCHAIN) ||
		     attr->sample_max_stack < fewest->sample_max_stack))
			fewest = attr;
	}
	return fewest;
}

static void remark_on_event(const struct report *report, uint32_t number,
                            const struct call_count *ends, struct diag *diag)
{
	uint64_t stacks = 0, lost = 0;
	const struct stack_loss *worst = &losses[0];
	char percent[40];

	for (size_t i = 0; i < STACK_ENDS; i++)
		if (i != STACK_NONE && i != STACK_KERNEL_ONLY)
			stacks += ends[i].samples;
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		lost += ends[losses[i].end].samples;
		if (ends[losses[i].end].samples > ends[worst->end].samples)
			worst = &losses[i];
	}
	if (lost <= stacks / 100 * LOST_PERCENT + stacks % 100 * LOST_PERCENT / 100)
		return;
	*format_percent(percent, lost, stacks, 2) = '\0';
	diag_warn_about(diag,
	                (struct diag_about){ buildstat_event_name(report->session, number), lost },
	                "%s: %s %% of %" PRIu64 " stacks are not whole, mostly %s: %s",
	                buildstat_event_name(report->session, number), percent, stacks, worst->what,
	                worst->advice ? worst->advice
	                              : advice_for_cut(attr_of_stacks(report->session, number)));
}

void remarks_on_stacks(const struct report *report, struct diag *diag)
{
	const struct stackstat *stacks = report->stat->stacks;

	if (!stacks)
		return;
	/* intervals need places, not stacks */
	if (!report->totals->chains && report->calls->count)
		diag_warn(diag, ERR_NO_OFFSET,
		          "no sample has a call chain, so each stack is one function: record with "
		          "perf record -g or --call-graph dwarf");
	for (size_t i = 0; i < report->session->event_count; i++)
		remark_on_event(report, (uint32_t)i, &report->totals->ends[i * STACK_ENDS], diag);
	if (stacks->reader.narrow)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%" PRIu64
		          " stacks of 32-bit programs are not unwound: record those with "
		          "--call-graph fp",
		          stacks->reader.narrow);
	if (stacks->tree.depth_most != SIZE_MAX)
		diag_warn(diag, ERR_NO_OFFSET,
		          "the stacks take too much memory: of %" PRIu64
		          " only the outermost %zu callers "
		          "and the innermost function are kept, [folded] stands for the others",
		          stackstat_folded_samples(stacks), stacks->tree.depth_most);
}
