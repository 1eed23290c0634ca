/*
 * readperf: reads a perf.data recording and writes tables. Options, wiring, exit status: the only
 * file that prints messages or exits.
 */
#define _GNU_SOURCE
#include "decode/checks.h"
#include "decode/choosing.h"
#include "decode/commandline.h"
#include "decode/comparing.h"
#include "decode/documents.h"
#include "decode/exports/comparison.h"
#include "decode/generate.h"
#include "decode/help.h"
#include "decode/naming/functionselect.h"
#include "decode/tables/about.h"
#include "decode/tables/buildidsPrinter.h"
#include "decode/tables/console.h"
#include "decode/tables/counters.h"
#include "decode/tables/remarks.h"
#include "decode/tables/schema.h"
#include "decode/tables/terminal.h"
#include "decode/tables/xlsx.h"
#include "perffile/overview/identity.h"
#include "perffile/overview/overviewPrinter.h"
#include "perffile/overview/overviewTable.h"
#include "util/csvtable.h"
#include "util/memory.h"
#include "util/standard.h"
#include "util/thread.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum exit_status { EXIT_CLEAN, EXIT_FAILED, EXIT_USAGE, EXIT_DAMAGED, EXIT_RULE_MET };

/* Where messages go, and the state of the progress line on a terminal. */
struct console {
	const char *file;
	bool terminal, shown;
	double started, last;
	pthread_mutex_t lock; /* messages come from two threads */
};

#define HANDLERS_MOST 8

/* Everything that one run owns. */
struct run {
	const struct options *options;
	struct console console;
	struct diag diag;
	struct err err;
	struct input input;
	struct session session;
	struct read_summary summary;
	struct strings strings;
	struct buildstat stat;
	struct buildids buildids;
	struct counters counters;
	struct overview *overview;
	struct xlsx *xlsx;           /* NULL: no workbook */
	struct overview_table sheet; /* the workbook's of all records */
	struct identity identity;
	struct about about;
	struct place_names names;
	struct results results;
	struct comparing comparing; /* with --base */
	struct documents documents;
	struct compare_run single; /* with --fail-on or --summary: what this recording says */
	struct call_tree calls;
	struct stack_options stack_options;
	struct outputs outputs;
	struct table_files files; /* those of outputs */
	struct csv_tables csv_tables;
	struct report report;         /* what printers may see of all this */
	bool early;                   /* the tables without names have been written, */
	struct err early_err;         /* or that has failed */
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
 * Names of files and functions in messages are as hostile as elsewhere. A message goes out in one
 * piece: others may write to the same place.
 */
static void print_message(void *context, uint64_t offset, const char *text)
{
	struct console *console = context;
	char safe[4 * 2 * ERR_TEXT_SIZE + 1], file[4 * PATH_MAX + 1], where[40] = "";

	pthread_mutex_lock(&console->lock);
	clear_progress(console);
	*format_escaped(safe, text, strnlen(text, 2 * ERR_TEXT_SIZE)) = '\0';
	*format_escaped(file, console->file, strnlen(console->file, PATH_MAX)) = '\0';
	if (offset != ERR_NO_OFFSET)
		snprintf(where, sizeof(where), "at 0x%" PRIx64 ": ", offset);
	fprintf(stderr, "readperf: %s%s%s%s\n", file, *file ? ": " : "", where, safe);
	pthread_mutex_unlock(&console->lock);
}

/* A message where there is no recording yet. */
static void print_error(const struct err *err, const char *advice)
{
	char safe[4 * ERR_TEXT_SIZE + 1];

	*format_escaped(safe, err->text, strlen(err->text)) = '\0';
	fprintf(stderr, "readperf: %s%s\n", safe, advice);
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

static int print_text(void (*print)(FILE *out))
{
	struct err err = { 0 };

	print(stdout);
	if (fflush(stdout) == 0)
		return EXIT_CLEAN;
	err_errno(&err, "standard output: cannot write");
	print_error(&err, "");
	return EXIT_FAILED;
}

static int print_generated(const struct options *options)
{
	struct err err = { 0 };

	generate_print(stdout, options->generate, &options->tables);
	if (fflush(stdout) == 0)
		return EXIT_CLEAN;
	err_errno(&err, "standard output: cannot write");
	print_error(&err, "");
	return EXIT_FAILED;
}

static int open_standard_output(void *context, const char *name, struct err *err)
{
	(void)context, (void)name, (void)err;
	return STDOUT_FILENO;
}

static int print_schema(void)
{
	struct table_files files = { NULL, open_standard_output };
	struct csv_tables csv_tables;
	struct table_writer out;
	struct err err = { 0 };
	bool ok;

	csv_tables_init(&csv_tables, &files, false);
	out = csv_tables_writer(&csv_tables);
	ok = out.kind->begin(out.context, &schema_format, &err);
	if (ok) {
		schema_print(&out);
		ok = out.kind->end(out.context, &err);
	}
	out.kind->discard(out.context);
	/* the message begins with the name of the table, which is no file here */
	if (!ok)
		fprintf(stderr, "readperf: standard output%s\n",
		        strchr(err.text, ':') ? strchr(err.text, ':') : "");
	return ok ? EXIT_CLEAN : EXIT_FAILED;
}

static bool is_table_wanted(const struct run *run, const struct table *table)
{
	return table_set_has(&run->options->tables, table);
}

static int open_output(void *context, const char *name, struct err *err)
{
	return outputs_open(context, name, err);
}

static void fill_report(struct run *run)
{
	run->report = (struct report){
		.session = &run->session,
		.summary = &run->summary,
		.stat = &run->stat,
		.names = &run->names,
		.results = &run->results,
		.calls = &run->calls,
		.buildids = &run->buildids,
		.counters = &run->counters,
		.overview = run->overview,
		.files = &run->files,
		.about = &run->about,
	};
}

static bool needs_names(const struct run *run)
{
	return !run->options->quiet || run->options->workbook ||
	       compare_request_wants_rows(&run->options->compare) ||
	       (table_set_needs(&run->options->tables) & NEEDS_NAMES) ||
	       choosing_needs_names(run->options);
}

/* Stacks are counted wherever a table tells of functions: results.csv has what they call, too. */
static void ask_for_stacks(struct run *run)
{
	unsigned needs = table_set_needs(&run->options->tables);

	run->stack_options = (struct stack_options){
		.files = &run->options->naming.lookup.symbols.files,
		.every_name = (needs & NEEDS_STACKS) != 0,
		.every_sample = (needs & NEEDS_EVERY_STACK) && !run->options->tables.all,
		.by_comm = (needs & NEEDS_COMM) != 0,
		.by_thread = (needs & NEEDS_THREADS) != 0,
		.memory = STACK_MEMORY
	};
	if (needs_names(run))
		run->stat.stack_options = &run->stack_options;
}

/* All records are written into their sheet while they are read. */
static bool open_workbook(struct run *run)
{
	const char *path = outputs_open_path(&run->outputs, run->options->workbook, &run->err);

	if (!path || !(run->xlsx = xlsx_new(path, temp_dir(), &run->options->tables, &run->err)))
		return false;
	if (!is_table_wanted(run, &overview_table))
		return true;
	run->sheet = (struct overview_table){ .session = &run->session,
		                              .out = xlsx_writer(run->xlsx),
		                              .start = xlsx_start,
		                              .context = run->xlsx };
	return run->sheet.out.kind->begin(run->xlsx, &overview_format, &run->err);
}

static bool open_all(struct run *run)
{
	const struct options *options = run->options;

	if (!strings_init(&run->strings, &run->err) || !buildids_init(&run->buildids, &run->err) ||
	    !outputs_init(&run->outputs, options->output, &run->err) ||
	    !documents_open(&run->documents, &options->compare, &run->err) ||
	    !enter_sandbox(options, &run->outputs, &run->err) ||
	    !input_open(&run->input, options->file, temp_dir(), &run->diag, &run->err) ||
	    !check_paths(options, &run->diag, &run->err) ||
	    !session_open(&run->session, &run->input, &run->err) ||
	    !buildstat_init(&run->stat, &run->session, &run->strings, &run->err) ||
	    !choosing_begin(options, &run->stat, &run->err))
		return false;
	run->outputs.pack = options->compress;
	counters_init(&run->counters, &run->session);
	identity_init(&run->identity, &run->session);
	run->files = (struct table_files){ &run->outputs, open_output };
	csv_tables_init(&run->csv_tables, &run->files, options->spreadsheet);
	if (options->workbook && !open_workbook(run))
		return false;
	if (is_table_wanted(run, &overview_table) && writes_csv(options))
		run->overview = overview_new(&run->session, &run->files, options->spreadsheet,
		                             &run->err);
	ask_for_stacks(run);
	fill_report(run);
	return run->err.code == ERR_NONE;
}

/* Whether samples are counted: nothing else needs them. */
static bool needs_tally(const struct run *run)
{
	return needs_names(run) || run->stat.chosen ||
	       (table_set_needs(&run->options->tables) & NEEDS_TALLY);
}

struct handler_list {
	struct record_handler handlers[HANDLERS_MOST];
	size_t count;
};

static void add_handler(struct handler_list *list, struct record_handler handler)
{
	assert(list->count < HANDLERS_MOST);
	list->handlers[list->count++] = handler;
}

static bool close_record_sheet(struct run *run)
{
	overview_table_finish(&run->sheet);
	return run->sheet.out.kind->end(run->xlsx, &run->err);
}

static bool read_all(struct run *run)
{
	struct handler_list list = { .count = 0 };
	struct read_options how = { run->options->threads > 1, print_progress, &run->console };
	const bool tally = needs_tally(run);

	if (run->overview)
		add_handler(&list, overview_handler(run->overview));
	if (run->sheet.session)
		add_handler(&list, overview_table_handler(&run->sheet));
	if (tally)
		add_handler(&list, buildstat_handler(&run->stat));
	if (is_table_wanted(run, &buildids_table))
		add_handler(&list, buildids_handler(&run->buildids));
	add_handler(&list, counters_handler(&run->counters));
	if (run->options->tables.bits)
		add_handler(&list, identity_handler(&run->identity));
	if (!perffile_read(&run->input, &run->session, list.handlers, list.count, &how, &run->diag,
	                   &run->summary, &run->err))
		return false;
	run->read_done = now();
	if (run->sheet.session && !close_record_sheet(run))
		return false;
	return !tally || buildstat_finish(&run->stat, &run->err);
}

/* Writes the tables of a phase; those of --by have names mostly. */
static bool write_tables_to(struct run *run, enum table_phase phase, const struct report *report,
                            struct table_writer *out, struct err *err)
{
	return tables_write(&run->options->tables, phase, report, out, err) &&
	       (phase != PHASE_NAMED ||
	        group_tables_write(&run->options->groups, &run->stat, &run->names, out, err));
}

/* Writes the tables whose time has come to wherever they are asked for. */
static bool write_phase(struct run *run, enum table_phase phase, struct err *err)
{
	struct report report = run->report;
	struct table_writer out;

	if (writes_csv(run->options)) {
		out = csv_tables_writer(&run->csv_tables);
		if (!write_tables_to(run, phase, &report, &out, err))
			return false;
	}
	if (!run->xlsx)
		return true;
	if (run->summary.first_time != TIME_NONE)
		xlsx_start(run->xlsx, run->summary.first_time);
	/* the sheet of all records is complete */
	report.overview = NULL;
	out = xlsx_writer(run->xlsx);
	return write_tables_to(run, phase, &report, &out, err);
}

/* May be called by a second thread while names are looked up in this one. */
static void write_early(void *context)
{
	struct run *run = context;

	run->early = true;
	write_phase(run, PHASE_EARLY, &run->early_err);
}

static bool name_all(struct run *run)
{
	struct naming_options how = run->options->naming;

	if (!needs_names(run))
		return true;
	/* symbol tables come and go, each in the place of the one before */
	memory_part_from(2 * 1024 * 1024);
	how.lookup.symbols.files.last_sample = run->summary.last_time;
	/* what functions have is known when they have names */
	if (!choosing_functions(run->options)) {
		how.meanwhile = write_early;
		how.context = run;
	}
	if (!naming_run(&run->names, &run->stat, &how, &run->diag, &run->err) ||
	    (choosing_functions(run->options) &&
	     !functions_select(&run->stat, &run->names, &run->err)) ||
	    !call_tree_make(&run->calls, &run->stat, &run->names, &run->err) ||
	    !results_make(&run->results, &run->stat, &run->names, &run->calls, &run->diag,
	                  &run->err))
		return false;
	if (!remarks_on_stacks(&run->report, &run->diag, &run->err))
		return false;
	remarks_on_names(&run->results, &run->strings, &how.lookup.symbols, &run->diag);
	run->named_done = now();
	return true;
}

static void fill_about(struct run *run)
{
	const struct options *options = run->options;

	run->about = (struct about){
		.file = options->file,
		.options = options->given,
		.set = &options->tables,
		.status = run->summary.broken ? EXIT_DAMAGED : EXIT_CLEAN,
	};
	snprintf(run->about.recording, sizeof(run->about.recording), "%016" PRIx64,
	         identity_number(&run->identity));
	if (writes_csv(options))
		about_compare(options->output, &run->report, &run->diag);
}

static bool write_tables(struct run *run)
{
	if (!run->early)
		write_early(run);
	if (run->early_err.code != ERR_NONE)
		return err_pass(&run->err, &run->early_err);
	fill_about(run);
	return write_phase(run, PHASE_NAMED, &run->err) && write_phase(run, PHASE_LAST, &run->err);
}

/* What --fail-on and --summary say of one recording. */
static bool judge_recording(struct run *run)
{
	const struct options *options = run->options;
	struct strings *strings = &run->comparing.strings;
	struct verdict_report report = { .strings = strings,
		                         .run = &run->single,
		                         .rules = &run->comparing.rules,
		                         .limit = options->limit };

	if (!compare_request_wants_rows(&options->compare))
		return true;
	if (!strings_init(strings, &run->err) ||
	    !rules_of_options(&run->comparing.rules, options, &run->err) ||
	    !run_of_results(&run->single, &run->report, strings, &run->err) ||
	    !rules_check_single(&run->comparing.rules, &run->single, strings, &run->comparing.met,
	                        &run->err))
		return false;
	if (!options->quiet && !documents_take_output(&options->compare))
		rules_print(stdout, &report);
	return documents_write(&run->documents, &report, &run->err);
}

/* The console overview. A reader that went away (readperf | head) is no failure. */
static bool print_console(struct run *run)
{
	struct terminal terminal;

	if (run->options->quiet || documents_take_output(&run->options->compare))
		return true;
	terminal = terminal_of(stdout);
	if (terminal.columns)
		terminal_print(stdout, &terminal, &run->report, run->options->limit,
		               is_table_wanted(run, &results_table));
	else
		console_print(stdout, &run->report, run->options->limit,
		              is_table_wanted(run, &results_table));
	errno = 0;
	if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
		return err_errno(&run->err, "standard output: cannot write");
	return true;
}

static void print_verbose(const struct run *run)
{
	double end = now();
	double started = run->console.started, read = run->read_done - started;
	struct rusage usage_now;

	getrusage(RUSAGE_SELF, &usage_now);
	fprintf(stderr,
	        "readperf: %" PRIu64
	        " records in %.3f s (%.1f million/s): first look %.3f s, reading %.3f s, "
	        "naming %.3f s, tables %.3f s\n",
	        run->summary.records, end - started,
	        (double)run->summary.records / (end - started) / 1e6, run->summary.scan_seconds,
	        read - run->summary.scan_seconds,
	        run->named_done > 0 ? run->named_done - run->read_done : 0,
	        end - (run->named_done > 0 ? run->named_done : run->read_done));
	fprintf(stderr,
	        "readperf: %zu addresses in %zu binaries, %zu functions; peak memory %ld kB: "
	        "records waiting %" PRIu64 " kB (%" PRIu64
	        " at most), mappings %zu kB, addresses %zu kB, "
	        "names %zu kB\n",
	        run->names.place_count, run->names.binaries, run->names.symbols,
	        usage_now.ru_maxrss, run->summary.memory_most / 1024, run->summary.window_most,
	        space_pool_size(&run->stat.processes.pool) / 1024,
	        run->stat.cells.capacity * sizeof(struct cell) / 1024,
	        run->strings.arena.size / 1024);
}

static bool run_steps(struct run *run)
{
	if (!open_all(run) || !read_all(run))
		return false;
	remarks_on_reading(&run->report, &run->options->tables, run->options->file, &run->diag);
	if (run->options->strict && run->summary.broken)
		return err_set(&run->err, ERR_FORMAT,
		               "the recording is damaged: --strict writes no tables");
	if (!name_all(run) || !choosing_end(run->options, &run->stat, &run->diag, &run->err) ||
	    !write_tables(run) || !print_console(run) || !judge_recording(run))
		return false;
	if (run->xlsx &&
	    !xlsx_finish(run->xlsx, &run->report, &run->diag, run->options->file, &run->err))
		return false;
	return outputs_commit(&run->outputs, &run->err);
}

/* The result of a comparison, for people and CI services. */
static bool print_verdicts(struct run *run)
{
	const struct options *options = run->options;
	const struct terminal terminal = terminal_of(stdout);
	struct verdict_report report = { .strings = &run->comparing.strings,
		                         .comparison = &run->comparing.comparison,
		                         .rules = &run->comparing.rules,
		                         .warnings = (const char *const *)run->comparing.warnings,
		                         .warning_count = run->comparing.warning_count,
		                         .limit = options->limit };

	if (!options->quiet && !documents_take_output(&options->compare))
		comparison_print(stdout, &report, &terminal);
	errno = 0;
	if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE)
		return err_errno(&run->err, "standard output: cannot write");
	return documents_write(&run->documents, &report, &run->err);
}

/* With --base: the runs of both sides to verdicts. */
static bool comparison_steps(struct run *run)
{
	const struct options *options = run->options;
	struct table_writer out;

	if (!outputs_init(&run->outputs, options->output, &run->err) ||
	    !documents_open(&run->documents, &options->compare, &run->err) ||
	    !enter_sandbox(options, &run->outputs, &run->err) ||
	    !comparing_run(&run->comparing, options, &run->diag, &run->err))
		return false;
	run->summary.broken = run->comparing.broken;
	run->files = (struct table_files){ &run->outputs, open_output };
	csv_tables_init(&run->csv_tables, &run->files, options->spreadsheet);
	out = csv_tables_writer(&run->csv_tables);
	run->report = (struct report){ .comparison = &run->comparing.comparison };
	return tables_write(&options->tables, PHASE_EARLY, &run->report, &out, &run->err) &&
	       print_verdicts(run) && outputs_commit(&run->outputs, &run->err);
}

static void release_run(struct run *run)
{
	documents_close(&run->documents);
	compare_run_release(&run->single);
	comparing_release(&run->comparing);
	overview_free(run->overview);
	overview_table_release(&run->sheet);
	xlsx_free(run->xlsx);
	outputs_release(&run->outputs);
	results_release(&run->results);
	call_tree_release(&run->calls);
	place_names_release(&run->names);
	buildstat_release(&run->stat);
	counters_release(&run->counters);
	buildids_release(&run->buildids);
	read_summary_release(&run->summary);
	session_release(&run->session);
	input_close(&run->input);
	strings_release(&run->strings);
	diag_release(&run->diag);
	pthread_mutex_destroy(&run->console.lock);
}

/* The limit was all but used up when so many more bytes were refused. */
static void print_needed(struct console *console, uint64_t limit, uint64_t refused)
{
	char text[160];

	snprintf(text, sizeof(text),
	         "--max-memory is too small: up to here %" PRIu64 " bytes would have been needed",
	         u64_add_sat(limit, refused));
	print_message(console, ERR_NO_OFFSET, text);
}

static int run_with(struct run *run, const struct options *options)
{
	int status;

	run->options = options;
	run->console.file = options->compare.base_count ? "" : options->file;
	run->console.terminal = isatty(STDERR_FILENO) == 1;
	run->console.started = now();
	pthread_mutex_init(&run->console.lock, NULL);
	diag_init(&run->diag, print_message, &run->console);
	session_init(&run->session, &run->diag);
	if (options->compare.base_count)
		status = comparison_steps(run) ? EXIT_CLEAN : EXIT_FAILED;
	else
		status = run_steps(run) ? EXIT_CLEAN : EXIT_FAILED;
	if (status == EXIT_CLEAN && run->comparing.met)
		status = EXIT_RULE_MET;
	if (status == EXIT_CLEAN && run->summary.broken)
		status = EXIT_DAMAGED;
	clear_progress(&run->console);
	diag_finish(&run->diag);
	if (status == EXIT_FAILED) {
		print_message(&run->console, run->err.offset, run->err.text);
		if (run->err.code == ERR_NOMEM && options->max_memory)
			print_needed(&run->console, options->max_memory, run->err.size);
		if (!options->named && run->input.file_count == 0)
			fputs("readperf: without a FILE it is perf.data that is read; - stands for standard input (see readperf --help)\n",
			      stderr);
	} else if (options->verbose) {
		print_verbose(run);
	}
	if (run->err.code == ERR_USAGE)
		status = EXIT_USAGE;
	release_run(run);
	return status;
}

/* On the heap: a stack may be small. */
static int run_readperf(const struct options *options)
{
	struct run *run = calloc(1, sizeof(*run));
	struct err err = { 0 };
	int status;

	if (!run) {
		err_nomem(&err, sizeof(*run));
		print_error(&err, "");
		return EXIT_FAILED;
	}
	status = run_with(run, options);
	free(run);
	return status;
}

/* Does what the arguments ask for; returns the exit status. */
static int answer_arguments(struct options *options, int argc, char **argv)
{
	struct err err = { 0 };

	switch (options_parse(options, argc, argv, &err)) {
	case ACTION_HELP:
		return print_text(help_print);
	case ACTION_VERSION:
		return print_text(version_print);
	case ACTION_SCHEMA:
		return print_schema();
	case ACTION_GENERATE:
		return print_generated(options);
	case ACTION_USAGE:
		print_error(&err, " (see readperf --help)");
		return EXIT_USAGE;
	case ACTION_RUN:
		break;
	}
	/* a write that fails is told by the write, so that the run can clean up */
	signal(SIGPIPE, SIG_IGN);
#ifdef SIGXFSZ
	signal(SIGXFSZ, SIG_IGN);
#endif
	if (!memory_start(options->max_memory, &err)) {
		print_error(&err, "");
		return EXIT_FAILED;
	}
	return run_readperf(options);
}

struct call {
	int argc;
	char **argv;
	int status;
};

static void *answer_call(void *context)
{
	struct call *call = context;
	struct options *options = calloc(1, sizeof(*options));
	struct err err = { 0 };

	if (options) {
		call->status = answer_arguments(options, call->argc, call->argv);
		select_request_release(&options->select);
	} else {
		err_nomem(&err, sizeof(*options));
		print_error(&err, "");
	}
	free(options);
	return NULL;
}

int main(int argc, char **argv)
{
	struct call call = { argc, argv, EXIT_FAILED };
	struct err err = { 0 };

	if (!standard_streams_reserve())
		return EXIT_FAILED; /* and nowhere to say so */
	/* on a stack that is large enough, whatever the limit is */
	if (!thread_call(answer_call, &call)) {
		err_nomem(&err, THREAD_ENOUGH);
		print_error(&err, "");
	}
	return call.status;
}
