/* A mapping, and the pool that the nodes of all address spaces come from. */
#ifndef READPERF_DECODE_MACHINE_SPACEPOOL_H
#define READPERF_DECODE_MACHINE_SPACEPOOL_H

#include <stddef.h>
#include <stdint.h>

struct space_map {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;      /* of start in the binary's address space (struct binary) */
	uint32_t binary;
};

/* Where the nodes of many spaces come from. All zeros: empty. */
struct space_pool {
	uint8_t **pieces; /* memory of nodes: nodes have numbers, which take half of a pointer */
	size_t piece_count, piece_capacity;
	size_t used;      /* bytes of the newest piece */
	uint32_t free[2]; /* by kind: numbers of the nodes that were given back last; 0: none */
	uint32_t *known;  /* numbers of nodes that a new one may be equal to, by content; 0: none */
	uint64_t stamp;   /* of the last change of a space */
};

/* After its last space. */
void space_pool_release(struct space_pool *pool);
/* Bytes of nodes held, for -v. */
size_t space_pool_size(const struct space_pool *pool);

#endif
