#include "perffile/records.h"

#include "util/tree.h"

#include <stdlib.h>

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

struct records *records_new(struct err *err)
{
	struct records *records = calloc(1, sizeof(*records));

	if (!records)
		err_nomem(err, sizeof(*records));
	return records;
}

void records_free(struct records *records)
{
	if (!records)
		return;
	free(records->tree.nodes);
	free(records->left);
	free(records);
}

/* A node for a run that starts with this record. */
static bool add_run(struct records *records, uint64_t time, uint32_t tie, const uint8_t *data,
                    uint32_t left, struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t *counts;

	if (!tree_insert(tree, time, tie, data, err))
		return false;
	while (records->left_capacity < tree->used) {
		counts = vec_grow(records->left, records->left_capacity, &records->left_capacity,
		                  sizeof(*counts), err);
		if (!counts)
			return false;
		records->left = counts;
	}
	records->left[tree->finger] = left;
	return true;
}

bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    bool *started, struct err *err)
{
	bool goes_on = records->open != TREE_NIL && waiting->data == records->open_end &&
	               waiting->time >= records->open_time && waiting->nr == records->nr + 1;

	records->nr = waiting->nr;
	records->open_end = waiting->data + size;
	records->open_time = waiting->time;
	if (++records->count > records->most)
		records->most = records->count;
	*started = !goes_on;
	if (goes_on) {
		records->left[records->open]++;
		return true;
	}
	if (!add_run(records, waiting->time, (uint32_t)waiting->nr, waiting->data, 1, err))
		return false;
	records->open = records->tree.finger;
	return true;
}

bool records_first(const struct records *records, uint64_t bound, struct waiting *waiting)
{
	const struct tree_node *node;

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

bool records_run_goes_on(const struct records *records)
{
	return records->left[records->tree.first] > 1;
}

/* Runs that take turns are few: so many neighbours are tried before the tree is searched. */
#define NEIGHBOURS 8

/*
 * Gives the first run its new key. Where one of the next runs is older now, their contents move up
 * and the tree keeps its shape. False if its place is farther away.
 */
static bool move_back(struct records *records, const struct tree_node *moved)
{
	struct tree *tree = &records->tree;
	uint32_t place[NEIGHBOURS + 1] = { tree->first };
	uint32_t left = records->left[tree->first];
	bool open = records->open == tree->first;
	size_t steps = 0;

	for (;;) {
		uint32_t next = tree_next(tree, place[steps]);

		if (next == TREE_NIL || tree_before(moved, tree->nodes[next].key, tree->nodes[next].tie))
			break;
		if (steps == NEIGHBOURS)
			return false;
		place[++steps] = next;
	}
	for (size_t i = 0; i < steps; i++) {
		tree_set(tree, place[i], &tree->nodes[place[i + 1]]);
		records->left[place[i]] = records->left[place[i + 1]];
		if (records->open == place[i + 1])
			records->open = place[i];
	}
	tree_set(tree, place[steps], moved);
	records->left[place[steps]] = left;
	if (open)
		records->open = place[steps];
	return true;
}

bool records_next(struct records *records, const uint8_t *next, uint64_t time, struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t first = tree->first, left = --records->left[first];
	struct tree_node moved = tree->nodes[first];
	bool open = records->open == first;

	records->count--;
	if (left == 0) {
		if (open)
			records->open = TREE_NIL;
		tree_take_first(tree);
		return true;
	}
	moved.key = time;
	moved.tie++;
	moved.value = next;
	if (move_back(records, &moved))
		return true;
	tree_take_first(tree);
	if (!add_run(records, time, moved.tie, next, left, err))
		return false;
	if (open)
		records->open = tree->finger;
	return true;
}

size_t records_count(const struct records *records)
{
	return records->count;
}

size_t records_most(const struct records *records)
{
	return records->most;
}
