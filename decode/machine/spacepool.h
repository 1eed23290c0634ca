/* A mapping, and the pool that the nodes of all address spaces come from. */
#ifndef READPERF_DECODE_MACHINE_SPACEPOOL_H
#define READPERF_DECODE_MACHINE_SPACEPOOL_H

#include "util/hash.h"

struct space_map {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;      /* of start in the binary's address space (struct binary) */
	uint32_t binary;
};

struct space_node;
struct space_shape;
struct space_chunk;

/* Where the nodes of many spaces come from. All zeros: empty. */
struct space_pool {
	struct space_chunk *chunks; /* newest first */
	uint8_t **pieces; /* of the chunks: nodes have numbers, which take half of a pointer */
	size_t piece_count, piece_capacity;
	uint32_t free[3]; /* numbers of nodes given back, by their kind; 0: none */
	struct space_shape *shapes;
	size_t shape_count, shape_capacity;
	struct map shape_of; /* what a shape is -> its number */
	uint32_t *known; /* numbers of nodes that others may be like, by their content; 0: none */
	size_t size;     /* bytes of nodes held, for -v */
	uint64_t stamp;  /* of the last change of a space */
};

/* After its last space. */
void space_pool_release(struct space_pool *pool);

#endif
