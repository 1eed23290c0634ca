#include "decode/naming/calltree.h"

#include <stdlib.h>

bool call_walk_start(struct call_walk *walk, const struct call_tree *tree)
{
	const size_t size = (tree->count + 1) * sizeof(*walk->first);

	*walk = (struct call_walk){ .tree = tree,
		                    .first = malloc(size),
		                    .next = malloc(size),
		                    .first_root = CALL_NODE_NONE,
		                    .node = CALL_NODE_NONE };
	if (!walk->first || !walk->next) {
		call_walk_end(walk);
		return false;
	}
	for (size_t i = 0; i < tree->count; i++)
		walk->first[i] = CALL_NODE_NONE;
	/* backwards, so that the lists are in the order of numbers */
	for (size_t i = tree->count; i-- > 0;) {
		uint32_t parent = tree->nodes[i].parent;
		uint32_t *list = parent == CALL_NODE_NONE ? &walk->first_root
		                                          : &walk->first[parent];

		walk->next[i] = *list;
		*list = (uint32_t)i;
	}
	return true;
}

bool call_walk_next(struct call_walk *walk)
{
	uint32_t next;

	if (walk->node == CALL_NODE_NONE) {
		next = walk->first_root;
	} else if (walk->entered) {
		next = walk->first[walk->node];
		if (next == CALL_NODE_NONE) {
			walk->entered = false;
			return true;
		}
	} else {
		next = walk->next[walk->node];
		if (next == CALL_NODE_NONE) {
			walk->node = walk->tree->nodes[walk->node].parent;
			return walk->node != CALL_NODE_NONE;
		}
	}
	walk->node = next;
	walk->entered = true;
	return next != CALL_NODE_NONE;
}

void call_walk_end(struct call_walk *walk)
{
	free(walk->first);
	free(walk->next);
	walk->first = walk->next = NULL;
}
