/*
 * The timestamp-sorted AVL tree: records wait here until nothing older can come. The key is (time,
 * position), so equal times keep file order.
 *
 * A recording is a few ascending streams, written in turn. Records that lie one behind the other in
 * a block and ascend in time are one span. Spans that follow each other in time are one sequence,
 * whatever lies between them in the file. A sequence is one node of the tree, keyed by its first
 * record that still waits: the tree is searched only where one stream ends and another begins.
 */
#ifndef READPERF_PERFFILE_ORDER_RECORDS_H
#define READPERF_PERFFILE_ORDER_RECORDS_H

#include "util/tree.h"

/* Records that wait: a span, or what is left of it. */
struct waiting_span {
	uint64_t time;       /* ns, of its first record */
	uint64_t nr;         /* position of that; those that wait together lie within 2^31 */
	const uint8_t *data; /* the raw records; their block is held by whoever inserts */
	uint32_t count;      /* records */
	uint32_t next; /* behind it in its sequence, or in the list of free ones; SPAN_NONE: last */
};

#define SPAN_NONE UINT32_MAX

struct records {
	struct tree tree; /* of sequences; the value is the first span */
	struct waiting_span *spans;
	size_t spans_used, span_capacity; /* those ever used */
	uint32_t free;                    /* the first span that was given back, or SPAN_NONE */
	/* the sequence that the next record may continue */
	uint32_t open, open_span; /* its node, or TREE_NIL; its last span */
	const uint8_t *open_end;
	uint64_t open_time; /* ns, of its last record */
	size_t count;       /* records */
	size_t span_count;  /* of them that wait */
};

void records_init(struct records *records);
void records_release(struct records *records);

/*
 * Adds a span of size bytes whose last record has the time last_time. *started tells whether a new
 * span begins with it, or an earlier one goes on: the block must be held until that span is used
 * up. False with err set when memory is refused.
 */
bool records_insert(struct records *records, const struct waiting_span *added, size_t size,
                    uint64_t last_time, bool *started, struct err *err);

/*
 * The span whose first record comes first in order, or NULL. It stays until records_advance() is
 * called, which is due before the next call of any other function here.
 */
static inline const struct waiting_span *records_first(const struct records *records)
{
	/* an empty tree has no nodes */
	return records->count ? &records->spans[records->tree.nodes[records->tree.first].value]
	                      : NULL;
}

/*
 * Takes count records out of that span. next and time tell where the record behind them lies and
 * its time in ns; where none is left, they are not used, and the span's block may be given back.
 */
bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err);

#endif
