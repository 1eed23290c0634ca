/*
 * The AVL tree that orders records by time: records stay in it until nothing older can come. The
 * key is (time, position), so records with equal times keep their order in the file.
 *
 * A recording consists of a few ascending streams, written alternately. Records that lie one behind
 * the other in a block and ascend in time are one span. Spans that follow each other in time are
 * one sequence, whatever lies between them in the file. Each sequence is one node of the tree, and
 * its first record is the key. So the tree is searched only where one stream ends and another
 * begins.
 */
#ifndef READPERF_PERFFILE_ORDER_RECORDS_H
#define READPERF_PERFFILE_ORDER_RECORDS_H

#include "util/cursor.h"
#include "util/origperf.h"
#include "util/tree.h"

/*
 * A span of records in the tree, or what is left of it: one record, or samples, of which each may
 * have FINISHED_ROUND records behind it.
 */
struct waiting_span {
	uint64_t time; /* ns, of its first record */
	uint64_t nr;   /* position of that record; positions in the tree differ by less than 2^31 */
	const uint8_t *data; /* the raw records; the caller of records_insert() holds their block */
	uint32_t count;      /* records */
	uint32_t next; /* the next one in its sequence, or in the list of free ones; SPAN_NONE: it
	                  is the last */
};

#define SPAN_NONE 0u /* the first span of the pool means "no span" */

/* Moves behind the first record and the FINISHED_ROUND records after it; the time stays as it is.
 */
static inline void span_pass_first(struct waiting_span *span, bool swap)
{
	do {
		span->data += load_u16(span->data + 6, swap);
		span->nr++;
		span->count--;
	} while (span->count && load_u32(span->data, swap) == PERF_RECORD_FINISHED_ROUND);
}

/* All zeros is empty. */
struct records {
	struct tree tree; /* of sequences; the value is the first span */
	struct waiting_span *spans;
	size_t spans_used, span_capacity; /* number of those ever used */
	uint32_t free;                    /* the first free span, or SPAN_NONE */
	/* The sequence that the next record may continue. */
	uint32_t open; /* its last span, or SPAN_NONE */
	const uint8_t *open_end;
	uint64_t open_time; /* ns, of its last record */
	size_t count;       /* records */
	size_t span_count;  /* spans in the tree */
};

void records_release(struct records *records);

/*
 * Adds a span of size bytes; last_time is the time of its last record. *started says whether a new
 * span was made of it, or it was joined to an earlier one: its block must be held until that span
 * is used up. False with err set when memory is refused.
 */
bool records_insert(struct records *records, const struct waiting_span *added, size_t size,
                    uint64_t last_time, bool *started, struct err *err);

/*
 * The span with the oldest record, or NULL. Call records_advance() before any other function here.
 */
static inline const struct waiting_span *records_first(const struct records *records)
{
	/* an empty tree has no nodes */
	return records->count ? &records->spans[records->tree.nodes[records->tree.first].value]
	                      : NULL;
}

/*
 * Leaves only `rest` of that span: a copy of it from which the first records were removed. If it
 * has no records, its block may be released.
 */
void records_advance(struct records *records, const struct waiting_span *rest);

#endif
