/* A mapping, and the pool of memory for the nodes of all address spaces. */
#ifndef READPERF_DECODE_MACHINE_SPACEPOOL_H
#define READPERF_DECODE_MACHINE_SPACEPOOL_H

#include <stddef.h>
#include <stdint.h>

struct space_map {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;      /* of start in the binary's address space (struct binary) */
	uint32_t binary;
};

/* Memory for the nodes of many spaces. All zeros is valid and empty. */
struct space_pool {
	uint8_t **pieces; /* memory of nodes; nodes have numbers, which take half the size of a
	                     pointer */
	size_t piece_count, piece_capacity;
	size_t used;      /* bytes of the newest piece */
	uint32_t free[2]; /* by kind: number of the first free node; 0: none */
	uint32_t *known;  /* numbers of nodes that a new one may be equal to, found by content; 0:
	                     none */
};

/* Call it after the last space has been released. */
void space_pool_release(struct space_pool *pool);
/* Bytes of nodes held, for -v. */
size_t space_pool_size(const struct space_pool *pool);

#endif
