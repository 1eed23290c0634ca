#include "decode/exports/labeltree.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct tree_maker {
	struct label_tree *tree;
	const struct label_request *request;
	uint32_t *labels;   /* by node of the call tree: its label; STRING_NONE: not written yet */
	struct map node_of; /* parent + 1 << 32 | label -> node */
	struct map moved;   /* node of the process + 1 << 32 | node of the call tree -> node */
	char *text;         /* room for one label */
	size_t text_size;
	struct err *err;
};

void label_tree_release(struct label_tree *tree)
{
	strings_release(&tree->labels);
	free(tree->nodes);
	free(tree->order);
	memset(tree, 0, sizeof(*tree));
}

/* The label of a function or process, or STRING_NONE with err set. */
static uint32_t write_label(struct tree_maker *maker, label_writer *writer,
                            const struct call_node *node)
{
	const struct strings *strings = maker->request->stat->strings;
	size_t size = (size_t)strings->entries[node->name].length +
	              strings->entries[node->binary].length;

	size = size * LABEL_ROOM_PER_BYTE + LABEL_ROOM;
	if (size > maker->text_size) {
		char *text = realloc(maker->text, size);

		if (!text) {
			err_nomem(maker->err, size);
			return STRING_NONE;
		}
		maker->text = text;
		maker->text_size = size;
	}
	writer(maker->text, node, strings);
	return strings_put_text(&maker->tree->labels, maker->text, maker->err);
}

/* The child of parent with that label, added if it is new. LABEL_NODE_NONE with err set. */
static uint32_t put_label(struct tree_maker *maker, uint32_t parent, uint32_t label)
{
	struct label_tree *tree = maker->tree;
	uint64_t key = (uint64_t)(uint32_t)(parent + 1) << 32 | label;
	uint32_t number = map_get(&maker->node_of, key);
	struct label_node *nodes;

	if (number != MAP_NONE)
		return number;
	nodes = vec_grow(tree->nodes, tree->count, &tree->capacity, sizeof(*nodes), maker->err);
	if (!nodes)
		return LABEL_NODE_NONE;
	tree->nodes = nodes;
	number = (uint32_t)tree->count;
	if (!map_put(&maker->node_of, key, number, maker->err))
		return LABEL_NODE_NONE;
	nodes[number] = (struct label_node){ .parent = parent,
		                             .label = label,
		                             .depth = parent == LABEL_NODE_NONE
		                                              ? 0
		                                              : nodes[parent].depth + 1 };
	tree->count++;
	return number;
}

static uint32_t put_process(struct tree_maker *maker, uint32_t group)
{
	const struct stackstat *stacks = maker->request->stat->stacks;
	struct call_node node = { .binary = STRING_EMPTY };
	uint32_t label;

	node.name = group < stacks->group_count ? stacks->groups[group].comm : STRING_EMPTY;
	label = write_label(maker, maker->request->process, &node);
	return label == STRING_NONE ? LABEL_NODE_NONE : put_label(maker, LABEL_NODE_NONE, label);
}

/* The node of one of the call tree, whose parent's node is known. */
static uint32_t put_call(struct tree_maker *maker, uint32_t parent, uint32_t number)
{
	uint32_t *label = &maker->labels[number];

	if (*label == STRING_NONE)
		*label = write_label(maker, maker->request->function,
		                     &maker->request->calls->nodes[number]);
	return *label == STRING_NONE ? LABEL_NODE_NONE : put_label(maker, parent, *label);
}

/* The node of a stack of a process (LABEL_NODE_NONE: processes are not told apart). */
static uint32_t put_stack(struct tree_maker *maker, uint32_t process, uint32_t number,
                          uint32_t *path)
{
	const struct call_node *calls = maker->request->calls->nodes;
	uint64_t start = (uint64_t)(uint32_t)(process + 1) << 32;
	uint32_t node = process;
	size_t count = 0;

	for (; number != CALL_NODE_NONE; number = calls[number].parent) {
		uint32_t known = map_get(&maker->moved, start | number);

		if (known != MAP_NONE) {
			node = known;
			break;
		}
		path[count++] = number;
	}
	while (count) {
		number = path[--count];
		node = put_call(maker, node, number);
		if (node == LABEL_NODE_NONE ||
		    !map_put(&maker->moved, start | number, node, maker->err))
			return LABEL_NODE_NONE;
	}
	return node;
}

static bool put_cells(struct tree_maker *maker, uint32_t *path)
{
	const struct label_request *request = maker->request;
	const struct cells *cells = &request->stat->stacks->cells;

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		const struct cell_kind *kind = &cells->kinds[cell->kind];
		uint32_t process = LABEL_NODE_NONE, node;

		if (call_tree_event(request->calls, kind->event) != request->event)
			continue;
		if (request->process)
			process = put_process(maker, kind->group);
		if (maker->err->code != ERR_NONE)
			return false;
		node = put_stack(maker, process, request->calls->node_of_stack[cell->key], path);
		if (maker->err->code != ERR_NONE)
			return false;
		if (node == LABEL_NODE_NONE)
			continue;
		maker->tree->nodes[node].samples += cell->samples;
		maker->tree->nodes[node].period += cell->period;
	}
	return true;
}

/* A node among its siblings. */
struct sibling {
	const char *label;
	uint32_t parent, node; /* parent: 0 for the outermost, else one more than its number */
};

static int compare_siblings(const void *first, const void *second)
{
	const struct sibling *a = first, *b = second;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return strcmp(a->label, b->label);
}

/* first, next: by node, its first child and its next sibling; first_root: of the outermost. */
static void put_in_order(struct label_tree *tree, const uint32_t *first, const uint32_t *next,
                         uint32_t first_root)
{
	uint32_t node = first_root;

	for (size_t i = 0; i < tree->count; i++) {
		tree->order[i] = node;
		if (first[node] != LABEL_NODE_NONE) {
			node = first[node];
			continue;
		}
		while (node != LABEL_NODE_NONE && next[node] == LABEL_NODE_NONE)
			node = tree->nodes[node].parent;
		if (node != LABEL_NODE_NONE)
			node = next[node];
	}
}

static bool order_nodes(struct label_tree *tree, struct err *err)
{
	const size_t count = tree->count + 1;
	struct sibling *siblings = malloc(count * sizeof(*siblings));
	uint32_t *first = malloc(count * sizeof(*first)), *next = malloc(count * sizeof(*next));
	uint32_t first_root = LABEL_NODE_NONE;
	bool ok;

	tree->order = malloc(count * sizeof(*tree->order));
	ok = (siblings && first && next && tree->order) ||
	     err_nomem(err, count * sizeof(*siblings));
	for (size_t i = 0; ok && i < tree->count; i++) {
		const struct label_node *node = &tree->nodes[i];

		siblings[i] = (struct sibling){ strings_get(&tree->labels, node->label),
			                        node->parent + 1, (uint32_t)i };
		first[i] = LABEL_NODE_NONE;
	}
	if (ok)
		qsort(siblings, tree->count, sizeof(*siblings), compare_siblings);
	/* from the last on, so that the lists are in order */
	for (size_t i = tree->count; ok && i-- > 0;) {
		uint32_t *list = siblings[i].parent ? &first[siblings[i].parent - 1] : &first_root;

		next[siblings[i].node] = *list;
		*list = siblings[i].node;
	}
	if (ok)
		put_in_order(tree, first, next, first_root);
	free(siblings);
	free(first);
	free(next);
	return ok;
}

bool label_tree_make(struct label_tree *tree, const struct label_request *request, struct err *err)
{
	struct tree_maker maker = { .tree = tree, .request = request, .err = err };
	const struct call_tree *calls = request->calls;
	uint32_t *path = malloc((calls->count + 1) * sizeof(*path));
	bool ok;

	memset(tree, 0, sizeof(*tree));
	map_init(&maker.node_of);
	map_init(&maker.moved);
	maker.labels = malloc((calls->count + 1) * sizeof(*maker.labels));
	ok = (path && maker.labels) || err_nomem(err, calls->count * sizeof(*path));
	for (size_t i = 0; ok && i < calls->count; i++)
		maker.labels[i] = STRING_NONE;
	ok = ok && strings_init(&tree->labels, err) &&
	     (!request->stat->stacks || put_cells(&maker, path)) && order_nodes(tree, err);
	map_release(&maker.node_of);
	map_release(&maker.moved);
	free(maker.labels);
	free(maker.text);
	free(path);
	return ok;
}
