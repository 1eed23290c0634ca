#include "perffile/order/records.h"

#include <stdlib.h>
#include <string.h>

void records_init(struct records *records)
{
	memset(records, 0, sizeof(*records));
	records->free = PIECE_NONE;
}

void records_release(struct records *records)
{
	free(records->tree.nodes);
	free(records->pieces);
	records_init(records);
}

/* The number of a new piece, or PIECE_NONE with err set. */
static uint32_t add_piece(struct records *records, const struct waiting *waiting, struct err *err)
{
	uint32_t number = records->free;
	struct piece *pieces;

	if (number != PIECE_NONE) {
		records->free = records->pieces[number].next;
	} else {
		pieces = vec_grow(records->pieces, records->pieces_used, &records->piece_capacity,
		                  sizeof(*pieces), err);
		if (!pieces)
			return PIECE_NONE;
		records->pieces = pieces;
		number = (uint32_t)records->pieces_used++;
	}
	records->pieces[number] = (struct piece){ waiting->time, waiting->nr, waiting->data,
		                                  waiting->count, PIECE_NONE };
	records->piece_count++;
	return number;
}

static void free_piece(struct records *records, uint32_t number)
{
	records->pieces[number].next = records->free;
	records->free = number;
	records->piece_count--;
}

/* A new piece, of the open chain if that can go on with it. */
static bool start_piece(struct records *records, const struct waiting *waiting, struct err *err)
{
	bool goes_on = records->open != TREE_NIL && waiting->time >= records->open_time;
	uint32_t number = add_piece(records, waiting, err);

	if (number == PIECE_NONE)
		return false;
	if (goes_on) {
		records->pieces[records->open_piece].next = number;
	} else if (tree_insert(&records->tree, waiting->time, (uint32_t)waiting->nr, number, err)) {
		records->open = records->tree.finger;
	} else {
		free_piece(records, number);
		return false;
	}
	records->open_piece = number;
	return true;
}

bool records_insert(struct records *records, const struct waiting *waiting, size_t size,
                    uint64_t last_time, bool *started, struct err *err)
{
	struct piece *piece = records->open != TREE_NIL ? &records->pieces[records->open_piece]
	                                                : NULL;

	*started = !piece || waiting->data != records->open_end ||
	           waiting->time < records->open_time || waiting->nr != piece->nr + piece->count;
	if (!*started)
		piece->count += waiting->count;
	else if (!start_piece(records, waiting, err))
		return false;
	records->open_end = waiting->data + size;
	records->open_time = last_time;
	records->count += waiting->count;
	if (records->count > records->most)
		records->most = records->count;
	return true;
}

/* Chains that take turns are few: so many neighbours are tried before the tree is searched. */
#define NEIGHBOURS 8

/*
 * Gives the first chain its new key. Where one of the next chains is older now, their contents move up
 * and the tree keeps its shape. False if its place is farther away.
 */
static bool move_back(struct records *records, const struct tree_node *moved)
{
	struct tree *tree = &records->tree;
	uint32_t place[NEIGHBOURS + 1];
	bool open = records->open == tree->first;
	size_t steps = 0;

	place[0] = tree->first;
	for (;;) {
		uint32_t next = tree_next(tree, place[steps]);

		if (next == TREE_NIL ||
		    tree_before(moved, tree->nodes[next].key, tree->nodes[next].tie))
			break;
		if (steps == NEIGHBOURS)
			return false;
		place[++steps] = next;
	}
	for (size_t i = 0; i < steps; i++) {
		tree_set(tree, place[i], &tree->nodes[place[i + 1]]);
		if (records->open == place[i + 1])
			records->open = place[i];
	}
	tree_set(tree, place[steps], moved);
	if (open)
		records->open = place[steps];
	return true;
}

/* The first chain starts with that piece now. */
static bool go_on_with(struct records *records, uint32_t number, struct err *err)
{
	const struct piece *piece = &records->pieces[number];
	struct tree *tree = &records->tree;
	struct tree_node moved = { .key = piece->time,
		                   .tie = (uint32_t)piece->nr,
		                   .value = number };
	bool open = records->open == tree->first;

	if (move_back(records, &moved))
		return true;
	tree_take_first(tree);
	/* in the place of the one that was taken out: needs no memory */
	if (!tree_insert(tree, moved.key, moved.tie, moved.value, err))
		return false;
	if (open)
		records->open = tree->finger;
	return true;
}

bool records_advance(struct records *records, uint32_t count, const uint8_t *next, uint64_t time,
                     struct err *err)
{
	struct tree *tree = &records->tree;
	uint32_t number = tree->nodes[tree->first].value, following;
	struct piece *piece = &records->pieces[number];

	records->count -= count;
	piece->count -= count;
	if (piece->count) {
		piece->time = time;
		piece->nr += count;
		piece->data = next;
		return go_on_with(records, number, err);
	}
	following = piece->next;
	free_piece(records, number);
	if (following != PIECE_NONE)
		return go_on_with(records, following, err);
	if (records->open == tree->first)
		records->open = TREE_NIL;
	tree_take_first(tree);
	return true;
}
