/* Puts the nodes of a tree in depth-first order: each node is followed by what is below it. */
#ifndef READPERF_UTIL_DEPTHFIRST_H
#define READPERF_UTIL_DEPTHFIRST_H

#include "util/errhandler.h"

/* All of it is borrowed. A node has a higher number than its parent. */
struct depth_first {
	const void *parents; /* of node 0: the number of its parent; UINT32_MAX: it is outermost */
	size_t size;         /* bytes from there to the parent of the next node */
	size_t count;        /* of nodes */
	const void *context; /* passed to these functions: */
	/* As for qsort(); NULL: siblings are in the order of their numbers. */
	int (*compare)(const void *context, uint32_t node, uint32_t other);
	/* Whether a node is listed; then its parent must be, too. NULL: all are. */
	bool (*is_listed)(const void *context, uint32_t node);
};

/* The nodes in order, malloc'd; *listed: how many. NULL with err set when memory is refused. */
uint32_t *depth_first_order(const struct depth_first *tree, size_t *listed, struct err *err);

#endif
