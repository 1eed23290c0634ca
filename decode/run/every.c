#include "decode/run/every.h"

#include "decode/run/checks.h"
#include "decode/run/run.h"
#include "decode/run/runfolder.h"
#include "decode/files/procfiles.h"
#include "perffile/session/features.h"
#include "perffile/session/toolrecord.h"
#include "util/clock.h"
#include "util/vec.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLOCK_REALTIME_ID 0 /* the kernel's number */
#define PREAMBLE_MOST ((size_t)64 * 1024 * 1024)
#define STOP_SECONDS 2.0  /* a recorder that was told to stop, too, ends its stream before */
#define PATIENCE_LEAST 2  /* s: that a slice may take no record */
#define PATIENCE_MOST 60  /* s */
#define TRACING_SIZE_AT 8 /* offset of the size in a HEADER_TRACING_DATA record */

static void say(const struct every *every, uint64_t offset, const char *text)
{
	every->sink->print(every->sink->context, offset, text);
}

/* What a stop cuts off is no damage. */
static void say_of_stream(void *context, uint64_t offset, const char *text)
{
	const struct every *every = context;

	if (!every->stopping && !slice_board_said(every->setup.board, text))
		say(every, offset, text);
}

/* --- slices that are being written */

/* Takes note of how the process of a slice has ended. */
static void take_status(struct every *every, const struct pending_slice *slice, int status)
{
	char text[140], why[60] = "see above";

	/* it was ended when it had made its tables */
	if (WIFSIGNALED(status) && atomic_load(slice->has_folder))
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_FAILED) {
		every->damaged += WEXITSTATUS(status) != EXIT_CLEAN;
		return;
	}
	every->lost++;
	if (WIFSIGNALED(status)) {
		/* what it had written; one that fails leaves nothing */
		temp_folders_remove_stale(every->options->output);
		snprintf(why, sizeof(why), "its process was ended by signal %d", WTERMSIG(status));
	}
	snprintf(text, sizeof(text), "--every: the slice from %" PRIu64 " ns on has no tables: %s",
	         slice->start, why);
	say(every, ERR_NO_OFFSET, text);
}

static int patience(const struct every *every)
{
	const uint64_t seconds = every->options->every / NS_PER_SECOND;

	return (int)u64_max(PATIENCE_LEAST, u64_min(seconds, PATIENCE_MOST)) * 1000;
}

/*
 * Takes note of processes that have ended, and with `wait` waits for all of them. Returns how many
 * are left.
 */
static size_t reap(struct every *every, bool wait)
{
	size_t left = 0;

	for (size_t i = 0; i < every->pending_count; i++) {
		const struct pending_slice *slice = &every->pending[i];
		int status;
		pid_t ended;

		do
			ended = waitpid(slice->process, &status, wait ? 0 : WNOHANG);
		while (ended < 0 && errno == EINTR);
		if (ended == slice->process)
			take_status(every, slice, status);
		else if (ended == 0)
			every->pending[left++] = *slice;
	}
	return every->pending_count = left;
}

/*
 * Tables are written more slowly than slices end. A stream that is read from a file waits; if the
 * disk is stuck, the oldest slice is given up.
 */
static void make_room(struct every *every)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	const double until = clock_seconds() + patience(every) / 1e3;

	while (reap(every, false) == SLICES_PENDING && clock_seconds() < until)
		nanosleep(&pause, NULL);
	if (every->pending_count < SLICES_PENDING)
		return;
	say(every, ERR_NO_OFFSET,
	    "--every: tables cannot be written as fast as slices end: the oldest is given up");
	kill(every->pending[0].process, SIGKILL);
	while (reap(every, false) == SLICES_PENDING)
		nanosleep(&pause, NULL);
}

/* The process does not take its records: its slice is lost, and the stream goes on. */
static void give_up_slice(struct every *every)
{
	const bool slow = errno == ETIMEDOUT;

	every->slice_lost = true;
	if (slow) {
		say(every, ERR_NO_OFFSET,
		    "--every: a slice takes no records any more: it is given up");
		slice_kill(&every->slice);
	} else if (every->slice.pipe >= 0) {
		close(every->slice.pipe);
		every->slice.pipe = -1;
	}
}

/* --- one slice */

static bool put(struct every *every, const void *data, size_t size)
{
	if (!every->slice_lost && !slice_write(&every->slice, data, size, patience(every)))
		give_up_slice(every);
	return !every->slice_lost;
}

/* The header of the stream, and the records of the tool so far. */
static void put_preamble(struct every *every)
{
	const struct session *session = &every->session;
	const size_t before = every->tracing ? every->tracing_place : every->preamble_size;
	uint32_t size = (uint32_t)session->tracing_size;

	if (!put(every, every->input.head, sizeof(every->input.head)) ||
	    (before && !put(every, every->preamble, before)) || !every->tracing)
		return;
	if (session->swap)
		size = __builtin_bswap32(size);
	memcpy(every->tracing + TRACING_SIZE_AT, &size, sizeof(size));
	if (put(every, every->tracing, every->tracing_size) &&
	    (!session->tracing_size || put(every, session->tracing_bytes, session->tracing_size)) &&
	    before < every->preamble_size)
		put(every, every->preamble + before, every->preamble_size - before);
}

static bool start_slice(struct every *every)
{
	make_room(every);
	if (every->setup.kept)
		every->setup.kept_slice = every->setup.kept->slice;
	if (!slice_start(&every->slice, &every->setup, every->carried, every->started++,
	                 &every->err))
		return false;
	every->slice_lost = false;
	put_preamble(every);
	return true;
}

/* A record of the slice. Its process is started by the first one. */
static bool relay(struct every *every, const uint8_t *data, size_t size)
{
	if (!every->slice.process && !start_slice(every))
		return false;
	put(every, data, size);
	return true;
}

/* Files of programs that go on stay open. */
static void forget_files(struct every *every)
{
	const struct binaries *binaries = &every->carried->binaries;

	if (!every->setup.kept)
		return;
	for (size_t i = 0; i < binaries->count; i++)
		if (binaries->items[i].kind == BINARY_FILE)
			kept_files_need(every->setup.kept, &binaries->items[i]);
	kept_files_forget(every->setup.kept);
}

/* end: ns, the time at which the slice ended. */
static bool end_slice(struct every *every, uint64_t end)
{
	const struct slice_times times = { every->start, end, every->to_wall, every->has_wall };

	if (!every->slice.process)
		return true;
	if (!every->slice_lost && !slice_end(&every->slice, &times, patience(every)))
		give_up_slice(every);
	every->pending[every->pending_count++] = (struct pending_slice){ every->slice.process,
		                                                         every->start,
		                                                         every->slice.has_folder };
	every->slice.process = 0;
	every->slice_lost = false;
	reap(every, false);
	if (!carried_forget(&every->carried, &every->err))
		return false;
	forget_files(every);
	return true;
}

/* Finds out what the stream says about the time of day. */
static bool find_wall_clock(struct every *every)
{
	const struct session *session = &every->session;
	struct clock_data clock;

	if (!features_clock_data(&every->session, &clock, &every->err))
		return false;
	for (size_t i = 0; i < session->event_count; i++) {
		const struct event_attr *attr = &session->events[i].attr;

		if (!attr_flag(attr, PERF_FLAG_USE_CLOCKID) ||
		    (attr->clockid != CLOCK_REALTIME_ID &&
		     !(clock.present && (uint32_t)attr->clockid == clock.clockid)))
			return true;
		every->to_wall = attr->clockid == CLOCK_REALTIME_ID
		                         ? 0
		                         : clock.wall_time - clock.clock_time;
	}
	every->has_wall = session->event_count != 0;
	return true;
}

/* Slices begin at multiples of their width, of the time of day if that is known. */
static void begin_slice(struct every *every, uint64_t start, uint64_t time)
{
	const uint64_t into = (time + every->to_wall) % every->options->every;

	every->start = start;
	every->end = every->due = u64_add_sat(time - into, every->options->every);
	every->newest = time;
	every->cut = false;
}

/* Whether the clock was set back so far that the record can be of no slice before. */
static bool is_set_back(const struct every *every, uint64_t time)
{
	return u64_add_sat(time, u64_max(every->options->every, 10 * NS_PER_SECOND)) < every->start;
}

/* A record with this time is next: begins the slice that it is in. */
static bool come_to(struct every *every, uint64_t time)
{
	const bool set_back = every->begun && is_set_back(every, time);

	if (every->begun && !every->cut && time < every->end && !set_back) {
		every->newest = u64_max(every->newest, time);
		return true;
	}
	if (!every->begun) {
		if (!find_wall_clock(every))
			return false;
		begin_slice(every, time, time);
		return every->begun = true;
	}
	if (set_back)
		say_of_stream(every, ERR_NO_OFFSET,
		              "--every: the clock was set back: a new slice begins");
	if (!end_slice(every, set_back ? every->newest + 1 : every->cut ? time : every->end))
		return false;
	if (every->cut || set_back) {
		begin_slice(every, time, time);
		return true;
	}
	begin_slice(every, time, time);
	every->start = every->end - every->options->every;
	return true;
}

/* --- the records of the stream */

static bool pass(struct every *every, uint64_t time, const uint8_t *data, size_t size)
{
	/* without a time, or with one of --off-cpu, which is no clock's: of the slice that is on */
	if (time < TIME_OFF_CPU && !come_to(every, time))
		return false;
	return relay(every, data, size);
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct every *every = context;
	const bool maps = record->type == PERF_RECORD_MMAP2 && !record->damaged;

	if (maps && every->setup.kept)
		kept_files_see(every->setup.kept, record->pid, &record->mmap);
	/* the process of a slice that begins here must not know the record yet */
	return (pass(every, record->time, record->data, record->size) &&
	        carried_record(every->carried, record, &every->err)) ||
	       err_pass(err, &every->err);
}

static bool on_samples(void *context, const struct sample *samples, size_t count, struct err *err)
{
	struct every *every = context;
	struct raw_record raw;

	for (size_t i = 0; i < count; i++) {
		raw_record_read(&raw, samples[i].data, every->session.swap);
		if (!pass(every, samples[i].time, raw.data, raw.size))
			return err_pass(err, &every->err);
	}
	return true;
}

/* What each slice begins with. */
static bool keep(struct every *every, const struct raw_record *record, struct err *err)
{
	if (record->size > PREAMBLE_MOST - every->preamble_size)
		return err_set(err, ERR_LIMIT,
		               "--every: more than %zu bytes of records about the recording",
		               PREAMBLE_MOST);
	if (!vec_reserve(&every->preamble, every->preamble_size + record->size,
	                 &every->preamble_capacity, 1, err))
		return false;
	memcpy(every->preamble + every->preamble_size, record->data, record->size);
	every->preamble_size += record->size;
	return true;
}

/* The tracing data follows the record, and is read by the session after this. */
static bool keep_tracing(struct every *every, const struct raw_record *record, struct err *err)
{
	if (every->tracing || record->size < TRACING_SIZE_AT + sizeof(uint32_t))
		return true;
	every->tracing = vec_new(record->size, 1, err);
	if (!every->tracing)
		return false;
	memcpy(every->tracing, record->data, record->size);
	every->tracing_size = record->size;
	every->tracing_place = every->preamble_size;
	return true;
}

static bool on_tool(void *context, const struct raw_record *record, struct err *damage,
                    struct err *err)
{
	struct every *every = context;

	(void)damage;
	switch (record->type) {
	case PERF_RECORD_AUXTRACE: /* its trace is skipped */
		return true;
	case PERF_RECORD_HEADER_TRACING_DATA:
		if (!session_holds_tracing(&every->session, record->data, record->size))
			return keep_tracing(every, record, err);
		break;
	case PERF_RECORD_STAT:
	case PERF_RECORD_STAT_ROUND:
		return relay(every, record->data, record->size) || err_pass(err, &every->err);
	default:
		break;
	}
	/* to the slice that is on, too; there may be none yet */
	if (every->slice.process)
		put(every, record->data, record->size);
	return keep(every, record, err);
}

/* --- signals */

static void choose_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
}

static void take_signals(struct every *every)
{
	struct signalfd_siginfo info;

	while (read(every->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP) {
			every->cut = every->begun;
			every->due = 0;
			continue;
		}
		/* the second one ends it at once */
		every->stop_until = every->stopping ? 0 : clock_seconds() + STOP_SECONDS;
		every->stopping = true;
	}
}

/* Before the stream is read: false ends it. */
static bool wait_for_stream(void *context, int stream)
{
	struct every *every = context;
	struct pollfd ready[] = { { .fd = stream, .events = POLLIN },
		                  { .fd = every->signals, .events = POLLIN } };

	for (;;) {
		const double left = every->stop_until - clock_seconds();

		if (every->stopping && left <= 0)
			return false;
		if (poll(ready, ARRAY_SIZE(ready), every->stopping ? (int)(left * 1000) + 1 : -1) <
		            0 &&
		    errno != EINTR)
			return true;
		if (ready[1].revents)
			take_signals(every);
		else if (ready[0].revents)
			return true;
	}
}

/* --- all of it */

static bool prepare(struct every *every)
{
	const struct outputs none = { 0 };
	struct err *err = &every->err;
	sigset_t set;
	int helper = 0;

	if (!output_folder_make(every->options, err))
		return false;
	temp_folders_remove_stale(every->options->output);
	if (!every->options->naming.lookup.symbols.files.symfs_count)
		helper = proc_files_start();
	if (!enter_sandbox(every->options, &none, err))
		return false;
	choose_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	every->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (every->signals < 0)
		return err_errno(err, "cannot wait for signals");
	every->setup = (struct slice_setup){ .options = every->options,
		                             .sink = every->sink,
		                             .board = slice_board_new(err) };
	if (!every->options->naming.lookup.symbols.files.symfs_count)
		every->setup.kept = kept_files_new(err);
	if (every->setup.kept)
		every->setup.kept->helper = helper;
	return every->setup.board && !err->code;
}

static bool open_stream(struct every *every)
{
	struct err *err = &every->err;

	if (!input_open(&every->input, "-", temp_dir(), &every->diag, err) ||
	    !session_open(&every->session, &every->input, err))
		return false;
	if (!every->session.pipe)
		return err_set(err, ERR_USAGE,
		               "--every: expected a stream of perf record -o -, found a file");
	every->input.wait = wait_for_stream;
	every->input.context = every;
	every->setup.close_first = every->input.files[0].fd;
	/* the recorder loses less while this process waits for a CPU */
	pipe_widen(every->setup.close_first);
	every->carried = carried_new(&every->session, err);
	return every->carried != NULL;
}

static bool read_stream(struct every *every)
{
	const struct record_handler handler = {
		.context = every, .record = on_record, .samples = on_samples, .tool = on_tool
	};
	const struct read_options how = { .due = &every->due };
	bool ok = perffile_read(&every->session, &handler, 1, &how, &every->summary, &every->err);

	/* also if it failed: what came before is whole */
	if (every->carried)
		ok &= end_slice(every, every->newest + 1);
	reap(every, true);
	return ok;
}

static int end_status(const struct every *every)
{
	if (every->started && every->lost == every->started)
		return EXIT_FAILED;
	return every->lost || every->damaged || (every->summary.broken && !every->stopping)
	               ? EXIT_DAMAGED
	               : EXIT_CLEAN;
}

int every_run(struct every *every)
{
	every->began = clock_seconds();
	every->signals = -1;
	diag_init(&every->diag, say_of_stream, every);
	session_init(&every->session, &every->diag);
	if (!prepare(every) || !open_stream(every) || !read_stream(every))
		return every->err.code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
	diag_finish(&every->diag);
	if (!every->started)
		err_set(&every->err, ERR_FORMAT, "the stream has no records");
	else if (every->lost == every->started)
		err_set(&every->err, ERR_IO, "--every: no slice has tables");
	return every->err.code ? EXIT_FAILED : end_status(every);
}

void every_release(struct every *every)
{
	carried_free(every->carried);
	free(every->preamble);
	free(every->tracing);
	read_summary_release(&every->summary);
	session_release(&every->session);
	input_close(&every->input);
	diag_release(&every->diag);
	slice_board_free(every->setup.board);
	kept_files_free(every->setup.kept);
	if (every->signals >= 0)
		close(every->signals);
}

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

void every_print_figures(const struct every *every, FILE *out)
{
	struct rusage own, slices;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &slices);
	fprintf(out,
	        "readperf: %" PRIu64 " records, %" PRIu64
	        " slices in %.3f s; CPU time %.3f s of the stream and %.3f s of its slices; "
	        "peak memory %ld kB and %ld kB\n",
	        every->summary.records, every->started, clock_seconds() - every->began,
	        seconds_of(&own), seconds_of(&slices), own.ru_maxrss, slices.ru_maxrss);
}
