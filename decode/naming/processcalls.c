#include "decode/naming/processcalls.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct process_maker {
	struct process_calls *made;
	const struct buildstat *stat;
	const struct call_tree *calls;
	struct map node_of; /* process << 32 | node of the call tree -> node; see put_process() */
	uint32_t *path;     /* buffer for the nodes of a stack */
	struct err *err;
};

void process_calls_release(struct process_calls *made)
{
	free(made->nodes);
	free(made->costs);
	memset(made, 0, sizeof(*made));
}

/* The node with this key, which is added if it is new. CALL_NODE_NONE with err set. */
static uint32_t put_node(struct process_maker *maker, uint64_t key, uint32_t parent,
                         const struct call_node *node)
{
	struct process_calls *made = maker->made;
	uint32_t number = map_number(&maker->node_of, key, maker->err);

	if (number != made->count)
		return number;
	if (!vec_room(&made->nodes, made->count, &made->capacity, sizeof(*node), maker->err))
		return CALL_NODE_NONE;
	made->nodes[made->count] = *node;
	made->nodes[made->count++].parent = parent;
	return number;
}

static uint32_t put_process(struct process_maker *maker, uint32_t comm)
{
	const struct call_node process = { .name = comm };

	return put_node(maker, (uint64_t)CALL_NODE_NONE << 32 | comm, CALL_NODE_NONE, &process);
}

/* The node for a node of the call tree below a process. CALL_NODE_NONE with err set. */
static uint32_t put_stack(struct process_maker *maker, uint32_t process, uint32_t number)
{
	const struct call_node *calls = maker->calls->nodes;
	uint32_t node = process, known;
	size_t count = 0;

	for (; number != CALL_NODE_NONE; number = calls[number].parent) {
		known = map_get(&maker->node_of, (uint64_t)process << 32 | number);
		if (known != MAP_NONE) {
			node = known;
			break;
		}
		maker->path[count++] = number;
	}
	while (count && node != CALL_NODE_NONE) {
		number = maker->path[--count];
		node = put_node(maker, (uint64_t)process << 32 | number, node, &calls[number]);
	}
	return node;
}

static bool add_cell(struct process_maker *maker, const struct stack_cell *cell, uint32_t call)
{
	const struct stack_group *group = stackstat_group(maker->stat->stacks, cell);
	const uint32_t process = put_process(maker, group->comm);
	const uint32_t event = (uint32_t)call_event_of(maker->stat->session, group->event);

	if (process == CALL_NODE_NONE)
		return false;
	maker->made->costs[maker->made->cost_count++] = (struct call_cost){
		put_stack(maker, process, call), event, cell->samples, cell->period
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
	maker.path = vec_new(calls->count, sizeof(*maker.path), err);
	ok = made->costs && maker.path;
	for (size_t i = 0; ok && i < cells->count; i++)
		ok = !cells->items[i].samples ||
		     add_cell(&maker, &cells->items[i], calls->node_of_cell[i]);
	map_release(&maker.node_of);
	free(maker.path);
	return ok;
}
