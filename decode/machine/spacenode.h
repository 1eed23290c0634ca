/* The nodes of address spaces and their memory. Only space.c uses this. */
#ifndef READPERF_DECODE_MACHINE_SPACENODE_H
#define READPERF_DECODE_MACHINE_SPACENODE_H

#include "decode/machine/spacepool.h"
#include "util/errhandler.h"

#define SPACE_PLACES 8 /* of mappings or children in a node */

enum space_kind { SPACE_INNER, SPACE_LEAF };

/*
 * An inner node has nodes of the next level, a leaf has mappings. The starts are those of the
 * mappings, or of the first mapping below each child. No node of a tree is empty.
 */
struct space_node {
	uint32_t users; /* trees and nodes that refer to it */
	uint16_t count;
	uint16_t kind;
	uint64_t starts[SPACE_PLACES];
	union {
		struct space_node *below[SPACE_PLACES]; /* of an inner node, which ends with them */
		struct {
			uint64_t ends[SPACE_PLACES], pgoffs[SPACE_PLACES];
			uint32_t binaries[SPACE_PLACES];
		};
		struct space_node *next_free;
	};
};

/* An empty node with one user; NULL with err set. */
struct space_node *space_node_new(struct space_pool *pool, enum space_kind kind, struct err *err);
/* A copy, whose children get one more user; NULL with err set. */
struct space_node *space_node_copy(struct space_pool *pool, const struct space_node *node,
                                   struct err *err);
/* One user fewer. */
void space_node_put(struct space_pool *pool, struct space_node *node);

/*
 * The node to be used instead of this one, which has one user and will hardly change: an equal node
 * of another space, which gets one more user, or the same one.
 */
struct space_node *space_node_share(struct space_pool *pool, struct space_node *node);

/* The last place of a node whose start is at or before addr; if there is none, the first. */
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
	return (struct space_map){ leaf->starts[at], leaf->ends[at], leaf->pgoffs[at],
		                   leaf->binaries[at] };
}

/*
 * Moves count places from `from` to place `to` of another node of the same kind that has room, or
 * of the same node.
 */
void space_node_move(struct space_node *target, unsigned to, const struct space_node *node,
                     unsigned from, unsigned count);
/* Makes room for one more at a place of a node that is not full. */
void space_node_open(struct space_node *node, unsigned at);

#endif
