#include "perffile/records.h"

#include <stdlib.h>
#include <string.h>

void records_init(struct records *records)
{
	memset(records, 0, sizeof(*records));
}

void records_release(struct records *records)
{
	free(records->tree.nodes);
	free(records->left);
	records_init(records);
}

/* A node for a run that starts with this record. */
static bool add_run(struct records *records, uint64_t time, uint32_t tie, const uint8_t *data,
                    uint32_t left, struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t *counts;

	/*
	 * First the count, so that no node is ever without one: the first two are numbers 0 and 1. A
	 * node that was given back has one, so that taking the place of another needs no memory.
	 */
	while (tree->free == TREE_NIL && records->left_capacity < tree->used + 2) {
		counts = vec_grow(records->left, records->left_capacity, &records->left_capacity,
		                  sizeof(*counts), err);
		if (!counts)
			return false;
		records->left = counts;
	}
	if (!tree_insert(tree, time, tie, data, err))
		return false;
	records->left[tree->finger] = left;
	return true;
}

bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    uint64_t last_time, bool *started, struct err *err)
{
	bool goes_on = records->open != TREE_NIL && waiting->data == records->open_end &&
	               waiting->time >= records->open_time && waiting->nr == records->nr;

	records->nr = waiting->nr + waiting->count;
	records->open_end = waiting->data + size;
	records->open_time = last_time;
	*started = !goes_on;
	if (goes_on)
		records->left[records->open] += waiting->count;
	else if (!add_run(records, waiting->time, (uint32_t)waiting->nr, waiting->data,
	                  waiting->count, err))
		return false;
	else
		records->open = records->tree.finger;
	records->count += waiting->count;
	if (records->count > records->most)
		records->most = records->count;
	return true;
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
	uint32_t place[NEIGHBOURS + 1];
	uint32_t left = records->left[tree->first];
	bool open = records->open == tree->first;
	size_t steps = 0;

	place[0] = tree->first;
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

bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t first = tree->first, left = records->left[first] -= count;
	struct tree_node moved = tree->nodes[first];
	bool open = records->open == first;

	records->count -= count;
	if (left == 0) {
		if (open)
			records->open = TREE_NIL;
		tree_take_first(tree);
		return true;
	}
	moved.key = time;
	moved.tie += count;
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
