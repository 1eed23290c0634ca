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
	uint64_t nr;           /* of the record inserted last: the high bits that nodes do not keep */
	size_t count, most;    /* records */
};

/* What waits. */
struct waiting {
	uint64_t time; /* ns */
	uint64_t nr;   /* position in the recording; those that wait together lie within 2^31 */
	const uint8_t *data; /* the raw record; its block is held by whoever inserts */
};

struct records *records_new(struct err *err);
void records_free(struct records *records);
/* records_insert() of a record that begins a run. */
bool records_start(struct records *records, const struct waiting *waiting, struct err *err);
/* records_next() where another run is older now. */
bool records_turn(struct records *records, const uint8_t *next, uint64_t time, struct err *err);

/*
 * Adds a record of size bytes. *started tells whether a new run begins with it: its block must then
 * be held until its run is used up.
 */
static inline bool records_insert(struct records *records, const struct waiting *waiting,
                                  size_t size, bool *started, struct err *err)
{
	bool goes_on = records->open != TREE_NIL && waiting->data == records->open_end &&
	               waiting->time >= records->open_time && waiting->nr == records->nr + 1;

	records->nr = waiting->nr;
	records->open_end = waiting->data + size;
	records->open_time = waiting->time;
	if (++records->count > records->most)
		records->most = records->count;
	*started = !goes_on;
	if (!goes_on)
		return records_start(records, waiting, err);
	records->left[records->open]++;
	return true;
}

/*
 * The first record in order, if its time is at most bound. It stays until records_next() is called,
 * which is due before the next call of any other function here.
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
	/* the difference to the last one inserted is small, of either sign */
	waiting->nr = records->nr + (uint64_t)(int64_t)(int32_t)(node->tie - (uint32_t)records->nr);
	return true;
}

/* Whether another record of the same run follows the first one in memory. */
static inline bool records_run_goes_on(const struct records *records)
{
	return records->left[records->tree.first] > 1;
}

/*
 * Takes the first record out. With records_run_goes_on(), next and time tell where its successor
 * lies and its time in ns; without, they are not used, and the run's block may be given back.
 */
static inline bool records_next(struct records *records, const uint8_t *next, uint64_t time,
                                struct err *err)
{
	struct tree *tree = &records->tree;
	struct tree_node *node = &tree->nodes[tree->first];
	uint32_t second = node->right != TREE_NIL ? node->right : node->up >> 2;

	/* the second smallest of an AVL tree is a leaf below the smallest, or its parent */
	if (records->left[tree->first] > 1 &&
	    (second == TREE_NIL || !tree_before(&tree->nodes[second], time, node->tie + 1))) {
		records->count--;
		records->left[tree->first]--;
		node->key = time;
		node->tie++;
		node->value = next;
		return true;
	}
	return records_turn(records, next, time, err);
}

size_t records_count(const struct records *records);
size_t records_most(const struct records *records);

#endif
