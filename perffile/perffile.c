#include "perffile/perffile.h"

#include "perffile/queue.h"
#include "perffile/scout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/*
 * A file is read twice. The first reading looks at the headers: it counts, takes in what the tool
 * wrote, delivers the records without a time, and finds the bound that the second reading needs
 * (lane.h). A scout looks at its second half meanwhile.
 *
 * A pipe is read once. There FINISHED_ROUND gives the bound (format reference, 7.1), used only when
 * more than PIPE_BLOCKS wait: the later a record is delivered, the less comes too late.
 */
#define PIPE_BLOCKS 32                             /* of STREAM_BLOCK_SIZE */
#define TRACING_LIMIT ((uint64_t)64 * 1024 * 1024) /* bytes kept of a pipe's tracing data */
#define PROGRESS_RECORDS 65536

struct reader {
	struct input *input;
	struct session *session;
	const struct record_handler *handlers;
	size_t handler_count;
	const struct read_options *options;
	struct diag *diag;
	struct read_summary *summary;
	struct err *err;
	struct err damage; /* of the file: found, said and forgotten; see fresh() */
	struct queue queue;
	struct lane *lanes;
	size_t lane_count;
	struct scout scout;
	uint64_t round_most,
		round_limit;    /* ns, pipe: highest time so far, and at the mark before */
	uint64_t passed, total; /* bytes, for progress */
};

/* The place for a finding about the file. Emptied, but not cleared: this is done for every record. */
static inline struct err *fresh(struct reader *reader)
{
	reader->damage.code = ERR_NONE;
	return &reader->damage;
}

/* count records of the lane have passed. */
static inline void pass(struct reader *reader, struct lane *lane, size_t count)
{
	const struct read_options *options = reader->options;
	uint64_t before = lane->nr;

	lane->nr += count;
	if (before / PROGRESS_RECORDS != lane->nr / PROGRESS_RECORDS && options->report)
		options->report(options->context, reader->passed + stream_position(lane->stream),
		                reader->total, lane->nr);
}

static void take_run(struct reader *reader, struct lane *lane, const struct run *run)
{
	stream_pass(lane->stream, run->end, run->count);
	pass(reader, lane, run->count);
}

/* Payload that lies behind a record, outside of it; 0 for all others. None lies behind packed ones. */
static uint64_t payload_of(const struct reader *reader, const struct raw_record *raw)
{
	if (block_of(raw->data)->inflated)
		return 0;
	if (raw->type == PERF_RECORD_HEADER_TRACING_DATA && raw->size >= 12)
		return load_u32(raw->data + 8, reader->session->swap);
	if (raw->type == PERF_RECORD_AUXTRACE && raw->size >= 16)
		return load_u64(raw->data + 8, reader->session->swap);
	return 0;
}

/* Offsets of a directory's files mean nothing without the file's name. */
static void name_part(const struct reader *reader, const struct lane *lane, struct err *damage)
{
	size_t file = (size_t)(lane - reader->lanes);
	const char *name = strrchr(reader->input->files[file].path, '/');
	struct err whole = *damage;

	if (!reader->input->directory || !name)
		return;
	damage->code = ERR_NONE;
	err_at(damage, whole.code, whole.offset, "%s: %s", name + 1, whole.text);
}

static bool stream_went_on(struct reader *reader, enum stream_status status, struct err *damage,
                           struct lane *lane)
{
	if (status == STREAM_RECORD)
		return true;
	if (status != STREAM_END)
		name_part(reader, lane, damage);
	if (status == STREAM_FAILED) {
		err_pass(reader->err, damage);
		return false;
	}
	if (status != STREAM_END)
		summary_broken(reader->summary, reader->diag, damage);
	if (status != STREAM_SKIPPED)
		lane->done = true;
	return true;
}

/* A tool record, seen for the first time. */
static bool take_tool(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	struct session *session = reader->session;
	const struct record_handler *handler = reader->handlers;
	uint64_t payload = payload_of(reader, raw);
	struct err *damage = &reader->damage;
	enum stream_status status = STREAM_RECORD;

	/* this one comes by the thousand; all others may change the session */
	if (raw->type == PERF_RECORD_FINISHED_ROUND)
		return true;
	if (!courier_wait(&reader->queue.courier) ||
	    !session_record(session, raw->data, raw->size, raw->offset, reader->err))
		return false;
	for (size_t i = 0; i < reader->handler_count; i++, handler++) {
		if (!handler->tool)
			continue;
		if (!handler->tool(handler->context, raw, fresh(reader), reader->err))
			return false;
		if (damage->code)
			summary_broken(reader->summary, reader->diag, damage);
	}
	fresh(reader);
	if (raw->type == PERF_RECORD_HEADER_TRACING_DATA && !session->tracing_bytes)
		status = stream_take(lane->stream, payload, TRACING_LIMIT, &session->tracing_bytes,
		                     &session->tracing_size, damage);
	else if (payload)
		status = stream_skip(lane->stream, payload, damage);
	session->names_stale |= raw->type == PERF_RECORD_HEADER_TRACING_DATA;
	if (raw->type == PERF_RECORD_AUXTRACE && status == STREAM_RECORD)
		reader->summary->auxtrace_bytes = u64_add_sat(reader->summary->auxtrace_bytes,
		                                              payload);
	return stream_went_on(reader, status, damage, lane);
}

/* A bomb: a recording that was packed as a whole holds no two records with the same time. */
static bool too_many(const struct reader *reader, uint64_t records)
{
	uint64_t packed = reader->input->packed;

	if (!packed || records <= UNPACK_RECORDS + packed)
		return false;
	err_set(reader->err, ERR_LIMIT,
	        "%" PRIu64 " packed bytes hold more than %" PRIu64 " records", packed, records);
	return true;
}

/* First reading, one record. */
static bool scan_record(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	uint64_t nr = lane->nr, time;

	pass(reader, lane, 1);
	if (!summary_count(reader->summary, raw, reader->diag, reader->err))
		return false;
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool(reader, lane, raw);
	time = raw_record_time(reader->session, raw);
	if (time != TIME_NONE) {
		lane_note(lane, time);
		return true;
	}
	return queue_timeless(&reader->queue, raw, nr);
}

/* Second reading, one record: what has a time waits in the tree. */
static bool queue_one(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	struct session *session = reader->session;
	uint64_t nr = lane->nr, time;

	pass(reader, lane, 1);
	if (raw->type == PERF_RECORD_HEADER_ATTR && session->pipe) {
		if (!courier_wait(&reader->queue.courier))
			return false;
		session_next_attr(session, raw->size);
	}
	if (raw->type >= PERF_RECORD_TOOL_START) {
		uint64_t payload = payload_of(reader, raw);

		if (payload && stream_skip(lane->stream, payload, fresh(reader)) != STREAM_RECORD)
			lane->done = true;
		return true;
	}
	time = raw_record_time(session, raw);
	return time == TIME_NONE || queue_record(&reader->queue, raw, nr, time);
}

/* The lane whose rest may hold the oldest record. */
static struct lane *oldest_lane(struct reader *reader)
{
	struct lane *oldest = NULL;

	for (size_t i = 0; i < reader->lane_count; i++) {
		struct lane *lane = &reader->lanes[i];

		if (!lane->done && (!oldest || lane_floor(lane) < lane_floor(oldest)))
			oldest = lane;
	}
	return oldest;
}

/* What nothing that is still unread can be older than. */
static uint64_t common_bound(struct reader *reader)
{
	uint64_t bound = TIME_NONE;

	for (size_t i = 0; i < reader->lane_count; i++)
		bound = u64_min(bound, lane_floor(&reader->lanes[i]));
	/* a record of another file with that very time may stand before those that wait */
	return reader->lane_count > 1 && bound != TIME_NONE && bound ? bound - 1 : bound;
}

static bool open_lane(struct reader *reader, struct lane *lane, size_t file)
{
	const struct session *session = reader->session;
	uint64_t size = reader->input->files[file].size;
	uint64_t start = file ? 0 : session->data_offset;
	uint64_t end = file || session->pipe ? size : session->data_offset + session->data_size;

	stream_free(lane->stream);
	lane->done = false;
	lane->nr = lane->first_nr;
	lane->meet = UINT64_MAX;
	lane->stream = stream_open(reader->input, file, u64_min(start, end), end, session->swap,
	                           &reader->queue.pool, reader->err);
	return lane->stream != NULL;
}

static void count_compressed(struct reader *reader, const struct lane *lane)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	uint64_t count[2], bytes[2];

	stream_compressed(lane->stream, count, bytes);
	for (size_t i = 0; i < 2; i++) {
		reader->summary->types[types[i]].count += count[i];
		reader->summary->types[types[i]].bytes += bytes[i];
	}
}

/* First reading, one record or a run of them. */
static bool scan_next(struct reader *reader, struct lane *lane)
{
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	if (too_many(reader, lane->nr) || !lane_add_floor(lane, reader->err))
		return false;
	if (lane_run(lane, reader->session, lane_left(lane), false, &run)) {
		lane_note(lane, run.least_time);
		summary_count_samples(reader->summary, run.count, (uint64_t)(run.end - run.data));
		take_run(reader, lane, &run);
		return true;
	}
	status = stream_get(lane->stream, &raw, fresh(reader));
	return status == STREAM_RECORD ? scan_record(reader, lane, &raw)
	                               : stream_went_on(reader, status, &reader->damage, lane);
}

/* A scout looks at the second half of a file whose events the header knows. */
static void send_scout(struct reader *reader, struct lane *lane)
{
	const struct session *session = reader->session;

	if (!reader->options->threaded || reader->lane_count > 1 || session->pipe ||
	    reader->input->packed)
		return;
	scout_send(&reader->scout, reader->input, session, session->data_offset,
	           session->data_offset + session->data_size);
	lane->meet = reader->scout.start;
}

/* Where the scout started: if a record starts there, too, what it found follows. */
static bool meet_scout(struct reader *reader, struct lane *lane)
{
	struct scout *scout = &reader->scout;
	uint64_t packed[2], bytes[2];
	bool ok = true;

	lane->meet = UINT64_MAX;
	stream_compressed(lane->stream, packed, bytes);
	if (stream_position(lane->stream) == scout->start && !packed[0] && !packed[1]) {
		scout_return(scout);
		summary_add(reader->summary, scout->types);
		ok = lane_append(lane, &scout->lane, reader->err) &&
		     stream_went_on(
			     reader,
			     stream_skip(lane->stream, scout->stop - scout->start, fresh(reader)),
			     &reader->damage, lane);
	}
	scout_release(scout);
	return ok;
}

static bool scan_lane(struct reader *reader, struct lane *lane)
{
	while (!lane->done) {
		if (stream_position(lane->stream) >= lane->meet && !meet_scout(reader, lane))
			return false;
		if (!scan_next(reader, lane))
			return false;
	}
	/* it may have ended before they met: the layouts are going to change */
	scout_release(&reader->scout);
	lane_run_floors(lane);
	count_compressed(reader, lane);
	return true;
}

static bool scan_all(struct reader *reader)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < reader->lane_count; i++) {
		struct lane *lane = &reader->lanes[i];

		lane->first_nr = nr;
		if (!open_lane(reader, lane, i))
			return false;
		send_scout(reader, lane);
		if (!scan_lane(reader, lane))
			return false;
		nr = lane->nr;
		reader->passed += reader->input->files[i].size;
	}
	return true;
}

/* Reads the records up to the next floor. */
static bool queue_part(struct reader *reader, struct lane *lane)
{
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	do {
		if (lane_run(lane, reader->session, lane_left(lane), true, &run)) {
			uint64_t nr = lane->nr;

			take_run(reader, lane, &run);
			if (!queue_run(&reader->queue, &run, nr))
				return false;
			continue;
		}
		status = stream_get(lane->stream, &raw, fresh(reader));
		/* damage has been said in the first reading */
		if (status == STREAM_RECORD ? !queue_one(reader, lane, &raw)
		                            : status == STREAM_FAILED)
			return err_pass(reader->err, &reader->damage);
		if (status == STREAM_END || status == STREAM_DAMAGED)
			lane->done = true;
	} while (!lane->done && lane_left(lane) != FLOOR_RECORDS);
	return true;
}

static bool deliver_all(struct reader *reader)
{
	struct lane *lane;
	uint64_t records = 0;

	session_rewind(reader->session);
	for (size_t i = 0; i < reader->lane_count; i++)
		if (!open_lane(reader, &reader->lanes[i], i))
			return false;
	while ((lane = oldest_lane(reader)))
		if (!queue_part(reader, lane) || !queue_drain(&reader->queue, common_bound(reader)))
			return false;
	for (size_t i = 0; i < reader->lane_count; i++)
		records += reader->lanes[i].nr - reader->lanes[i].first_nr;
	if (records != reader->summary->records)
		return err_set(reader->err, ERR_IO,
		               "the recording changed while it was read: %" PRIu64
		               " records, then %" PRIu64,
		               reader->summary->records, records);
	return queue_drain(&reader->queue, TIME_NONE);
}

/* The end of a round: what was there at the end of the one before is complete. */
static bool end_round(struct reader *reader)
{
	uint64_t limit = reader->round_limit;

	reader->round_limit = reader->round_most;
	/* what comes from now on may be older all the same, and then stands behind these */
	return reader->queue.blocks <= PIPE_BLOCKS ||
	       (queue_drain(&reader->queue, limit) && courier_flush(&reader->queue.courier));
}

/* Pipe, one record: as the file's two readings in one. */
static bool pipe_record(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	uint64_t nr = lane->nr, time;

	pass(reader, lane, 1);
	if (!summary_count(reader->summary, raw, reader->diag, reader->err) ||
	    (raw->type == PERF_RECORD_FINISHED_ROUND && !end_round(reader)))
		return false;
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool(reader, lane, raw);
	time = raw_record_time(reader->session, raw);
	if (time == TIME_NONE)
		return queue_timeless(&reader->queue, raw, nr);
	/* those of --off-cpu have a time of no clock */
	if (time < TIME_OFF_CPU)
		reader->round_most = u64_max(reader->round_most, time);
	return queue_record(&reader->queue, raw, nr, time);
}

static bool pipe_run(struct reader *reader, struct lane *lane, const struct run *run)
{
	uint64_t nr = lane->nr;

	take_run(reader, lane, run);
	summary_count_samples(reader->summary, run->count, (uint64_t)(run->end - run->data));
	if (run->last_time < TIME_OFF_CPU)
		reader->round_most = u64_max(reader->round_most, run->last_time);
	return queue_run(&reader->queue, run, nr);
}

static bool read_pipe(struct reader *reader)
{
	struct lane *lane = &reader->lanes[0];
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	if (!open_lane(reader, lane, 0))
		return false;
	courier_start(&reader->queue.courier);
	while (!lane->done) {
		reader->queue.input_bytes = stream_position(lane->stream);
		if (lane_run(lane, reader->session, SIZE_MAX, true, &run)) {
			if (!pipe_run(reader, lane, &run))
				return false;
			continue;
		}
		status = stream_get(lane->stream, &raw, fresh(reader));
		if (status == STREAM_RECORD
		            ? !pipe_record(reader, lane, &raw)
		            : !stream_went_on(reader, status, &reader->damage, lane))
			return false;
	}
	count_compressed(reader, lane);
	return queue_drain(&reader->queue, TIME_NONE);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static bool read_file(struct reader *reader)
{
	double start = now();
	/* the second reading starts with the events that the header knows */
	bool ok = scan_all(reader) && courier_wait(&reader->queue.courier);

	reader->summary->scan_seconds = now() - start;
	/* warnings come from here up to now, and from the handlers' thread from now on */
	courier_start(&reader->queue.courier);
	return ok && deliver_all(reader);
}

static bool reader_open(struct reader *reader)
{
	size_t files = reader->input->file_count;
	bool file = reader->input->seekable;
	struct courier_order order = { .session = reader->session,
		                       .handlers = reader->handlers,
		                       .handler_count = reader->handler_count,
		                       .diag = reader->diag,
		                       .summary = reader->summary,
		                       .threaded = reader->options->threaded,
		                       .all_apart = file };

	if (!queue_open(&reader->queue, &order, reader->err))
		return false;
	reader->lanes = calloc(files, sizeof(*reader->lanes));
	if (!reader->lanes)
		return err_nomem(reader->err, files * sizeof(*reader->lanes));
	reader->lane_count = reader->queue.files = files;
	for (size_t i = 0; i < files && file; i++)
		reader->queue.input_bytes += reader->input->files[i].size;
	/* a file is passed twice */
	reader->total = 2 * reader->queue.input_bytes;
	return true;
}

static void reader_close(struct reader *reader)
{
	scout_release(&reader->scout);
	for (size_t i = 0; reader->lanes && i < reader->lane_count; i++)
		lane_release(&reader->lanes[i]);
	free(reader->lanes);
	queue_close(&reader->queue);
}

bool perffile_read(struct input *input, struct session *session,
                   const struct record_handler *handlers, size_t handler_count,
                   const struct read_options *options, struct diag *diag,
                   struct read_summary *summary, struct err *err)
{
	static const struct read_options none = { false, NULL, NULL };
	struct reader reader = { 0 };
	bool ok;

	summary_init(summary);
	reader.input = input;
	reader.session = session;
	reader.handlers = handlers;
	reader.handler_count = handler_count;
	reader.options = options ? options : &none;
	reader.diag = diag;
	reader.summary = summary;
	reader.err = err;
	summary->broken = session->killed || session->damaged || input->cut;
	if (session->killed)
		diag_warn(diag, 40,
		          "the recorder was killed before it finished: "
		          "every complete record is used, the features are missing");
	ok = reader_open(&reader) && (input->seekable ? read_file(&reader) : read_pipe(&reader)) &&
	     courier_finish(&reader.queue.courier);
	/* first, because it ends the thread, which tells the summary too */
	reader_close(&reader);
	summary->late = reader.queue.late;
	summary->window_most = reader.queue.most;
	summary->broken |= session->damaged; /* by records of the tool */
	summary->memory_most = reader.queue.pool.most_in_use * STREAM_BLOCK_SIZE;
	return ok;
}
