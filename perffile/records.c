#include "perffile/records.h"

#include <stdlib.h>

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

	/* first the count, so that no node is ever without one: the first two are numbers 0 and 1 */
	while (records->left_capacity < tree->used + 2) {
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

bool records_start(struct records *records, const struct waiting *waiting, struct err *err)
{
	if (!add_run(records, waiting->time, (uint32_t)waiting->nr, waiting->data, 1, err)) {
		records->count--; /* it does not wait */
		return false;
	}
	records->open = records->tree.finger;
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

/* The usual case of move_back(): two runs take turns, and a third one is younger than both. */
static inline bool swap_two(struct records *records, const struct tree_node *moved)
{
	struct tree *tree = &records->tree;
	uint32_t first = tree->first, second = tree_next(tree, first), third, left;

	if (second == TREE_NIL || tree_before(moved, tree->nodes[second].key, tree->nodes[second].tie))
		return false;
	third = tree_next(tree, second);
	if (third != TREE_NIL && !tree_before(moved, tree->nodes[third].key, tree->nodes[third].tie))
		return false;
	tree_set(tree, first, &tree->nodes[second]);
	tree_set(tree, second, moved);
	left = records->left[first];
	records->left[first] = records->left[second];
	records->left[second] = left;
	if (records->open == first)
		records->open = second;
	else if (records->open == second)
		records->open = first;
	return true;
}

bool records_turn(struct records *records, const uint8_t *next, uint64_t time, struct err *err)
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
	if (swap_two(records, &moved) || move_back(records, &moved))
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
