#include "decode/exports/pagetree.h"

#include "decode/naming/rows.h"
#include "util/depthfirst.h"

#include <stdlib.h>

/* A node as the tree of functions has it, while the nodes are made. */
static void set_node(struct page_node *node, const struct call_node *call)
{
	node->parent = call->parent;
	node->depth = call->depth;
	node->kind = call->kind;
	node->origin = call->origin;
}

static uint32_t put_function(struct page_tree *tree, uint32_t name, uint32_t binary, uint32_t file,
                             struct err *err)
{
	const struct page_function function = { name, binary, file };

	return tuples_put(&tree->functions, &function, err);
}

uint32_t page_tree_function(struct page_tree *tree, uint32_t number, struct err *err)
{
	const struct report *report = tree->report;
	const struct function_name *function =
		&report->names->functions[report->names->functions[number].alike];

	return put_function(tree, function->name,
	                    report->stat->binaries.items[function->binary].name, function->file,
	                    err);
}

uint32_t page_tree_text(struct page_tree *tree, uint32_t string, struct err *err)
{
	return tuples_put(&tree->texts, &string, err);
}

/* The function of a node, looked up once for all nodes that have it. known: by function, + 1. */
static uint32_t function_of_call(struct page_tree *tree, const struct call_node *call,
                                 uint32_t *known, struct err *err)
{
	uint32_t number;

	if (call->function != CALL_NO_FUNCTION && known[call->function])
		return known[call->function] - 1;
	number = put_function(tree, call->name, call->binary, call->file, err);
	if (call->function != CALL_NO_FUNCTION)
		known[call->function] = number + 1;
	return number;
}

/* The nodes, numbered as those of samples, and their functions, in any order. */
static bool make_nodes(struct page_tree *tree, const struct page_samples *samples, struct err *err)
{
	const struct report *report = tree->report;
	const struct call_tree *calls = report->calls;
	uint32_t *known = vec_new(report->names->function_count, sizeof(*known), err);

	tree->node_count = calls->count + samples->singles.count;
	tree->nodes = known ? vec_new(tree->node_count, sizeof(*tree->nodes), err) : NULL;
	for (size_t i = 0; tree->nodes && i < calls->count; i++) {
		const struct call_node *call = &calls->nodes[i];

		set_node(&tree->nodes[i], call);
		tree->nodes[i].function = function_of_call(tree, call, known, err);
	}
	for (size_t i = 0; tree->nodes && i < samples->singles.count; i++) {
		const uint32_t number = *(const uint32_t *)tuples_get(&samples->singles, i);
		const struct function_name *function = &report->names->functions[number];
		const struct call_node single = {
			.parent = CALL_NODE_NONE,
			.kind = (uint8_t)call_kind_of(report->stat, function),
			.origin = function->origin,
		};

		set_node(&tree->nodes[calls->count + i], &single);
		tree->nodes[calls->count + i].function = page_tree_function(tree, number, err);
	}
	free(known);
	return err->code == ERR_NONE;
}

static void mark_used(struct page_tree *tree, const struct page_samples *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		uint32_t node = samples->nodes[i];

		for (; node != CALL_NODE_NONE && !tree->nodes[node].used;
		     node = tree->nodes[node].parent)
			tree->nodes[node].used = true;
	}
}

static int compare_siblings(const void *context, uint32_t a, uint32_t b)
{
	const struct page_tree *tree = context;
	const struct strings *strings = tree->strings;
	const struct page_function *x = page_function_at(tree, tree->nodes[a].function);
	const struct page_function *y = page_function_at(tree, tree->nodes[b].function);
	int order = rows_compare_texts(strings, x->name, y->name);

	if (!order)
		order = rows_compare_texts(strings, x->binary, y->binary);
	if (!order)
		order = rows_compare_texts(strings, x->file, y->file);
	if (!order)
		order = tree->nodes[a].kind - tree->nodes[b].kind;
	/* a function that is also the outermost of stacks is there twice */
	return order ? order : (a > b) - (a < b);
}

static bool is_used(const void *context, uint32_t node)
{
	return ((const struct page_tree *)context)->nodes[node].used;
}

/* Numbers the functions anew, in the order of the nodes. */
static bool order_functions(struct page_tree *tree, struct err *err)
{
	struct tuples unordered = tree->functions;

	tuples_init(&tree->functions, sizeof(struct page_function));
	for (size_t i = 0; i < tree->count; i++) {
		struct page_node *node = &tree->nodes[tree->order[i]];

		node->function = tuples_put(&tree->functions,
		                            tuples_get(&unordered, node->function), err);
	}
	tuples_release(&unordered);
	return err->code == ERR_NONE;
}

bool page_tree_order(struct page_tree *tree, struct err *err)
{
	const struct depth_first by_name = { .parents = tree->nodes,
		                             .size = sizeof(*tree->nodes),
		                             .count = tree->node_count,
		                             .context = tree,
		                             .compare = compare_siblings,
		                             .is_listed = is_used };

	tree->order = depth_first_order(&by_name, &tree->count, err);
	tree->number = tree->order ? vec_new(tree->node_count, sizeof(*tree->number), err) : NULL;
	for (size_t i = 0; tree->number && i < tree->count; i++)
		tree->number[tree->order[i]] = (uint32_t)i;
	return tree->number && order_functions(tree, err);
}

void page_tree_init(struct page_tree *tree, const struct report *report,
                    const struct strings *strings)
{
	*tree = (struct page_tree){ .report = report, .strings = strings };
	tuples_init(&tree->functions, sizeof(struct page_function));
	tuples_init(&tree->texts, sizeof(uint32_t));
}

bool page_tree_make(struct page_tree *tree, const struct report *report,
                    const struct page_samples *samples, struct err *err)
{
	page_tree_init(tree, report, report->stat->strings);
	if (!make_nodes(tree, samples, err))
		return false;
	mark_used(tree, samples);
	return page_tree_order(tree, err);
}

void page_tree_release(struct page_tree *tree)
{
	free(tree->nodes);
	free(tree->order);
	free(tree->number);
	tuples_release(&tree->functions);
	tuples_release(&tree->texts);
}
