#include "perffile/order/window.h"

/*
 * How many bytes and spans may wait for any input, and in proportion to its size. If a compressed
 * recording makes more wait, the oldest are delivered early; records that come too late then are
 * counted as late.
 */
#define WAIT_ALWAYS ((uint64_t)128 * 1024 * 1024)
#define WAIT_RATIO 4
#define WAIT_BLOCKS 8  /* for each file */
#define WAIT_EXACT 256 /* blocks, in an exact window */
#define SPANS_ALWAYS ((size_t)512 * 1024)
#define SPAN_BYTES 16 /* every record with a time is larger */

/* Number of sequences in a slice of samples; see slice_end(). */
#define SLICE_SEQUENCES 64

bool window_give_up(struct record_window *window)
{
	return err_set(window->dispatcher.err, ERR_ORDER, "the records are not in order of time");
}

bool window_open(struct record_window *window, const struct record_handler *handlers, size_t count)
{
	window->dispatcher.pool = &window->pool;
	return dispatcher_open(&window->dispatcher, handlers, count);
}

/* After a failure: releases the blocks of the records that still wait. */
static void drop_records(struct record_window *window, struct records *records)
{
	const struct waiting_span *span;

	while ((span = records_first(records))) {
		struct waiting_span rest = *span;

		rest.count = 0;
		records_advance(records, &rest);
		block_put(&window->pool, block_of(rest.data));
	}
}

void window_close(struct record_window *window)
{
	dispatcher_close(&window->dispatcher);
	drop_records(window, &window->samples);
	drop_records(window, &window->others);
	records_release(&window->samples);
	records_release(&window->others);
	block_pool_release(&window->pool);
}

static struct order_key waiting_key(const struct waiting_span *span)
{
	return (struct order_key){ span->time, span->nr };
}

/*
 * Passes the oldest record of a tree to the dispatcher; if it is a sample, also the samples behind
 * it that come before `end`.
 */
static bool hand_out(struct record_window *window, struct records *records, struct order_key end)
{
	const struct waiting_span *first = records_first(records);
	const bool samples = records == &window->samples;
	struct waiting_span rest = *first;
	struct record_span *span = dispatcher_take(&window->dispatcher, &rest, samples, end);

	if (!span)
		return false;
	window->delivered = u64_max(window->delivered, span_last(span).time);
	/* the last span of a block releases it when it has been delivered */
	if (!rest.count) {
		span->block = block_of(first->data);
		window->blocks -= --span->block->waiting == 0;
	}
	records_advance(records, &rest);
	return samples || dispatcher_cut(&window->dispatcher);
}

/* Passes on everything before `end`: the samples before each other record, then that record. */
static bool hand_out_until(struct record_window *window, struct order_key end)
{
	for (;;) {
		const struct waiting_span *other = records_first(&window->others), *sample;
		bool limited = other && key_before(waiting_key(other), end);
		struct order_key limit = limited ? waiting_key(other) : end;

		while ((sample = records_first(&window->samples)) &&
		       key_before(waiting_key(sample), limit))
			if (!hand_out(window, &window->samples, limit))
				return false;
		if (!limited)
			return true;
		if (!hand_out(window, &window->others, end))
			return false;
	}
}

/*
 * The key of a sample that lies at least `most` records behind the first one of this span, in it or
 * in the spans after it in its sequence; `end` if that comes first, or if there are not so many.
 */
static struct order_key key_ahead(const struct record_window *window,
                                  const struct waiting_span *span, size_t most,
                                  struct order_key end)
{
	const struct session *session = window->dispatcher.session;
	const struct waiting_span *spans = window->samples.spans;
	struct waiting_span rest;
	struct order_key key;

	while (span->count <= most) {
		if (span->next == SPAN_NONE)
			return end;
		most -= span->count;
		span = &spans[span->next];
	}
	rest = *span;
	while (rest.count && rest.nr < span->nr + most)
		span_pass_first(&rest, session->swap);
	if (rest.count)
		rest.time = record_time(session, rest.data);
	else if (span->next != SPAN_NONE)
		rest = spans[span->next];
	else
		return end;
	key = waiting_key(&rest);
	return key_before(key, end) ? key : end;
}

/*
 * Where to end a slice if everything up to `end` would be too much for a batch. At most
 * SLICE_SAMPLES samples lie before it: at most SLICE_SEQUENCES sequences begin before it, and none
 * of them has more samples there than its share.
 */
static struct order_key slice_end(const struct record_window *window, struct order_key end)
{
	const struct records *records = &window->samples;
	const struct tree *tree = &records->tree;
	size_t sequences = tree->count < SLICE_SEQUENCES ? tree->count : SLICE_SEQUENCES;
	uint32_t node = tree->first;

	if (records->count <= SLICE_SAMPLES)
		return end;
	for (size_t i = 0; node != TREE_NIL; node = tree_next(tree, node), i++) {
		const struct waiting_span *span = &records->spans[tree->nodes[node].value];

		if (!key_before(waiting_key(span), end))
			break;
		if (i == sequences)
			return waiting_key(span);
		end = key_ahead(window, span, SLICE_SAMPLES / sequences, end);
	}
	return end;
}

bool window_drain_slice(struct record_window *window, uint64_t bound, bool *more)
{
	const struct order_key end = { bound, UINT64_MAX }, slice = slice_end(window, end);

	*more = key_before(slice, end);
	return hand_out_until(window, slice) && dispatcher_cut(&window->dispatcher);
}

bool window_drain(struct record_window *window, uint64_t bound)
{
	bool more = true;

	while (more)
		if (!window_drain_slice(window, bound, &more))
			return false;
	return true;
}

/*
 * Whether more bytes of compressed records wait than the given part of what the size of the input
 * justifies.
 */
static bool is_full(const struct record_window *window, size_t part)
{
	uint64_t bytes = u64_min(window->input_bytes, UINT64_MAX / WAIT_RATIO) * WAIT_RATIO;
	uint64_t blocks = u64_add_sat(WAIT_ALWAYS, bytes) / STREAM_BLOCK_SIZE +
	                  window->files * (uint64_t)WAIT_BLOCKS;
	uint64_t spans = SPANS_ALWAYS + window->input_bytes / SPAN_BYTES;

	if (window->exact)
		blocks = WAIT_EXACT;
	return window->blocks > blocks / part ||
	       window->samples.span_count + window->others.span_count > spans / part;
}

/* Delivers the oldest records early, until only half of what may wait is left. */
static bool drain_half(struct record_window *window)
{
	const struct order_key end = { TIME_NONE, UINT64_MAX };

	while (is_full(window, 2))
		if (!hand_out_until(window, slice_end(window, end)) ||
		    !dispatcher_wait(&window->dispatcher))
			return false;
	return true;
}

/* How many of these records are older than one that was passed on. */
static uint64_t count_late(const struct record_window *window, struct waiting_span rest)
{
	const struct session *session = window->dispatcher.session;
	uint64_t late = 0;

	for (; rest.count; span_pass_first(&rest, session->swap))
		late += record_time(session, rest.data) < window->delivered;
	return late;
}

bool window_add(struct record_window *window, const struct waiting_span *span, const uint8_t *end,
                uint64_t last_time, bool samples)
{
	struct block *block = block_of(span->data);
	bool started;

	if (span->time < window->delivered) {
		window->late += count_late(window, *span);
		if (window->exact)
			return window_give_up(window);
	}
	if (!records_insert(samples ? &window->samples : &window->others, span,
	                    (size_t)(end - span->data), last_time, &started,
	                    window->dispatcher.err))
		return false;
	window->most = u64_max(window->most, window->samples.count + window->others.count);
	if (!started)
		return true;
	block->users++;
	window->blocks += block->waiting++ == 0;
	return !is_full(window, 1) || (window->exact ? window_give_up(window) : drain_half(window));
}

bool window_pass(struct record_window *window, struct waiting_span rest, bool samples)
{
	const struct order_key end = { UINT64_MAX, UINT64_MAX };
	struct block *block = block_of(rest.data);

	while (rest.count) {
		struct record_span *span = dispatcher_take(&window->dispatcher, &rest, samples,
		                                           end);

		if (!span)
			return false;
		span->block = block;
		block->users++;
		if (!dispatcher_cut(&window->dispatcher))
			return false;
	}
	return true;
}
