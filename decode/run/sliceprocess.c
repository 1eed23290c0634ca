#define _GNU_SOURCE /* pipe2(), F_SETPIPE_SZ */
#include "decode/run/sliceprocess.h"

#include "decode/run/run.h"
#include "decode/run/runfolder.h"
#include "util/digits.h"
#include "util/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_ROOM (1024 * 1024) /* bytes */
#define NAMES_TRIED 1000

struct slice_board *slice_board_new(struct err *err)
{
	void *memory = mmap(NULL, sizeof(struct slice_board), PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		return memory;
	err_nomem(err, sizeof(struct slice_board));
	return NULL;
}

void slice_board_free(struct slice_board *board)
{
	if (board)
		munmap(board, sizeof(*board));
}

#define KIND_LENGTH 40

/* FNV-1a of the beginning of a text without digits: the details differ from slice to slice. */
static uint64_t hash_of_kind(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t length = 0; *text && length < KIND_LENGTH; text++)
		if (!is_digit(*text)) {
			hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
			length++;
		}
	return hash ? hash : 1;
}

bool slice_board_said(struct slice_board *board, const char *text)
{
	const uint64_t hash = hash_of_kind(text);

	/* two kinds may take turns in one place; both are then printed again */
	return atomic_exchange(&board->said[hash % SAID_MOST], hash) == hash;
}

/* --- the process of the slice */

struct slice_run {
	const struct slice_setup *setup;
	struct slice_times *times;
	_Atomic bool *has_folder;
	struct options options;
	struct diag diag;
	struct run run;
	struct temp_folder folder;
};

static void say(const struct slice_run *slice, uint64_t offset, const char *text)
{
	slice->setup->sink->print(slice->setup->sink->context, offset, text);
}

static void say_once(void *context, uint64_t offset, const char *text)
{
	const struct slice_run *slice = context;

	if (!slice_board_said(slice->setup->board, text))
		say(slice, offset, text);
}

static uint64_t name_of_slice(const struct slice_times *times)
{
	return times->has_wall ? times->start + times->to_wall : times->start;
}

/* A folder of that name is of another recording: a clock may begin anew with each boot. */
static char *free_path(const struct slice_run *slice, struct err *err)
{
	const uint64_t name = name_of_slice(slice->times);

	for (uint64_t i = 0; i < NAMES_TRIED; i++) {
		char *path = path_format(err, "%s/start=%" PRIu64, slice->setup->options->output,
		                         name + i);
		struct stat there;

		if (!path || lstat(path, &there) != 0)
			return path;
		free(path);
	}
	err_set(err, ERR_IO, "%s: cannot write start=%" PRIu64 ", which is there",
	        slice->setup->options->output, name);
	return NULL;
}

static void print_line(const struct slice_run *slice, const char *path)
{
	const struct buildstat *stat = &slice->run.recording.stat;
	const struct read_summary *summary = &slice->run.recording.summary;
	uint64_t lost = summary->lost_samples;
	char when[32] = "";

	if (slice->setup->options->quiet)
		return;
	for (size_t i = 0; !lost && i < stat->total_count; i++)
		lost += stat->totals[i].lost;
	if (slice_time_text(slice->times, slice->times->start, when))
		printf("%s ", when);
	printf("%s: %" PRIu64 " records, %" PRIu64 " samples, %" PRIu64 " lost\n", path_base(path),
	       summary->records, summary->types[PERF_RECORD_SAMPLE].count, lost);
	fflush(stdout);
}

static bool finish_folder(struct slice_run *slice, struct err *err)
{
	char *path = free_path(slice, err);
	const bool ok = path && temp_folder_commit(&slice->folder, path, OLD_TABLES_STAY, err);

	if (ok) {
		atomic_store(slice->has_folder, true);
		print_line(slice, path);
	}
	free(path);
	return ok;
}

static void set_options(struct slice_run *slice)
{
	struct options *options = &slice->options;

	*options = *slice->setup->options;
	options->output = slice->folder.path;
	options->quiet = true;
	options->naming.lookup.symbols.files.kept = slice->setup->kept;
	options->naming.lookup.symbols.files.slice = slice->setup->kept_slice;
	/* the CPU is that of the programs that are observed */
	options->naming.threads = 1;
}

static int make_tables(struct slice_run *slice, struct carried *carried)
{
	struct run *run = &slice->run;
	struct err err = { 0 };
	int status;

	if (!temp_folder_make(&slice->folder, slice->setup->options->output, &err)) {
		say(slice, err.offset, err.text);
		return EXIT_FAILED;
	}
	set_options(slice);
	diag_init(&slice->diag, say_once, slice);
	run_init(run, &slice->options, &slice->diag);
	run->is_confined = true;
	run->how.sorted = true;
	run->slice = slice->times;
	run->recording.carried = carried;
	status = run_steps(run);
	diag_finish(&slice->diag);
	if (status != EXIT_FAILED && status != EXIT_USAGE && !finish_folder(slice, &run->err))
		status = EXIT_FAILED;
	if (run->recording.selects_nothing)
		status = EXIT_CLEAN;
	else if (status == EXIT_FAILED || status == EXIT_USAGE)
		say(slice, run->err.offset, run->err.text);
	run_release(run);
	diag_release(&slice->diag);
	temp_folder_remove(&slice->folder);
	return status == EXIT_USAGE ? EXIT_FAILED : status;
}

static void serve_slice(const struct slice_setup *setup, struct carried *carried,
                        const struct slice_process *process, int records)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP };
	struct slice_run *slice = calloc(1, sizeof(*slice));

	/* who ends the stream wants its last slice, too */
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	close(setup->close_first);
	if (!slice || dup2(records, STDIN_FILENO) < 0)
		_exit(EXIT_FAILED);
	close(records);
	slice->setup = setup;
	slice->times = process->times;
	slice->has_folder = process->has_folder;
	_exit(make_tables(slice, carried));
}

/* --- the process that reads the stream */

void pipe_widen(int pipe)
{
	(void)fcntl(pipe, F_SETPIPE_SZ, PIPE_ROOM);
}

bool slice_start(struct slice_process *slice, const struct slice_setup *setup,
                 struct carried *carried, uint64_t number, struct err *err)
{
	int ends[2];

	slice->process = 0;
	slice->pipe = -1;
	slice->used = 0;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_errno(err, "cannot start a process");
	pipe_widen(ends[1]);
	(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
	number %= ARRAY_SIZE(setup->board->times);
	slice->times = &setup->board->times[number];
	slice->has_folder = &setup->board->has_folder[number];
	atomic_store(slice->has_folder, false);
	fflush(stdout);
	slice->process = fork();
	if (slice->process == 0) {
		close(ends[1]);
		serve_slice(setup, carried, slice, ends[0]);
	}
	close(ends[0]);
	if (slice->process < 0) {
		close(ends[1]);
		slice->process = 0;
		return err_errno(err, "cannot start a process");
	}
	slice->pipe = ends[1];
	return true;
}

static bool write_all(const struct slice_process *slice, const uint8_t *data, size_t size,
                      int patience)
{
	while (size) {
		struct pollfd room = { .fd = slice->pipe, .events = POLLOUT };
		const ssize_t written = write(slice->pipe, data, size);

		if (written > 0) {
			data += written;
			size -= (size_t)written;
		} else if (errno != EAGAIN && errno != EINTR) {
			return false;
		} else if (poll(&room, 1, patience) == 0) {
			errno = ETIMEDOUT;
			return false;
		}
	}
	return true;
}

static bool flush_buffer(struct slice_process *slice, int patience)
{
	const size_t size = slice->used;

	slice->used = 0;
	return write_all(slice, slice->buffer, size, patience);
}

bool slice_write(struct slice_process *slice, const void *data, size_t size, int patience)
{
	if (size > SLICE_BUFFER - slice->used && !flush_buffer(slice, patience))
		return false;
	if (size > SLICE_BUFFER)
		return write_all(slice, data, size, patience);
	memcpy(slice->buffer + slice->used, data, size);
	slice->used += size;
	return true;
}

bool slice_end(struct slice_process *slice, const struct slice_times *times, int patience)
{
	const bool ok = flush_buffer(slice, patience);

	if (ok) {
		*slice->times = *times;
		close(slice->pipe);
		slice->pipe = -1;
	}
	return ok;
}

void slice_kill(struct slice_process *slice)
{
	if (slice->process)
		kill(slice->process, SIGKILL);
	if (slice->pipe >= 0)
		close(slice->pipe);
	slice->pipe = -1;
}
