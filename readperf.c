/*
 * readperf: reads a perf.data recording and writes tables. Options, the order of all steps, exit
 * status: the only file that prints messages or ends the program.
 */
#define _GNU_SOURCE
#include "decode/run/checks.h"
#include "decode/options/commandline.h"
#include "decode/run/comparing.h"
#include "decode/run/documents.h"
#include "decode/options/generate.h"
#include "decode/options/help.h"
#include "decode/options/optionlist.h"
#include "decode/run/recording.h"
#include "decode/run/tableoutputs.h"
#include "decode/run/leftover.h"
#include "decode/tables/buildidsprinter.h"
#include "decode/tables/console.h"
#include "decode/tables/counters.h"
#include "decode/tables/remarks.h"
#include "decode/tables/schema.h"
#include "decode/tables/terminal.h"
#include "perffile/overview/identity.h"
#include "util/csv.h"
#include "util/memory.h"
#include "util/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum exit_status { EXIT_CLEAN, EXIT_FAILED, EXIT_USAGE, EXIT_DAMAGED, EXIT_RULE_MET };

/* The destination of messages, and the state of the progress line on a terminal. */
struct console {
	const char *file;
	bool terminal, shown;
	double started, last;
	pthread_mutex_t lock; /* messages come from two threads */
	/* an escaped message; here because a stack may be small */
	char safe_text[4 * 2 * ERR_TEXT_SIZE + 1], safe_file[4 * PATH_MAX + 1];
};

/* Everything that one run owns. On the heap, because a stack may be small. */
struct run {
	struct options options;
	struct console console;
	struct diag diag;
	struct err err;
	struct recording recording;
	struct buildids buildids;
	struct counters counters;
	struct identity identity;
	struct about about;
	char written[ALL_NAMES_SIZE]; /* the names of its tables */
	struct table_outputs tables;
	struct group_rows group_rows[GROUP_TABLES_MOST]; /* of tables of --by */
	struct report report;                            /* what printers may use of all this */
	struct comparing comparing; /* with --base, or for rules and documents of one recording */
	struct documents documents;
	double read_done, named_done; /* s, for -v */
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void clear_progress(struct console *console)
{
	if (console->shown)
		fputs("\r\033[K", stderr);
	console->shown = false;
}

/*
 * Names of files and functions in messages may be hostile, so they are escaped. A message is
 * written in one piece, because others may write to the same place.
 */
static void print_message(void *context, uint64_t offset, const char *text)
{
	struct console *console = context;
	const char *name = offset != ERR_NO_OFFSET || is_of_recording(text) ? console->file : "";
	char *safe = console->safe_text, *file = console->safe_file, where[40] = "";

	pthread_mutex_lock(&console->lock);
	clear_progress(console);
	*format_escaped(safe, text, strnlen(text, 2 * ERR_TEXT_SIZE)) = '\0';
	*format_escaped(file, name, strnlen(name, PATH_MAX)) = '\0';
	if (offset != ERR_NO_OFFSET)
		snprintf(where, sizeof(where), "at 0x%" PRIx64 ": ", offset);
	fprintf(stderr, "readperf: %s%s%s%s\n", file, *file ? ": " : "", where, safe);
	pthread_mutex_unlock(&console->lock);
}

/* Prints a message before there is a recording. Returns the exit status. */
static int print_error(const struct err *err)
{
	const bool usage = err->code == ERR_USAGE;
	char safe[4 * ERR_TEXT_SIZE + 1];

	*format_escaped(safe, err->text, strlen(err->text)) = '\0';
	fprintf(stderr, "readperf: %s%s\n", safe, usage ? " (see readperf --help)" : "");
	return usage ? EXIT_USAGE : EXIT_FAILED;
}

static void print_progress(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct console *console = context;
	double time = now();

	if (!console->terminal || time - console->started < 1 || time - console->last < 0.1)
		return;
	pthread_mutex_lock(&console->lock);
	console->last = time;
	console->shown = true;
	fputs("\r", stderr);
	if (total)
		fprintf(stderr, "%3.0f %%, ", 100.0 * (double)done / (double)total);
	fprintf(stderr, "%" PRIu64 " records, %.1f MB/s\033[K", records,
	        (double)done / (time - console->started) / 1e6);
	pthread_mutex_unlock(&console->lock);
}

/* Call it after everything has been printed to standard output. */
static int end_output(void)
{
	struct err err = { 0 };

	if (fflush(stdout) == 0)
		return EXIT_CLEAN;
	err_errno(&err, "standard output: cannot write");
	return print_error(&err);
}

static int print_schema(void)
{
	struct err err = { 0 };

	if (schema_write(STDOUT_FILENO, &err))
		return EXIT_CLEAN;
	/* the message begins with the name of the table; there is no such file here */
	fprintf(stderr, "readperf: standard output%s\n",
	        strchr(err.text, ':') ? strchr(err.text, ':') : "");
	return EXIT_FAILED;
}

static bool needs_names(const struct run *run)
{
	return !run->options.quiet || run->options.workbook ||
	       compare_request_wants_rows(&run->options.compare) ||
	       (table_set_needs(&run->options.tables) & NEEDS_NAMES) ||
	       recording_needs_names(&run->recording);
}

/* Makes all that lies outside of the sandbox, and enters it. */
static bool open_outputs(struct run *run)
{
	const struct options *options = &run->options;
	struct outputs *outputs = &run->tables.outputs;

	/* a document may be in the folder of the tables, so that is made first */
	return table_outputs_init(&run->tables, options, &run->err) &&
	       check_workbook(options, &run->err) &&
	       (!writes_csv(options) || outputs_make_dir(outputs, &run->err)) &&
	       documents_open(&run->documents, &options->compare, outputs, &run->err) &&
	       enter_sandbox(options, outputs, &run->err);
}

static bool open_all(struct run *run)
{
	struct options *options = &run->options;
	struct recording *recording = &run->recording;

	recording->needs_file = table_outputs_need_file(options);
	if (!buildids_init(&run->buildids, &run->err) || !open_outputs(run) ||
	    !recording_open(recording, options->file, &run->err) ||
	    !check_paths(options, &run->tables.outputs, &run->diag, &run->err) ||
	    !spare_recording(options, &run->tables.outputs, options->file, &run->err) ||
	    ((table_set_needs(&options->tables) & NEEDS_SAMPLES) &&
	     !buildstat_keep_samples(&recording->stat, temp_dir(), &run->err)) ||
	    !table_outputs_open(&run->tables, recording, &run->err))
		return false;
	counters_init(&run->counters, &recording->session);
	identity_init(&run->identity, &recording->session);
	run->report = recording_report(recording);
	run->report.buildids = &run->buildids;
	run->report.counters = &run->counters;
	run->report.about = &run->about;
	run->report.by = &options->groups;
	return true;
}

/* Whether samples are counted; not all tables need that. */
static bool needs_tally(const struct run *run)
{
	return needs_names(run) || run->recording.stat.chosen ||
	       (table_set_needs(&run->options.tables) & NEEDS_TALLY);
}

static bool read_all(struct run *run)
{
	struct read_options how = { run->options.naming.threads > 1, print_progress,
		                    &run->console };
	struct recording *recording = &run->recording;

	/* stacks whenever a table has functions, because results.csv has totals */
	if (needs_tally(run))
		recording_count(recording, needs_names(run));
	if (table_set_has(&run->options.tables, &buildids_table))
		recording_add(recording, buildids_handler(&run->buildids));
	recording_add(recording, counters_handler(&run->counters));
	if (run->options.tables.bits)
		recording_add(recording, identity_handler(&run->identity));
	if (!recording_read(recording, &how, &run->err))
		return false;
	run->read_done = now();
	return table_outputs_end_records(&run->tables, &run->err);
}

static bool name_all(struct run *run)
{
	struct recording *recording = &run->recording;

	if (!needs_names(run))
		return true;
	if (!recording_name(recording, &run->err))
		return false;
	remarks_on_stacks(&run->report, &run->diag);
	remarks_on_names(&recording->results, &recording->strings,
	                 &recording->naming.lookup.symbols, run->options.verbose, &run->diag);
	run->named_done = now();
	return true;
}

/* The exit status of a run that does not fail. */
static int end_status(const struct run *run)
{
	if (rules_met(&run->options.compare.rules))
		return EXIT_RULE_MET;
	return run->recording.summary.broken || run->comparing.broken ? EXIT_DAMAGED : EXIT_CLEAN;
}

static void fill_about(struct run *run)
{
	const struct options *options = &run->options;

	tables_written(&options->tables, &run->report, run->written);
	run->about = (struct about){
		.file = options->file,
		.options = options->given,
		.tables = run->written,
		.status = end_status(run),
	};
	snprintf(run->about.recording, sizeof(run->about.recording), "%016" PRIx64,
	         identity_number(&run->identity));
}

static bool write_tables(struct run *run)
{
	const char *folder = run->options.output;

	fill_about(run);
	if (!group_tables_make(&run->report, run->group_rows, &run->err) ||
	    !table_outputs_write(&run->tables, &run->report, &run->err))
		return false;
	if (writes_csv(&run->options))
		leftover_compare(folder, run->about.recording, &run->tables.outputs, &run->diag);
	return true;
}

/* It is no failure if the reader has gone (readperf | head). */
static bool flush_console(struct run *run)
{
	errno = 0;
	return (fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE ||
	       err_errno(&run->err, "standard output: cannot write");
}

/* Prints the result of --base, --fail-on and --summary, for people and CI services. */
static bool print_verdicts(struct run *run)
{
	const struct options *options = &run->options;
	struct verdict_report report = comparing_report(&run->comparing);

	if (!report.comparison && !compare_request_wants_rows(&options->compare))
		return true;
	if (!options->quiet && !documents_take_output(&options->compare))
		verdict_print(stdout, &report);
	return flush_console(run) && documents_write(&run->documents, &report, &run->err);
}

static bool print_console(struct run *run)
{
	if (run->options.quiet || documents_take_output(&run->options.compare))
		return true;
	return console_print(stdout, &run->report, run->options.limit,
	                     table_set_has(&run->options.tables, &results_table), &run->err) &&
	       flush_console(run);
}

static void print_verbose(const struct run *run)
{
	const struct recording *recording = &run->recording;
	const struct read_summary *summary = &recording->summary;
	const double started = run->console.started, end = now();
	const double named_done = run->named_done > 0 ? run->named_done : run->read_done;
	struct rusage usage_now;

	getrusage(RUSAGE_SELF, &usage_now);
	if (run->options.compare.base_count) {
		fprintf(stderr, "readperf: %zu runs in %.3f s; peak memory %ld kB\n",
		        run->comparing.run_count, end - started, usage_now.ru_maxrss);
		return;
	}
	fprintf(stderr,
	        "readperf: %" PRIu64
	        " records in %.3f s (%.1f million/s): first look %.3f s, reading %.3f s, "
	        "naming %.3f s, tables %.3f s\n",
	        summary->records, end - started, (double)summary->records / (end - started) / 1e6,
	        summary->scan_seconds, run->read_done - started - summary->scan_seconds,
	        named_done - run->read_done, end - named_done);
	fprintf(stderr,
	        "readperf: %zu addresses in %zu binaries, %zu functions; peak memory %ld kB: "
	        "records waiting %" PRIu64 " kB (%" PRIu64
	        " at most), mappings %zu kB, addresses %zu kB, "
	        "names %zu kB\n",
	        recording->names.place_count, recording->names.binaries, recording->names.symbols,
	        usage_now.ru_maxrss, summary->memory_most / 1024, summary->window_most,
	        recording->stat.processes.pool.arena.size / 1024,
	        recording->stat.cells.capacity * sizeof(struct cell) / 1024,
	        recording->strings.arena.size / 1024);
}

static bool run_steps(struct run *run)
{
	const struct options *options = &run->options;
	const struct recording *recording = &run->recording;

	if (!open_all(run) || !read_all(run))
		return false;
	remarks_on_reading(&run->report, &options->tables, options->file, &run->diag);
	remarks_on_keys(&run->report, &run->diag);
	if (options->strict && recording->summary.broken)
		return err_set(&run->err, ERR_FORMAT,
		               "the recording is damaged: --strict writes no tables");
	return name_all(run) && recording_check_selection(recording, &run->err) &&
	       comparing_judge(&run->comparing, &run->report, &run->err) && write_tables(run) &&
	       print_console(run) && print_verdicts(run) &&
	       table_outputs_commit(&run->tables, &run->report, &run->diag, &run->err);
}

/* With --base: reads the runs of both sides and compares them. */
static bool comparison_steps(struct run *run)
{
	struct options *options = &run->options;

	if (!open_outputs(run) ||
	    !check_paths(options, &run->tables.outputs, &run->diag, &run->err) ||
	    !comparing_run(&run->comparing, &run->err))
		return false;
	run->report.comparison = &run->comparing.comparison;
	run->report.by = &options->groups;
	return table_outputs_write(&run->tables, &run->report, &run->err) && print_verdicts(run) &&
	       table_outputs_commit(&run->tables, &run->report, &run->diag, &run->err);
}

static void release_run(struct run *run)
{
	documents_close(&run->documents);
	comparing_release(&run->comparing);
	table_outputs_release(&run->tables);
	for (unsigned i = 0; i < run->options.groups.count; i++)
		group_rows_release(&run->group_rows[i]);
	counters_release(&run->counters);
	buildids_release(&run->buildids);
	recording_release(&run->recording);
	diag_release(&run->diag);
	pthread_mutex_destroy(&run->console.lock);
}

/* When so many more bytes were refused, nearly all of the limit was in use. */
static void print_needed(struct console *console, uint64_t limit, uint64_t refused)
{
	char text[160];

	snprintf(text, sizeof(text),
	         "--max-memory is too small: %" PRIu64 " bytes were needed up to this point",
	         u64_add_sat(limit, refused));
	print_message(console, ERR_NO_OFFSET, text);
}

static int run_readperf(struct run *run)
{
	const struct options *options = &run->options;
	int status;

	run->console.file = options->compare.base_count ? "" : options->file;
	run->console.terminal = isatty(STDERR_FILENO) == 1;
	run->console.started = now();
	pthread_mutex_init(&run->console.lock, NULL);
	diag_init(&run->diag, print_message, &run->console);
	warn_of_idle_options(options, &run->diag);
	recording_init(&run->recording, options, &run->diag);
	run->comparing = (struct comparing){ .options = &run->options,
		                             .outputs = &run->tables.outputs,
		                             .diag = &run->diag };
	status = (options->compare.base_count ? comparison_steps(run) : run_steps(run))
	                 ? end_status(run)
	                 : EXIT_FAILED;
	clear_progress(&run->console);
	diag_finish(&run->diag);
	if (status == EXIT_FAILED) {
		print_message(&run->console, run->err.offset, run->err.text);
		if (run->err.code == ERR_NOMEM && options->max_memory)
			print_needed(&run->console, options->max_memory, run->err.size);
		if (!options->compare.file_count && run->recording.input.file_count == 0)
			fputs("readperf: without a FILE, perf.data is read; - stands for standard input (see readperf --help)\n",
			      stderr);
	} else if (options->verbose) {
		print_verbose(run);
	}
	if (run->err.code == ERR_USAGE)
		status = EXIT_USAGE;
	release_run(run);
	return status;
}

/* Does what the arguments ask for; returns the exit status. */
static int answer_arguments(struct run *run, int argc, char **argv)
{
	struct options *options = &run->options;
	struct err err = { 0 };

	if (!options_parse(options, argc, argv, &err))
		return print_error(&err);
	switch (options->action) {
	case ACTION_HELP:
		help_print(stdout);
		return end_output();
	case ACTION_VERSION:
		version_print(stdout);
		return end_output();
	case ACTION_SCHEMA:
		return print_schema();
	case ACTION_GENERATE:
		generate_print(stdout, options->generate, &options->tables, &options->groups);
		return end_output();
	case ACTION_RUN:
		break;
	}
	/* a failed write reports this itself, so that the run can clean up */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return memory_start(options->max_memory, &err) ? run_readperf(run) : print_error(&err);
}

struct call {
	int argc;
	char **argv;
	int status;
};

static void *answer_call(void *context)
{
	struct call *call = context;
	struct run *run = calloc(1, sizeof(*run));
	struct err err = { 0 };

	if (run) {
		call->status = answer_arguments(run, call->argc, call->argv);
		options_release(&run->options);
	} else {
		err_nomem(&err, sizeof(*run));
		print_error(&err);
	}
	free(run);
	return NULL;
}

int main(int argc, char **argv)
{
	struct call call = { argc, argv, EXIT_FAILED };
	struct err err = { 0 };

	if (!standard_streams_reserve())
		return EXIT_FAILED;     /* there is nowhere to report this */
	setlocale(LC_CTYPE, "C.UTF-8"); /* for text_columns(); numbers keep their point */
	/* on a stack that is large enough, whatever its limit is */
	if (!thread_call(answer_call, &call)) {
		err_nomem(&err, THREAD_ENOUGH);
		print_error(&err);
	}
	return call.status;
}
