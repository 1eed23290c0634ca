#include "decode/naming/calltree.h"
#include "util/depthfirst.h"
#include "util/vec.h"

#include <stdlib.h>

bool call_tree_keep_outermost(const struct call_tree *tree, uint32_t *labels, size_t label_count,
                              struct err *err)
{
	const struct depth_first by_number = { .parents = tree->nodes,
		                               .size = sizeof(*tree->nodes),
		                               .count = tree->count };
	size_t listed;
	uint32_t *order = depth_first_order(&by_number, &listed, err);
	uint32_t *sizes = vec_new(tree->count, sizeof(*sizes), err); /* with all that is below */
	/* by label: the place behind all that is below the node found last */
	uint32_t *ends = vec_new(label_count, sizeof(*ends), err);
	bool ok = order && sizes && ends;

	for (size_t i = tree->count; ok && i-- > 0;) {
		sizes[i]++;
		if (tree->nodes[i].parent != CALL_NODE_NONE)
			sizes[tree->nodes[i].parent] += sizes[i];
	}
	for (uint32_t place = 0; ok && place < tree->count; place++) {
		const uint32_t node = order[place], label = labels[node];

		if (label == CALL_NO_LABEL)
			continue;
		if (place < ends[label])
			labels[node] = CALL_NO_LABEL;
		else
			ends[label] = place + sizes[node];
	}
	free(order);
	free(sizes);
	free(ends);
	return ok;
}

struct call_count *call_tree_sum(const struct call_tree *tree, uint32_t *labels, size_t label_count,
                                 struct err *err)
{
	const size_t events = tree->event_count;
	struct call_count *sums = vec_new(label_count * events, sizeof(*sums), err);

	if (!sums || !call_tree_keep_outermost(tree, labels, label_count, err)) {
		free(sums);
		return NULL;
	}
	for (size_t event = 0; event < events; event++)
		for (uint32_t i = 0; tree->has_samples[event] && i < tree->count; i++)
			if (labels[i] != CALL_NO_LABEL)
				call_count_add(&sums[labels[i] * events + event],
				               call_tree_total(tree, i, event));
	return sums;
}
