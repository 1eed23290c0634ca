/*
 * readperf: reads a perf.data recording and writes tables. The only file that prints messages
 * or ends the program: it parses the command line, runs what that asks for, and sets the status.
 */
#define _GNU_SOURCE
#include "decode/options/commandline.h"
#include "decode/options/help.h"
#include "decode/run/job.h"
#include "util/clock.h"
#include "util/csv.h"
#include "util/memory.h"
#include "util/output.h"
#include "util/text.h"
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
	bool terminal, shown, always_named; /* see struct message_sink */
	double started, last;
	pthread_mutex_t lock; /* messages come from two threads */
	/* an escaped message; here because a stack may be small */
	char safe_text[4 * 2 * ERR_TEXT_SIZE + 1], safe_file[4 * PATH_MAX + 1];
};

/* One call of the program. On the heap, because a stack may be small. */
struct call {
	struct options options;
	struct console console;
};

static void clear_progress(struct console *console)
{
	if (console->shown)
		fputs("\r\033[K", stderr);
	console->shown = false;
}

/*
 * Whether a message is about the recording, whose name is then put in front of it; not if it is
 * about options, tables, other files or this machine.
 */
static bool is_of_recording(const char *text)
{
	/* messages about other files begin with their path */
	static const char *const others[] = { "--",
		                              "/",
		                              "standard output",
		                              "out of memory",
		                              "cannot make ",
		                              "cannot write ",
		                              "debuginfod: " };

	if (strstr(text, ": cannot write"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (text_starts(text, others[i]))
			return false;
	return true;
}

/*
 * Names of files and functions in messages may be hostile, so they are escaped. A message is
 * written in one piece, because others may write to the same place.
 */
static void print_message(void *context, uint64_t offset, const char *text)
{
	struct console *console = context;
	const bool named = console->always_named || offset != ERR_NO_OFFSET ||
	                   is_of_recording(text);
	const char *name = named ? console->file : "";
	char *safe = console->safe_text, *file = console->safe_file, where[40] = "";

	pthread_mutex_lock(&console->lock);
	clear_progress(console);
	*format_shown(safe, text, strnlen(text, 2 * ERR_TEXT_SIZE)) = '\0';
	*format_shown(file, name, strnlen(name, PATH_MAX)) = '\0';
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

	*format_shown(safe, err->text, strlen(err->text)) = '\0';
	fprintf(stderr, "readperf: %s%s\n", safe, usage ? " (see readperf --help)" : "");
	return usage ? EXIT_USAGE : EXIT_FAILED;
}

/* Begins the line that shows progress; false: it is not to be printed now. */
static bool begin_progress(struct console *console)
{
	const double time = clock_seconds();

	if (!console->terminal || time - console->started < 1 || time - console->last < 0.1)
		return false;
	pthread_mutex_lock(&console->lock);
	console->last = time;
	console->shown = true;
	fputs("\r", stderr);
	return true;
}

static void end_progress(struct console *console)
{
	fputs("\033[K", stderr);
	pthread_mutex_unlock(&console->lock);
}

static void print_progress(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct console *console = context;

	if (!begin_progress(console))
		return;
	if (total)
		fprintf(stderr, "%3.0f %%, ", 100.0 * (double)done / (double)total);
	fprintf(stderr, "%" PRIu64 " records, %.1f MB/s", records,
	        (double)done / (console->last - console->started) / 1e6);
	end_progress(console);
}

/* The same for several recordings. */
static void print_files(void *context, uint64_t done, uint64_t total, uint64_t records)
{
	struct console *console = context;

	(void)records;
	if (!begin_progress(console))
		return;
	fprintf(stderr, "%" PRIu64 " of %" PRIu64 " recordings", done, total);
	end_progress(console);
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

static void name_file(void *context, const char *file, bool always)
{
	struct console *console = context;

	console->file = file;
	console->always_named = always;
}

/* Prints why a job failed. */
static void print_failure(struct console *console, const struct job *job)
{
	const struct options *options = job->options;

	print_message(console, job->err.offset, job->err.text);
	if (job->err.code == ERR_NOMEM && options->max_memory)
		print_needed(console, options->max_memory, job->err.size);
	if (!options->compare.file_count && !job->opened)
		fputs("readperf: without a FILE, perf.data is read; - stands for standard input (see readperf --help)\n",
		      stderr);
}

static int run_job(struct call *call)
{
	struct console *console = &call->console;
	const struct message_sink sink = { name_file, print_message, console };
	struct job job = { .options = &call->options,
		           .sink = &sink,
		           .report = print_progress,
		           .report_files = print_files };
	int status;

	console->file = "";
	console->terminal = isatty(STDERR_FILENO) == 1;
	console->started = clock_seconds();
	pthread_mutex_init(&console->lock, NULL);
	status = job_run(&job);
	clear_progress(console);
	if (job.err.code)
		print_failure(console, &job);
	if (call->options.verbose)
		job_print_figures(&job, stderr);
	job_release(&job);
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
	if (options->action != ACTION_RUN)
		return options_answer(options, &err) ? EXIT_CLEAN : print_error(&err);
	/* a failed write reports this itself, so that the run can clean up */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (!memory_start(options->max_memory, &err))
		return print_error(&err);
	return run_job(call);
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
