#define _GNU_SOURCE /* qsort_r() */
#include "decode/compare/renamed.h"

#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define COMM_MOST 15u /* bytes of a process's name, which the kernel cuts off */
/*
 * A function that is in so many pairs of binaries (main, _start) tells little about any of them,
 * and would make the search quadratic.
 */
#define PAIRS_MOST 4096u

/* What a function of a binary costs on a side, in shares of the runs' events. */
struct function_cost {
	uint32_t binary, function;
	enum compare_side side;
	double cost;
};

/* A binary of either side. */
struct binary_cost {
	double cost[SIDE_COUNT];
	bool paired;
};

struct binary_pair {
	uint32_t base, now; /* strings */
	double common;
};

struct search {
	struct strings *strings;
	struct function_cost *costs;
	size_t cost_count, cost_capacity;
	struct map cost_of[SIDE_COUNT]; /* function << 32 | binary -> number */
	struct binary_cost *binaries;   /* by number */
	size_t binary_count, binary_capacity;
	struct map binary_of; /* string -> number */
	struct binary_pair *pairs;
	size_t pair_count, pair_capacity;
	struct map pair_of; /* base << 32 | now -> number */
	struct err *err;
};

void renamed_release(struct renamed *renamed)
{
	free(renamed->items);
	map_release(&renamed->base_of);
	memset(renamed, 0, sizeof(*renamed));
}

/* The kernel, anonymous memory and the like have the same names on both sides. */
static bool is_file(const struct strings *strings, uint32_t binary)
{
	const char *name = strings_get(strings, binary);

	return *name && *name != '[' && !text_starts(name, "//");
}

/* Whether linkers put a function of this name into every program and library. */
static bool is_everywhere(const char *name)
{
	static const char *const names[] = {
		"_init",
		"_fini",
		"_start",
		"frame_dummy",
		"register_tm_clones",
		"deregister_tm_clones",
		"__do_global_dtors_aux",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static struct binary_cost *find_binary(struct search *search, uint32_t binary)
{
	const uint32_t number = map_number(&search->binary_of, binary, search->err);

	if (number == search->binary_count &&
	    vec_append(&search->binaries, &search->binary_count, &search->binary_capacity,
	               &(struct binary_cost){ .paired = false }, sizeof(struct binary_cost),
	               search->err))
		return &search->binaries[number];
	return number < search->binary_count ? &search->binaries[number] : NULL;
}

static bool add_cost(struct search *search, struct function_cost cost)
{
	const uint64_t key = (uint64_t)cost.function << 32 | cost.binary;
	const uint32_t number = map_get(&search->cost_of[cost.side], key);
	struct binary_cost *binary = find_binary(search, cost.binary);

	if (!binary)
		return false;
	binary->cost[cost.side] += cost.cost;
	if (number != MAP_NONE) {
		search->costs[number].cost += cost.cost;
		return true;
	}
	return map_put(&search->cost_of[cost.side], key, (uint32_t)search->cost_count,
	               search->err) &&
	       vec_append(&search->costs, &search->cost_count, &search->cost_capacity, &cost,
	                  sizeof(cost), search->err);
}

static double period_of_event(const struct compare_run *run, uint32_t event)
{
	double period = 0;

	for (size_t i = 0; i < run->event_count; i++)
		if (run->events[i].name == event)
			period += (double)run->events[i].period;
	return period > 0 ? period : 1;
}

static bool add_run_costs(struct search *search, struct name_matcher *matcher,
                          const struct compare_run *run)
{
	uint32_t event = STRING_NONE;
	double whole = 1;

	for (size_t i = 0; i < run->row_count; i++) {
		const struct run_row *row = &run->rows[i];
		struct function_cost cost = {
			.binary = name_matcher_binary(matcher, row->binary, search->err),
			.function = name_matcher_function(matcher, row->function, search->err),
			.side = run->side
		};

		if (search->err->code)
			return false;
		if (row->event != event) {
			event = row->event;
			whole = period_of_event(run, event);
		}
		cost.cost = (double)row->period / whole;
		/* these names are no evidence, but part of the cost */
		if (row->unnamed || is_everywhere(strings_get(search->strings, cost.function)))
			cost.function = STRING_EMPTY;
		if (is_file(search->strings, cost.binary) && !add_cost(search, cost))
			return false;
	}
	return true;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function_cost *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->binary > y->binary) - (x->binary < y->binary);
}

/* Whether only this side has the binary. */
static bool is_of_one_side(const struct search *search, const struct function_cost *cost)
{
	const struct binary_cost *binary =
		&search->binaries[map_get(&search->binary_of, cost->binary)];

	return !(binary->cost[!cost->side] > 0);
}

static bool add_common(struct search *search, const struct function_cost *base,
                       const struct function_cost *now)
{
	const uint32_t number = map_number(&search->pair_of,
	                                   (uint64_t)base->binary << 32 | now->binary, search->err);

	if (number == MAP_NONE)
		return false;
	if (number == search->pair_count &&
	    !vec_append(&search->pairs, &search->pair_count, &search->pair_capacity,
	                &(struct binary_pair){ base->binary, now->binary, 0 },
	                sizeof(struct binary_pair), search->err))
		return false;
	search->pairs[number].common += base->cost + now->cost;
	return true;
}

/* Adds up what pairs of binaries have in common in one function: costs [first, end). */
static bool add_function(struct search *search, size_t first, size_t end)
{
	struct function_cost *costs = search->costs;
	size_t kept = first, base;

	for (size_t i = first; i < end; i++)
		if (is_of_one_side(search, &costs[i]))
			costs[kept++] = costs[i];
	for (base = first; base < kept && costs[base].side == SIDE_BASE;)
		base++;
	if ((base - first) * (kept - base) > PAIRS_MOST)
		return true;
	for (size_t i = first; i < base; i++)
		for (size_t k = base; k < kept; k++)
			if (!add_common(search, &costs[i], &costs[k]))
				return false;
	return true;
}

static bool add_functions(struct search *search)
{
	size_t end;

	if (search->cost_count)
		qsort(search->costs, search->cost_count, sizeof(*search->costs), compare_functions);
	for (size_t first = 0; first < search->cost_count; first = end) {
		for (end = first + 1; end < search->cost_count &&
		                      search->costs[end].function == search->costs[first].function;)
			end++;
		if (search->costs[first].function != STRING_EMPTY &&
		    !add_function(search, first, end))
			return false;
	}
	return true;
}

static int compare_pairs(const void *a, const void *b, void *strings)
{
	const struct binary_pair *x = a, *y = b;
	int order;

	if (x->common != y->common)
		return x->common > y->common ? -1 : 1;
	order = strcmp(strings_get(strings, x->base), strings_get(strings, y->base));
	return order ? order : strcmp(strings_get(strings, x->now), strings_get(strings, y->now));
}

static bool take_pairs(struct search *search, struct renamed *renamed)
{
	if (search->pair_count)
		qsort_r(search->pairs, search->pair_count, sizeof(*search->pairs), compare_pairs,
		        search->strings);
	for (size_t i = 0; i < search->pair_count; i++) {
		const struct binary_pair *pair = &search->pairs[i];
		struct binary_cost *base = find_binary(search, pair->base);
		struct binary_cost *now = find_binary(search, pair->now);

		if (base->paired || now->paired ||
		    pair->common < (base->cost[SIDE_BASE] + now->cost[SIDE_NEW]) / 2)
			continue;
		base->paired = now->paired = true;
		if (!map_put(&renamed->base_of, pair->now, pair->base, search->err) ||
		    !vec_append(&renamed->items, &renamed->count, &renamed->capacity,
		                &(struct renamed_binary){ pair->base, pair->now },
		                sizeof(*renamed->items), search->err))
			return false;
	}
	return true;
}

bool renamed_find(struct renamed *renamed, const struct compare_run *runs, size_t run_count,
                  struct strings *strings, struct err *err)
{
	struct search search = { .strings = strings, .err = err };
	struct name_matcher matcher = { .strings = strings };
	bool ok = true;

	for (size_t i = 0; ok && i < run_count; i++)
		ok = add_run_costs(&search, &matcher, &runs[i]);
	ok = ok && add_functions(&search) && take_pairs(&search, renamed);
	name_matcher_release(&matcher);
	free(search.costs);
	free(search.binaries);
	free(search.pairs);
	map_release(&search.binary_of);
	map_release(&search.pair_of);
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		map_release(&search.cost_of[side]);
	return ok;
}

/* The name that the process of a binary has, as far as the kernel keeps it. */
static bool is_process_of(const struct strings *strings, uint32_t comm, uint32_t binary)
{
	const char *name = strings_get(strings, binary), *process = strings_get(strings, comm);
	const size_t length = strnlen(name, COMM_MOST);

	return length && !strncmp(process, name, length) && !process[length];
}

static uint32_t name_of_process(const struct renamed *renamed, struct strings *strings,
                                uint32_t comm, struct err *err)
{
	for (size_t i = 0; i < renamed->count; i++) {
		const char *base = strings_get(strings, renamed->items[i].base);

		if (is_process_of(strings, comm, renamed->items[i].now))
			return strings_put(strings, base, strnlen(base, COMM_MOST), err);
	}
	return comm;
}

/* Puts all nodes into another tree; numbers: of each node there. */
static bool put_nodes(const struct renamed *renamed, const struct merged_calls *from,
                      struct merged_calls *to, uint32_t *numbers, struct err *err)
{
	for (size_t i = 0; err->code == ERR_NONE && i < from->count; i++) {
		struct call_node node = from->nodes[i];
		const bool outermost = node.parent == CALL_NODE_NONE;

		if (outermost)
			node.name = name_of_process(renamed, from->strings, node.name, err);
		if (err->code == ERR_NONE)
			numbers[i] = merged_calls_put(
				to, outermost ? CALL_NODE_NONE : numbers[node.parent], &node, err);
	}
	return err->code == ERR_NONE;
}

/* Replaces the costs of a run by those of the other nodes. */
static bool move_costs(struct merged_calls *to, struct compare_run *run, const uint32_t *numbers,
                       struct err *err)
{
	struct compare_run moved = { .costs = NULL };
	bool ok = true;

	map_release(&to->cost_of);
	for (size_t i = 0; ok && i < run->cost_count; i++) {
		struct call_cost cost = run->costs[i];

		cost.node = numbers[cost.node];
		ok = merged_calls_add(to, &moved, &cost, err);
	}
	free(run->costs);
	run->costs = moved.costs;
	run->cost_count = moved.cost_count;
	run->cost_capacity = moved.cost_capacity;
	return ok;
}

bool renamed_merge_calls(const struct renamed *renamed, struct merged_calls *calls,
                         struct compare_run *runs, size_t run_count, struct err *err)
{
	struct merged_calls to;
	uint32_t *numbers;
	bool ok;

	if (!renamed->count || !calls->count)
		return true;
	merged_calls_init(&to, calls->strings);
	to.matcher.base_of = &renamed->base_of;
	to.without_processes = calls->without_processes;
	to.missing = calls->missing;
	to.no_chains = calls->no_chains;
	numbers = vec_new(calls->count, sizeof(*numbers), err);
	ok = numbers && put_nodes(renamed, calls, &to, numbers, err);
	for (size_t i = 0; ok && i < run_count; i++)
		ok = move_costs(&to, &runs[i], numbers, err);
	free(numbers);
	merged_calls_release(calls);
	*calls = to;
	return ok;
}
