/*
 * The nodes of address spaces, and where they come from: space.h's own.
 */
#ifndef READPERF_DECODE_SPACENODE_H
#define READPERF_DECODE_SPACENODE_H

#include "decode/space.h"

#define NODE_ALIGN 64 /* bytes; a cache line */
#define NO_START UINT64_MAX /* nothing is mapped there: a mapping ends at 2^64 - 1 at most */

/*
 * A node of the lowest level holds mappings, all others nodes of the level below. Its starts are
 * those of its mappings, or of the first mapping below each of its children; behind the last one
 * they are NO_START. No node is empty.
 */
#define SPACE_PLACES 8 /* for mappings: their starts fill a cache line */
#define SPACE_BELOW 7  /* other nodes: they, and what the node says of itself, fill the next one */

/* A mapping, but for its start. There are many: no byte between two of them is lost. */
struct __attribute__((packed, aligned(4))) space_entry {
	uint64_t end, pgoff;
	uint32_t binary;
};

struct space_node {
	_Alignas(NODE_ALIGN) uint64_t starts[SPACE_PLACES];
	unsigned users; /* trees, and nodes, that it hangs from */
	unsigned count;
	union {
		struct space_node *next_free;
		struct space_node *below[SPACE_BELOW];
		struct space_entry entries[SPACE_PLACES]; /* at the lowest level alone: others end before */
	};
};

/* Bytes of a node with so many levels, its own counted. */
size_t space_node_size(unsigned levels);
/* An empty node with one user; NULL with err set. */
struct space_node *space_node_new(struct space_pool *pool, unsigned levels, struct err *err);
/* Gives a node back, whoever uses it. */
void space_node_free(struct space_pool *pool, struct space_node *node, unsigned levels);
/* One user less of a node with so many levels, its own counted. */
void space_node_put(struct space_pool *pool, struct space_node *node, unsigned levels);

#endif
