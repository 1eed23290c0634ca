/*
 * readperf: reads a perf.data recording and writes tables. The only file that prints messages
 * or ends the program: it parses the command line, runs what that asks for, and sets the status.
 */
#define _GNU_SOURCE
#include "decode/options/commandline.h"
#include "decode/options/generate.h"
#include "decode/options/help.h"
#include "decode/options/optionlist.h"
#include "decode/run/checks.h"
#include "decode/run/every.h"
#include "decode/run/run.h"
#include "decode/run/several.h"
#include "decode/tables/schema.h"
#include "util/clock.h"
#include "util/csv.h"
#include "util/memory.h"
#include "util/thread.h"

#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The destination of messages, and the state of the progress line on a terminal. */
struct console {
	const char *file;
	bool terminal, shown;
	double started, last;
	pthread_mutex_t lock; /* messages come from two threads */
	/* an escaped message; here because a stack may be small */
	char safe_text[4 * 2 * ERR_TEXT_SIZE + 1], safe_file[4 * PATH_MAX + 1];
};

/* One call of the program. On the heap, because a stack may be small. */
struct call {
	struct options options;
	struct console console;
	struct diag diag;
	struct run run;
};

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
	double time = clock_seconds();

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

/* The same for several recordings. */
static void print_files(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct console *console = context;
	const double time = clock_seconds();

	(void)records;
	if (!console->terminal || time - console->started < 1 || time - console->last < 0.1)
		return;
	pthread_mutex_lock(&console->lock);
	console->last = time;
	console->shown = true;
	fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " recordings\033[K", done, total);
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

/* When so many more bytes were refused, nearly all of the limit was in use. */
static void print_needed(struct console *console, uint64_t limit, uint64_t refused)
{
	char text[160];

	snprintf(text, sizeof(text),
	         "--max-memory is too small: %" PRIu64 " bytes were needed up to this point",
	         u64_add_sat(limit, refused));
	print_message(console, ERR_NO_OFFSET, text);
}

static int run_readperf(struct call *call)
{
	struct options *options = &call->options;
	struct console *console = &call->console;
	struct run *run = &call->run;
	int status;

	console->file = options_scope(options) == SCOPE_RECORDING ? options->file : "";
	console->terminal = isatty(STDERR_FILENO) == 1;
	pthread_mutex_init(&console->lock, NULL);
	diag_init(&call->diag, print_message, console);
	warn_of_idle_options(options, &call->diag);
	run_init(run, options, &call->diag);
	console->started = run->started;
	run->how.report = print_progress;
	run->how.context = console;
	status = run_steps(run);
	clear_progress(console);
	diag_finish(&call->diag);
	if (status == EXIT_FAILED || status == EXIT_USAGE) {
		print_message(console, run->err.offset, run->err.text);
		if (run->err.code == ERR_NOMEM && options->max_memory)
			print_needed(console, options->max_memory, run->err.size);
		if (!options->compare.file_count && run->recording.input.file_count == 0)
			fputs("readperf: without a FILE, perf.data is read; - stands for standard input (see readperf --help)\n",
			      stderr);
	} else if (options->verbose) {
		run_print_figures(run, stderr);
	}
	run_release(run);
	diag_release(&call->diag);
	pthread_mutex_destroy(&console->lock);
	return status;
}

static void name_file(void *context, const char *file)
{
	struct console *console = context;

	console->file = file;
}

/* With several FILEs, each of them a run. */
static int run_several(struct call *call)
{
	struct console *console = &call->console;
	const struct message_sink sink = { name_file, print_message, console };
	struct several several = { .options = &call->options,
		                   .sink = &sink,
		                   .diag = &call->diag,
		                   .report = print_files,
		                   .context = console };
	int status;

	console->file = "";
	console->terminal = isatty(STDERR_FILENO) == 1;
	console->started = clock_seconds();
	pthread_mutex_init(&console->lock, NULL);
	diag_init(&call->diag, print_message, console);
	warn_of_idle_options(&call->options, &call->diag);
	status = several_run(&several);
	clear_progress(console);
	diag_finish(&call->diag);
	if (several.err.code)
		print_message(console, several.err.offset, several.err.text);
	diag_release(&call->diag);
	pthread_mutex_destroy(&console->lock);
	return status;
}

/* With --every, each slice of the stream a run in a process of its own. */
static int run_every(struct call *call)
{
	struct console *console = &call->console;
	const struct message_sink sink = { name_file, print_message, console };
	struct every *every = calloc(1, sizeof(*every)); /* too large for a stack */
	struct err err = { 0 };
	int status;

	if (!every) {
		err_nomem(&err, sizeof(*every));
		return print_error(&err);
	}
	every->options = &call->options;
	every->sink = &sink;
	console->file = "-";
	pthread_mutex_init(&console->lock, NULL);
	diag_init(&call->diag, print_message, console);
	warn_of_idle_options(&call->options, &call->diag);
	diag_finish(&call->diag);
	status = every_run(every);
	if (every->err.code)
		print_message(console, every->err.offset, every->err.text);
	if (call->options.verbose)
		every_print_figures(every, stderr);
	every_release(every);
	free(every);
	diag_release(&call->diag);
	pthread_mutex_destroy(&console->lock);
	return status;
}

/* Does what the arguments ask for; returns the exit status. */
static int answer_arguments(struct call *call, int argc, char **argv)
{
	struct options *options = &call->options;
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
	if (!memory_start(options->max_memory, &err))
		return print_error(&err);
	if (options->every)
		return run_every(call);
	return options->several ? run_several(call) : run_readperf(call);
}

struct arguments {
	int argc;
	char **argv;
	int status;
};

static void *answer(void *context)
{
	struct arguments *arguments = context;
	struct call *call = calloc(1, sizeof(*call));
	struct err err = { 0 };

	if (call) {
		arguments->status = answer_arguments(call, arguments->argc, arguments->argv);
		options_release(&call->options);
	} else {
		err_nomem(&err, sizeof(*call));
		print_error(&err);
	}
	free(call);
	return NULL;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { argc, argv, EXIT_FAILED };
	struct err err = { 0 };

	if (!standard_streams_reserve())
		return EXIT_FAILED;     /* there is nowhere to report this */
	setlocale(LC_CTYPE, "C.UTF-8"); /* for text_columns(); numbers keep their point */
	/* on a stack that is large enough, whatever its limit is */
	if (!thread_call(answer, &arguments)) {
		err_nomem(&err, THREAD_ENOUGH);
		print_error(&err);
	}
	return arguments.status;
}
