/*
 * The room: records enter as they are read, and leave as calls of handlers in order of time. The
 * window keeps each record until nothing older can come.
 *
 *   reading thread                                         either thread
 *
 *   stream --> file_reader --> window --> dispatcher --+--> ordered group --> merge --> handlers
 *              (one a file)    (2 trees)  (batches)    |
 *                  |              ^                    +--> unordered group ----------> handlers
 *                  +- lower bound +
 *
 * file_reader finds samples that lie one behind the other, so that most records are handled by the
 * span, still as raw bytes. The window is emptied up to a lower bound of the times of all records
 * that are not read yet. In a file this bound is exact, because a first reading has looked at the
 * headers; in a pipe it follows from FINISHED_ROUND records. One tree holds samples and one all
 * other records, so that a span of samples is cut only where a record of another type comes
 * between.
 *
 * The dispatcher decodes the records that leave the window, collects them into batches, and
 * delivers each batch to two groups of handlers. Only the ordered group merges samples whose times
 * overlap. A block of raw bytes is given back when its last record has been delivered to both
 * groups.
 */
#ifndef READPERF_PERFFILE_ORDER_WINDOW_H
#define READPERF_PERFFILE_ORDER_WINDOW_H

#include "perffile/order/dispatcher.h"
#include "perffile/order/filereader.h"

struct record_window {
	struct block_pool pool;
	struct dispatcher dispatcher;
	struct records samples, others;
	uint64_t delivered;   /* ns: the time of the youngest record that was passed on */
	uint64_t late;        /* records that were added after younger ones had been passed on */
	uint64_t most;        /* the largest number of records that waited */
	size_t blocks;        /* blocks that have waiting records */
	bool exact;           /* nothing may be delivered too early: what would be is ERR_ORDER */
	uint64_t input_bytes; /* bytes read so far, or of the whole input; what may wait is in
	                         proportion to them */
	size_t files; /* number of files that are read side by side; each has its own blocks */
};

/*
 * Set all zeros and then what the dispatcher borrows, except its pool. window_close() must be
 * called in any case. False with the dispatcher's err set when memory is refused.
 */
bool window_open(struct record_window *window, const struct record_handler *handlers, size_t count);
/* Drops the records that still wait, and releases all blocks. */
void window_close(struct record_window *window);

/* Fails with ERR_ORDER: records of an exact window were delivered too early. Returns false. */
bool window_give_up(struct record_window *window);
/*
 * Adds records that have to wait: ascending samples, or one record of another type. They end at
 * `end`; last_time (ns) is that of the last one. If more wait than the size of the input justifies,
 * the oldest are delivered early; an exact window gives up then, and if a younger record has been
 * delivered. False with err set if memory is refused or a handler failed; the same holds for all
 * functions below.
 */
bool window_add(struct record_window *window, const struct waiting_span *span, const uint8_t *end,
                uint64_t last_time, bool samples);
/*
 * Delivers records that need not wait: one without a time, or any if no handler wants them in
 * order.
 */
bool window_pass(struct record_window *window, struct waiting_span span, bool samples);
/* Delivers all records up to the time bound (ns): the caller will add none that are older. */
bool window_drain(struct record_window *window, uint64_t bound);
/* The same for a part of them, at most some SLICE_SAMPLES. *more: whether others are left. */
bool window_drain_slice(struct record_window *window, uint64_t bound, bool *more);

#endif
