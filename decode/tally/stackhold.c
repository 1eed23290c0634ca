#include "decode/tally/stackhold.h"

#include "decode/stacks/chainkey.h"
#include "util/vec.h"

#include <string.h>

/* Reads the chain of a record into stacks->chain. */
static bool read_chain(struct stackstat *stacks, const struct record *record, uint32_t process,
                       struct err *err)
{
	struct chain *chain = &stacks->chain;

	stacks->last_nr = UINT64_MAX;
	if (record->type == PERF_RECORD_SAMPLE)
		return chain_read(&stacks->reader, record, stacks->processes->items[process].space,
		                  chain, err);
	chain->count = 0;
	chain->has_cookie = false;
	chain->end = STACK_NONE;
	if (!vec_reserve(&chain->frames, 1, &chain->capacity, sizeof(*chain->frames), err))
		return false;
	chain->frames[chain->count++] = (struct chain_frame){ .binary = UNKNOWN_BINARY };
	return true;
}

static bool is_kernel(const struct chain_frame *frame)
{
	return frame->mode == MODE_KERNEL;
}

/* How many innermost frames are cut off. */
static size_t frames_off(const struct chain *chain, const struct stack_cut *cut)
{
	size_t count = 0;

	if (cut->alone)
		return 0;
	if (cut->has_place) {
		const uint64_t ip = cut->place - cut->place_returns;

		for (size_t i = 0; i < chain->count && is_kernel(&chain->frames[i]); i++)
			if (chain->frames[i].ip == ip)
				return i;
		return 0;
	}
	while (cut->kernel && count < chain->count && is_kernel(&chain->frames[count]))
		count++;
	if (count == chain->count)
		count = 0;
	return count || !cut->wait ? count : wait_code_frames(cut->wait, chain);
}

static bool put_in_front(struct stackstat *stacks, const struct chain_frame *frame, struct err *err)
{
	struct chain *chain = &stacks->chain;

	if (!vec_reserve(&chain->frames, chain->count + 1, &chain->capacity, sizeof(*chain->frames),
	                 err))
		return false;
	memmove(chain->frames + 1, chain->frames, chain->count * sizeof(*chain->frames));
	chain->frames[0] = *frame;
	chain->count++;
	return true;
}

/* Puts the frame of an address of the kernel in front. */
static bool put_place(struct stackstat *stacks, const struct stack_cut *cut, struct err *err)
{
	const uint64_t ip = cut->place - cut->place_returns;
	const struct space_map *map = mapping_kernel_find(stacks->reader.files.mappings, ip);
	const struct chain_frame frame = {
		.ip = ip,
		.addr = map ? ip - map->start + map->pgoff : ip,
		.binary = map ? map->binary : UNKNOWN_BINARY,
		.mode = MODE_KERNEL,
	};

	return stacks->chain.frames[0].ip == ip || put_in_front(stacks, &frame, err);
}

static void apply_cut(struct chain *chain, const struct stack_cut *cut)
{
	const size_t off = frames_off(chain, cut);

	memmove(chain->frames, chain->frames + off, (chain->count - off) * sizeof(*chain->frames));
	chain->count -= off;
	if (cut->alone) {
		chain->count = 1;
		chain->end = STACK_NONE;
	}
	/* its user part comes when the thread returns to user mode, behind the end of most */
	if (chain->has_cookie) {
		chain->has_cookie = false;
		chain->end = STACK_CUT;
	}
}

/* The number of an own frame with callers. */
static uint32_t put_held(struct stackstat *stacks, const struct held_stack *held, struct err *err)
{
	struct held_stacks *all = &stacks->held;
	const uint64_t key = hash_pair(
		stacks->seed, hash_pair(stacks->seed, held->callers, held->binary), held->addr);
	const uint32_t known = map_get(&all->index, key), number = (uint32_t)all->count;

	if (known != MAP_NONE)
		return known;
	return vec_append(&all->items, &all->count, &all->capacity, held, sizeof(*held), err) &&
	                       map_put(&all->index, key, number, err)
	               ? number
	               : MAP_NONE;
}

uint32_t stackhold_put(struct stackstat *stacks, const struct record *record, uint32_t process,
                       const struct stack_cut *cut, struct err *err)
{
	const struct chain_frame state = { .binary = cut->state };
	struct held_stack held;

	if (!stackstat_limit(stacks, err) || !read_chain(stacks, record, process, err))
		return MAP_NONE;
	apply_cut(&stacks->chain, cut);
	if (cut->has_place && !put_place(stacks, cut, err))
		return MAP_NONE;
	if (cut->has_state && !put_in_front(stacks, &state, err))
		return MAP_NONE;
	held = (struct held_stack){ .addr = stacks->chain.frames[0].addr,
		                    .binary = stacks->chain.frames[0].binary,
		                    .mode = stacks->chain.frames[0].mode };
	held.callers = stack_tree_callers(&stacks->tree, &stacks->chain, err);
	return held.callers == STACK_NODE_NONE ? MAP_NONE : put_held(stacks, &held, err);
}

static uint64_t cut_key(const struct stackstat *stacks, const struct stack_cut *cut)
{
	const uint64_t flags = (uint64_t)cut->kernel << 1 | (uint64_t)cut->alone << 2 |
	                       (uint64_t)cut->has_place << 3 | (uint64_t)cut->place_returns << 4 |
	                       (uint64_t)cut->has_state << 5 | (cut->wait != NULL);

	return hash_pair(stacks->seed, (uint64_t)cut->state << 8 | flags, cut->place);
}

uint64_t stackhold_key(const struct stackstat *stacks, const struct sample *sample,
                       struct space *space, const struct stack_cut *cut)
{
	const uint64_t others = PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK |
	                        PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	struct chain_list list;
	struct chain_keys keys;

	if (cpu_mode_of(sample->misc) != MODE_KERNEL ||
	    (stacks->session->events[sample->event].attr.sample_type & others))
		return 0;
	list = stackstat_list(stacks, sample, space);
	list.addr = sample->ip;
	keys = chain_list_keys(&list, stacks->seed, 0);
	return keys.whole ? hash_pair(stacks->seed, keys.whole, cut_key(stacks, cut)) : 0;
}

uint32_t stackhold_known(const struct stackstat *stacks, uint64_t key)
{
	return key ? map_get(&stacks->held.known, key) : MAP_NONE;
}

#define KNOWN_MOST ((size_t)1 << 19) /* 16 MB; when there are more, all are forgotten */

bool stackhold_keep(struct stackstat *stacks, uint64_t key, uint32_t held, struct err *err)
{
	if (stacks->held.known.count >= KNOWN_MOST)
		map_release(&stacks->held.known);
	return !key || map_put(&stacks->held.known, key, held, err);
}

static bool is_cell_of(const struct stack_cells *cells, uint32_t number,
                       const struct held_stack *stack, uint32_t group)
{
	const struct stack_cell *cell;

	if (number >= cells->count)
		return false;
	cell = &cells->items[number];
	return cell->callers == stack->callers && cell->group == group &&
	       cell->binary == stack->binary && cell->addr == stack->addr;
}

/* The cell of a stack and a group, which is added if it is new; MAP_NONE with err set. */
static uint32_t find_cell(struct stackstat *stacks, const struct held_stack *stack, uint32_t group,
                          struct err *err)
{
	struct stack_cell cell = { .addr = stack->addr,
		                   .binary = stack->binary,
		                   .callers = stack->callers,
		                   .group = group };
	uint32_t number;

	cell.key = stackfold_key(stacks->seed, &cell);
	number = stack_cells_find(&stacks->cells, cell.key);
	return number == MAP_NONE ? stack_cells_add(&stacks->cells, &cell, err) : number;
}

uint32_t stackhold_count(struct stackstat *stacks, uint32_t held, uint32_t group, uint64_t samples,
                         uint64_t period, struct err *err)
{
	const struct held_stack *stack = &stacks->held.items[held];
	uint32_t *recent = &stacks->held.recent[(held * 31 + group) % HELD_CELLS_RECENT];
	uint32_t number = *recent - 1;

	/* when stacks are folded cells get other numbers, which the cell itself tells */
	if (!*recent || !is_cell_of(&stacks->cells, number, stack, group)) {
		number = find_cell(stacks, stack, group, err);
		*recent = number + 1;
	}
	if (number != MAP_NONE)
		stack_cells_count(&stacks->cells, number, samples, period);
	return number;
}
