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

bool page_tree_count(struct page_tree *tree, const struct page_samples *samples, struct err *err)
{
	tree->rows = vec_new(tree->node_count, sizeof(*tree->rows), err);
	for (size_t i = 0; tree->rows && i < samples->count; i++)
		tree->rows[samples->nodes[i]]++;
	return tree->rows;
}

static void mark_used(struct page_tree *tree)
{
	for (size_t i = 0; i < tree->node_count; i++) {
		uint32_t node = tree->rows[i] ? (uint32_t)i : CALL_NODE_NONE;

		for (; node != CALL_NODE_NONE && !tree->nodes[node].used;
		     node = tree->nodes[node].parent)
			tree->nodes[node].used = true;
	}
}

static int compare_functions(const void *context, uint32_t a, uint32_t b)
{
	const struct page_tree *tree = context;
	const struct strings *strings = tree->strings;
	const struct page_function *x = page_function_at(tree, a), *y = page_function_at(tree, b);
	int order = rows_compare_texts(strings, x->name, y->name);

	if (!order)
		order = rows_compare_texts(strings, x->binary, y->binary);
	return order ? order : rows_compare_texts(strings, x->file, y->file);
}

/*
 * By function: its place in the order of names, so that names are compared once for each function
 * and not for each node. malloc'd; NULL with err set.
 */
static uint32_t *rank_functions(const struct page_tree *tree, struct err *err)
{
	const size_t count = tree->functions.count;
	uint32_t *nobody = vec_new(count, sizeof(*nobody), err);
	uint32_t *rank = nobody ? vec_new(count, sizeof(*rank), err) : NULL;
	const struct depth_first functions = { .parents = nobody,
		                               .size = sizeof(*nobody),
		                               .count = count,
		                               .context = tree,
		                               .compare = compare_functions };
	size_t listed;
	uint32_t *order = NULL;

	if (rank) {
		memset(nobody, 0xff, count * sizeof(*nobody)); /* all of them are outermost */
		order = depth_first_order(&functions, &listed, err);
	}
	for (size_t i = 0; order && i < listed; i++)
		rank[order[i]] = (uint32_t)i;
	free(nobody);
	free(order);
	return rank;
}

struct sibling_order {
	const struct page_node *nodes;
	const uint32_t *rank; /* by function */
};

static int compare_siblings(const void *context, uint32_t a, uint32_t b)
{
	const struct sibling_order *by = context;
	const struct page_node *x = &by->nodes[a], *y = &by->nodes[b];
	int order = u64_order(by->rank[x->function], by->rank[y->function]);

	if (!order)
		order = x->kind - y->kind;
	/* a function that is also the outermost of stacks is there twice */
	return order ? order : u64_order(a, b);
}

static bool is_used(const void *context, uint32_t node)
{
	return ((const struct sibling_order *)context)->nodes[node].used;
}

/* Numbers the functions anew, in the order of the nodes. */
static bool order_functions(struct page_tree *tree, struct err *err)
{
	struct tuples unordered = tree->functions;
	/* by number before: the new one + 1; 0: none yet */
	uint32_t *number = vec_new(unordered.count, sizeof(*number), err);

	tuples_init(&tree->functions, sizeof(struct page_function));
	for (size_t i = 0; number && i < tree->count; i++) {
		struct page_node *node = &tree->nodes[tree->order[i]];
		uint32_t *known = &number[node->function];

		if (!*known)
			*known = 1 + tuples_put(&tree->functions,
			                        tuples_get(&unordered, node->function), err);
		node->function = *known - 1;
	}
	free(number);
	tuples_release(&unordered);
	return err->code == ERR_NONE;
}

bool page_tree_order(struct page_tree *tree, struct err *err)
{
	uint32_t *rank = rank_functions(tree, err);
	const struct sibling_order by = { tree->nodes, rank };
	const struct depth_first by_name = { .parents = tree->nodes,
		                             .size = sizeof(*tree->nodes),
		                             .count = tree->node_count,
		                             .context = &by,
		                             .compare = compare_siblings,
		                             .is_listed = is_used };

	tree->order = rank && err->code == ERR_NONE ? depth_first_order(&by_name, &tree->count, err)
	                                            : NULL;
	free(rank);
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
	if (!make_nodes(tree, samples, err) || !page_tree_count(tree, samples, err))
		return false;
	mark_used(tree);
	return page_tree_order(tree, err);
}

void page_tree_release(struct page_tree *tree)
{
	free(tree->nodes);
	free(tree->rows);
	free(tree->order);
	free(tree->number);
	tuples_release(&tree->functions);
	tuples_release(&tree->texts);
}
