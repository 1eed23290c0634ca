/*
 * The nodes of address spaces, and where they come from: space.h's own.
 */
#ifndef READPERF_DECODE_SPACENODE_H
#define READPERF_DECODE_SPACENODE_H

#include "decode/space.h"

#define NODE_ALIGN 64       /* bytes; a cache line */
#define NO_START UINT64_MAX /* nothing is mapped there: a mapping ends at 2^64 - 1 at most */
#define NO_PAGE UINT16_MAX

/*
 * An inner node holds nodes of the level below, a leaf mappings. Its starts are those of its mappings,
 * or of the first mapping below each of its children; behind the last one they are NO_START. No node
 * is empty.
 */
#define SPACE_PLACES 7   /* of inner nodes, and of leaves with any mappings */
#define SPACE_PAGED 6    /* of leaves of pages */
#define SPACE_PAGE 4096u /* bytes; the smallest of all machines */

enum space_kind {
	SPACE_INNER,
	SPACE_PAGES, /* a leaf whose mappings start and end at pages, show pages, and have small numbers: most */
	SPACE_BYTES /* a leaf with any mappings */
};

/* A mapping, but for its start. */
struct __attribute__((packed, aligned(4))) space_entry {
	uint64_t end, pgoff;
	uint32_t binary;
};

/* A lookup needs two cache lines of an inner node, and one of a leaf of pages, which has no more. */
struct space_node {
	_Alignas(NODE_ALIGN) uint32_t users; /* trees, and nodes, that it hangs from */
	uint16_t count;
	uint16_t kind;
	union {
		struct space_node *next_free;
		struct {
			uint64_t base;               /* pages are counted from here */
			uint16_t pages[SPACE_PAGED]; /* starts; behind the last one NO_PAGE */
			uint16_t lengths[SPACE_PAGED], pgoffs[SPACE_PAGED];
			uint16_t binaries[SPACE_PAGED];
		};
		struct {
			uint64_t starts[SPACE_PLACES];
			union {
				struct space_node *below[SPACE_PLACES];
				struct space_entry entries[SPACE_PLACES];
			};
		};
	};
};

/* A node with one user and nothing in it; NULL with err set. */
struct space_node *space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err);
/* The same as another, whose children have a user more; NULL with err set. */
struct space_node *space_node_copy(struct space_pool *pool, const struct space_node *node,
                                   struct err *err);
/* Gives a node back, whoever uses it. */
void space_node_free(struct space_pool *pool, struct space_node *node);
/* One user less. */
void space_node_put(struct space_pool *pool, struct space_node *node);

/* How many places a node has. */
static inline unsigned space_node_places(const struct space_node *node)
{
	return node->kind == SPACE_PAGES ? SPACE_PAGED : SPACE_PLACES;
}

/* The last place whose start is at addr or before; if there is none, the first. addr is not NO_START. */
static inline unsigned space_place_in(const struct space_node *node, uint64_t addr)
{
	const uint64_t *s = node->starts;

	/* no loop: compilers leave it one, and half of a lookup is this */
	_Static_assert(SPACE_PLACES == 7, "one term for each place but the first");
	return (unsigned)((s[1] <= addr) + (s[2] <= addr) + (s[3] <= addr) + (s[4] <= addr) +
	                  (s[5] <= addr) + (s[6] <= addr));
}

/* The same in any node. */
static inline unsigned space_place(const struct space_node *node, uint64_t addr)
{
	const uint16_t *p = node->pages;
	uint64_t page;

	if (node->kind != SPACE_PAGES)
		return space_place_in(node, addr);
	page = addr < node->base ? 0 : u64_min((addr - node->base) / SPACE_PAGE, NO_PAGE - 1);
	_Static_assert(SPACE_PAGED == 6, "one term for each place but the first");
	return (unsigned)((p[1] <= page) + (p[2] <= page) + (p[3] <= page) + (p[4] <= page) +
	                  (p[5] <= page));
}

/* Where the mapping, or the first one of the child, starts at that place, which is taken. */
static inline uint64_t space_start(const struct space_node *node, unsigned at)
{
	return node->kind == SPACE_PAGES ? node->base + (uint64_t)node->pages[at] * SPACE_PAGE
	                                 : node->starts[at];
}

/* The mapping at that place of a leaf. */
static inline struct space_map space_map_at(const struct space_node *leaf, unsigned at)
{
	struct space_map map;

	if (leaf->kind == SPACE_PAGES) {
		map.start = space_start(leaf, at);
		map.end = map.start + (uint64_t)leaf->lengths[at] * SPACE_PAGE;
		map.pgoff = (uint64_t)leaf->pgoffs[at] * SPACE_PAGE;
		map.binary = leaf->binaries[at];
		return map;
	}
	map.start = leaf->starts[at];
	map.end = leaf->entries[at].end;
	map.pgoff = leaf->entries[at].pgoff;
	map.binary = leaf->entries[at].binary;
	return map;
}

/* A leaf for that mapping and such as are like it; NULL with err set. */
struct space_node *space_leaf_for(struct space_pool *pool, const struct space_map *map,
                                  struct err *err);
/*
 * Makes the leaf at *link one that can hold the mapping, too: another one, if need be, and this is given
 * back. False with err set.
 */
bool space_leaf_admit(struct space_pool *pool, struct space_node **link,
                      const struct space_map *map, struct err *err);
/* Puts the mapping, which it can hold, at a place of a leaf. */
void space_leaf_set(struct space_node *leaf, unsigned at, const struct space_map *map);
/* Moves all from place `from` on to place `to` of a node of the same kind that has room, or of the same. */
void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count);
/* There is nothing from that place on any more. */
void space_node_cut(struct space_node *node, unsigned count);

#endif
