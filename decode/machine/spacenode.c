#include "decode/machine/spacenode.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN 8192    /* number of nodes that a new one is compared with */
#define KNOWN_TRIES 4 /* slots in which such a node may be */

void space_pool_release(struct space_pool *pool)
{
	for (size_t i = 0; i < pool->piece_count; i++)
		free(pool->pieces[i]);
	free(pool->pieces);
	free(pool->known);
	memset(pool, 0, sizeof(*pool));
}

size_t space_pool_size(const struct space_pool *pool)
{
	return pool->piece_count * SPACE_PIECE;
}

static size_t node_size(unsigned kind)
{
	return kind == SPACE_LEAF ? sizeof(struct space_node) : offsetof(struct space_node, ends);
}

/*
 * Adds a piece of memory to the pool. Its first unit stays unused, so that no node has the number
 * 0.
 */
static bool add_piece(struct space_pool *pool, struct err *err)
{
	if (!vec_room(&pool->pieces, pool->piece_count, &pool->piece_capacity,
	              sizeof(*pool->pieces), err))
		return false;
	pool->pieces[pool->piece_count] = malloc(SPACE_PIECE);
	if (!pool->pieces[pool->piece_count])
		return err_nomem(err, SPACE_PIECE);
	pool->piece_count++;
	pool->used = SPACE_UNIT;
	return true;
}

/* The number of memory for a new node; 0 with err set. */
static uint32_t new_number(struct space_pool *pool, enum space_kind kind, struct err *err)
{
	const size_t size = node_size(kind);
	uint64_t number;

	if ((!pool->piece_count || SPACE_PIECE - pool->used < size) && !add_piece(pool, err))
		return 0;
	number = ((pool->piece_count - 1) * SPACE_PIECE + pool->used) / SPACE_UNIT;
	if (number > UINT32_MAX) { /* 32 GB of nodes */
		err_nomem(err, size);
		return 0;
	}
	pool->used += size;
	return (uint32_t)number;
}

uint32_t space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err)
{
	uint32_t number = pool->free[kind];
	struct space_node *node;

	if (!number && !(number = new_number(pool, kind, err)))
		return 0;
	node = space_node_at(pool, number);
	if (number == pool->free[kind])
		pool->free[kind] = node->next_free;
	node->users = 1;
	node->kind = (uint16_t)kind;
	space_node_cut(node, 0);
	return number;
}

uint32_t space_node_copy(struct space_pool *pool, const struct space_node *node, struct err *err)
{
	uint32_t number = space_node_new(pool, node->kind, err);
	struct space_node *copy;

	if (!number)
		return 0;
	copy = space_node_at(pool, number);
	memcpy(copy, node, node_size(node->kind));
	copy->users = 1;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_at(pool, node->below[i])->users++;
	return number;
}

void space_node_put(struct space_pool *pool, uint32_t number)
{
	struct space_node *node = space_node_at(pool, number);

	if (--node->users)
		return;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_put(pool, node->below[i]);
	node->next_free = pool->free[node->kind];
	pool->free[node->kind] = number;
}

/* Whether a node is in use and has the same contents as another one. */
static bool is_same_node(const struct space_node *a, const struct space_node *b)
{
	const size_t words = b->count * sizeof(*b->starts);

	return a->users && a->kind == b->kind && a->count == b->count &&
	       !memcmp(a->starts, b->starts, words) &&
	       !memcmp(a->below, b->below, b->count * sizeof(*b->below)) &&
	       (b->kind != SPACE_LEAF ||
	        (!memcmp(a->ends, b->ends, words) && !memcmp(a->pgoffs, b->pgoffs, words)));
}

/* Needs no seed: an attacker who makes hashes collide only prevents nodes from being shared. */
static uint64_t hash_of_node(const struct space_node *node)
{
	const size_t words = node->count * sizeof(*node->starts);
	uint64_t hash = hash_bytes(node->count, (const uint8_t *)node->starts, words);

	hash = hash_bytes(hash, (const uint8_t *)node->below, node->count * sizeof(*node->below));
	return node->kind == SPACE_LEAF ? hash_bytes(hash, (const uint8_t *)node->pgoffs, words)
	                                : hash;
}

uint32_t space_node_share(struct space_pool *pool, uint32_t number)
{
	const struct space_node *node = space_node_at(pool, number);
	uint64_t hash = hash_of_node(node);
	uint32_t *place = NULL;

	/* without memory for this table, no nodes are shared */
	if (!pool->known && !(pool->known = calloc(KNOWN, sizeof(*pool->known))))
		return number;
	for (uint64_t i = 0; i < KNOWN_TRIES; i++) {
		uint32_t *known = &pool->known[(hash + i) % KNOWN];

		/* the node in this slot may have changed since, or have been freed */
		if (*known && is_same_node(space_node_at(pool, *known), node)) {
			space_node_at(pool, *known)->users++;
			space_node_put(pool, number);
			return *known;
		}
		if (!place || (*place && !*known))
			place = known;
	}
	*place = number;
	return number;
}

void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count)
{
	const size_t words = count * sizeof(*node->starts);

	memmove(target->starts + to, node->starts + from, words);
	memmove(target->below + to, node->below + from, count * sizeof(*node->below));
	if (node->kind != SPACE_LEAF)
		return;
	memmove(target->ends + to, node->ends + from, words);
	memmove(target->pgoffs + to, node->pgoffs + from, words);
}

void space_node_open(struct space_node *node, unsigned at)
{
	if (at < node->count) /* most are inserted at the end */
		space_node_move(node, at + 1, node, at, node->count - at);
	node->count++;
}

void space_node_cut(struct space_node *node, unsigned count)
{
	node->count = (uint16_t)count;
	for (unsigned i = count; i < SPACE_PLACES; i++)
		node->starts[i] = NO_START;
}
