/*
 * The timestamp-sorted AVL tree: records wait here until nothing older can come. The key is (time,
 * position), so equal times keep file order.
 *
 * A recording is a few ascending streams, written in turn: records that follow each other in a block
 * and in time are one run, and a run is one node. The node's key is that of the run's first record
 * that still waits; what follows it lies behind it in memory. So a record costs an insertion only
 * where one stream ends and another begins.
 */
#ifndef READPERF_PERFFILE_RECORDS_H
#define READPERF_PERFFILE_RECORDS_H

#include "util/tree.h"

/* All of it is for this room. */
struct records {
	struct tree tree;
	uint32_t *left;        /* per node: records of its run that wait */
	size_t left_capacity;
	/* the run that the next record may continue */
	uint32_t open;         /* its node, or TREE_NIL */
	const uint8_t *open_end;
	uint64_t open_time;    /* ns, of its last record */
	uint64_t nr;           /* behind the record inserted last: the high bits that nodes do not keep */
	size_t count, most;    /* records */
};

/* What waits: a run, or what is left of it. */
struct waiting {
	uint64_t time; /* ns, of its first record */
	uint64_t nr;   /* position of that in the recording; those that wait together lie within 2^31 */
	const uint8_t *data; /* the raw records; their block is held by whoever inserts */
	uint32_t count;
};

void records_init(struct records *records);
void records_release(struct records *records);

/*
 * Adds records of size bytes, the last one with last_time. *started tells whether a run begins with
 * them: their block must then be held until that run is used up.
 */
bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    uint64_t last_time, bool *started, struct err *err);

/*
 * The run whose first record comes first in order, if its time is at most bound. It stays until
 * records_advance() is called, which is due before the next call of any other function here.
 */
static inline bool records_first(const struct records *records, uint64_t bound,
                                 struct waiting *waiting)
{
	const struct tree_node *node;

	/* an empty tree has no nodes */
	if (!records->count)
		return false;
	node = &records->tree.nodes[records->tree.first];
	if (node->key > bound)
		return false;
	waiting->time = node->key;
	waiting->data = node->value;
	waiting->count = records->left[records->tree.first];
	/* the difference to the last one inserted is small, of either sign */
	waiting->nr = records->nr + (uint64_t)(int64_t)(int32_t)(node->tie - (uint32_t)records->nr);
	return true;
}

/* The time of the run behind that, or UINT64_MAX. */
static inline uint64_t records_second_time(const struct records *records)
{
	uint32_t second = tree_next(&records->tree, records->tree.first);

	return second == TREE_NIL ? UINT64_MAX : records->tree.nodes[second].key;
}

/*
 * Takes count records out of that run. next and time tell where the record behind them lies and its
 * time in ns; where none is left, they are not used, and the run's block may be given back.
 */
bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err);

#endif
