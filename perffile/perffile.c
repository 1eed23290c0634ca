#include "perffile/perffile.h"

#include "perffile/input/unpackguard.h"
#include "perffile/order/queue.h"
#include "perffile/order/prescan.h"
#include "perffile/session/sessionfill.h"
#include "perffile/session/toolrecord.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/*
 * A file is read twice. The first reading looks at the headers: it counts, takes in what the tool
 * wrote, delivers the records without a time, and finds the bound that the second reading needs
 * (file_reader.h). A prescan looks at its second half meanwhile.
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
	struct file_reader *file_readers;
	size_t file_reader_count;
	struct prescan prescan;
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

/* count records of the file_reader have passed. */
static inline void pass(struct reader *reader, struct file_reader *file_reader, size_t count)
{
	const struct read_options *options = reader->options;
	uint64_t before = file_reader->nr;

	file_reader->nr += count;
	if (before / PROGRESS_RECORDS != file_reader->nr / PROGRESS_RECORDS && options->report)
		options->report(options->context,
		                reader->passed + stream_position(file_reader->stream),
		                reader->total, file_reader->nr);
}

static void take_run(struct reader *reader, struct file_reader *file_reader, const struct run *run)
{
	stream_pass(file_reader->stream, run->end, run->count);
	pass(reader, file_reader, run->count);
}

/* Payload that lies behind a record, outside of it; 0 for all others. None lies behind packed ones. */
static uint64_t payload_of(const struct reader *reader, const struct raw_record *raw)
{
	if (block_of(raw->data)->inflated)
		return 0;
	if (raw->type == PERF_RECORD_HEADER_TRACING_DATA && raw->size >= 12 &&
	    !session_holds_tracing(reader->session, raw->data, raw->size))
		return load_u32(raw->data + 8, reader->session->swap);
	if (raw->type == PERF_RECORD_AUXTRACE && raw->size >= 16)
		return load_u64(raw->data + 8, reader->session->swap);
	return 0;
}

static bool stream_went_on(struct reader *reader, enum stream_status status, struct err *damage,
                           struct file_reader *file_reader)
{
	const char *part =
		input_part(reader->input, (size_t)(file_reader - reader->file_readers));

	if (status == STREAM_RECORD)
		return true;
	if (status != STREAM_END && part)
		err_prefix(damage, part);
	if (status == STREAM_FAILED) {
		err_pass(reader->err, damage);
		return false;
	}
	if (status != STREAM_END)
		summary_broken(reader->summary, reader->diag, damage);
	if (status != STREAM_SKIPPED)
		file_reader->done = true;
	return true;
}

/* A tool record, seen for the first time. */
static bool take_tool(struct reader *reader, struct file_reader *file_reader,
                      const struct raw_record *raw)
{
	struct session *session = reader->session;
	const struct record_handler *handler = reader->handlers;
	uint64_t payload = payload_of(reader, raw);
	struct err *damage = &reader->damage;
	enum stream_status status = STREAM_RECORD;

	/* this one comes by the thousand; all others may change the session */
	if (raw->type == PERF_RECORD_FINISHED_ROUND)
		return true;
	if (!dispatcher_wait(&reader->queue.dispatcher) ||
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
		status = stream_take(file_reader->stream, payload, TRACING_LIMIT,
		                     &session->tracing_bytes, &session->tracing_size, damage);
	else if (payload)
		status = stream_skip(file_reader->stream, payload, damage);
	session->names_stale |= raw->type == PERF_RECORD_HEADER_TRACING_DATA;
	if (raw->type == PERF_RECORD_AUXTRACE && status == STREAM_RECORD)
		reader->summary->auxtrace_bytes = u64_add_sat(reader->summary->auxtrace_bytes,
		                                              payload);
	return stream_went_on(reader, status, damage, file_reader);
}

/* A bomb: the records in compressed records of a recording that was packed as a whole count, too. */
static bool too_many(const struct reader *reader, uint64_t records)
{
	uint64_t packed = reader->input->packed;

	if (!packed || records <= unpack_records_most(packed))
		return false;
	err_set(reader->err, ERR_LIMIT,
	        "%" PRIu64 " packed bytes hold more than %" PRIu64 " records", packed,
	        unpack_records_most(packed));
	return true;
}

/* First reading, one record. */
static bool scan_record(struct reader *reader, struct file_reader *file_reader,
                        const struct raw_record *raw)
{
	uint64_t nr = file_reader->nr, time;

	pass(reader, file_reader, 1);
	if (!summary_count(reader->summary, raw, reader->diag, reader->err))
		return false;
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool(reader, file_reader, raw);
	time = raw_record_time(reader->session, raw);
	if (time != TIME_NONE) {
		file_reader_note(file_reader, time);
		return true;
	}
	return queue_timeless(&reader->queue, raw, nr);
}

/* Second reading, one record: what has a time waits in the tree. */
static bool queue_one(struct reader *reader, struct file_reader *file_reader,
                      const struct raw_record *raw)
{
	struct session *session = reader->session;
	uint64_t nr = file_reader->nr, time;

	pass(reader, file_reader, 1);
	if (raw->type == PERF_RECORD_HEADER_ATTR && session->pipe) {
		if (!dispatcher_wait(&reader->queue.dispatcher))
			return false;
		session_next_attr(session, raw->size);
	}
	if (raw->type >= PERF_RECORD_TOOL_START) {
		uint64_t payload = payload_of(reader, raw);

		if (payload &&
		    stream_skip(file_reader->stream, payload, fresh(reader)) != STREAM_RECORD)
			file_reader->done = true;
		return true;
	}
	time = raw_record_time(session, raw);
	return time == TIME_NONE || queue_record(&reader->queue, raw, nr, time);
}

/* The file_reader whose rest may hold the oldest record. */
static struct file_reader *oldest_file_reader(struct reader *reader)
{
	struct file_reader *oldest = NULL;

	for (size_t i = 0; i < reader->file_reader_count; i++) {
		struct file_reader *file_reader = &reader->file_readers[i];

		if (!file_reader->done &&
		    (!oldest || file_reader_floor(file_reader) < file_reader_floor(oldest)))
			oldest = file_reader;
	}
	return oldest;
}

/* What nothing that is still unread can be older than. */
static uint64_t common_bound(struct reader *reader)
{
	uint64_t bound = TIME_NONE;

	for (size_t i = 0; i < reader->file_reader_count; i++)
		bound = u64_min(bound, file_reader_floor(&reader->file_readers[i]));
	/* a record of another file with that very time may stand before those that wait */
	return reader->file_reader_count > 1 && bound != TIME_NONE && bound ? bound - 1 : bound;
}

static bool open_file_reader(struct reader *reader, struct file_reader *file_reader, size_t file)
{
	const struct session *session = reader->session;
	uint64_t size = reader->input->files[file].size;
	uint64_t start = file ? 0 : session->data_offset;
	uint64_t end = file || session->pipe ? size : session->data_offset + session->data_size;

	stream_free(file_reader->stream);
	file_reader->done = false;
	file_reader->nr = file_reader->first_nr;
	file_reader->meet = UINT64_MAX;
	file_reader->stream = stream_open(reader->input, file, u64_min(start, end), end,
	                                  session->swap, &reader->queue.pool, reader->err);
	return file_reader->stream != NULL;
}

static void count_compressed(struct reader *reader, const struct file_reader *file_reader)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	uint64_t count[2], bytes[2];

	stream_compressed(file_reader->stream, count, bytes);
	for (size_t i = 0; i < 2; i++) {
		reader->summary->types[types[i]].count += count[i];
		reader->summary->types[types[i]].bytes += bytes[i];
	}
}

/* First reading, one record or a run of them. */
static bool scan_next(struct reader *reader, struct file_reader *file_reader)
{
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	if (too_many(reader, file_reader->nr) || !file_reader_add_floor(file_reader, reader->err))
		return false;
	if (file_reader_run(file_reader, reader->session, file_reader_left(file_reader), false,
	                    &run)) {
		file_reader_note(file_reader, run.least_time);
		summary_count_samples(reader->summary, run.count, (uint64_t)(run.end - run.data));
		take_run(reader, file_reader, &run);
		return true;
	}
	status = stream_get(file_reader->stream, &raw, fresh(reader));
	return status == STREAM_RECORD
	               ? scan_record(reader, file_reader, &raw)
	               : stream_went_on(reader, status, &reader->damage, file_reader);
}

/* A prescan looks at the second half of a file whose events the header knows. */
static void send_prescan(struct reader *reader, struct file_reader *file_reader)
{
	const struct session *session = reader->session;

	if (!reader->options->threaded || reader->file_reader_count > 1 || session->pipe ||
	    reader->input->packed)
		return;
	prescan_send(&reader->prescan, reader->input, session, session->data_offset,
	             session->data_offset + session->data_size);
	file_reader->meet = reader->prescan.start;
}

/* Where the prescan started: if a record starts there, too, what it found follows. */
static bool meet_prescan(struct reader *reader, struct file_reader *file_reader)
{
	struct prescan *prescan = &reader->prescan;
	uint64_t packed[2], bytes[2];
	bool ok = true;

	file_reader->meet = UINT64_MAX;
	stream_compressed(file_reader->stream, packed, bytes);
	if (stream_position(file_reader->stream) == prescan->start && !packed[0] && !packed[1]) {
		prescan_return(prescan);
		summary_add(reader->summary, prescan->types);
		ok = file_reader_append(file_reader, &prescan->file_reader, reader->err) &&
		     stream_went_on(reader,
		                    stream_skip(file_reader->stream, prescan->stop - prescan->start,
		                                fresh(reader)),
		                    &reader->damage, file_reader);
	}
	prescan_release(prescan);
	return ok;
}

static bool scan_file_reader(struct reader *reader, struct file_reader *file_reader)
{
	while (!file_reader->done) {
		if (stream_position(file_reader->stream) >= file_reader->meet &&
		    !meet_prescan(reader, file_reader))
			return false;
		if (!scan_next(reader, file_reader))
			return false;
	}
	/* it may have ended before they met: the layouts are going to change */
	prescan_release(&reader->prescan);
	file_reader_run_floors(file_reader);
	count_compressed(reader, file_reader);
	return true;
}

static bool scan_all(struct reader *reader)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < reader->file_reader_count; i++) {
		struct file_reader *file_reader = &reader->file_readers[i];

		file_reader->first_nr = nr;
		if (!open_file_reader(reader, file_reader, i))
			return false;
		send_prescan(reader, file_reader);
		if (!scan_file_reader(reader, file_reader))
			return false;
		nr = file_reader->nr;
		reader->passed += reader->input->files[i].size;
	}
	return true;
}

/* Reads the records up to the next floor. */
static bool queue_part(struct reader *reader, struct file_reader *file_reader)
{
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	do {
		if (file_reader_run(file_reader, reader->session, file_reader_left(file_reader),
		                    true, &run)) {
			uint64_t nr = file_reader->nr;

			take_run(reader, file_reader, &run);
			if (!queue_run(&reader->queue, &run, nr))
				return false;
			continue;
		}
		status = stream_get(file_reader->stream, &raw, fresh(reader));
		/* damage has been said in the first reading */
		if (status == STREAM_RECORD ? !queue_one(reader, file_reader, &raw)
		                            : status == STREAM_FAILED)
			return err_pass(reader->err, &reader->damage);
		if (status == STREAM_END || status == STREAM_DAMAGED)
			file_reader->done = true;
	} while (!file_reader->done && file_reader_left(file_reader) != FLOOR_RECORDS);
	return true;
}

static bool deliver_all(struct reader *reader)
{
	struct file_reader *file_reader;
	uint64_t records = 0;

	session_rewind(reader->session);
	for (size_t i = 0; i < reader->file_reader_count; i++)
		if (!open_file_reader(reader, &reader->file_readers[i], i))
			return false;
	while ((file_reader = oldest_file_reader(reader)))
		if (!queue_part(reader, file_reader) ||
		    !queue_drain(&reader->queue, common_bound(reader)))
			return false;
	for (size_t i = 0; i < reader->file_reader_count; i++)
		records += reader->file_readers[i].nr - reader->file_readers[i].first_nr;
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
	       (queue_drain(&reader->queue, limit) && dispatcher_flush(&reader->queue.dispatcher));
}

/* Pipe, one record: as the file's two readings in one. */
static bool pipe_record(struct reader *reader, struct file_reader *file_reader,
                        const struct raw_record *raw)
{
	uint64_t nr = file_reader->nr, time;

	pass(reader, file_reader, 1);
	if (!summary_count(reader->summary, raw, reader->diag, reader->err) ||
	    (raw->type == PERF_RECORD_FINISHED_ROUND && !end_round(reader)))
		return false;
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool(reader, file_reader, raw);
	time = raw_record_time(reader->session, raw);
	if (time == TIME_NONE)
		return queue_timeless(&reader->queue, raw, nr);
	/* those of --off-cpu have a time of no clock */
	if (time < TIME_OFF_CPU)
		reader->round_most = u64_max(reader->round_most, time);
	return queue_record(&reader->queue, raw, nr, time);
}

static bool pipe_run(struct reader *reader, struct file_reader *file_reader, const struct run *run)
{
	uint64_t nr = file_reader->nr;

	take_run(reader, file_reader, run);
	summary_count_samples(reader->summary, run->count, (uint64_t)(run->end - run->data));
	if (run->last_time < TIME_OFF_CPU)
		reader->round_most = u64_max(reader->round_most, run->last_time);
	return queue_run(&reader->queue, run, nr);
}

static bool read_pipe(struct reader *reader)
{
	struct file_reader *file_reader = &reader->file_readers[0];
	enum stream_status status;
	struct raw_record raw;
	struct run run;

	if (!open_file_reader(reader, file_reader, 0))
		return false;
	dispatcher_start(&reader->queue.dispatcher);
	while (!file_reader->done) {
		reader->queue.input_bytes = stream_position(file_reader->stream);
		if (file_reader_run(file_reader, reader->session, SIZE_MAX, true, &run)) {
			if (!pipe_run(reader, file_reader, &run))
				return false;
			continue;
		}
		status = stream_get(file_reader->stream, &raw, fresh(reader));
		if (status == STREAM_RECORD
		            ? !pipe_record(reader, file_reader, &raw)
		            : !stream_went_on(reader, status, &reader->damage, file_reader))
			return false;
	}
	count_compressed(reader, file_reader);
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
	bool ok = scan_all(reader) && dispatcher_wait(&reader->queue.dispatcher);

	reader->summary->scan_seconds = now() - start;
	/* warnings come from here up to now, and from the handlers' thread from now on */
	dispatcher_start(&reader->queue.dispatcher);
	return ok && deliver_all(reader);
}

static bool reader_open(struct reader *reader)
{
	size_t files = reader->input->file_count;
	bool file = reader->input->seekable;
	struct dispatcher_order order = { .session = reader->session,
		                          .handlers = reader->handlers,
		                          .handler_count = reader->handler_count,
		                          .diag = reader->diag,
		                          .summary = reader->summary,
		                          .threaded = reader->options->threaded,
		                          .all_apart = file };

	if (!queue_open(&reader->queue, &order, reader->err))
		return false;
	reader->file_readers = calloc(files, sizeof(*reader->file_readers));
	if (!reader->file_readers)
		return err_nomem(reader->err, files * sizeof(*reader->file_readers));
	reader->file_reader_count = reader->queue.files = files;
	for (size_t i = 0; i < files && file; i++)
		reader->queue.input_bytes += reader->input->files[i].size;
	/* a file is passed twice */
	reader->total = 2 * reader->queue.input_bytes;
	return true;
}

static void reader_close(struct reader *reader)
{
	prescan_release(&reader->prescan);
	for (size_t i = 0; reader->file_readers && i < reader->file_reader_count; i++)
		file_reader_release(&reader->file_readers[i]);
	free(reader->file_readers);
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
	     dispatcher_finish(&reader.queue.dispatcher);
	/* first, because it ends the thread, which tells the summary too */
	reader_close(&reader);
	summary->late = reader.queue.late;
	summary->window_most = reader.queue.most;
	summary->broken |= session->damaged; /* by records of the tool */
	summary->memory_most = reader.queue.pool.most_in_use * STREAM_BLOCK_SIZE;
	return ok;
}
