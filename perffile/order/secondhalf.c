#include "perffile/order/secondhalf.h"

#include "perffile/record/recordtypes.h"
#include "util/thread.h"

#include <stdlib.h>

#define WORTH_BYTES ((uint64_t)2 << 20)  /* a file of fewer bytes is read before a thread starts */
#define SEARCH_BYTES ((size_t)512 << 10) /* in these, the start of a record is looked for */
#define SURE_RECORDS 64 /* so many, one behind the other, are hardly there by chance, */
#define FEW_RECORDS 6   /* nor are these, if they are so large that no more fit */

/* Whether records seem to lie at p. */
static bool looks_like_records(const uint8_t *p, size_t left, bool swap)
{
	size_t count = 0;

	while (left >= PERF_RECORD_HEADER_SIZE && count < SURE_RECORDS) {
		uint32_t type = load_u32(p, swap);
		size_t size = load_u16(p + 6, swap);

		if (size < PERF_RECORD_HEADER_SIZE || size % 8 || type == 0 ||
		    (type >= PERF_RECORD_TOOL_START && type != PERF_RECORD_FINISHED_ROUND) ||
		    !record_type_of(type))
			return false;
		count++;
		if (size > left)
			break;
		p += size;
		left -= size;
	}
	return count >= FEW_RECORDS;
}

/* The offset of what looks like a record, from `begin` on; 0 if nothing does. */
static uint64_t find_start(const struct input *input, uint64_t begin, bool swap)
{
	uint8_t *bytes = malloc(SEARCH_BYTES);
	ssize_t size = bytes ? input_read(input, 0, bytes, SEARCH_BYTES, begin) : -1;
	uint64_t found = 0;

	for (size_t at = 0; size > 0 && at < (size_t)size / 2 && !found; at += 8)
		if (looks_like_records(bytes + at, (size_t)size - at, swap))
			found = begin + at;
	free(bytes);
	return found;
}

/* Counts the records at the front. False at the end, and if the next one needs more than that. */
static bool count_next(struct second_half *half)
{
	struct file_reader *file = &half->file;
	struct err ignored = { 0 }; /* the caller meets it again */
	struct sample_span span;
	struct raw_record raw;
	uint64_t time;
	size_t left;

	left = reader_begin_part(file, &ignored);
	if (!left)
		return false;
	if (reader_find_samples(file, half->session, left, false, &span)) {
		reader_note_time(file, span.least_time);
		reader_count_span(&span, &half->summary);
		stream_pass(file->stream, span.end, span.records.count);
		file->nr += span.records.count;
		return true;
	}
	if (stream_next(file->stream, &raw, &ignored) != STREAM_RECORD ||
	    block_of(raw.data)->inflated || !record_type_of(raw.type))
		return false;
	if (raw.type != PERF_RECORD_FINISHED_ROUND) {
		if (raw.type >= PERF_RECORD_TOOL_START)
			return false;
		time = record_time(half->session, raw.data);
		if (time == TIME_NONE)
			return false;
		reader_note_time(file, time);
		if (raw.type == PERF_RECORD_SAMPLE)
			summary_note_times(&half->summary, time, time);
	}
	file->nr++;
	return summary_count(&half->summary, &raw, NULL, &ignored);
}

static void *read_second_half(void *context)
{
	struct second_half *half = context;

	do
		half->stop = stream_position(half->file.stream);
	while (!atomic_load_explicit(&half->unwanted, memory_order_relaxed) && count_next(half));
	return NULL;
}

bool second_half_open(struct second_half *half, const struct input *input,
                      const struct session *session)
{
	const uint64_t begin = session->data_offset;
	const uint64_t end = u64_min(begin + session->data_size, input->files[0].size);
	struct err ignored = { 0 };

	/* a pipe has attributes between its records */
	if (session->pipe || input->file_count > 1 || input->packed || begin >= end ||
	    end - begin < WORTH_BYTES)
		return false;
	half->session = session;
	atomic_init(&half->unwanted, false);
	summary_init(&half->summary);
	/* the size of every record is a multiple of 8 bytes */
	half->start = find_start(input, begin + (end - begin) / 16 * 8, session->swap);
	if (!half->start)
		return false;
	half->file.stream = stream_open(input, 0, half->start, end, session->swap, &half->pool,
	                                &ignored);
	half->running = half->file.stream &&
	                thread_start(&half->thread, THREAD_SMALL, read_second_half, half);
	return half->running;
}

void second_half_join(struct second_half *half)
{
	if (half->running)
		pthread_join(half->thread, NULL);
	half->running = false;
}

void second_half_close(struct second_half *half)
{
	atomic_store(&half->unwanted, true);
	second_half_join(half);
	reader_release(&half->file);
	read_summary_release(&half->summary);
	block_pool_release(&half->pool);
}
