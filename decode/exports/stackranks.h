/* The order of stacks in a file that must not depend on the number of threads. */
#ifndef READPERF_DECODE_EXPORTS_STACKRANKS_H
#define READPERF_DECODE_EXPORTS_STACKRANKS_H

#include "decode/tally/stackstat.h"

/*
 * By node: its place in the tree, depth first, with siblings by their addresses, beginning with the
 * outermost one. Unlike the numbers of nodes, it does not depend on the order in which samples were
 * counted, which differs with the number of threads. malloc'd; NULL with err set when memory is
 * refused.
 */
uint32_t *stack_ranks(const struct stack_tree *tree, struct err *err);

#endif
