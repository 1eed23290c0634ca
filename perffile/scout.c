#include "perffile/scout.h"

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

static void count(struct scout *scout, uint32_t type, uint64_t records, uint64_t bytes,
                  uint64_t time)
{
	scout->types[type].count += records;
	scout->types[type].bytes += bytes;
	scout->lane.nr += records;
	lane_note(&scout->lane, time);
}

/* One record or a run of them. False if it is for others to look at. */
static bool look(struct scout *scout, struct err *err)
{
	const struct session *session = scout->session;
	struct stream *stream = scout->lane.stream;
	uint64_t packed[2], packed_bytes[2], time;
	struct raw_record raw;
	struct run run;

	if (!lane_add_floor(&scout->lane, err))
		return false;
	if (lane_run(&scout->lane, session, lane_left(&scout->lane), false, &run)) {
		stream_pass(stream, run.end, run.count);
		count(scout, PERF_RECORD_SAMPLE, run.count, (uint64_t)(run.end - run.data),
		      run.least_time);
		return true;
	}
	if (stream_get(stream, &raw, err) != STREAM_RECORD)
		return false;
	stream_compressed(stream, packed, packed_bytes);
	if (packed[0] || packed[1])
		return false;
	if (raw.type == PERF_RECORD_FINISHED_ROUND) {
		count(scout, raw.type, 1, raw.size, TIME_NONE);
		return true;
	}
	if (raw.type == 0 || raw.type >= PERF_RECORD_KERNEL_END)
		return false;
	time = raw_record_time(session, &raw);
	if (time == TIME_NONE)
		return false;
	count(scout, raw.type, 1, raw.size, time);
	return true;
}

static void *work(void *context)
{
	struct scout *scout = context;
	struct err ignored = { 0 }; /* who reads from the start meets it again */

	do
		scout->stop = stream_position(scout->lane.stream);
	while (!atomic_load_explicit(&scout->dismissed, memory_order_relaxed) &&
	       look(scout, &ignored));
	return NULL;
}

void scout_send(struct scout *scout, const struct input *input, const struct session *session,
                uint64_t begin, uint64_t end)
{
	struct err ignored = { 0 };

	scout->session = session;
	scout->start = UINT64_MAX;
	scout->lane.meet = UINT64_MAX;
	atomic_init(&scout->dismissed, false);
	end = u64_min(end, input->files[0].size);
	if (begin >= end || end - begin < WORTH_BYTES)
		return;
	/* records lie at multiples of 8 bytes behind each other */
	scout->start = find_start(input, begin + (end - begin) / 2 / 8 * 8, session->swap);
	if (scout->start == UINT64_MAX)
		return;
	scout->lane.stream = stream_open(input, 0, scout->start, end, session->swap, &scout->pool,
	                                 &ignored);
	scout->started = scout->lane.stream &&
	                 thread_start(&scout->thread, THREAD_SMALL, work, scout);
	if (!scout->started)
		scout->start = UINT64_MAX;
}

void scout_return(struct scout *scout)
{
	if (scout->started)
		pthread_join(scout->thread, NULL);
	scout->started = false;
}

void scout_release(struct scout *scout)
{
	atomic_store(&scout->dismissed, true);
	scout_return(scout);
	lane_release(&scout->lane);
	block_pool_release(&scout->pool);
	scout->start = UINT64_MAX;
}
