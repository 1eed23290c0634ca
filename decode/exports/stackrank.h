/* An order of stacks for formats that list them. */
#ifndef READPERF_DECODE_EXPORTS_STACKRANK_H
#define READPERF_DECODE_EXPORTS_STACKRANK_H

#include "decode/stacks/stacktree.h"

/*
 * By node: its place in the tree, depth first, with siblings by address. Unlike the numbers of
 * nodes, it does not depend on the order in which samples were counted, which differs with the
 * number of threads. malloc'd; NULL with err set when memory is refused.
 */
uint32_t *stack_ranks(const struct stack_tree *tree, struct err *err);

#endif
