/* A mapping, and the pool of memory for the nodes of all address spaces. */
#ifndef READPERF_DECODE_MACHINE_SPACEPOOL_H
#define READPERF_DECODE_MACHINE_SPACEPOOL_H

#include "util/arena.h"

struct space_map {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t pgoff;      /* of start in the binary's address space (struct binary) */
	uint32_t binary;
};

struct space_node;

/* Memory for the nodes of many spaces. All zeros is valid and empty. */
struct space_pool {
	struct arena arena;
	struct space_node *free[2]; /* by kind: the first free node, or NULL */
	struct space_node **known;  /* those that a new one may be equal to, found by content */
};

/* Call it after the last space has been released. */
void space_pool_release(struct space_pool *pool);

#endif
