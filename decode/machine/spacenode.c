#include "decode/machine/spacenode.h"

#include "util/hash.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN 8192    /* number of nodes that a new one is compared with */
#define KNOWN_TRIES 4 /* slots in which such a node may be */

void space_pool_release(struct space_pool *pool)
{
	arena_release(&pool->arena);
	free(pool->known);
	memset(pool, 0, sizeof(*pool));
}

static size_t node_size(unsigned kind)
{
	return kind == SPACE_LEAF ? sizeof(struct space_node)
	                          : offsetof(struct space_node, below[SPACE_PLACES]);
}

struct space_node *space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err)
{
	struct space_node *node = pool->free[kind];

	if (node)
		pool->free[kind] = node->next_free;
	else if (!(node = arena_alloc(&pool->arena, node_size(kind), err)))
		return NULL;
	node->users = 1;
	node->kind = (uint16_t)kind;
	node->count = 0;
	return node;
}

struct space_node *space_node_copy(struct space_pool *pool, const struct space_node *node,
                                   struct err *err)
{
	struct space_node *copy = space_node_new(pool, node->kind, err);

	if (!copy)
		return NULL;
	memcpy(copy, node, node_size(node->kind));
	copy->users = 1;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		node->below[i]->users++;
	return copy;
}

void space_node_put(struct space_pool *pool, struct space_node *node)
{
	if (--node->users)
		return;
	for (size_t i = 0; node->kind == SPACE_INNER && i < node->count; i++)
		space_node_put(pool, node->below[i]);
	node->next_free = pool->free[node->kind];
	pool->free[node->kind] = node;
}

/* Whether a node is in use and has the same contents as another one. */
static bool is_same_node(const struct space_node *a, const struct space_node *b)
{
	const size_t words = b->count * sizeof(*b->starts);

	if (!a->users || a->kind != b->kind || a->count != b->count ||
	    memcmp(a->starts, b->starts, words) != 0)
		return false;
	if (b->kind == SPACE_INNER)
		return !memcmp(a->below, b->below, b->count * sizeof(*b->below));
	return !memcmp(a->ends, b->ends, words) && !memcmp(a->pgoffs, b->pgoffs, words) &&
	       !memcmp(a->binaries, b->binaries, b->count * sizeof(*b->binaries));
}

/* Needs no seed: an attacker who makes hashes collide only prevents nodes from being shared. */
static uint64_t hash_of_node(const struct space_node *node)
{
	const size_t words = node->count * sizeof(*node->starts);
	uint64_t hash = hash_bytes(node->count, node->starts, words);

	if (node->kind == SPACE_INNER)
		return hash_bytes(hash, node->below, node->count * sizeof(*node->below));
	hash = hash_bytes(hash, node->pgoffs, words);
	return hash_bytes(hash, node->binaries, node->count * sizeof(*node->binaries));
}

struct space_node *space_node_share(struct space_pool *pool, struct space_node *node)
{
	uint64_t hash = hash_of_node(node);
	struct space_node **place = NULL;

	/* without memory for this table, no nodes are shared */
	if (!pool->known && !(pool->known = calloc(KNOWN, sizeof(*pool->known))))
		return node;
	for (uint64_t i = 0; i < KNOWN_TRIES; i++) {
		struct space_node **known = &pool->known[(hash + i) % KNOWN];

		/* the node in this slot may have changed since, or have been freed */
		if (*known && is_same_node(*known, node)) {
			(*known)->users++;
			space_node_put(pool, node);
			return *known;
		}
		if (!place || (*place && !*known))
			place = known;
	}
	*place = node;
	return node;
}

void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count)
{
	const size_t words = count * sizeof(*node->starts);

	memmove(target->starts + to, node->starts + from, words);
	if (node->kind == SPACE_INNER) {
		memmove(target->below + to, node->below + from, count * sizeof(*node->below));
		return;
	}
	memmove(target->ends + to, node->ends + from, words);
	memmove(target->pgoffs + to, node->pgoffs + from, words);
	memmove(target->binaries + to, node->binaries + from, count * sizeof(*node->binaries));
}

void space_node_open(struct space_node *node, unsigned at)
{
	if (at < node->count) /* most are inserted at the end */
		space_node_move(node, at + 1, node, at, node->count - at);
	node->count++;
}
