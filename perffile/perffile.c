#include "perffile/perffile.h"

#include "perffile/courier.h"
#include "perffile/records.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/*
 * A file is read twice. The first reading looks at the headers: it counts, takes in what the tool
 * wrote, delivers the records without a time, and keeps the smallest time of every FLOOR_RECORDS
 * records. The running minimum of those from the end is the bound that the second reading needs:
 * nothing behind can be older, whatever order the recorder wrote.
 *
 * A pipe is read once. There FINISHED_ROUND gives the bound (format reference, 7.1), used only when
 * more than PIPE_BLOCKS wait: the later a record is delivered, the less comes too late.
 */
#define FLOOR_RECORDS 1024
/*
 * Bytes that wait whatever the input's size, and times its size. Records that come out of a
 * recording compressed beyond that are delivered before their time, and counted as late.
 */
#define WAIT_ALWAYS ((uint64_t)128 * 1024 * 1024)
#define WAIT_RATIO 4
#define PIPE_BLOCKS 32 /* of BLOCK_SIZE */
#define TRACING_LIMIT ((uint64_t)64 * 1024 * 1024) /* bytes kept of a pipe's tracing data */
#define PACKED_RECORDS 4000000 /* of a packed input, and one more for each of its bytes */
#define PROGRESS_RECORDS 65536
#define ID_CACHE 64 /* each event has an id per CPU */

/* One file of the recording, and how far it has been read. */
struct lane {
	struct stream *stream;
	uint64_t first_nr, nr; /* positions of its first and its next record */
	uint64_t *floors;      /* ns: no record from FLOOR_RECORDS * i on is older */
	size_t floor_count, floor_capacity;
	bool done;
};

struct reader {
	struct input *input;
	struct session *session;
	struct courier courier; /* who brings the records to the handlers */
	const struct read_options *options;
	struct diag *diag;
	struct read_summary *summary;
	struct err *err;
	struct err damage; /* of the file: found, said and forgotten; see fresh() */
	struct block_pool pool;
	struct records *records;
	struct {
		uint64_t id;
		uint32_t event;
	} ids[ID_CACHE]; /* ids of samples seen last; 0: not in use */
	struct lane *lanes;
	size_t lane_count;
	uint64_t round_most, round_limit; /* ns, pipe: highest time so far, and at the mark before */
	uint64_t passed, total; /* bytes, for progress */
};

void read_summary_release(struct read_summary *summary)
{
	free(summary->others);
	summary->others = NULL;
	summary->other_count = summary->other_capacity = 0;
}

/* The place for a finding about the file. Emptied, but not cleared: this is done for every record. */
static inline struct err *fresh(struct reader *reader)
{
	reader->damage.code = ERR_NONE;
	return &reader->damage;
}

/* For types beyond the table. */
static struct record_count *count_of(struct reader *reader, uint32_t type)
{
	struct read_summary *summary = reader->summary;
	struct record_count *others;
	size_t at = 0;

	while (at < summary->other_count && summary->others[at].type < type)
		at++;
	if (at < summary->other_count && summary->others[at].type == type)
		return &summary->others[at];
	if (summary->other_count == OTHER_TYPES_MAX)
		return &summary->others[OTHER_TYPES_MAX - 1];
	others = vec_grow(summary->others, summary->other_count, &summary->other_capacity,
	                  sizeof(*others), reader->err);
	if (!others)
		return NULL;
	summary->others = others;
	memmove(others + at + 1, others + at, (summary->other_count - at) * sizeof(*others));
	summary->other_count++;
	others[at] = (struct record_count){ type, 0, 0 };
	return &others[at];
}

static inline bool count_record(struct reader *reader, const struct raw_record *raw)
{
	struct record_count *count = &reader->summary->types[raw->type % RECORD_TYPES];

	if (raw->type >= RECORD_TYPES && !(count = count_of(reader, raw->type)))
		return false;
	count->count++;
	count->bytes += raw->size;
	reader->summary->records++;
	if (raw->type == PERF_RECORD_SAMPLE)
		return true;
	if (raw->type == 0 || (raw->type >= PERF_RECORD_KERNEL_END && raw->type < PERF_RECORD_TOOL_START) ||
	    raw->type >= PERF_RECORD_TOOL_END)
		diag_warn(reader->diag, raw->offset, "record of unknown type %" PRIu32 ": skipped", raw->type);
	return true;
}

static inline void report(struct reader *reader, const struct lane *lane)
{
	const struct read_options *options = reader->options;

	if (lane->nr % PROGRESS_RECORDS == 0 && options->report)
		options->report(options->context, reader->passed + stream_position(lane->stream),
		                 reader->total, lane->nr);
}

static inline void raw_at(const struct session *session, const uint8_t *data,
                          struct raw_record *raw)
{
	raw->data = data;
	raw->type = load_u32(data, session->swap);
	raw->misc = load_u16(data + 4, session->swap);
	raw->size = load_u16(data + 6, session->swap);
}

/* The time that a record sorts by, or TIME_NONE. */
static inline uint64_t time_of(const struct session *session, const struct raw_record *raw)
{
	uint32_t event = EVENT_UNKNOWN;

	if (session->uniform && raw->type == PERF_RECORD_SAMPLE)
		return sample_time(session, &session->events[0].layout, raw);
	if (!session->uniform)
		event = session_event_of(session, raw->data, raw->type, raw->size);
	return record_time(session, raw, event);
}

/* session_event_of(), for samples nearly always from the few ids that were seen last. */
static inline uint32_t event_of(struct reader *reader, const struct raw_record *raw)
{
	const struct session *session = reader->session;
	int16_t at = session->sample_id;
	uint32_t event;
	uint64_t id;
	size_t slot;

	if (raw->type != PERF_RECORD_SAMPLE || session->active == 1 || at < 0 ||
	    (size_t)at + 8 > raw->size)
		return session_event_of(session, raw->data, raw->type, raw->size);
	id = load_u64(raw->data + at, session->swap);
	slot = id % ID_CACHE;
	if (id && reader->ids[slot].id == id)
		return reader->ids[slot].event;
	event = session_event_of(session, raw->data, raw->type, raw->size);
	/* an unknown id may become known with a later attr */
	if (event != EVENT_UNKNOWN) {
		reader->ids[slot].id = id;
		reader->ids[slot].event = event;
	}
	return event;
}

/* Delivers what waits, up to and with bound. */
static bool drain_down_to(struct reader *reader, uint64_t bound, size_t blocks)
{
	const struct session *session = reader->session;
	struct waiting waiting;
	struct raw_record raw, next;

	while (reader->pool.in_use > blocks && records_first(reader->records, bound, &waiting)) {
		bool goes_on = records_run_goes_on(reader->records);
		uint64_t time = 0;

		raw_at(session, waiting.data, &raw);
		raw.offset = block_offset(waiting.data);
		next.data = NULL;
		if (goes_on) {
			raw_at(session, waiting.data + raw.size, &next);
			time = time_of(session, &next);
		}
		if (!courier_send(&reader->courier, &raw, waiting.nr, waiting.time,
		                  event_of(reader, &raw)) ||
		    !records_next(reader->records, next.data, time, reader->err))
			return false;
		if (!goes_on)
			block_put(&reader->pool, block_of(waiting.data));
	}
	return true;
}

static bool drain(struct reader *reader, uint64_t bound)
{
	return drain_down_to(reader, bound, 0);
}

/* What the input's own bytes justify to wait; more comes out of compressed records only. */
static size_t blocks_most(const struct reader *reader, const struct lane *lane)
{
	uint64_t bytes = reader->total ? reader->total / 2 : stream_position(lane->stream);

	return (size_t)(u64_add_sat(WAIT_ALWAYS, u64_min(bytes, UINT64_MAX / WAIT_RATIO) * WAIT_RATIO) /
	                BLOCK_SIZE);
}

static bool hold(struct reader *reader, const struct lane *lane, const struct raw_record *raw,
                 uint64_t nr, uint64_t time)
{
	struct waiting waiting = { time, nr, raw->data };
	size_t most;
	bool started;

	if (!records_insert(reader->records, &waiting, raw->size, &started, reader->err))
		return false;
	if (!started)
		return true;
	block_of(raw->data)->users++;
	if (reader->pool.in_use <= WAIT_ALWAYS / BLOCK_SIZE)
		return true;
	most = blocks_most(reader, lane);
	return reader->pool.in_use <= most || drain_down_to(reader, TIME_NONE, most / 2);
}

/* Payload that lies behind a record, outside of it; 0 for all others. */
static uint64_t payload_of(const struct reader *reader, const struct raw_record *raw)
{
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

static bool stream_went_on(struct reader *reader, enum stream_status status,
                           struct err *damage, struct lane *lane)
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
	const struct courier *courier = &reader->courier;
	uint64_t payload = payload_of(reader, raw);
	struct err *damage = fresh(reader);
	enum stream_status status = STREAM_RECORD;

	if (!session_record(session, raw->data, raw->size, raw->offset, reader->err))
		return false;
	for (size_t i = 0; i < courier->handler_count; i++)
		if (courier->handlers[i].tool &&
		    !courier->handlers[i].tool(courier->handlers[i].context, raw, reader->err))
			return false;
	if (raw->type == PERF_RECORD_HEADER_TRACING_DATA && !session->tracing_bytes)
		status = stream_take(lane->stream, payload, TRACING_LIMIT, &session->tracing_bytes,
		                     &session->tracing_size, damage);
	else if (payload)
		status = stream_skip(lane->stream, payload, damage);
	if (raw->type == PERF_RECORD_AUXTRACE && status == STREAM_RECORD)
		reader->summary->auxtrace_bytes = u64_add_sat(reader->summary->auxtrace_bytes, payload);
	return stream_went_on(reader, status, damage, lane);
}

static bool add_floor(struct reader *reader, struct lane *lane)
{
	uint64_t *floors = vec_grow(lane->floors, lane->floor_count, &lane->floor_capacity,
	                            sizeof(*floors), reader->err);

	if (!floors)
		return false;
	lane->floors = floors;
	floors[lane->floor_count++] = TIME_NONE;
	return true;
}

/* A bomb: a recording that was packed as a whole holds no two records with the same time. */
static bool too_many(const struct reader *reader, uint64_t records)
{
	uint64_t packed = reader->input->packed;

	if (!packed || records <= PACKED_RECORDS + packed)
		return false;
	err_set(reader->err, ERR_LIMIT, "%" PRIu64 " packed bytes hold more than %" PRIu64 " records",
	        packed, records);
	return true;
}

/* First reading, one record. */
static bool scan_record(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	struct session *session = reader->session;
	uint64_t nr = lane->nr++, time;

	report(reader, lane);
	if ((nr - lane->first_nr) % FLOOR_RECORDS == 0 && (too_many(reader, nr) || !add_floor(reader, lane)))
		return false;
	if (!count_record(reader, raw))
		return false;
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool(reader, lane, raw);
	time = time_of(session, raw);
	if (time != TIME_NONE) {
		uint64_t *floor = &lane->floors[lane->floor_count - 1];

		*floor = u64_min(*floor, time);
		return true;
	}
	return courier_bring(&reader->courier, raw, nr, TIME_NONE,
	                     session_event_of(session, raw->data, raw->type, raw->size));
}

/* Second reading, one record: what has a time waits in the tree. */
static bool queue_record(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	struct session *session = reader->session;
	uint64_t nr = lane->nr++, time;

	report(reader, lane);
	if (raw->type == PERF_RECORD_HEADER_ATTR && session->pipe)
		session_next_attr(session, raw->size);
	if (raw->type >= PERF_RECORD_TOOL_START) {
		uint64_t payload = payload_of(reader, raw);

		if (payload && stream_skip(lane->stream, payload, fresh(reader)) != STREAM_RECORD)
			lane->done = true;
		return true;
	}
	time = time_of(session, raw);
	return time == TIME_NONE || hold(reader, lane, raw, nr, time);
}

static uint64_t floor_at(const struct lane *lane)
{
	size_t at = (size_t)((lane->nr - lane->first_nr) / FLOOR_RECORDS);

	return !lane->done && at < lane->floor_count ? lane->floors[at] : TIME_NONE;
}

/* The lane whose rest may hold the oldest record. */
static struct lane *oldest_lane(struct reader *reader)
{
	struct lane *oldest = NULL;

	for (size_t i = 0; i < reader->lane_count; i++) {
		struct lane *lane = &reader->lanes[i];

		if (!lane->done && (!oldest || floor_at(lane) < floor_at(oldest)))
			oldest = lane;
	}
	return oldest;
}

/* What nothing that is still unread can be older than. */
static uint64_t common_bound(struct reader *reader)
{
	uint64_t bound = TIME_NONE;

	for (size_t i = 0; i < reader->lane_count; i++)
		bound = u64_min(bound, floor_at(&reader->lanes[i]));
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
	lane->stream = stream_open(reader->input, file, u64_min(start, end), end, session->swap,
	                           &reader->pool, reader->err);
	return lane->stream != NULL;
}

static bool count_compressed(struct reader *reader, const struct lane *lane)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	uint64_t count[2], bytes[2];

	stream_compressed(lane->stream, count, bytes);
	for (size_t i = 0; i < 2; i++) {
		reader->summary->types[types[i]].count += count[i];
		reader->summary->types[types[i]].bytes += bytes[i];
	}
	return true;
}

/* From the smallest time of each part to the smallest time from each part on. */
static void run_floors(struct lane *lane)
{
	for (size_t i = lane->floor_count; i-- > 1;)
		lane->floors[i - 1] = u64_min(lane->floors[i - 1], lane->floors[i]);
}

static bool scan_lane(struct reader *reader, struct lane *lane)
{
	struct raw_record raw;

	while (!lane->done) {
		enum stream_status status = stream_get(lane->stream, &raw, fresh(reader));

		if (status == STREAM_RECORD ? !scan_record(reader, lane, &raw)
		                            : !stream_went_on(reader, status, &reader->damage, lane))
			return false;
	}
	run_floors(lane);
	return count_compressed(reader, lane);
}

static bool scan_all(struct reader *reader)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < reader->lane_count; i++) {
		struct lane *lane = &reader->lanes[i];

		lane->first_nr = nr;
		if (!open_lane(reader, lane, i) || !scan_lane(reader, lane))
			return false;
		nr = lane->nr;
		reader->passed += reader->input->files[i].size;
	}
	return true;
}

/* Reads the records up to the next floor. */
static bool queue_part(struct reader *reader, struct lane *lane)
{
	struct raw_record raw;

	do {
		enum stream_status status = stream_get(lane->stream, &raw, fresh(reader));

		/* damage has been said in the first reading */
		if (status == STREAM_RECORD ? !queue_record(reader, lane, &raw)
		                            : status == STREAM_FAILED)
			return err_pass(reader->err, &reader->damage);
		if (status == STREAM_END || status == STREAM_DAMAGED)
			lane->done = true;
	} while (!lane->done && (lane->nr - lane->first_nr) % FLOOR_RECORDS);
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
		if (!queue_part(reader, lane) || !drain(reader, common_bound(reader)))
			return false;
	for (size_t i = 0; i < reader->lane_count; i++)
		records += reader->lanes[i].nr - reader->lanes[i].first_nr;
	if (records != reader->summary->records)
		return err_set(reader->err, ERR_IO,
		               "the recording changed while it was read: %" PRIu64 " records, then %" PRIu64,
		               reader->summary->records, records);
	return drain(reader, TIME_NONE);
}

/* Pipe, one record: as the file's two readings in one. */
static bool pipe_record(struct reader *reader, struct lane *lane, const struct raw_record *raw)
{
	struct session *session = reader->session;
	uint32_t event;
	uint64_t time;

	report(reader, lane);
	if (!count_record(reader, raw))
		return false;
	if (raw->type == PERF_RECORD_FINISHED_ROUND) {
		uint64_t limit = reader->round_limit;

		reader->round_limit = reader->round_most;
		if (reader->pool.in_use > PIPE_BLOCKS && !drain(reader, limit))
			return false;
	}
	if (raw->type >= PERF_RECORD_TOOL_START) {
		lane->nr++;
		return take_tool(reader, lane, raw);
	}
	event = session_event_of(session, raw->data, raw->type, raw->size);
	time = record_time(session, raw, event);
	if (time == TIME_NONE)
		return courier_bring(&reader->courier, raw, lane->nr++, TIME_NONE, event);
	/* those of --off-cpu have a time of no clock */
	if (time < TIME_OFF_CPU)
		reader->round_most = u64_max(reader->round_most, time);
	return hold(reader, lane, raw, lane->nr++, time);
}

static bool read_pipe(struct reader *reader)
{
	struct lane *lane = &reader->lanes[0];
	struct raw_record raw;

	if (!open_lane(reader, lane, 0))
		return false;
	while (!lane->done) {
		enum stream_status status = stream_get(lane->stream, &raw, fresh(reader));

		if (status == STREAM_RECORD ? !pipe_record(reader, lane, &raw)
		                            : !stream_went_on(reader, status, &reader->damage, lane))
			return false;
	}
	return count_compressed(reader, lane) && drain(reader, TIME_NONE);
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
	bool ok = scan_all(reader);

	reader->summary->scan_seconds = now() - start;
	/* attrs that come with the records would change the session under the second thread */
	if (ok && reader->options->threaded && !reader->session->pipe)
		courier_start(&reader->courier);
	return ok && deliver_all(reader);
}

static bool reader_open(struct reader *reader)
{
	size_t files = reader->input->file_count;

	reader->records = records_new(reader->err);
	reader->lanes = calloc(files, sizeof(*reader->lanes));
	if (!reader->lanes)
		return err_nomem(reader->err, files * sizeof(*reader->lanes));
	reader->lane_count = files;
	/* a file is passed twice */
	for (size_t i = 0; i < files && reader->input->seekable; i++)
		reader->total += 2 * reader->input->files[i].size;
	return reader->records != NULL;
}

/* Gives back the blocks of what still waits after a failure. */
static void let_go(struct reader *reader)
{
	struct waiting waiting;

	while (records_first(reader->records, TIME_NONE, &waiting)) {
		uint16_t size = load_u16(waiting.data + 6, reader->session->swap);
		bool goes_on = records_run_goes_on(reader->records);

		if (!records_next(reader->records, waiting.data + size, waiting.time, reader->err))
			return;
		if (!goes_on)
			block_put(&reader->pool, block_of(waiting.data));
	}
}

static void reader_close(struct reader *reader)
{
	if (reader->records)
		let_go(reader);
	for (size_t i = 0; reader->lanes && i < reader->lane_count; i++) {
		stream_free(reader->lanes[i].stream);
		free(reader->lanes[i].floors);
	}
	free(reader->lanes);
	records_free(reader->records);
	block_pool_release(&reader->pool);
}

bool perffile_read(struct input *input, struct session *session,
                   const struct record_handler *handlers, size_t handler_count,
                   const struct read_options *options, struct diag *diag,
                   struct read_summary *summary, struct err *err)
{
	static const struct read_options none = { false, NULL, NULL };
	struct reader reader = { 0 };
	bool ok;

	memset(summary, 0, sizeof(*summary));
	summary->first_time = summary->last_time = TIME_NONE;
	for (uint32_t i = 0; i < RECORD_TYPES; i++)
		summary->types[i].type = i;
	reader.input = input;
	reader.session = session;
	reader.courier = (struct courier){ .session = session, .handlers = handlers,
		                           .handler_count = handler_count, .diag = diag,
		                           .summary = summary, .err = err };
	reader.options = options ? options : &none;
	reader.diag = diag;
	reader.summary = summary;
	reader.err = err;
	summary->broken = session->killed || session->damaged || input->cut;
	if (session->killed)
		diag_warn(diag, 40, "the recorder was killed before it finished: "
		          "every complete record is used, the features are missing");
	ok = reader_open(&reader) && (input->seekable ? read_file(&reader) : read_pipe(&reader));
	ok &= courier_stop(&reader.courier);
	if (reader.records)
		summary->window_most = records_most(reader.records);
	summary->broken |= session->damaged; /* by records of the tool */
	summary->memory_most = reader.pool.most_in_use * BLOCK_SIZE;
	reader_close(&reader);
	return ok;
}
