#include "perffile/order/filereader.h"

#include "util/vec.h"

#include <stdlib.h>

/* file_reader_run() for a byte order, of ascending samples or of any. */
static ALWAYS_INLINE void find_run(struct run *run, const uint8_t *end, size_t time_at, size_t most,
                                   bool ascending, bool swap)
{
	uint64_t last = 1, oldest = TIME_NONE; /* 0 and ~0 are no times */
	const size_t least = time_at + 8;
	const uint8_t *p = run->data;
	size_t count = 0;

	while (count < most && (size_t)(end - p) >= least) {
		size_t size = load_u16(p + 6, swap);
		uint64_t time = load_u64(p + time_at, swap);

		if (load_u32(p, swap) != PERF_RECORD_SAMPLE ||
		    size - least > (size_t)(end - p) - least || time < last || time == UINT64_MAX)
			break;
		if (ascending)
			last = time;
		else
			oldest = u64_min(oldest, time);
		p += size;
		count++;
	}
	run->end = p;
	run->count = count;
	run->first_time = count ? load_u64(run->data + time_at, swap) : 0;
	run->last_time = last;
	run->least_time = ascending ? run->first_time : oldest;
}

static ALWAYS_INLINE void find_any_run(struct run *run, const uint8_t *end, size_t time_at,
                                       size_t most, bool ascending, bool swap)
{
	if (ascending)
		find_run(run, end, time_at, most, true, swap);
	else
		find_run(run, end, time_at, most, false, swap);
}

/* The run in a span that starts with a sample. */
static NOINLINE bool run_in(const struct file_reader *file_reader, const struct session *session,
                            struct span span, size_t most, bool ascending, struct run *run)
{
	if (file_reader->meet != UINT64_MAX) {
		uint64_t left = file_reader->meet -
		                u64_min(stream_position(file_reader->stream), file_reader->meet);

		span.end = span.pos + u64_min((uint64_t)(span.end - span.pos), left);
	}
	run->data = span.pos;
	if (session->swap)
		find_any_run(run, span.end, (size_t)session->sample_time, most, ascending, true);
	else
		find_any_run(run, span.end, (size_t)session->sample_time, most, ascending, false);
	return run->count != 0;
}

bool file_reader_run(const struct file_reader *file_reader, const struct session *session,
                     size_t most, bool ascending, struct run *run)
{
	struct span span = stream_front(file_reader->stream);

	if (session->sample_time < 0 || !span.pos ||
	    span.end - span.pos < PERF_RECORD_HEADER_SIZE ||
	    load_u32(span.pos, session->swap) != PERF_RECORD_SAMPLE)
		return false;
	return run_in(file_reader, session, span, most, ascending, run);
}

static bool add_floor(struct file_reader *file_reader, struct err *err)
{
	uint64_t *floors = vec_grow(file_reader->floors, file_reader->floor_count,
	                            &file_reader->floor_capacity, sizeof(*floors), err);

	if (!floors)
		return false;
	file_reader->floors = floors;
	floors[file_reader->floor_count++] = TIME_NONE;
	return true;
}

bool file_reader_add_floor(struct file_reader *file_reader, struct err *err)
{
	return file_reader->nr - file_reader->first_nr < file_reader->floor_count * FLOOR_RECORDS ||
	       add_floor(file_reader, err);
}

/* The times of records from position first to last, counted in the file_reader, are not below that floor. */
static bool note_part(struct file_reader *file_reader, uint64_t first, uint64_t last,
                      uint64_t floor, struct err *err)
{
	for (uint64_t part = first / FLOOR_RECORDS; part <= last / FLOOR_RECORDS; part++) {
		while (file_reader->floor_count <= part)
			if (!add_floor(file_reader, err))
				return false;
		file_reader->floors[part] = u64_min(file_reader->floors[part], floor);
	}
	return true;
}

bool file_reader_append(struct file_reader *file_reader, const struct file_reader *rest,
                        struct err *err)
{
	uint64_t start = file_reader->nr - file_reader->first_nr, count = rest->nr - rest->first_nr;

	for (uint64_t i = 0; i * FLOOR_RECORDS < count; i++)
		if (!note_part(file_reader, start + i * FLOOR_RECORDS,
		               start + u64_min((i + 1) * FLOOR_RECORDS, count) - 1, rest->floors[i],
		               err))
			return false;
	file_reader->nr += count;
	return true;
}

void file_reader_run_floors(struct file_reader *file_reader)
{
	for (size_t i = file_reader->floor_count; i-- > 1;)
		file_reader->floors[i - 1] = u64_min(file_reader->floors[i - 1],
		                                     file_reader->floors[i]);
}

uint64_t file_reader_floor(const struct file_reader *file_reader)
{
	size_t at = (size_t)((file_reader->nr - file_reader->first_nr) / FLOOR_RECORDS);

	return !file_reader->done && at < file_reader->floor_count ? file_reader->floors[at]
	                                                           : TIME_NONE;
}

void file_reader_release(struct file_reader *file_reader)
{
	stream_free(file_reader->stream);
	free(file_reader->floors);
	file_reader->stream = NULL;
	file_reader->floors = NULL;
	file_reader->floor_count = file_reader->floor_capacity = 0;
}
