/*
 * The nodes of address spaces, and where they come from: space.h's own.
 */
#ifndef READPERF_DECODE_MACHINE_SPACENODE_H
#define READPERF_DECODE_MACHINE_SPACENODE_H

#include "decode/machine/spacepool.h"

#define NODE_ALIGN 64       /* bytes; a cache line */
#define NO_START UINT64_MAX /* nothing is mapped there: a mapping ends at 2^64 - 1 at most */
#define NO_PAGE UINT16_MAX
#define SPACE_PIECE ((size_t)64 * 1024) /* bytes of a piece of a pool */

#define SPACE_INNER_PLACES 10
#define SPACE_PAGES_PLACES 12
#define SPACE_BYTES_PLACES 8
#define SPACE_PAGE 4096u /* bytes; the smallest of all machines */
#define SPACE_NO_SHAPE UINT16_MAX

enum space_kind {
	SPACE_INNER,
	SPACE_PAGES, /* a leaf whose mappings are near each other, and have shapes: most */
	SPACE_BYTES  /* a leaf with any mappings */
};

/*
 * What a mapping is, wherever it starts. Most start and end at pages and show pages of a file, and many
 * processes have the same: so there are few shapes, and a mapping is two small numbers.
 */
struct space_shape {
	uint16_t length, pgoff; /* pages */
	uint32_t binary;
};

/* A mapping, but for its start. */
struct __attribute__((packed, aligned(4))) space_entry {
	uint64_t end, pgoff;
	uint32_t binary;
};

/*
 * An inner node holds nodes of the level below, a leaf mappings. Its starts are those of its mappings,
 * or of the first mapping below each of its children; behind the last one they are NO_START. No node
 * is empty. A lookup needs two cache lines of an inner node, and one of a leaf of pages, which has no
 * more.
 */
struct space_node {
	_Alignas(NODE_ALIGN) uint32_t users; /* trees, and nodes, that it hangs from */
	uint16_t count;
	uint16_t kind;
	union {
		uint32_t next_free; /* number */
		struct {
			uint64_t starts[SPACE_INNER_PLACES];
			uint32_t below[SPACE_INNER_PLACES]; /* numbers */
		};
		struct {
			uint64_t base; /* pages are counted from here */
			uint16_t
				pages[SPACE_PAGES_PLACES]; /* starts; behind the last one NO_PAGE */
			uint16_t shapes[SPACE_PAGES_PLACES];
		};
		struct {
			uint64_t any_starts[SPACE_BYTES_PLACES];
			struct space_entry entries[SPACE_BYTES_PLACES];
		};
	};
};

/* The node with that number of a pool. Stays where it is. */
static inline struct space_node *space_node_at(const struct space_pool *pool, uint32_t number)
{
	const size_t lines = SPACE_PIECE / NODE_ALIGN;

	return (struct space_node *)(void *)(pool->pieces[number / lines] +
	                                     number % lines * NODE_ALIGN);
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
 * The number of a node for the one with that number, which has one user, and will hardly change: another
 * one that is the same, which then has a user more, or itself.
 */
uint32_t space_node_share(struct space_pool *pool, uint32_t number);

/*
 * The last place of an inner node whose start is at addr or before; if there is none, the first. addr is
 * not NO_START. Neither loop nor branch: compilers leave a loop one, and half of a lookup is this.
 */
static inline unsigned space_place_in(const struct space_node *node, uint64_t addr)
{
	const uint64_t *s = node->starts;
	unsigned at = (s[5] <= addr) * 5u;

	_Static_assert(SPACE_INNER_PLACES == 10, "two groups of five");
	return at + (s[at + 1] <= addr) + (s[at + 2] <= addr) + (s[at + 3] <= addr) +
	       (s[at + 4] <= addr);
}

/* The same in a leaf. */
static inline unsigned space_place_of(const struct space_node *leaf, uint64_t addr)
{
	const uint64_t *s = leaf->any_starts;
	const uint16_t *p = leaf->pages;
	uint64_t page;
	unsigned at;

	_Static_assert(SPACE_PAGES_PLACES == 12, "three groups of four");
	_Static_assert(SPACE_BYTES_PLACES == 8, "two groups of four");
	if (leaf->kind == SPACE_PAGES) {
		page = addr < leaf->base ? 0
		                         : u64_min((addr - leaf->base) / SPACE_PAGE, NO_PAGE - 1);
		at = (p[4] <= page) * 4u + (p[8] <= page) * 4u;
		return at + (p[at + 1] <= page) + (p[at + 2] <= page) + (p[at + 3] <= page);
	}
	at = (s[4] <= addr) * 4u;
	return at + (s[at + 1] <= addr) + (s[at + 2] <= addr) + (s[at + 3] <= addr);
}

/* The same in any node. */
static inline unsigned space_place(const struct space_node *node, uint64_t addr)
{
	return node->kind == SPACE_INNER ? space_place_in(node, addr) : space_place_of(node, addr);
}

/* Where the mapping, or the first one of the child, starts at that place, which is taken. */
static inline uint64_t space_start(const struct space_node *node, unsigned at)
{
	if (node->kind == SPACE_PAGES)
		return node->base + (uint64_t)node->pages[at] * SPACE_PAGE;
	return node->kind == SPACE_INNER ? node->starts[at] : node->any_starts[at];
}

/* The mapping at that place of a leaf. */
static inline struct space_map space_map_at(const struct space_pool *pool,
                                            const struct space_node *leaf, unsigned at)
{
	struct space_map map;

	if (leaf->kind == SPACE_PAGES) {
		const struct space_shape *shape = &pool->shapes[leaf->shapes[at]];

		map.start = space_start(leaf, at);
		map.end = map.start + (uint64_t)shape->length * SPACE_PAGE;
		map.pgoff = (uint64_t)shape->pgoff * SPACE_PAGE;
		map.binary = shape->binary;
		return map;
	}
	map.start = leaf->any_starts[at];
	map.end = leaf->entries[at].end;
	map.pgoff = leaf->entries[at].pgoff;
	map.binary = leaf->entries[at].binary;
	return map;
}

/* *shape: the number of the mapping's, or SPACE_NO_SHAPE. False with err set. */
bool space_shape_find(struct space_pool *pool, const struct space_map *map, uint16_t *shape,
                      struct err *err);
/* The number of an empty leaf for that mapping and such as are like it; 0 with err set. */
uint32_t space_leaf_for(struct space_pool *pool, const struct space_map *map, uint16_t shape,
                        struct err *err);
/* How many places the leaf has with the mapping in it. */
unsigned space_leaf_places(const struct space_node *leaf, const struct space_map *map,
                           uint16_t shape);
/*
 * Puts the mapping, whose shape that is, at a new place of the leaf with number *link before what is there;
 * or in the place of what is there. The leaf has places for all of them. It may become another one, if
 * need be, and this is given back. False with err set.
 */
bool space_leaf_insert(struct space_pool *pool, uint32_t *link, unsigned at,
                       const struct space_map *map, uint16_t shape, struct err *err);
bool space_leaf_replace(struct space_pool *pool, uint32_t *link, unsigned at,
                        const struct space_map *map, uint16_t shape, struct err *err);
/* Moves all from place `from` on to place `to` of a node of the same kind that has room, or of the same. */
void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count);
/* There is nothing from that place on any more. */
void space_node_cut(struct space_node *node, unsigned count);

#endif
