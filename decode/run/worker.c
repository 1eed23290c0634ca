#define _GNU_SOURCE
#include "decode/run/worker.h"

#include "decode/run/checks.h"
#include "decode/run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CELL_MOST 700     /* bytes of a cell in a reply; what is longer is cut off */
#define CMDLINE_MOST 6000 /* the same of the command line */
#define REQUEST_SIZE 5000 /* bytes: the number, and the path of a folder */
#define MESSAGE_MOST 600

/* --- the process that reads */

struct reading {
	const struct worker_setup *setup;
	struct options options;
	struct diag diag;
	struct run run;
	bool is_confined;
	struct lookup_cache *cache; /* NULL: none */
	char message[MESSAGE_MOST]; /* the first one */
};

static void keep_message(struct reading *reading, uint64_t offset, const char *text)
{
	char where[40] = "";

	if (*reading->message)
		return;
	if (offset != ERR_NO_OFFSET)
		snprintf(where, sizeof(where), "at 0x%" PRIx64 ": ", offset);
	snprintf(reading->message, sizeof(reading->message), "%s%s", where, text);
}

static void on_message(void *context, uint64_t offset, const char *text)
{
	struct reading *reading = context;

	keep_message(reading, offset, text);
	reading->setup->sink->print(reading->setup->sink->context, offset, text);
}

/* Writes cells one behind the other. */
struct reply {
	char *at;
};

static void put_cell(struct reply *reply, const char *text, size_t most)
{
	const size_t length = strnlen(text ? text : "", most);

	memcpy(reply->at, text ? text : "", length);
	reply->at[length] = '\0';
	reply->at += length + 1;
}

static void put_number(struct reply *reply, bool known, uint64_t number)
{
	char text[24] = "";

	if (known)
		snprintf(text, sizeof(text), "%" PRIu64, number);
	put_cell(reply, text, sizeof(text));
}

static void put_fact(struct reply *reply, const struct run *run, unsigned feature)
{
	put_cell(reply, facts_value(&run->recording.facts, feature),
	         feature == PERF_FEATURE_CMDLINE ? CMDLINE_MOST : CELL_MOST);
}

static void put_counts(struct reply *reply, const struct run *run)
{
	const struct buildstat *stat = &run->recording.stat;
	const struct results *results = &run->recording.results;
	uint64_t samples = 0, lost = 0, named = 0, unnamed = 0;
	char text[24] = "";

	for (size_t i = 0; i < stat->total_count; i++) {
		samples += stat->totals[i].samples;
		lost += stat->totals[i].lost;
	}
	for (size_t i = 0; i < results->row_count; i++)
		*(symbol_origin_is_reason(results->rows[i].origin)
		          ? &unnamed
		          : &named) += results->rows[i].samples;
	put_number(reply, run->recording.counts, samples);
	put_number(reply, run->recording.counts, lost);
	if (named + unnamed)
		snprintf(text, sizeof(text), "%.4f",
		         100 * (double)unnamed / ((double)named + (double)unnamed));
	put_cell(reply, text, sizeof(text));
}

static size_t put_row(char out[REPLY_SIZE], const struct reading *reading, const char *file,
                      int status)
{
	const struct run *run = &reading->run;
	const struct read_summary *summary = &run->recording.summary;
	const bool has_times = summary->first_time != TIME_NONE && status != EXIT_FAILED;
	struct reply reply = { out };

	/* what has failed may have no facts */
	put_cell(&reply, status == EXIT_FAILED ? "" : run->about.recording, CELL_MOST);
	put_cell(&reply, file, CELL_MOST);
	put_fact(&reply, run, PERF_FEATURE_HOSTNAME);
	put_fact(&reply, run, PERF_FEATURE_OSRELEASE);
	put_fact(&reply, run, PERF_FEATURE_ARCH);
	put_fact(&reply, run, PERF_FEATURE_CPUDESC);
	put_fact(&reply, run, PERF_FEATURE_VERSION);
	put_fact(&reply, run, PERF_FEATURE_CMDLINE);
	put_number(&reply, has_times, summary->first_time);
	put_number(&reply, has_times, summary->last_time - summary->first_time);
	put_counts(&reply, run);
	put_number(&reply, true, (uint64_t)status);
	put_cell(&reply, status == EXIT_CLEAN ? "" : reading->message, MESSAGE_MOST);
	return (size_t)(reply.at - out);
}

/* A second process may write into --output, so all of it stays writable. */
static bool confine(struct reading *reading, struct err *err)
{
	const struct outputs none = { 0 };

	if (!reading->is_confined && !enter_sandbox(reading->setup->options, &none, err))
		return false;
	return reading->is_confined = true;
}

/* Reads one recording; returns the size of the reply. */
static size_t read_one(struct reading *reading, uint32_t number, const char *folder,
                       char reply[REPLY_SIZE])
{
	const char *file = reading->setup->list->paths[number];
	const struct message_sink *sink = reading->setup->sink;
	struct options *options = &reading->options;
	struct symbol_pack *pack = options->naming.lookup.symbols.pack; /* is read once */
	struct run *run = &reading->run;
	size_t size;
	int status;

	*options = *reading->setup->options;
	options->naming.lookup.symbols.pack = pack;
	options->naming.threads = reading->setup->threads;
	options->naming.lookup.cache = reading->cache;
	options->file = file;
	options->output = folder;
	options->quiet = true;
	*reading->message = '\0';
	sink->name_file(sink->context, file, true);
	diag_init(&reading->diag, on_message, reading);
	run_init(run, options, &reading->diag);
	run->is_confined = true;
	status = confine(reading, &run->err) ? run_steps(run) : EXIT_FAILED;
	diag_finish(&reading->diag);
	if (status == EXIT_USAGE)
		status = EXIT_FAILED;
	if (status == EXIT_FAILED) {
		*reading->message = '\0';
		on_message(reading, run->err.offset, run->err.text);
	}
	size = put_row(reply, reading, file, status);
	run_release(run);
	diag_release(&reading->diag);
	return size;
}

/*
 * Of what recordings before have read of binaries. It is for one thread; and where memory or open
 * files are limited, a recording may need all of them.
 */
static struct lookup_cache *make_cache(const struct worker_setup *setup)
{
	struct err ignored = { 0 };
	struct rlimit files;

	if (setup->threads > 1 || setup->options->max_memory ||
	    getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur < 3 * LOOKUP_CACHE_FILES)
		return NULL;
	return lookup_cache_new(&ignored);
}

static void serve_requests(const struct worker_setup *setup, int socket)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	char request[REQUEST_SIZE], *reply = malloc(REPLY_SIZE);
	ssize_t size;
	uint32_t number;

	if (reading)
		reading->cache = make_cache(setup);
	while (reading && reply &&
	       (size = recv(socket, request, sizeof(request) - 1, 0)) > (ssize_t)sizeof(number)) {
		reading->setup = setup;
		request[size] = '\0';
		memcpy(&number, request, sizeof(number));
		size = (ssize_t)read_one(reading, number, request + sizeof(number), reply);
		if (send(socket, reply, (size_t)size, MSG_NOSIGNAL) != size)
			break;
	}
	_exit(0);
}

/* --- the process that asks */

bool worker_start(struct worker *worker, const struct worker_setup *setup, struct err *err)
{
	const pid_t parent = getpid();
	int sockets[2];

	*worker = (struct worker){ .socket = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
		return err_errno(err, "cannot start a process");
	fflush(stdout);
	worker->process = fork();
	if (worker->process == 0) {
		close(sockets[0]);
		/* it must not outlive a parent that is killed */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(0);
		serve_requests(setup, sockets[1]);
	}
	close(sockets[1]);
	if (worker->process < 0) {
		close(sockets[0]);
		worker->process = 0;
		return err_errno(err, "cannot start a process");
	}
	worker->socket = sockets[0];
	return true;
}

void worker_end(struct worker *worker, char why[80])
{
	int status = 0;

	if (!worker->process)
		return;
	/* a shorter request ends it; workers started later hold this socket open, too */
	send(worker->socket, "", 1, MSG_NOSIGNAL);
	close(worker->socket);
	while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
		;
	if (why && WIFSIGNALED(status))
		snprintf(why, 80, "readperf was ended by signal %d while it read this",
		         WTERMSIG(status));
	else if (why)
		snprintf(why, 80, "readperf ended with status %d while it read this",
		         WEXITSTATUS(status));
	*worker = (struct worker){ .socket = -1 };
}

bool worker_ask(const struct worker *worker, uint32_t number, const char *folder)
{
	char request[REQUEST_SIZE];
	const size_t length = strlen(folder);

	if (length > sizeof(request) - sizeof(number) - 1)
		return false;
	memcpy(request, &number, sizeof(number));
	memcpy(request + sizeof(number), folder, length);
	return send(worker->socket, request, sizeof(number) + length, MSG_NOSIGNAL) ==
	       (ssize_t)(sizeof(number) + length);
}

bool worker_answer(const struct worker *worker, char reply[REPLY_SIZE],
                   const char *cells[RECORDINGS_COLUMNS])
{
	const ssize_t size = recv(worker->socket, reply, REPLY_SIZE, 0);
	size_t at = 0;

	for (size_t i = 0; i < RECORDINGS_COLUMNS; i++) {
		if (size <= 0 || at >= (size_t)size || !memchr(reply + at, '\0', (size_t)size - at))
			return false;
		cells[i] = reply + at;
		at += strlen(cells[i]) + 1;
	}
	return true;
}
