#include "decode/naming/calltree.h"

#include "decode/files/origin.h"
#include "util/depthfirst.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* Used in keys of nodes in place of a function's number. */
enum { REMARK_CUT = 1, REMARK_LOST, REMARK_FOLDED };
#define REMARK_KEY(remark) (UINT32_MAX - (uint32_t)(remark))
#define HAS_FRAMES UINT32_MAX
#define AHEAD 8 /* cells */

struct tree_maker {
	struct call_tree *tree;
	const struct buildstat *stat;
	const struct place_names *names;
	struct err *err;
	size_t capacity;    /* of the tree's nodes */
	struct map node_of; /* parent << 32 | function -> node */
	/*
	 * By place: the first one of the functions like its own, or HAS_FRAMES. There are more
	 * places than the cache holds, and stacks have them in no order.
	 */
	uint32_t *alike_of_place;
};

void call_tree_release(struct call_tree *tree)
{
	free(tree->nodes);
	free(tree->own);
	free(tree->total);
	free(tree->has_samples);
	free(tree->node_of_cell);
	memset(tree, 0, sizeof(*tree));
}

/*
 * The child of parent with that key; if there is none, it is added, and *added is what is to be
 * filled in. CALL_NODE_NONE with err set.
 */
static uint32_t put_node(struct tree_maker *maker, uint32_t parent, uint32_t key,
                         struct call_node **added)
{
	struct call_tree *tree = maker->tree;
	uint32_t number = map_number(&maker->node_of, (uint64_t)parent << 32 | key, maker->err);

	*added = NULL;
	if (number != tree->count)
		return number;
	if (!vec_room(&tree->nodes, number, &maker->capacity, sizeof(**added), maker->err))
		return CALL_NODE_NONE;
	*added = &tree->nodes[tree->count++];
	**added = (struct call_node){ .parent = parent,
		                      .depth = parent == CALL_NODE_NONE
		                                       ? 0
		                                       : tree->nodes[parent].depth + 1 };
	return number;
}

static uint32_t put_remark(struct tree_maker *maker, uint32_t parent, int remark)
{
	static const char *const words[] = {
		[REMARK_CUT] = "[cut]", [REMARK_LOST] = "[lost]", [REMARK_FOLDED] = "[folded]"
	};
	uint32_t name = strings_put_text(maker->stat->strings, words[remark], maker->err);
	struct call_node *added;
	uint32_t number;

	if (name == STRING_NONE)
		return CALL_NODE_NONE;
	number = put_node(maker, parent, REMARK_KEY(remark), &added);
	if (added) {
		added->function = CALL_NO_FUNCTION;
		added->name = name;
		added->binary = added->file = STRING_EMPTY;
		added->kind = CALL_REMARK;
		added->origin = ORIGIN_COUNT;
	}
	return number;
}

enum call_kind call_kind_of(const struct buildstat *stat, const struct function_name *function)
{
	const struct binary *binary = &stat->binaries.items[function->binary];
	const enum symbol_origin origin = (enum symbol_origin)function->origin;

	if (origin == ORIGIN_INLINE)
		return CALL_INLINED;
	if (origin == ORIGIN_STATE)
		return CALL_STATE;
	if (symbol_origin_is_reason(origin))
		return CALL_UNNAMED;
	switch (binary->kind) {
	case BINARY_KERNEL:
	case BINARY_MODULE:
	case BINARY_KSYMBOL:
		return CALL_KERNEL;
	case BINARY_JIT:
	case BINARY_JITDUMP:
		return CALL_RUN_TIME;
	default:
		return CALL_USER;
	}
}

/* alike: the first one of the functions like the wanted one. */
static uint32_t put_function(struct tree_maker *maker, uint32_t parent, uint32_t alike)
{
	struct call_node *added;
	uint32_t node = put_node(maker, parent, alike, &added);

	if (added) {
		const struct function_name *function = &maker->names->functions[alike];

		added->function = alike;
		added->name = function->name;
		added->binary = maker->stat->binaries.items[function->binary].name;
		added->file = function->file;
		added->kind = (uint8_t)call_kind_of(maker->stat, function);
		added->origin = function->origin;
	}
	return node;
}

/* The node of the function at a place; with --inline, of several nested ones. */
static uint32_t put_place(struct tree_maker *maker, uint32_t parent, uint32_t number)
{
	const uint32_t alike = maker->alike_of_place[number];
	const struct place_names *names = maker->names;
	uint32_t first, last, node = parent;

	if (alike != HAS_FRAMES)
		return put_function(maker, parent, alike);
	for (last = first = names->places[number].frames; !names->frames[last].outermost;)
		last++;
	for (uint32_t i = last + 1; i-- > first;) {
		node = put_function(maker, node, names->functions[names->frames[i].function].alike);
		if (node == CALL_NODE_NONE)
			break;
	}
	return node;
}

/* The node of a frame of the tree of stacks. */
static uint32_t put_frame(struct tree_maker *maker, uint32_t parent, uint32_t frame)
{
	const struct stackstat *stacks = maker->stat->stacks;

	if (stacks->tree.frames[frame].binary == stacks->tree.folded)
		return put_remark(maker, parent, REMARK_FOLDED);
	if (stacks->places[frame] == PLACE_NONE)
		return parent;
	return put_place(maker, parent, stacks->places[frame]);
}

/* The node with which stacks of that end begin, if there is one. */
static uint32_t put_root(struct tree_maker *maker, enum stack_end end)
{
	static const uint8_t remarks[STACK_ENDS] = {
		[STACK_CUT] = REMARK_CUT,         [STACK_TOO_DEEP] = REMARK_CUT,
		[STACK_NO_RULE] = REMARK_LOST,    [STACK_NO_BINARY] = REMARK_LOST,
		[STACK_OTHER_FILE] = REMARK_LOST, [STACK_NO_MAP] = REMARK_LOST,
	};

	return remarks[end] ? put_remark(maker, CALL_NODE_NONE, remarks[end]) : CALL_NODE_NONE;
}

static bool find_alike(struct tree_maker *maker)
{
	const struct place_names *names = maker->names;
	uint32_t *alike = vec_new(names->place_count, sizeof(*alike), maker->err);

	for (size_t i = 0; alike && i < names->place_count; i++)
		alike[i] = names->places[i].frames == PLACE_NO_FRAMES
		                   ? names->functions[names->places[i].function].alike
		                   : HAS_FRAMES;
	maker->alike_of_place = alike;
	return alike;
}

/* Stacks have functions in no order, so that looking for each would wait for memory. */
static void prefetch_cell(const struct tree_maker *maker, const struct stack_cell *cell,
                          const uint32_t *node_of_callers)
{
	const uint32_t place = stack_cell_place(cell);

	if (place < maker->names->place_count)
		map_prefetch(&maker->node_of, (uint64_t)node_of_callers[cell->callers] << 32 |
		                                      maker->alike_of_place[place]);
}

static bool make_nodes(struct tree_maker *maker)
{
	const struct stackstat *stacks = maker->stat->stacks;
	const struct stack_cells *cells = &stacks->cells;
	/* by node of the tree of stacks */
	uint32_t *node_of_callers = vec_new(stacks->tree.count, sizeof(uint32_t), maker->err);

	maker->tree->node_of_cell = vec_new(cells->count, sizeof(uint32_t), maker->err);
	for (size_t i = 0; maker->err->code == ERR_NONE && i < STACK_ENDS; i++)
		node_of_callers[i] = maker->tree->node_of_end[i] = put_root(maker,
		                                                            (enum stack_end)i);
	for (size_t i = STACK_ENDS; maker->err->code == ERR_NONE && i < stacks->tree.count; i++) {
		const struct stack_node *stack = &stacks->tree.nodes[i];
		uint32_t node = node_of_callers[stack->parent];

		for (uint32_t j = stack->count; j-- > 0;)
			node = put_frame(maker, node, stacks->tree.lists[stack->first + j]);
		node_of_callers[i] = node;
	}
	for (size_t i = 0; maker->err->code == ERR_NONE && i < cells->count; i++) {
		const struct stack_cell *cell = &cells->items[i];

		if (i + AHEAD < cells->count)
			prefetch_cell(maker, cell + AHEAD, node_of_callers);
		maker->tree->node_of_cell[i] = put_place(maker, node_of_callers[cell->callers],
		                                         stack_cell_place(cell));
	}
	free(node_of_callers);
	return maker->err->code == ERR_NONE;
}

/* Adds up what the nodes have of an event, from the innermost outwards. */
static void add_totals(struct call_tree *tree, size_t event)
{
	const struct call_count *own = &tree->own[event * tree->count];
	struct call_count *totals = &tree->total[event * tree->count];

	for (size_t i = tree->count; i-- > 0;) {
		const uint32_t parent = tree->nodes[i].parent;

		call_count_add(&totals[i], &own[i]);
		if (parent != CALL_NODE_NONE)
			call_count_add(&totals[parent], &totals[i]);
	}
}

/*
 * Computes the counts of each node: `own` from the cells, `total` from the innermost nodes
 * outwards.
 */
static bool count_nodes(struct tree_maker *maker)
{
	struct call_tree *tree = maker->tree;
	const struct stackstat *stacks = maker->stat->stacks;
	const size_t events = tree->event_count;

	tree->own = vec_new(tree->count * events, sizeof(*tree->own), maker->err);
	tree->total = vec_new(tree->count * events, sizeof(*tree->total), maker->err);
	tree->has_samples = vec_new(events, sizeof(*tree->has_samples), maker->err);
	if (!tree->own || !tree->total || !tree->has_samples)
		return false;
	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		uint32_t node = tree->node_of_cell[i];
		size_t event = call_event_of(maker->stat->session,
		                             stackstat_group(stacks, cell)->event);

		if (node == CALL_NODE_NONE || !cell->samples)
			continue;
		call_count_add(&tree->own[event * tree->count + node],
		               &(struct call_count){ cell->samples, cell->period });
		tree->has_samples[event] = true;
	}
	for (size_t event = 0; event < events; event++)
		if (tree->has_samples[event])
			add_totals(tree, event);
	return true;
}

bool call_tree_make(struct call_tree *tree, const struct buildstat *stat,
                    const struct place_names *names, struct err *err)
{
	struct tree_maker maker = { tree, stat, names, .err = err };
	bool ok;

	memset(tree, 0, sizeof(*tree));
	if (!stat->stacks)
		return true;
	tree->event_count = stat->session->event_count + 1;
	ok = find_alike(&maker) && make_nodes(&maker);
	free(maker.alike_of_place);
	map_release(&maker.node_of);
	return ok && count_nodes(&maker);
}

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

/* --- by process */

/* Makes the call tree of each process. */
struct process_maker {
	struct process_calls *made;
	const struct buildstat *stat;
	const struct call_tree *calls;
	struct map node_of; /* name of the process << 32 | node of the call tree -> node */
	uint32_t *path;     /* buffer for the nodes of a stack, and the process */
	struct err *err;
};

void process_calls_release(struct process_calls *made)
{
	free(made->nodes);
	free(made->costs);
	memset(made, 0, sizeof(*made));
}

/*
 * The node for a node of the call tree below the process of that name, for CALL_NODE_NONE that of
 * the process. CALL_NODE_NONE with err set.
 */
static uint32_t put_stack(struct process_maker *maker, uint32_t comm, uint32_t number)
{
	const struct call_node process = { .name = comm }, *calls = maker->calls->nodes;
	const uint64_t prefix = (uint64_t)comm << 32;
	struct process_calls *made = maker->made;
	size_t count = 0;
	uint32_t node;

	while ((node = map_get(&maker->node_of, prefix | number)) == MAP_NONE) {
		maker->path[count++] = number;
		if (number == CALL_NODE_NONE)
			break;
		number = calls[number].parent;
	}
	while (count) {
		struct call_node copy;

		number = maker->path[--count];
		copy = number == CALL_NODE_NONE ? process : calls[number];
		copy.parent = node;
		node = (uint32_t)made->count;
		if (!map_put(&maker->node_of, prefix | number, node, maker->err) ||
		    !vec_append(&made->nodes, &made->count, &made->capacity, &copy, sizeof(copy),
		                maker->err))
			return CALL_NODE_NONE;
	}
	return node;
}

static bool add_cell(struct process_maker *maker, const struct stack_cell *cell, uint32_t call)
{
	const struct stack_group *group = stackstat_group(maker->stat->stacks, cell);
	const uint32_t event = (uint32_t)call_event_of(maker->stat->session, group->event);

	maker->made->costs[maker->made->cost_count++] = (struct call_cost){
		put_stack(maker, group->comm, call), event, cell->samples, cell->period
	};
	return maker->err->code == ERR_NONE;
}

bool process_calls_make(struct process_calls *made, const struct buildstat *stat,
                        const struct call_tree *calls, struct err *err)
{
	struct process_maker maker = { made, stat, calls, .err = err };
	const struct stack_cells *cells = stat->stacks ? &stat->stacks->cells : NULL;
	bool ok;

	if (!cells || made->costs)
		return true;
	made->costs = vec_new(cells->count, sizeof(*made->costs), err);
	maker.path = vec_new(calls->count + 1, sizeof(*maker.path), err);
	ok = made->costs && maker.path;
	for (size_t i = 0; ok && i < cells->count; i++)
		ok = !cells->items[i].samples ||
		     add_cell(&maker, &cells->items[i], calls->node_of_cell[i]);
	map_release(&maker.node_of);
	free(maker.path);
	return ok;
}
