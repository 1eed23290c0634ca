#include "perffile/order/filereader.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void reader_release(struct file_reader *reader)
{
	stream_free(reader->stream);
	free(reader->parts);
	memset(reader, 0, sizeof(*reader));
}

/* Finds the span at the front of the bytes from span->records.data to `end`. */
static void find_samples(struct sample_span *span, const uint8_t *end,
                         const struct session *session, size_t most, bool ascending)
{
	const size_t time_at = (size_t)session->sample_time, least = time_at + 8;
	const bool swap = session->swap;
	uint64_t oldest = TIME_NONE, youngest = 0;
	const uint8_t *p = span->records.data;
	size_t records = 0, rounds = 0;

	for (; records < most && (size_t)(end - p) >= least; records++) {
		uint32_t type = load_u32(p, swap);
		size_t size = load_u16(p + 6, swap);
		uint64_t time;

		if (type == PERF_RECORD_FINISHED_ROUND && size == PERF_RECORD_HEADER_SIZE &&
		    records) {
			rounds++;
			span->round_before = span->last_round;
			span->last_round = youngest;
			p += size;
			continue;
		}
		time = load_u64(p + time_at, swap);
		if (type != PERF_RECORD_SAMPLE || size < least || size > (size_t)(end - p) ||
		    time == 0 || time >= TIME_OFF_CPU || (ascending && time < youngest))
			break;
		oldest = u64_min(oldest, time);
		youngest = u64_max(youngest, time);
		p += size;
	}
	span->end = p;
	span->records.count = (uint32_t)records;
	span->records.time = records ? load_u64(span->records.data + time_at, swap) : 0;
	span->samples = records - rounds;
	span->least_time = oldest;
	span->greatest_time = youngest;
}

bool reader_find_samples(const struct file_reader *reader, const struct session *session,
                         size_t most, bool ascending, struct sample_span *span)
{
	struct stream_bytes front = stream_front(reader->stream);

	if (session->sample_time < 0 || !front.pos ||
	    front.end - front.pos < PERF_RECORD_HEADER_SIZE ||
	    load_u32(front.pos, session->swap) != PERF_RECORD_SAMPLE)
		return false;
	span->records.data = front.pos;
	span->records.nr = reader->nr;
	span->last_round = span->round_before = 0;
	find_samples(span, front.end, session, most, ascending);
	return span->records.count != 0;
}

void reader_count_span(const struct sample_span *span, struct read_summary *summary)
{
	const uint64_t rounds = span->records.count - span->samples;
	const uint64_t bytes = rounds * PERF_RECORD_HEADER_SIZE;

	summary_count_many(summary, PERF_RECORD_SAMPLE, span->samples,
	                   (uint64_t)(span->end - span->records.data) - bytes);
	summary_count_many(summary, PERF_RECORD_FINISHED_ROUND, rounds, bytes);
	summary_note_times(summary, span->least_time, span->greatest_time);
}

size_t reader_begin_part(struct file_reader *reader, struct err *err)
{
	const uint64_t offset = stream_position(reader->stream);

	if (reader->part_count && offset - reader->part_offset < PART_BYTES) {
		uint64_t count = reader->nr - reader->parts[reader->part_count - 1].first_nr;

		if (count < PART_RECORDS)
			return (size_t)(PART_RECORDS - count);
	}
	if (!vec_room(&reader->parts, reader->part_count, &reader->part_capacity,
	              sizeof(*reader->parts), err))
		return 0;
	reader->part_offset = offset;
	reader->parts[reader->part_count++] = (struct file_part){ reader->nr, TIME_NONE };
	return PART_RECORDS;
}

void reader_finish_parts(struct file_reader *reader)
{
	struct file_part *parts = reader->parts;

	for (size_t i = reader->part_count; i-- > 1;)
		parts[i - 1].lower_bound = u64_min(parts[i - 1].lower_bound, parts[i].lower_bound);
}

/* Goes to the part that the next record is in. */
static void enter_part(struct file_reader *reader)
{
	while (reader->part + 1 < reader->part_count &&
	       reader->parts[reader->part + 1].first_nr <= reader->nr)
		reader->part++;
}

uint64_t reader_part_end(struct file_reader *reader)
{
	enter_part(reader);
	return reader->part + 1 < reader->part_count ? reader->parts[reader->part + 1].first_nr
	                                             : UINT64_MAX;
}

uint64_t reader_lower_bound(struct file_reader *reader)
{
	enter_part(reader);
	return !reader->done && reader->part < reader->part_count
	               ? reader->parts[reader->part].lower_bound
	               : TIME_NONE;
}
