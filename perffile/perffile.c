#include "perffile/perffile.h"

#include "perffile/byrounds.h"
#include "perffile/input/unpackguard.h"
#include "perffile/session/features.h"
#include "perffile/session/toolrecord.h"
#include "util/clock.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * A file is read twice. The first reading looks at the headers of the records: it counts them,
 * handles the tool's records, delivers the records without a time, and finds the lower bounds that
 * the second reading needs (filereader.h). The second reading puts the records with a time into the
 * window and drains it up to the lower bound.
 *
 * A pipe is read once. FINISHED_ROUND records give the bound there (rounds.h). The bound is used
 * only when enough wait (byrounds.c), because the later a record is delivered, the fewer records
 * come too late.
 *
 * A file may be tried like this, too (read_options.once): the first reading is up to a third of the
 * time. It fails as soon as something comes that should have been delivered before.
 *
 * If no handler needs records in order, files, too, are read once, and no record waits.
 */
#define TRACING_LIMIT ((uint64_t)64 * 1024 * 1024) /* bytes kept of a pipe's tracing data */
#define TRACE_LIMIT ((uint64_t)1 << 30)            /* bytes of a trace that are decoded */
#define AUXTRACE_MOST 64                           /* bytes of an AUXTRACE record */
#define PROGRESS_RECORDS 65536

/*
 * Where the next damage of the file is noted. Only the code is reset, as this is done for each
 * record.
 */
static inline struct err *fresh_damage(struct perffile_reader *reader)
{
	reader->damage.code = ERR_NONE;
	return &reader->damage;
}

/* Counts records of the file as read, and reports progress. */
static inline void count_read(struct perffile_reader *reader, struct file_reader *file,
                              size_t count)
{
	const struct read_options *options = reader->options;
	uint64_t before = file->nr;

	file->nr += count;
	if (before / PROGRESS_RECORDS != file->nr / PROGRESS_RECORDS && options->report)
		options->report(options->context, reader->passed + stream_position(file->stream),
		                reader->total, file->nr);
}

/* Moves the file's stream behind these samples. */
static void pass_samples(struct perffile_reader *reader, struct file_reader *file,
                         const struct sample_span *span)
{
	stream_pass(file->stream, span->end, span->records.count);
	count_read(reader, file, span->records.count);
}

/*
 * The size of the payload that follows a record without being part of it; 0 for most types. Nothing
 * follows a record that was compressed.
 */
static uint64_t payload_of(const struct perffile_reader *reader, const struct raw_record *raw)
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

/*
 * Handles the status of stream_next() and similar calls: reports damage, and notes the end of the
 * file.
 */
static bool take_status(struct perffile_reader *reader, enum stream_status status,
                        struct file_reader *file)
{
	struct err *damage = &reader->damage;
	const char *part = input_part(reader->session->input, (size_t)(file - reader->files));

	if (status == STREAM_RECORD)
		return true;
	if (status != STREAM_END && part)
		err_prefix(damage, part);
	if (status == STREAM_FAILED) {
		err_pass(reader->err, damage);
		return false;
	}
	if (status != STREAM_END)
		summary_broken(reader->summary, reader->session->diag, damage);
	if (status != STREAM_SKIPPED)
		file->done = true;
	return true;
}

/* The handler that wants the traces; NULL: they are skipped. */
static const struct record_handler *trace_handler(const struct perffile_reader *reader)
{
	for (size_t i = 0; i < reader->handler_count; i++) {
		const struct record_handler *handler = &reader->handlers[i];

		if (handler->trace && handler->takes_trace && *handler->takes_trace)
			return reader->by_rounds || reader->any_order ? NULL : handler;
	}
	return NULL;
}

/* Passes the trace behind an AUXTRACE record to its handler. False with the reader's err set. */
static bool take_trace(struct perffile_reader *reader, struct file_reader *file,
                       const struct raw_record *raw, uint64_t payload, enum stream_status *status)
{
	const struct record_handler *handler = trace_handler(reader);
	uint8_t copy[AUXTRACE_MOST], *bytes = NULL;
	struct raw_record kept = *raw;
	size_t held = 0;
	bool ok = true;

	if (!handler || raw->size > sizeof(copy)) {
		*status = stream_skip(file->stream, payload, &reader->damage);
		if (*status == STREAM_RECORD)
			reader->summary->auxtrace_bytes = u64_add_sat(
				reader->summary->auxtrace_bytes, payload);
		return true;
	}
	/* the record's own bytes are gone when those behind it are read */
	kept.data = memcpy(copy, raw->data, raw->size);
	*status = stream_take(file->stream, payload, TRACE_LIMIT, &bytes, &held, &reader->damage);
	if (*status != STREAM_FAILED)
		ok = handler->trace(handler->context, &kept, bytes, held, reader->err);
	if (*status == STREAM_RECORD)
		reader->summary->auxtrace_bytes = u64_add_sat(reader->summary->auxtrace_bytes,
		                                              payload - held);
	free(bytes);
	return ok;
}

/* Handles a record of the tool, in the first or only reading. */
static bool take_tool_record(struct perffile_reader *reader, struct file_reader *file,
                             const struct raw_record *raw)
{
	struct session *session = reader->session;
	const struct record_handler *handler = reader->handlers;
	uint64_t payload = payload_of(reader, raw);
	struct err *damage = &reader->damage;
	enum stream_status status = STREAM_RECORD;
	const bool tracing = raw->type == PERF_RECORD_HEADER_TRACING_DATA;

	/* there may be thousands of these, and unlike all others they cannot change the session */
	if (raw->type == PERF_RECORD_FINISHED_ROUND)
		return true;
	/* it would come before all records with a time; and only a first reading has traces */
	if (reader->once && (reader->begun || raw->type == PERF_RECORD_AUXTRACE_INFO))
		return window_give_up(&reader->window);
	if (!dispatcher_wait(&reader->window.dispatcher) ||
	    !session_record(session, raw->data, raw->size, raw->offset, reader->err))
		return false;
	for (size_t i = 0; i < reader->handler_count; i++, handler++) {
		if (!handler->tool)
			continue;
		if (!handler->tool(handler->context, raw, fresh_damage(reader), reader->err))
			return false;
		if (damage->code)
			summary_broken(reader->summary, reader->session->diag, damage);
	}
	fresh_damage(reader);
	if (raw->type == PERF_RECORD_HEADER_TRACING_DATA && !session->tracing_bytes) {
		session->tracing_offset = raw->offset + raw->size;
		status = stream_take(file->stream, payload, TRACING_LIMIT, &session->tracing_bytes,
		                     &session->tracing_size, damage);
	} else if (payload && raw->type == PERF_RECORD_AUXTRACE) {
		if (!take_trace(reader, file, raw, payload, &status))
			return false;
	} else if (payload) {
		status = stream_skip(file->stream, payload, damage);
	}
	session->names_stale |= tracing;
	return take_status(reader, status, file);
}

/*
 * Whether there are too many records for a real recording. If the whole recording was packed as
 * well, the records in its compressed records count too.
 */
static bool too_many(const struct perffile_reader *reader, uint64_t records)
{
	uint64_t packed = reader->session->input->packed;

	if (!packed || records <= unpack_records_most(packed))
		return false;
	err_set(reader->err, ERR_LIMIT,
	        "%" PRIu64 " packed bytes hold more than %" PRIu64 " records", packed,
	        unpack_records_most(packed));
	return true;
}

static bool add_waiting_record(struct perffile_reader *reader, const struct raw_record *raw,
                               const struct waiting_span *span)
{
	return window_add(&reader->window, span, raw->data + raw->size, span->time,
	                  raw->type == PERF_RECORD_SAMPLE);
}

/*
 * First or only reading: handles samples that lie one behind the other. Those of a file that is
 * read again are only counted.
 */
static bool scan_samples(struct perffile_reader *reader, struct file_reader *file,
                         const struct sample_span *span)
{
	bool ok = true;

	if (reader->by_rounds && !perffile_follow_clock(reader, span->least_time))
		return false;
	if (reader->by_rounds)
		rounds_note_span(&reader->rounds, span);
	else
		reader_note_time(file, span->least_time);
	reader_count_span(span, reader->summary);
	if (reader->by_rounds)
		ok = window_add(&reader->window, &span->records, span->end, span->greatest_time,
		                true);
	else if (reader->any_order)
		ok = window_pass(&reader->window, span->records, true);
	pass_samples(reader, file, span);
	return ok && (!reader->by_rounds || !span->last_round || perffile_drain_due(reader));
}

/*
 * A record without a time, which comes before all others in a file. The recorder adds counts of
 * what was lost behind the last one: that matters to nobody but overview.csv, which moves their
 * rows.
 */
static bool pass_untimed(struct perffile_reader *reader, const struct raw_record *raw,
                         const struct waiting_span *span)
{
	if (reader->once && reader->begun && raw->type != PERF_RECORD_LOST_SAMPLES)
		return window_give_up(&reader->window);
	return window_pass(&reader->window, *span, false);
}

/* First or only reading: handles one record. */
static bool scan_record(struct perffile_reader *reader, struct file_reader *file,
                        const struct raw_record *raw)
{
	struct waiting_span span = { .nr = file->nr, .data = raw->data, .count = 1 };
	uint64_t time;

	count_read(reader, file, 1);
	if (!summary_count(reader->summary, raw, reader->session->diag, reader->err))
		return false;
	if (reader->by_rounds && raw->type == PERF_RECORD_FINISHED_ROUND) {
		rounds_end(&reader->rounds);
		return perffile_drain_due(reader);
	}
	if (raw->type >= PERF_RECORD_TOOL_START)
		return take_tool_record(reader, file, raw);
	time = span.time = record_time(reader->session, raw->data);
	if (raw->type == PERF_RECORD_SAMPLE)
		summary_note_times(reader->summary, time, time);
	if (time == TIME_NONE || reader->any_order)
		return pass_untimed(reader, raw, &span);
	if (!reader->by_rounds) {
		reader_note_time(file, time);
		return true;
	}
	if (!perffile_follow_clock(reader, time))
		return false;
	/* samples of --off-cpu have a time that is no clock's */
	if (time < TIME_OFF_CPU)
		rounds_note(&reader->rounds, time);
	return add_waiting_record(reader, raw, &span);
}

/* Second reading: puts one record into the window if it has a time. */
static bool add_record(struct perffile_reader *reader, struct file_reader *file,
                       const struct raw_record *raw)
{
	struct waiting_span span = { .nr = file->nr, .data = raw->data, .count = 1 };
	struct session *session = reader->session;

	count_read(reader, file, 1);
	if (raw->type == PERF_RECORD_HEADER_ATTR && session->pipe) {
		if (!dispatcher_wait(&reader->window.dispatcher))
			return false;
		session_next_attr(session, raw->size);
	}
	if (raw->type >= PERF_RECORD_TOOL_START) {
		uint64_t payload = payload_of(reader, raw);

		if (payload &&
		    stream_skip(file->stream, payload, fresh_damage(reader)) != STREAM_RECORD)
			file->done = true;
		return true;
	}
	span.time = record_time(session, raw->data);
	return span.time == TIME_NONE || add_waiting_record(reader, raw, &span);
}

/* The file whose unread part may have the oldest record. */
static struct file_reader *file_with_oldest(struct perffile_reader *reader)
{
	struct file_reader *oldest = NULL;

	for (size_t i = 0; i < reader->file_count; i++) {
		struct file_reader *file = &reader->files[i];

		if (!file->done &&
		    (!oldest || reader_lower_bound(file) < reader_lower_bound(oldest)))
			oldest = file;
	}
	return oldest;
}

/* A lower bound of the times of all unread records. */
static uint64_t common_bound(struct perffile_reader *reader)
{
	uint64_t bound = TIME_NONE;

	for (size_t i = 0; i < reader->file_count; i++)
		bound = u64_min(bound, reader_lower_bound(&reader->files[i]));
	/* a record of another file may have exactly this time, and come before those that wait */
	return reader->file_count > 1 && bound != TIME_NONE && bound ? bound - 1 : bound;
}

/* Opens the file at its start for the next reading. */
static bool open_stream(struct perffile_reader *reader, struct file_reader *file, size_t number)
{
	const struct session *session = reader->session;
	uint64_t size = reader->session->input->files[number].size;
	uint64_t start = number ? 0 : session->data_offset;
	uint64_t end = number || session->pipe ? size : session->data_offset + session->data_size;

	stream_free(file->stream);
	file->done = false;
	file->nr = file->first_nr;
	file->stream = stream_open(reader->session->input, number, u64_min(start, end), end,
	                           session->swap, &reader->window.pool, reader->err);
	return file->stream != NULL;
}

static void count_compressed(struct perffile_reader *reader, const struct file_reader *file)
{
	static const uint32_t types[] = { PERF_RECORD_COMPRESSED, PERF_RECORD_COMPRESSED2 };
	uint64_t count[2], bytes[2];

	stream_compressed(file->stream, count, bytes);
	for (size_t i = 0; i < 2; i++) {
		reader->summary->types[types[i]].count += count[i];
		reader->summary->types[types[i]].bytes += bytes[i];
	}
}

/* First or only reading: handles one record, or samples that lie one behind the other. */
static bool scan_next(struct perffile_reader *reader, struct file_reader *file)
{
	enum stream_status status;
	struct sample_span span;
	struct raw_record raw;
	size_t left = SIZE_MAX;

	if (too_many(reader, file->nr))
		return false;
	if (!reader->session->input->seekable)
		reader->window.input_bytes = stream_position(file->stream);
	if (!reader->by_rounds && !(left = reader_begin_part(file, reader->err)))
		return false;
	if (reader_find_samples(file, reader->session, left, reader->by_rounds || reader->any_order,
	                        &span))
		return scan_samples(reader, file, &span);
	status = stream_next(file->stream, &raw, fresh_damage(reader));
	return status == STREAM_RECORD ? scan_record(reader, file, &raw)
	                               : take_status(reader, status, file);
}

static bool scan_file(struct perffile_reader *reader, struct file_reader *file)
{
	while (!file->done)
		if (!scan_next(reader, file) || !perffile_drain_rounds(reader))
			return false;
	reader_finish_parts(file);
	count_compressed(reader, file);
	return true;
}

static bool scan_all(struct perffile_reader *reader)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < reader->file_count; i++) {
		struct file_reader *file = &reader->files[i];

		file->first_nr = nr;
		if (!open_stream(reader, file, i))
			return false;
		if (!scan_file(reader, file))
			return false;
		nr = file->nr;
		reader->passed += reader->session->input->files[i].size;
	}
	return true;
}

/* Second reading: puts the records up to the end of the part into the window. */
static bool add_part(struct perffile_reader *reader, struct file_reader *file)
{
	const uint64_t end = reader_part_end(file);
	enum stream_status status;
	struct sample_span span;
	struct raw_record raw;

	do {
		if (reader_find_samples(file, reader->session, (size_t)(end - file->nr), true,
		                        &span)) {
			pass_samples(reader, file, &span);
			if (!window_add(&reader->window, &span.records, span.end,
			                span.greatest_time, true))
				return false;
			continue;
		}
		status = stream_next(file->stream, &raw, fresh_damage(reader));
		/* damage was reported in the first reading */
		if (status == STREAM_RECORD ? !add_record(reader, file, &raw)
		                            : status == STREAM_FAILED)
			return err_pass(reader->err, &reader->damage);
		if (status == STREAM_END || status == STREAM_DAMAGED)
			file->done = true;
	} while (!file->done && file->nr < end);
	return true;
}

static bool deliver_all(struct perffile_reader *reader)
{
	struct file_reader *file;
	uint64_t records = 0;

	session_rewind(reader->session);
	for (size_t i = 0; i < reader->file_count; i++)
		if (!open_stream(reader, &reader->files[i], i))
			return false;
	while ((file = file_with_oldest(reader)))
		if (!add_part(reader, file) || !window_drain(&reader->window, common_bound(reader)))
			return false;
	for (size_t i = 0; i < reader->file_count; i++)
		records += reader->files[i].nr - reader->files[i].first_nr;
	if (records != reader->summary->records)
		return err_set(reader->err, ERR_IO,
		               "the recording changed while it was read: %" PRIu64
		               " records, then %" PRIu64,
		               reader->summary->records, records);
	return window_drain(&reader->window, TIME_NONE);
}

/* Reads a pipe, or a file once. */
static bool read_by_rounds(struct perffile_reader *reader)
{
	reader->begun = !reader->once;
	if (reader->begun && reader->options->threaded)
		dispatcher_start(&reader->window.dispatcher);
	return scan_all(reader) && perffile_begin_once(reader) &&
	       window_drain(&reader->window, TIME_NONE);
}

static bool read_file(struct perffile_reader *reader)
{
	double start = clock_seconds();
	/* the second reading starts with the events of the header only */
	bool ok = scan_all(reader) && dispatcher_finish(&reader->window.dispatcher);

	reader->summary->scan_seconds = clock_seconds() - start;
	if (!ok || reader->any_order)
		return ok;
	return perffile_begin_timed(reader, reader->summary->first_time,
	                            reader->summary->last_time) &&
	       deliver_all(reader);
}

static bool reader_open(struct perffile_reader *reader)
{
	size_t files = reader->session->input->file_count;
	bool file = reader->session->input->seekable;
	struct dispatcher *dispatcher = &reader->window.dispatcher;

	dispatcher->session = reader->session;
	dispatcher->summary = reader->summary;
	dispatcher->err = reader->err;
	if (!window_open(&reader->window, reader->handlers, reader->handler_count))
		return false;
	reader->window.pool.unshared = reader->options->due != NULL;
	reader->any_order = true;
	for (size_t i = 0; i < reader->handler_count; i++)
		reader->any_order &= !reader->handlers[i].record || reader->handlers[i].any_order;
	reader->once = !reader->any_order && perffile_can_read_once(reader);
	reader->by_rounds = reader->once || (!file && !reader->any_order);
	reader->window.exact = reader->once;
	reader->files = calloc(files, sizeof(*reader->files));
	if (!reader->files)
		return err_nomem(reader->err, files * sizeof(*reader->files));
	reader->file_count = reader->window.files = files;
	for (size_t i = 0; i < files && file; i++)
		reader->window.input_bytes += reader->session->input->files[i].size;
	reader->total = reader->window.input_bytes * (reader->any_order || reader->once ? 1 : 2);
	return true;
}

static void reader_close(struct perffile_reader *reader)
{
	for (size_t i = 0; reader->files && i < reader->file_count; i++)
		reader_release(&reader->files[i]);
	free(reader->files);
	window_close(&reader->window);
}

bool perffile_read(struct session *session, const struct record_handler *handlers,
                   size_t handler_count, const struct read_options *options,
                   struct read_summary *summary, struct err *err)
{
	static const struct read_options none = { .threaded = false };
	struct perffile_reader *reader = calloc(1, sizeof(*reader)); /* too large for a stack */
	bool ok;

	summary_init(summary);
	if (!reader)
		return err_nomem(err, sizeof(*reader));
	reader->session = session;
	reader->handlers = handlers;
	reader->handler_count = handler_count;
	reader->options = options ? options : &none;
	reader->summary = summary;
	reader->err = err;
	summary->broken = session->killed || session->damaged || session->input->cut;
	if (session->killed)
		diag_warn(session->diag, 40,
		          "the recorder was killed before it finished: "
		          "every complete record is used, the features are missing");
	ok = reader_open(reader) &&
	     (reader->by_rounds ? read_by_rounds(reader) : read_file(reader)) &&
	     dispatcher_finish(&reader->window.dispatcher);
	summary->late = reader->window.late;
	summary->window_most = reader->window.most;
	summary->broken |= session->damaged; /* by records of the tool */
	summary->memory_most = reader->window.pool.most_in_use * STREAM_BLOCK_SIZE;
	reader_close(reader);
	free(reader);
	return ok;
}
