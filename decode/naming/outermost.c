#include "decode/naming/calltree.h"
#include "util/depthfirst.h"

#include <stdlib.h>

bool call_tree_keep_outermost(const struct call_tree *tree, uint32_t *labels, size_t label_count,
                              struct err *err)
{
	uint32_t *order = malloc((tree->count + 1) * sizeof(*order));
	/* by label: the place behind all that is below the node found last */
	uint32_t *ends = calloc(label_count + 1, sizeof(*ends));
	struct depth_first places;
	bool ok = depth_first_init(&places, tree->count, err) &&
	          ((order && ends) || err_nomem(err, (tree->count + label_count) * sizeof(*order)));

	for (size_t i = tree->count; ok && i-- > 0;)
		depth_first_add(&places, (uint32_t)i, tree->nodes[i].parent + 1);
	for (uint32_t i = 0; ok && i < tree->count; i++)
		order[depth_first_place(&places, i, tree->nodes[i].parent + 1)] = i;
	for (uint32_t place = 0; ok && place < tree->count; place++) {
		const uint32_t node = order[place], label = labels[node];

		if (label == CALL_NO_LABEL)
			continue;
		if (place < ends[label])
			labels[node] = CALL_NO_LABEL;
		else
			ends[label] = place + places.sizes[node + 1];
	}
	depth_first_release(&places);
	free(order);
	free(ends);
	return ok;
}
