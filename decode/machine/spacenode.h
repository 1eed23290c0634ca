/*
 * The nodes of address spaces, and where they come from. Only space.c uses this.
 */
#ifndef READPERF_DECODE_MACHINE_SPACENODE_H
#define READPERF_DECODE_MACHINE_SPACENODE_H

#include "decode/machine/spacepool.h"
#include "util/errhandler.h"

#define NO_START UINT64_MAX /* nothing is mapped there: a mapping ends at 2^64 - 1 at most */
#define SPACE_PIECE ((size_t)64 * 1024) /* bytes of a piece of a pool */
#define SPACE_UNIT sizeof(uint64_t)     /* bytes; the number of a node counts these */
#define SPACE_INNER_PLACES 10
#define SPACE_LEAF_PLACES 8

enum space_kind { SPACE_INNER, SPACE_LEAF };

/* A mapping, but for its start. */
struct __attribute__((packed, aligned(4))) space_entry {
	uint64_t end, pgoff;
	uint32_t binary;
};

/*
 * An inner node holds nodes of the level below, a leaf holds mappings. The starts are those of the
 * mappings, or of the first mapping below each child; behind the last one they are NO_START. No
 * node of a tree is empty.
 */
struct space_node {
	uint32_t users; /* trees, and nodes, that it hangs from */
	uint16_t count;
	uint16_t kind;
	union {
		uint32_t next_free; /* number */
		struct {
			uint64_t starts[SPACE_INNER_PLACES];
			uint32_t below[SPACE_INNER_PLACES]; /* numbers */
		};
		struct {
			uint64_t leaf_starts[SPACE_LEAF_PLACES]; /* where starts is */
			struct space_entry entries[SPACE_LEAF_PLACES];
		};
	};
};

/* The node with that number of a pool. Stays where it is. */
static inline struct space_node *space_node_at(const struct space_pool *pool, uint32_t number)
{
	const size_t units = SPACE_PIECE / SPACE_UNIT;

	return (struct space_node *)(void *)(pool->pieces[number / units] +
	                                     number % units * SPACE_UNIT);
}

/* How many mappings, or children, a node has room for. */
static inline unsigned space_node_places(const struct space_node *node)
{
	return node->kind == SPACE_INNER ? SPACE_INNER_PLACES : SPACE_LEAF_PLACES;
}

/* The number of a node with one user and nothing in it; 0 with err set. */
uint32_t space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err);
/* The same as another, whose children have a user more; 0 with err set. */
uint32_t space_node_copy(struct space_pool *pool, const struct space_node *node, struct err *err);
/* Gives a node back, whoever uses it. */
void space_node_free(struct space_pool *pool, uint32_t number);
/* One user less. */
void space_node_put(struct space_pool *pool, uint32_t number);

/*
 * The number of a node that replaces the one with that number, which has one user and will hardly
 * change: an equal one that other spaces use already, which then has a user more, or itself.
 */
uint32_t space_node_share(struct space_pool *pool, uint32_t number);

/* The last place of a node whose start is at addr or before; if there is none, the first. */
static inline unsigned space_place(const struct space_node *node, uint64_t addr)
{
	const uint64_t *starts = node->starts;
	const unsigned half = node->count / 2u;
	unsigned at = half && starts[half] <= addr ? half : 0;

	while (at + 1u < node->count && starts[at + 1] <= addr)
		at++;
	return at;
}

/* The mapping at that place of a leaf. */
static inline struct space_map space_map_at(const struct space_node *leaf, unsigned at)
{
	const struct space_entry *entry = &leaf->entries[at];

	return (struct space_map){ leaf->leaf_starts[at], entry->end, entry->pgoff, entry->binary };
}

/* Puts the mapping at a place of a leaf, in the place of what is there. */
void space_leaf_set(struct space_node *leaf, unsigned at, const struct space_map *map);
/*
 * Moves count places from `from` on to place `to` of a node of the same kind that has room, or of
 * the same.
 */
void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count);
/* Makes room for one more at a place of a node that is not full. */
void space_node_open(struct space_node *node, unsigned at);
/* There is nothing from that place on any more. */
void space_node_cut(struct space_node *node, unsigned count);

#endif
