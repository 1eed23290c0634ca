/*
 * Puts the nodes of a tree in depth-first order: each node is followed by what is below it. A node
 * has a higher number than its parent. No list of children is needed, because the place of a node
 * follows from the sizes of the subtrees before it.
 */
#ifndef READPERF_UTIL_DEPTHFIRST_H
#define READPERF_UTIL_DEPTHFIRST_H

#include "util/errhandler.h"

/* Both by number + 1; the outermost nodes have parent 0. */
struct depth_first {
	uint32_t *sizes; /* the number of nodes below the node, and the node itself */
	uint32_t *next;  /* the place of its next child */
};

/* For nodes with numbers below count. False with err set; release it in any case. */
bool depth_first_init(struct depth_first *order, size_t count, struct err *err);
void depth_first_release(struct depth_first *order);

/* Adds a node, after all of its children. parent: its number + 1, or 0. */
static inline void depth_first_add(struct depth_first *order, uint32_t node, uint32_t parent)
{
	order->sizes[node + 1]++;
	order->sizes[parent] += order->sizes[node + 1];
}

/*
 * After that: the place of a node, counted from 0. Called once for each node, for its parent
 * before, and for siblings in the order that they are to have.
 */
static inline uint32_t depth_first_place(struct depth_first *order, uint32_t node, uint32_t parent)
{
	const uint32_t place = order->next[parent];

	order->next[node + 1] = place + 1;
	order->next[parent] += order->sizes[node + 1];
	return place;
}

#endif
