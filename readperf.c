/*
 * readperf: reads a perf.data recording and writes tables. Options, wiring, exit status: the only
 * file that prints messages or exits.
 */
#define _GNU_SOURCE
#include "decode/tables/buildidsPrinter.h"
#include "decode/tables/counters.h"
#include "decode/tables/eventsPrinter.h"
#include "decode/tables/funcPrinter.h"
#include "decode/tables/headerPrinter.h"
#include "decode/options.h"
#include "decode/tables/processPrinter.h"
#include "perffile/overview/overviewPrinter.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/sandbox.h"
#include "util/standard.h"
#include "util/thread.h"

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

enum exit_status { EXIT_CLEAN, EXIT_FAILED, EXIT_USAGE, EXIT_DAMAGED };

/* Where messages go, and the state of the progress line on a terminal. */
struct console {
	const char *file;
	bool terminal, shown;
	double started, last;
	pthread_mutex_t lock; /* messages come from two threads */
};

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
	struct place_names names;
	struct results results;
	struct place_rows lines, addresses;
	struct outputs outputs;
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
 * Names of files and functions in messages are as hostile as elsewhere. A message goes out in one piece:
 * others may write to the same place.
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

static int print_text(const char *text)
{
	struct err err = { 0 };

	fputs(text, stdout);
	if (fflush(stdout) == 0)
		return EXIT_CLEAN;
	err_errno(&err, "standard output: cannot write");
	print_error(&err, "");
	return EXIT_FAILED;
}

static int print_schema(void)
{
	struct err err = { 0 };
	struct csv csv;
	bool ok = csv_open(&csv, STDOUT_FILENO, "standard output", SCHEMA_CSV_HEADER, false, &err);

	if (ok) {
		schema_print(&csv);
		ok = csv_flush(&csv, &err);
	}
	csv_release(&csv);
	if (!ok)
		print_error(&err, "");
	return ok ? EXIT_CLEAN : EXIT_FAILED;
}

static bool wants(const struct run *run, enum table_id table)
{
	return run->options->tables >> table & 1;
}

static int open_output(void *context, const char *name, struct err *err)
{
	return outputs_open(context, name, err);
}

static const char *temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

/* Where libdebuginfod keeps what it fetches. */
static const char *cache_dir(char *path, size_t size)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");

	if (!dir || !*dir)
		dir = getenv("XDG_CACHE_HOME");
	if (dir && *dir)
		return dir;
	return home && snprintf(path, size, "%s/.cache", home) < (int)size ? path : NULL;
}

/* All foreign bytes are read behind this. */
static bool enter_sandbox(struct run *run)
{
	const struct options *options = run->options;
	bool fetch = options->naming.lookup.symbols.files.debuginfod;
	char cache[4096], *made;
	struct sandbox allowed = { .temp = temp_dir(), .network = fetch };

	if (options->tables) {
		if (!outputs_make_dir(&run->outputs, &run->err))
			return false;
		allowed.output = options->output;
	}
	if (fetch)
		allowed.cache = cache_dir(cache, sizeof(cache));
	/* only what exists can be allowed; the library would make it as this */
	if (allowed.cache)
		mkdir(allowed.cache, 0777);
	allowed.made = made = outputs_made_in(&run->outputs);
	sandbox_enter(&allowed);
	free(made);
	return true;
}

/* With errno set if it is no folder. NULL: the option was not given. */
static bool is_folder(const char *path)
{
	struct stat st;

	if (!path)
		return true;
	if (stat(path, &st) < 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

static bool check_file(struct run *run, const char *option, const char *path)
{
	return !path || access(path, R_OK) == 0 || err_errno(&run->err, "%s=%s", option, path);
}

/*
 * What the user names for symbols, and is not there, is looked for in vain for the whole run. A folder
 * may be: below one that is not there nothing is looked up.
 */
static bool check_paths(struct run *run)
{
	const struct symbol_options *symbols = &run->options->naming.lookup.symbols;

	if (!is_folder(symbols->files.symfs))
		diag_warn(&run->diag, ERR_NO_OFFSET, "--symfs=%s: %s", symbols->files.symfs,
		          strerror(errno));
	if (!is_folder(symbols->files.buildid_dir))
		diag_warn(&run->diag, ERR_NO_OFFSET, "--buildid-dir=%s: %s", symbols->files.buildid_dir,
		          strerror(errno));
	return check_file(run, "--kallsyms", symbols->kallsyms) &&
	       check_file(run, "--vmlinux", symbols->vmlinux);
}

/* A table may not take the place of the recording that it is made of. */
static bool check_tables(struct run *run)
{
	const char *folder = run->options->output;
	struct stat recording, table;
	char path[4096];

	if (stat(run->options->file, &recording) || !S_ISREG(recording.st_mode))
		return true;
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		if (!wants(run, i) ||
		    snprintf(path, sizeof(path), "%s/%s.csv", folder, tables[i].name) >=
		            (int)sizeof(path) ||
		    stat(path, &table) || table.st_dev != recording.st_dev ||
		    table.st_ino != recording.st_ino)
			continue;
		return err_set(&run->err, ERR_IO, "is %s: the table would take its place", path);
	}
	return true;
}

static bool open_all(struct run *run)
{
	const struct options *options = run->options;
	struct overview_files files = { &run->outputs, open_output };

	if (!strings_init(&run->strings, &run->err) || !buildids_init(&run->buildids, &run->err) ||
	    !outputs_init(&run->outputs, options->output, &run->err) || !enter_sandbox(run) ||
	    !input_open(&run->input, options->file, temp_dir(), &run->diag, &run->err) ||
	    !check_paths(run) || !check_tables(run) ||
	    !session_open(&run->session, &run->input, &run->err) ||
	    !buildstat_init(&run->stat, &run->session, &run->strings, &run->err))
		return false;
	counters_init(&run->counters, &run->session);
	if (wants(run, TABLE_OVERVIEW))
		run->overview = overview_new(&run->session, &files, options->spreadsheet,
		                             &run->err);
	return run->err.code == ERR_NONE;
}

static bool read_all(struct run *run)
{
	struct record_handler handlers[4];
	struct read_options how = { run->options->threads > 1, print_progress, &run->console };
	size_t count = 0;

	if (run->overview)
		handlers[count++] = overview_handler(run->overview);
	handlers[count++] = buildstat_handler(&run->stat);
	if (wants(run, TABLE_BUILDIDS))
		handlers[count++] = buildids_handler(&run->buildids);
	handlers[count++] = counters_handler(&run->counters);
	if (!perffile_read(&run->input, &run->session, handlers, count, &how, &run->diag,
	                   &run->summary, &run->err))
		return false;
	run->read_done = now();
	return buildstat_finish(&run->stat, &run->err);
}

static bool print_table(struct run *run, enum table_id table, struct csv *csv, struct err *err)
{
	switch (table) {
	case TABLE_STAT:
		stat_print(csv, &run->summary);
		return true;
	case TABLE_PROCESSES:
		return processes_print(csv, &run->stat, err);
	case TABLE_RESULTS:
		results_print(csv, &run->stat, &run->results);
		return true;
	case TABLE_HEADER:
		return header_print(csv, &run->session, &run->summary, err);
	case TABLE_EVENTS:
		return events_print(csv, &run->session, run->stat.totals, err);
	case TABLE_BUILDIDS:
		return buildids_print(csv, &run->buildids, &run->session, err);
	case TABLE_LINES:
		lines_print(csv, &run->stat, &run->lines);
		return true;
	case TABLE_ADDRESSES:
		addresses_print(csv, &run->stat, &run->addresses);
		return true;
	case TABLE_COUNTERS:
		counters_print(csv, &run->counters);
		return true;
	default:
		return true;
	}
}

static bool write_table(struct run *run, enum table_id table, struct err *err)
{
	char name[40];
	struct csv csv;
	bool ok;
	int fd;

	snprintf(name, sizeof(name), "%s.csv", tables[table].name);
	fd = outputs_open(&run->outputs, name, err);
	if (fd < 0)
		return false;
	ok = csv_open(&csv, fd, name, tables[table].header, run->options->spreadsheet, err) &&
	     print_table(run, table, &csv, err) && csv_flush(&csv, err);
	csv_release(&csv);
	return ok;
}

static bool has_names(enum table_id table)
{
	return table == TABLE_RESULTS || table == TABLE_LINES || table == TABLE_ADDRESSES;
}

/* Whether this recording has rows for a table that not every one has rows for. */
static bool can_fill(const struct run *run, enum table_id table)
{
	switch (table) {
	case TABLE_COUNTERS:
		return run->counters.count != 0;
	case TABLE_LINES:
		return run->lines.count != 0;
	case TABLE_ADDRESSES:
		return run->addresses.count != 0;
	default:
		return true;
	}
}

/* Writes the tables that have names, or those that have none but overview.csv. */
static bool write_some(struct run *run, bool names, struct err *err)
{
	for (unsigned table = 0; table < TABLE_COUNT; table++) {
		if (!wants(run, table) || table == TABLE_OVERVIEW || has_names(table) != names)
			continue;
		if (run->options->all_tables && !can_fill(run, table))
			continue;
		if (!write_table(run, table, err))
			return false;
	}
	return true;
}

/* May be called by a second thread while names are looked up in this one. */
static void write_early(void *context)
{
	struct run *run = context;

	run->early = true;
	if (!run->overview || overview_finish(run->overview, &run->early_err))
		write_some(run, false, &run->early_err);
}

static bool needs_names(const struct run *run)
{
	return !run->options->quiet || wants(run, TABLE_RESULTS) || wants(run, TABLE_LINES) ||
	       wants(run, TABLE_ADDRESSES);
}

static bool name_all(struct run *run)
{
	struct naming_options how = run->options->naming;

	if (!needs_names(run))
		return true;
	/* symbol tables come and go, each in the place of the one before */
	memory_part_from(2 * 1024 * 1024);
	how.meanwhile = write_early;
	how.context = run;
	if (!naming_run(&run->names, &run->stat, &how, &run->diag, &run->err) ||
	    !results_make(&run->results, &run->stat, &run->names, &run->diag, &run->err) ||
	    (wants(run, TABLE_LINES) &&
	     !place_rows_make(&run->lines, &run->stat, &run->names, false, &run->err)) ||
	    (wants(run, TABLE_ADDRESSES) &&
	     !place_rows_make(&run->addresses, &run->stat, &run->names, true, &run->err)))
		return false;
	unnamed_report(&run->results, &run->strings, &how.lookup.symbols, &run->diag);
	run->named_done = now();
	return true;
}

static bool write_tables(struct run *run)
{
	if (!run->early)
		write_early(run);
	if (run->early_err.code != ERR_NONE)
		return err_pass(&run->err, &run->early_err);
	return write_some(run, true, &run->err);
}

/* Whether the file is one of several: of a folder that perf record --threads made. */
static bool is_part(const char *file)
{
	const char *name = strrchr(file, '/');
	char first[4096];

	name = name ? name + 1 : file;
	return !strcmp(name, "data") &&
	       snprintf(first, sizeof(first), "%.*sdata.0", (int)(name - file), file) <
	               (int)sizeof(first) &&
	       access(first, F_OK) == 0;
}

/* Says what a reader of the tables should know about the recording. */
static void say_what_was_read(struct run *run)
{
	const struct read_summary *summary = &run->summary;
	uint64_t samples = summary->types[PERF_RECORD_SAMPLE].count;

	if (summary->auxtrace_bytes)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "%" PRIu64 " bytes of instruction trace (AUXTRACE) are not decoded",
		          summary->auxtrace_bytes);
	if (summary->lost_records)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "the recorder lost %" PRIu64 " record%s (LOST)", summary->lost_records,
		          summary->lost_records == 1 ? "" : "s");
	if (summary->lost_samples)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "the recorder lost %" PRIu64 " sample%s (LOST_SAMPLES)%s",
		          summary->lost_samples, summary->lost_samples == 1 ? "" : "s",
		          summary->lost_records ? ", some of them counted as records too" : "");
	if (summary->late)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "%" PRIu64 " records came later than their time allows: "
		          "they stand behind younger ones",
		          summary->late);
	if (summary->unknown_ids)
		diag_warn(&run->diag, ERR_NO_OFFSET, "%" PRIu64 " records belong to no known event",
		          summary->unknown_ids);
	if (run->stat.guessed_period)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "samples without a period at a fixed frequency count 1 each");
	if (run->counters.count && samples == 0 && !wants(run, TABLE_COUNTERS))
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "a `perf stat record` file holds counters, no samples: "
		          "they are in the table counters (--tables=counters)");
	else if (run->counters.count == 0 && samples == 0 && is_part(run->options->file))
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "holds no samples: they are in data.0 and others beside it, "
		          "which are read where the folder is named");
	else if (run->counters.count == 0 && samples == 0)
		diag_warn(&run->diag, ERR_NO_OFFSET, "the recording holds no samples");
	else if (wants(run, TABLE_COUNTERS) && !run->options->all_tables &&
	         run->counters.count == 0)
		diag_warn(&run->diag, ERR_NO_OFFSET,
		          "the recording holds no counters: `perf stat record` makes them");
}

/* The console overview. A reader that went away (readperf | head) is no failure. */
static bool print_console(struct run *run)
{
	if (run->options->quiet)
		return true;
	console_print(stdout, &run->stat, &run->results, &run->summary, run->options->limit,
	              wants(run, TABLE_RESULTS));
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
	        run->stat.processes.pool.size / 1024,
	        run->stat.cells.capacity * sizeof(struct cell) / 1024,
	        run->strings.arena.size / 1024);
}

static bool work(struct run *run)
{
	if (!open_all(run) || !read_all(run))
		return false;
	say_what_was_read(run);
	if (run->options->strict && run->summary.broken)
		return err_set(&run->err, ERR_FORMAT,
		               "the recording is damaged: --strict writes no tables");
	if (!name_all(run) || !write_tables(run) || !print_console(run))
		return false;
	return outputs_commit(&run->outputs, &run->err);
}

static void release(struct run *run)
{
	overview_free(run->overview);
	outputs_release(&run->outputs);
	place_rows_release(&run->lines);
	place_rows_release(&run->addresses);
	results_release(&run->results);
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

static int run_readperf(const struct options *options)
{
	struct run run;
	int status;

	memset(&run, 0, sizeof(run));
	run.options = options;
	run.console.file = options->file;
	run.console.terminal = isatty(STDERR_FILENO) == 1;
	run.console.started = now();
	pthread_mutex_init(&run.console.lock, NULL);
	diag_init(&run.diag, print_message, &run.console);
	session_init(&run.session, &run.diag);
	status = work(&run) ? EXIT_CLEAN : EXIT_FAILED;
	if (status == EXIT_CLEAN && run.summary.broken)
		status = EXIT_DAMAGED;
	clear_progress(&run.console);
	diag_finish(&run.diag);
	if (status == EXIT_FAILED) {
		print_message(&run.console, run.err.offset, run.err.text);
		if (run.err.code == ERR_NOMEM && options->max_memory)
			print_needed(&run.console, options->max_memory, run.err.size);
		if (!options->named && run.input.file_count == 0)
			fputs("readperf: without a FILE it is perf.data that is read; - stands for standard input (see readperf --help)\n",
			      stderr);
	} else if (options->verbose) {
		print_verbose(&run);
	}
	if (run.err.code == ERR_USAGE)
		status = EXIT_USAGE;
	release(&run);
	return status;
}

struct call {
	const struct options *options;
	int status;
};

static void *run_in_call(void *context)
{
	struct call *call = context;

	call->status = run_readperf(call->options);
	return NULL;
}

/* On a stack that is large enough, whatever the limit is. */
static int run_with_stack(const struct options *options)
{
	struct call call = { options, EXIT_FAILED };
	struct err err = { 0 };

	if (!thread_call(run_in_call, &call)) {
		err_nomem(&err, THREAD_ENOUGH);
		print_error(&err, "");
	}
	return call.status;
}

int main(int argc, char **argv)
{
	struct options options;
	struct err err = { 0 };

	if (!standard_streams_reserve())
		return EXIT_FAILED; /* and nowhere to say so */
	switch (options_parse(&options, argc, argv, &err)) {
	case ACTION_HELP:
		return print_text(options_help);
	case ACTION_VERSION:
		return print_text(options_version);
	case ACTION_SCHEMA:
		return print_schema();
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
	if (!memory_start(options.max_memory, &err)) {
		print_error(&err, "");
		return EXIT_FAILED;
	}
	return run_with_stack(&options);
}
