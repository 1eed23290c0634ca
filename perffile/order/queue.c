#include "perffile/order/queue.h"

/*
 * Bytes and pieces that wait whatever the input's size, and in proportion to it. Records that come out
 * of a recording compressed beyond that are delivered before their time, and counted as late.
 */
#define WAIT_ALWAYS ((uint64_t)128 * 1024 * 1024)
#define WAIT_RATIO 4
#define WAIT_BLOCKS 8 /* for each file */
#define PIECES_ALWAYS ((size_t)512 * 1024)
#define PIECE_BYTES 16 /* no record with a time is smaller */
#define PIECES_MANY ((size_t)256 * 1024)
#define PARTS_AT_ONCE 4096 /* of pieces, delivered together where many wait */

bool queue_open(struct queue *queue, const struct dispatcher_order *order, struct err *err)
{
	struct dispatcher_order whole = *order;

	queue->session = order->session;
	queue->err = err;
	records_init(&queue->samples);
	records_init(&queue->others);
	whole.pool = &queue->pool;
	return dispatcher_open(&queue->dispatcher, &whole, err);
}

/* Gives back the blocks of what still waits after a failure. */
static void drop_all(struct queue *queue, struct records *records)
{
	struct waiting waiting;

	while (records_first(records, TIME_NONE, &waiting)) {
		if (!records_advance(records, waiting.count, NULL, 0, queue->err))
			return;
		block_put(&queue->pool, block_of(waiting.data));
	}
}

void queue_close(struct queue *queue)
{
	dispatcher_close(&queue->dispatcher);
	drop_all(queue, &queue->samples);
	drop_all(queue, &queue->others);
	records_release(&queue->samples);
	records_release(&queue->others);
	block_pool_release(&queue->pool);
}

/* Where the piece ends, its use of the block ends too: when that has been delivered. */
static bool send(struct queue *queue, struct records *records, const struct waiting *waiting,
                 struct record_span *span, const uint8_t *next, uint64_t time)
{
	if (span->count == waiting->count) {
		span->block = block_of(waiting->data);
		queue->blocks -= --span->block->waiting == 0;
	}
	return records_advance(records, span->count, next, time, queue->err) &&
	       dispatcher_bring(&queue->dispatcher, span, (size_t)(next - waiting->data));
}

/* Moves *p and *time behind those samples of a piece that lie within the limit. How many? */
static ALWAYS_INLINE uint32_t count_up_to(const struct session *session,
                                          const struct waiting *waiting, const struct limit *limit,
                                          const uint8_t **p, uint64_t *last, uint64_t *time,
                                          bool swap)
{
	uint32_t count = 0;

	do {
		*last = *time;
		*p += load_u16(*p + 6, swap);
		if (++count == waiting->count)
			break;
		*time = sample_time_at(session, *p, swap);
	} while (*time < limit->time || (*time == limit->time && waiting->nr + count <= limit->nr));
	return count;
}

/* Hands on the samples of a piece that lie within the limit; the first one does. */
static bool send_samples(struct queue *queue, const struct waiting *waiting,
                         const struct limit *limit)
{
	const struct session *session = queue->session;
	uint64_t time = waiting->time, last = time;
	const uint8_t *p = waiting->data;
	struct record_span span;
	uint32_t count;

	/* field by field: to copy it as a whole would wait for all that was stored before */
	span.data = waiting->data;
	span.nr = waiting->nr;
	span.time = waiting->time;
	span.count = waiting->count;
	span.samples = true;
	span.block = NULL;
	if ((span.decoded = dispatcher_decode(&queue->dispatcher, &span, limit))) {
		count = waiting->count - span.count;
		last = span.last_time;
		p = span.data;
		time = span.time;
	} else if (session->swap) {
		count = count_up_to(session, waiting, limit, &p, &last, &time, true);
	} else {
		count = count_up_to(session, waiting, limit, &p, &last, &time, false);
	}
	span.data = waiting->data;
	span.nr = waiting->nr;
	span.time = waiting->time;
	span.count = count;
	span.last_time = last;
	queue->delivered = u64_max(queue->delivered, last);
	return send(queue, &queue->samples, waiting, &span, p, time);
}

/* Hands on the first of a piece of other records. */
static bool send_other(struct queue *queue, const struct waiting *waiting)
{
	struct record_span span = { .data = waiting->data,
		                    .nr = waiting->nr,
		                    .time = waiting->time,
		                    .last_time = waiting->time,
		                    .count = 1 };
	const uint8_t *next = waiting->data + load_u16(waiting->data + 6, queue->session->swap);
	struct raw_record raw;
	uint64_t time = 0;

	queue->delivered = u64_max(queue->delivered, waiting->time);
	if (waiting->count > 1) {
		raw_record_at(&raw, next, queue->session->swap);
		time = raw_record_time(queue->session, &raw);
	}
	return send(queue, &queue->others, waiting, &span, next, time);
}

/*
 * Hands on what waits, up to and including bound, but at most `most` parts of pieces of samples. Where not
 * all go out, a part ends where the next chain starts: nothing older than it is left.
 */
static bool drain(struct queue *queue, uint64_t bound, size_t most, bool *all)
{
	const bool parts = most != SIZE_MAX;
	struct waiting other, piece;
	struct limit limit;

	for (*all = false; !*all;) {
		bool limited = records_first(&queue->others, bound, &other);
		uint64_t time = limited ? other.time : bound, nr = limited ? other.nr : UINT64_MAX;

		while (records_first(&queue->samples, time, &piece) &&
		       (piece.time < time || piece.nr <= nr)) {
			uint64_t next = parts ? records_second_time(&queue->samples) : TIME_NONE;

			if (most-- == 0)
				return true;
			limit = (struct limit){ u64_min(time, next), next < time ? 0 : nr };
			if (!send_samples(queue, &piece, &limit))
				return false;
		}
		if (limited && !send_other(queue, &other))
			return false;
		*all = !limited;
	}
	return true;
}

bool queue_drain(struct queue *queue, uint64_t bound)
{
	bool all = false;

	/* what is under way takes memory beside what waits: not all of it at once */
	while (!all)
		if (!drain(queue, bound,
		           queue->samples.piece_count > PIECES_MANY ? PARTS_AT_ONCE : SIZE_MAX,
		           &all) ||
		    !dispatcher_cut(&queue->dispatcher))
			return false;
	return true;
}

/* More waits than a part of what the input's own bytes justify, out of compressed records. */
static bool is_full(const struct queue *queue, size_t part)
{
	uint64_t bytes = u64_min(queue->input_bytes, UINT64_MAX / WAIT_RATIO) * WAIT_RATIO;
	uint64_t blocks = u64_add_sat(WAIT_ALWAYS, bytes) / STREAM_BLOCK_SIZE +
	                  queue->files * (uint64_t)WAIT_BLOCKS;
	uint64_t pieces = PIECES_ALWAYS + queue->input_bytes / PIECE_BYTES;

	return queue->blocks > blocks / part ||
	       queue->samples.piece_count + queue->others.piece_count > pieces / part;
}

/* Hands on the oldest, before their time, until half of what may wait is left. */
static bool drain_half(struct queue *queue)
{
	bool all = false;

	while (!all && is_full(queue, 2))
		if (!drain(queue, TIME_NONE, PARTS_AT_ONCE, &all) ||
		    !dispatcher_wait(&queue->dispatcher))
			return false;
	return true;
}

static bool hold(struct queue *queue, struct records *records, const struct waiting *waiting,
                 size_t size, uint64_t last_time)
{
	struct block *block;
	bool started;

	if (!records_insert(records, waiting, size, last_time, &started, queue->err))
		return false;
	queue->most = u64_max(queue->most, queue->samples.count + queue->others.count);
	if (!started)
		return true;
	block = block_of(waiting->data);
	block->users++;
	queue->blocks += block->waiting++ == 0;
	return !is_full(queue, 1) || drain_half(queue);
}

bool queue_record(struct queue *queue, const struct raw_record *raw, uint64_t nr, uint64_t time)
{
	bool sample = raw->type == PERF_RECORD_SAMPLE;
	struct waiting waiting = { time, nr, raw->data, 1 };

	queue->late += time < queue->delivered;
	return hold(queue, sample ? &queue->samples : &queue->others, &waiting, raw->size, time);
}

bool queue_run(struct queue *queue, const struct run *run, uint64_t nr)
{
	struct waiting waiting = { run->first_time, nr, run->data, (uint32_t)run->count };
	bool swap = queue->session->swap;

	if (run->first_time < queue->delivered)
		for (const uint8_t *p = run->data; p < run->end; p += load_u16(p + 6, swap))
			queue->late += load_u64(p + queue->session->sample_time, swap) <
			               queue->delivered;
	return hold(queue, &queue->samples, &waiting, (size_t)(run->end - run->data),
	            run->last_time);
}

bool queue_timeless(struct queue *queue, const struct raw_record *raw, uint64_t nr)
{
	struct record_span span = { .data = raw->data,
		                    .nr = nr,
		                    .time = TIME_NONE,
		                    .last_time = TIME_NONE,
		                    .count = 1,
		                    .block = block_of(raw->data) };

	span.block->users++;
	return dispatcher_bring(&queue->dispatcher, &span, raw->size);
}
