#include "perffile/order/filereader.h"

#include "util/vec.h"

#include <stdlib.h>

/* Finds the samples at the front of the bytes from span->data to `end`. */
static void find_samples(struct sample_span *span, const uint8_t *end,
                         const struct session *session, size_t most, bool ascending)
{
	const size_t time_at = (size_t)session->sample_time, least = time_at + 8;
	const bool swap = session->swap;
	uint64_t last = 1, oldest = TIME_NONE, youngest = 0;
	const uint8_t *p = span->data;
	size_t count = 0;

	while (count < most && (size_t)(end - p) >= least) {
		size_t size = load_u16(p + 6, swap);
		uint64_t time = load_u64(p + time_at, swap);

		if (load_u32(p, swap) != PERF_RECORD_SAMPLE || size < least ||
		    size > (size_t)(end - p) || time == 0 || time >= TIME_OFF_CPU ||
		    (ascending && time < last))
			break;
		last = time;
		oldest = u64_min(oldest, time);
		youngest = u64_max(youngest, time);
		p += size;
		count++;
	}
	span->end = p;
	span->count = count;
	span->first_time = count ? load_u64(span->data + time_at, swap) : 0;
	span->last_time = last;
	span->least_time = oldest;
	span->greatest_time = youngest;
}

bool reader_find_samples(const struct file_reader *reader, const struct session *session,
                         size_t most, bool ascending, struct sample_span *span)
{
	struct span front = stream_front(reader->stream);

	if (session->sample_time < 0 || !front.pos ||
	    front.end - front.pos < PERF_RECORD_HEADER_SIZE ||
	    load_u32(front.pos, session->swap) != PERF_RECORD_SAMPLE)
		return false;
	span->data = front.pos;
	find_samples(span, front.end, session, most, ascending);
	return span->count != 0;
}

bool reader_begin_part(struct file_reader *reader, struct err *err)
{
	uint64_t *bounds;

	if (reader->nr - reader->first_nr < reader->bound_count * PART_RECORDS)
		return true;
	bounds = vec_grow(reader->lower_bounds, reader->bound_count, &reader->bound_capacity,
	                  sizeof(*bounds), err);
	if (!bounds)
		return false;
	reader->lower_bounds = bounds;
	bounds[reader->bound_count++] = TIME_NONE;
	return true;
}

void reader_finish_bounds(struct file_reader *reader)
{
	for (size_t i = reader->bound_count; i-- > 1;)
		reader->lower_bounds[i - 1] = u64_min(reader->lower_bounds[i - 1],
		                                      reader->lower_bounds[i]);
}

uint64_t reader_lower_bound(const struct file_reader *reader)
{
	size_t at = (size_t)((reader->nr - reader->first_nr) / PART_RECORDS);

	return !reader->done && at < reader->bound_count ? reader->lower_bounds[at] : TIME_NONE;
}

void reader_release(struct file_reader *reader)
{
	stream_free(reader->stream);
	free(reader->lower_bounds);
	reader->stream = NULL;
	reader->lower_bounds = NULL;
	reader->bound_count = reader->bound_capacity = 0;
}
