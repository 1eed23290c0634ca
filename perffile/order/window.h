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
 * The dispatcher decodes the samples that leave the window, collects spans into batches, and
 * delivers each batch to two groups of handlers. Only the ordered group merges samples whose times
 * overlap. A block of raw bytes is given back when its last record has been delivered to both
 * groups.
 */
#ifndef READPERF_PERFFILE_ORDER_WINDOW_H
#define READPERF_PERFFILE_ORDER_WINDOW_H

#include "perffile/order/dispatcher.h"
#include "perffile/order/filereader.h"

/* `struct window` is a part of a stream (stream.h). */
struct record_window {
	struct session *session; /* borrowed */
	struct err *err;         /* borrowed */
	struct block_pool pool;
	struct dispatcher dispatcher;
	struct records samples, others;
	uint64_t delivered;   /* ns, of the youngest record that left */
	uint64_t late;        /* records that entered when younger ones had left */
	uint64_t most;        /* records that waited at the same time */
	size_t blocks;        /* blocks that hold records that wait */
	uint64_t input_bytes; /* read so far or in all: what may wait is in proportion to it */
	size_t files;         /* that are read side by side; each has blocks of its own */
};

/* window_close() is due in any case. The options' pool need not be set. */
bool window_open(struct record_window *window, const struct dispatcher_options *options,
                 struct err *err);
/* Drops what still waits, and gives all blocks back. */
void window_close(struct record_window *window);

/*
 * Add records that wait, the first one at position nr. If more wait than the input's size
 * justifies, the oldest leave before their time. False with err set if memory is refused or a
 * handler failed; so below.
 */
bool window_add_samples(struct record_window *window, const struct sample_span *span, uint64_t nr);
bool window_add(struct record_window *window, const struct raw_record *raw, uint64_t nr,
                uint64_t time);
/*
 * Deliver records that need not wait: one without a time, or any where no handler cares about the
 * order.
 */
bool window_pass(struct record_window *window, const struct raw_record *raw, uint64_t nr,
                 uint64_t time);
bool window_pass_samples(struct record_window *window, const struct sample_span *span, uint64_t nr);
/* Delivers all that is not younger than bound (ns): nothing older than that will be added. */
bool window_drain(struct record_window *window, uint64_t bound);

#endif
