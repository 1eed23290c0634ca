#include "perffile/order/prescan.h"

#include "util/thread.h"

#include <stdlib.h>

#define WORTH_BYTES ((uint64_t)2 * 1024 * 1024)
#define SEARCH_BYTES ((size_t)256 * 1024) /* in these, records are looked for */
#define SURE_RECORDS 64                   /* so many, one behind the other, are no chance; */
#define FEW_RECORDS 8                     /* nor are these, if they are so large that no more fit */

/* Whether records lie at p, as far as one can see. */
static bool looks_right(const uint8_t *p, size_t left, bool swap)
{
	size_t count = 0;

	while (left >= PERF_RECORD_HEADER_SIZE && count < SURE_RECORDS) {
		uint32_t type = load_u32(p, swap);
		size_t size = load_u16(p + 6, swap);

		if (size < PERF_RECORD_HEADER_SIZE || size % 8 || type == 0 ||
		    (type >= PERF_RECORD_KERNEL_END && type != PERF_RECORD_FINISHED_ROUND))
			return false;
		count++;
		if (size > left)
			break;
		p += size;
		left -= size;
	}
	return count >= FEW_RECORDS;
}

/* The offset of what looks like a record, from begin on, or UINT64_MAX. */
static uint64_t find_start(const struct input *input, uint64_t begin, bool swap)
{
	uint8_t *bytes = malloc(SEARCH_BYTES);
	ssize_t size = bytes ? input_read(input, 0, bytes, SEARCH_BYTES, begin) : -1;
	uint64_t found = UINT64_MAX;

	for (size_t at = 0; size > 0 && at < (size_t)size / 2 && found == UINT64_MAX; at += 8)
		if (looks_right(bytes + at, (size_t)size - at, swap))
			found = begin + at;
	free(bytes);
	return found;
}

static void count(struct prescan *prescan, uint32_t type, uint64_t records, uint64_t bytes,
                  uint64_t time)
{
	prescan->types[type].count += records;
	prescan->types[type].bytes += bytes;
	prescan->file_reader.nr += records;
	file_reader_note(&prescan->file_reader, time);
}

/* One record or a run of them. False if it is for others to look at. */
static bool look(struct prescan *prescan, struct err *err)
{
	const struct session *session = prescan->session;
	struct stream *stream = prescan->file_reader.stream;
	uint64_t packed[2], packed_bytes[2], time;
	struct raw_record raw;
	struct run run;

	if (!file_reader_add_floor(&prescan->file_reader, err))
		return false;
	if (file_reader_run(&prescan->file_reader, session, file_reader_left(&prescan->file_reader),
	                    false, &run)) {
		stream_pass(stream, run.end, run.count);
		count(prescan, PERF_RECORD_SAMPLE, run.count, (uint64_t)(run.end - run.data),
		      run.least_time);
		return true;
	}
	if (stream_get(stream, &raw, err) != STREAM_RECORD)
		return false;
	stream_compressed(stream, packed, packed_bytes);
	if (packed[0] || packed[1])
		return false;
	if (raw.type == PERF_RECORD_FINISHED_ROUND) {
		count(prescan, raw.type, 1, raw.size, TIME_NONE);
		return true;
	}
	if (raw.type == 0 || raw.type >= PERF_RECORD_KERNEL_END)
		return false;
	time = raw_record_time(session, &raw);
	if (time == TIME_NONE)
		return false;
	count(prescan, raw.type, 1, raw.size, time);
	return true;
}

static void *work(void *context)
{
	struct prescan *prescan = context;
	struct err ignored = { 0 }; /* who reads from the start meets it again */

	do
		prescan->stop = stream_position(prescan->file_reader.stream);
	while (!atomic_load_explicit(&prescan->dismissed, memory_order_relaxed) &&
	       look(prescan, &ignored));
	return NULL;
}

void prescan_send(struct prescan *prescan, const struct input *input, const struct session *session,
                  uint64_t begin, uint64_t end)
{
	struct err ignored = { 0 };

	prescan->session = session;
	prescan->start = UINT64_MAX;
	prescan->file_reader.meet = UINT64_MAX;
	atomic_init(&prescan->dismissed, false);
	end = u64_min(end, input->files[0].size);
	if (begin >= end || end - begin < WORTH_BYTES)
		return;
	/* records lie at multiples of 8 bytes behind each other */
	prescan->start = find_start(input, begin + (end - begin) / 2 / 8 * 8, session->swap);
	if (prescan->start == UINT64_MAX)
		return;
	prescan->file_reader.stream = stream_open(input, 0, prescan->start, end, session->swap,
	                                          &prescan->pool, &ignored);
	prescan->started = prescan->file_reader.stream &&
	                   thread_start(&prescan->thread, THREAD_SMALL, work, prescan);
	if (!prescan->started)
		prescan->start = UINT64_MAX;
}

void prescan_return(struct prescan *prescan)
{
	if (prescan->started)
		pthread_join(prescan->thread, NULL);
	prescan->started = false;
}

void prescan_release(struct prescan *prescan)
{
	atomic_store(&prescan->dismissed, true);
	prescan_return(prescan);
	file_reader_release(&prescan->file_reader);
	block_pool_release(&prescan->pool);
	prescan->start = UINT64_MAX;
}
