#include "decode/tally/stackstat.h"

#include "decode/stacks/chainkey.h"
#include "decode/tally/groups.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The group of an event's samples of which nothing is known that was asked for. */
static struct stack_group group_of_event(uint32_t event)
{
	return (struct stack_group){ event, -1, -1, STRING_EMPTY, GROUP_ALL };
}

bool stackstat_init(struct stackstat *stacks, struct session *session, struct mappings *mappings,
                    const struct stack_options *options, struct err *err)
{
	struct binary folded = { .kind = BINARY_SPECIAL };
	uint32_t number;

	memset(stacks, 0, sizeof(*stacks));
	stacks->options = *options;
	stacks->processes = mappings->processes;
	stacks->session = session;
	stacks->last_nr = UINT64_MAX;
	stacks->list.swap = session->swap;
	stack_files_init(&stacks->reader.files, session, mappings, options->files);
	stacks->seed = hash_seed();
	tuples_init(&stacks->groups, sizeof(struct stack_group));
	folded.name = strings_put_text(mappings->strings, "[folded]", err);
	if (folded.name == STRING_NONE ||
	    (options->log_dir && !spool_open(&stacks->log, options->log_dir, err)) ||
	    (options->interval_dir &&
	     !spool_open(&stacks->interval_log, options->interval_dir, err)))
		return false;
	number = binaries_put(mappings->binaries, &folded, err);
	return number != UINT32_MAX && stack_tree_init(&stacks->tree, number, err);
}

bool stackstat_has_chain(const struct event_attr *attr)
{
	const uint64_t copy = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	return (attr->sample_type & PERF_SAMPLE_CALLCHAIN) || (attr->sample_type & copy) == copy ||
	       ((attr->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	        (attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK));
}

void stackstat_release(struct stackstat *stacks)
{
	spool_close(&stacks->log);
	spool_close(&stacks->interval_log);
	free(stacks->held.items);
	map_release(&stacks->held.index);
	map_release(&stacks->held.known);
	chain_reader_release(&stacks->reader);
	chain_release(&stacks->chain);
	stack_tree_release(&stacks->tree);
	map_release(&stacks->callers);
	stack_cells_release(&stacks->cells);
	tuples_release(&stacks->groups);
	for (size_t i = 0; i < stacks->deferred_count; i++)
		chain_release(&stacks->deferred[i].chain);
	free(stacks->deferred);
	free(stacks->places);
	memset(stacks, 0, sizeof(*stacks));
}

/* Written out, as it is asked for each sample: a call of memcmp() takes longer. */
static inline bool is_group(const struct stack_group *a, const struct stack_group *b)
{
	return a->event == b->event && a->pid == b->pid && a->tid == b->tid && a->comm == b->comm &&
	       a->choice == b->choice;
}

uint32_t stackstat_find_group(struct stackstat *stacks, uint32_t event, int32_t pid, int32_t tid,
                              uint32_t comm, struct err *err)
{
	const struct stack_options *options = &stacks->options;
	struct stack_group group = group_of_event(event);
	uint32_t *recent;

	if (options->by_thread || options->by_comm)
		group.comm = comm;
	if (options->by_thread) {
		group.pid = pid;
		group.tid = tid;
	}
	if (options->by_choice)
		group.choice = stacks->choice;
	/* looking at these first saves 4 % of the instructions of `-t intervals` */
	recent = &stacks->recent_groups[(event * 7 + (uint32_t)group.tid + group.comm) %
	                                STACK_GROUPS_RECENT];
	if (!*recent || !is_group(stack_group_at(stacks, *recent - 1), &group))
		*recent = tuples_put(&stacks->groups, &group, err) + 1;
	return *recent - 1;
}

static uint32_t comm_of(const struct stackstat *stacks, uint32_t process)
{
	return stacks->processes->items[process].comm;
}

/*
 * Whether the stacks must not grow further. There are many cells where many addresses were sampled,
 * and then folding helps little; so these may be larger.
 */
static bool are_too_large(const struct stackstat *stacks)
{
	const size_t tree = stack_tree_size(&stacks->tree), most = stacks->options.memory;

	return tree > most || tree + stack_cells_size(&stacks->cells) > 4 * most;
}

/* Outer frames that are kept when stacks are folded for the first time. */
#define FOLD_FIRST 64

bool stackstat_limit(struct stackstat *stacks, struct err *err)
{
	while (are_too_large(stacks) && !(stacks->by_stack && stacks->tree.depth_most == 0)) {
		const size_t depth = stacks->tree.depth_most;
		const size_t less = depth == SIZE_MAX ? FOLD_FIRST : depth / 2;

		/* at first nothing is dropped: one stack may have many cells */
		if (!stackfold_run(stacks, stacks->by_stack ? less : depth, err))
			return false;
		stacks->by_stack = true;
		map_release(&stacks->callers);
	}
	return true;
}

/* Logs the cell of the next sample; MAP_NONE: it follows later. */
static bool log_cell(struct stackstat *stacks, uint32_t cell, struct err *err)
{
	return !stacks->log.open || spool_append(&stacks->log, &cell, sizeof(cell), err);
}

/* Keeps a sample, and the chain that was read, until the record with its user part comes. */
static bool hold_sample(struct stackstat *stacks, struct deferred_sample *sample, struct err *err)
{
	sample->chain = stacks->chain;
	sample->logged = spool_size(&stacks->log);
	if (!vec_append(&stacks->deferred, &stacks->deferred_count, &stacks->deferred_capacity,
	                sample, sizeof(*sample), err))
		return false;
	stacks->chain = (struct chain){ .frames = NULL };
	stacks->last_nr = UINT64_MAX;
	return log_cell(stacks, MAP_NONE, err);
}

#define CALLERS_MOST ((size_t)1 << 19) /* 16 MB; when there are more, all are forgotten */

/* What a sample is counted by: the keys of its chain, and its group. */
struct stack_lookup {
	struct chain_keys keys;
	uint32_t group;
};

/* The cell of a chain that was seen before, or MAP_NONE. */
static inline uint32_t find_known(const struct stackstat *stacks, const struct stack_lookup *lookup)
{
	return stacks->by_stack ? MAP_NONE : stack_cells_find(&stacks->cells, lookup->keys.whole);
}

/* The cell of another chain. own: its innermost frame. MAP_NONE with err set. */
static uint32_t put_stack(struct stackstat *stacks, const struct stack_lookup *lookup,
                          uint32_t callers, const struct chain_frame *own, struct err *err)
{
	struct stack_cell cell = { .key = lookup->keys.whole,
		                   .addr = own->addr,
		                   .binary = own->binary,
		                   .callers = callers,
		                   .group = lookup->group };
	uint32_t number = MAP_NONE;

	if (stacks->by_stack) {
		cell.key = stackfold_key(stacks->seed, &cell);
		number = stack_cells_find(&stacks->cells, cell.key);
	}
	return number != MAP_NONE ? number : stack_cells_add(&stacks->cells, &cell, err);
}

/* The same, after the chain was read. */
static uint32_t put_chain(struct stackstat *stacks, const struct stack_lookup *lookup,
                          const struct chain *chain, struct err *err)
{
	uint32_t callers = map_get(&stacks->callers, lookup->keys.callers);

	if (callers == MAP_NONE) {
		callers = stack_tree_callers(&stacks->tree, chain, err);
		if (stacks->callers.count >= CALLERS_MOST)
			map_release(&stacks->callers);
		if (callers == STACK_NODE_NONE ||
		    !map_put(&stacks->callers, lookup->keys.callers, callers, err))
			return MAP_NONE;
	}
	return put_stack(stacks, lookup, callers, &chain->frames[0], err);
}

/* The cell of any chain. MAP_NONE with err set. */
static uint32_t find_chain(struct stackstat *stacks, const struct chain *chain, uint32_t group,
                           struct err *err)
{
	const struct stack_lookup lookup = { chain_keys(chain, stacks->seed, group), group };
	uint32_t cell = find_known(stacks, &lookup);

	if (cell == MAP_NONE && stackstat_limit(stacks, err))
		cell = put_chain(stacks, &lookup, chain, err);
	return cell;
}

/* The cell of a sample without callers. MAP_NONE with err set. */
static uint32_t find_single(struct stackstat *stacks, uint32_t binary, uint64_t addr,
                            uint32_t group, struct err *err)
{
	struct chain_frame own = { .binary = binary, .addr = addr };

	return find_chain(stacks, &(struct chain){ &own, 1, 1, .end = STACK_NONE }, group, err);
}

/* Counts a sample that was kept, and forgets it. */
static bool release_sample(struct stackstat *stacks, size_t number, struct err *err)
{
	struct deferred_sample *held = &stacks->deferred[number];
	uint32_t cell = find_chain(stacks, &held->chain, held->group, err);
	bool ok = cell != MAP_NONE && (!stacks->log.open || spool_put(&stacks->log, held->logged,
	                                                              &cell, sizeof(cell), err));

	if (ok)
		stack_cells_count(&stacks->cells, cell, 1, held->period);
	chain_release(&held->chain);
	*held = stacks->deferred[--stacks->deferred_count];
	return ok;
}

bool stackstat_deferred(struct stackstat *stacks, const struct record *record, struct err *err)
{
	for (size_t i = 0; i < stacks->deferred_count;) {
		struct deferred_sample *held = &stacks->deferred[i];

		if (held->tid != record->tid) {
			i++;
			continue;
		}
		/* the record for a sample with another cookie was lost */
		if (held->chain.cookie == record->deferred.cookie &&
		    !chain_append_deferred(&stacks->reader, record,
		                           stacks->processes->items[held->process].space,
		                           &held->chain, err))
			return false;
		if (!release_sample(stacks, i, err))
			return false;
	}
	return true;
}

/* Counts one sample; MAP_NONE: memory was refused. */
static bool count_sample(struct stackstat *stacks, uint32_t cell, uint64_t period, struct err *err)
{
	if (cell == MAP_NONE)
		return false;
	stack_cells_count(&stacks->cells, cell, 1, period);
	return log_cell(stacks, cell, err);
}

bool stackstat_add(struct stackstat *stacks, const struct record *record, uint32_t process,
                   uint32_t event, uint64_t period, struct err *err)
{
	struct deferred_sample sample = { .period = period,
		                          .tid = record->tid,
		                          .process = process };

	sample.group = stackstat_find_group(stacks, event, record->pid, record->tid,
	                                    comm_of(stacks, process), err);
	if (sample.group == MAP_NONE)
		return false;
	/* a record that read several counters is one sample of each; operations of a trace have no
	 * number */
	if ((record->nr == NR_NONE || stacks->last_nr != record->nr) &&
	    !chain_read(&stacks->reader, record, stacks->processes->items[process].space,
	                &stacks->chain, err))
		return false;
	stacks->last_nr = record->nr;
	if (stacks->chain.has_cookie)
		return hold_sample(stacks, &sample, err);
	return count_sample(stacks, find_chain(stacks, &stacks->chain, sample.group, err), period,
	                    err);
}

/*
 * Whether only the chain follows the fixed fields of the event's samples, or nothing follows the
 * chain.
 */
static bool is_chain_next(const struct event_attr *attr)
{
	return (attr->sample_type & PERF_SAMPLE_CALLCHAIN) &&
	       !(attr->sample_type &
	         (PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER));
}

/*
 * Sets the fields that a chain is read from. The reader has checked that they are inside of the
 * sample.
 */
static void fill_record(struct record *record, const struct sample *sample,
                        const struct session *session)
{
	const uint8_t *chain = sample->data + session->events[sample->event].layout.fixed;

	record->nr = sample->nr;
	record->misc = sample->misc;
	record->event = sample->event;
	record->pid = sample->pid;
	record->tid = sample->tid;
	record->sample.ip = sample->ip;
	record->sample.callchain_count = load_u64(chain, session->swap);
	record->sample.callchain = chain + 8;
}

struct chain_list stackstat_list(const struct stackstat *stacks, const struct sample *sample,
                                 struct space *space)
{
	const struct event *event = &stacks->session->events[sample->event];
	const uint8_t *chain = sample->data + event->layout.fixed;
	const bool swap = stacks->session->swap;
	const bool has_chain = event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;

	return (struct chain_list){ .words = chain + 8,
		                    .count = has_chain ? load_u64(chain, swap) : 0,
		                    .attr = &event->attr,
		                    .ip = sample->ip,
		                    .misc = sample->misc,
		                    .swap = swap,
		                    .space = space,
		                    .mappings = stacks->reader.files.mappings };
}

/* Makes the keys of a sample's chain, if it was recorded as a list; else they are 0. */
static bool look_up_list(struct stackstat *stacks, const struct sample *sample,
                         const struct placed *placed, struct stack_lookup *lookup, struct err *err)
{
	struct chain_list list;

	lookup->keys.whole = 0;
	if (!is_chain_next(&stacks->session->events[sample->event].attr))
		return true;
	list = stackstat_list(stacks, sample, stacks->processes->items[placed->process].space);
	list.addr = placed->addr;
	list.binary = placed->binary;
	lookup->group = stackstat_find_group(stacks, sample->event, sample->pid, sample->tid,
	                                     comm_of(stacks, placed->process), err);
	lookup->keys = chain_list_keys(&list, stacks->seed, lookup->group);
	return lookup->group != MAP_NONE;
}

/*
 * Makes the cell of a sample whose chain was recorded as a list and was not seen before. Mostly
 * only the sample's own address is new: then its callers are found by their key, and not read.
 * MAP_NONE with err set.
 */
static uint32_t find_list(struct stackstat *stacks, const struct sample *sample, uint32_t process,
                          const struct stack_lookup *lookup, struct err *err)
{
	struct space *space = stacks->processes->items[process].space;
	struct chain_frame own;
	uint32_t callers;

	if (!stackstat_limit(stacks, err))
		return MAP_NONE;
	fill_record(&stacks->list, sample, stacks->session);
	callers = map_get(&stacks->callers, lookup->keys.callers);
	if (callers != MAP_NONE)
		return chain_read_own(&stacks->reader, &stacks->list, space, &own, err)
		               ? put_stack(stacks, lookup, callers, &own, err)
		               : MAP_NONE;
	stacks->last_nr = sample->nr;
	return chain_read(&stacks->reader, &stacks->list, space, &stacks->chain, err)
	               ? put_chain(stacks, lookup, &stacks->chain, err)
	               : MAP_NONE;
}

static bool add_sample(struct stackstat *stacks, const struct sample *sample,
                       const struct placed *placed, const struct stack_lookup *lookup,
                       struct err *err)
{
	struct record record;
	uint32_t cell;

	if (!lookup->keys.whole) {
		sample_record(&record, stacks->session, sample);
		return stackstat_add(stacks, &record, placed->process, sample->event,
		                     sample->period, err);
	}
	cell = find_known(stacks, lookup);
	if (cell == MAP_NONE)
		cell = find_list(stacks, sample, placed->process, lookup, err);
	return count_sample(stacks, cell, sample->period, err);
}

/*
 * Number of samples whose cells are fetched from memory at the same time: first their slots in the
 * index and, when these are there, the cells. Without both, 3.5 million samples of builds with
 * 480,000 stacks take 14 % more time (0.56 s instead of 0.49, median of 11 runs; with -j1 0.80
 * instead of 0.72).
 */
#define TOGETHER 32

bool stackstat_add_samples(struct stackstat *stacks, const struct placed_samples *all,
                           struct err *err)
{
	const struct sample *samples = all->samples;
	const struct placed *placed = all->placed;
	const size_t count = all->count;
	struct stack_lookup lookups[TOGETHER];

	for (size_t first = 0; first < count; first += TOGETHER) {
		const size_t part = count - first < TOGETHER ? count - first : TOGETHER;

		for (size_t i = 0; i < part; i++) {
			if (!look_up_list(stacks, &samples[first + i], &placed[first + i],
			                  &lookups[i], err))
				return false;
			hash_index_prefetch(&stacks->cells.index, lookups[i].keys.whole);
		}
		/* not in a function of its own: gcc drops calls of one that does nothing else */
		for (size_t i = 0; i < part; i++)
			__builtin_prefetch(
				stack_cells_first(&stacks->cells, lookups[i].keys.whole));
		for (size_t i = 0; i < part; i++)
			if (!add_sample(stacks, &samples[first + i], &placed[first + i],
			                &lookups[i], err))
				return false;
	}
	return true;
}

bool stackstat_add_damaged(struct stackstat *stacks, const struct record *record, uint32_t process,
                           uint32_t binary, struct err *err)
{
	uint32_t group = stackstat_find_group(stacks, record->event, record->pid, record->tid,
	                                      comm_of(stacks, process), err);

	return group != MAP_NONE &&
	       count_sample(stacks, find_single(stacks, binary, 0, group, err), 0, err);
}

bool stackstat_import(struct stackstat *stacks, const struct cell_kind *kind, uint64_t key,
                      uint64_t samples, uint64_t period, struct err *err)
{
	struct stack_group unknown = group_of_event(kind->event);
	uint32_t group, number;

	if (stacks->options.by_choice)
		unknown.choice = kind->group;
	group = tuples_put(&stacks->groups, &unknown, err);
	if (group == MAP_NONE)
		return false;
	number = find_single(stacks, kind->binary, key, group, err);
	if (number == MAP_NONE)
		return false;
	stack_cells_count(&stacks->cells, number, samples, period);
	return true;
}

bool stackstat_finish(struct stackstat *stacks, struct err *err)
{
	while (stacks->deferred_count)
		if (!release_sample(stacks, stacks->deferred_count - 1, err))
			return false;
	/* naming needs memory, and no chain is read or looked up any more */
	chain_reader_release(&stacks->reader);
	map_release(&stacks->callers);
	map_release(&stacks->held.index);
	stack_tree_finish(&stacks->tree);
	stack_cells_finish(&stacks->cells);
	return true;
}

/* Adds a cell to another one of its place, if that has the same kind and can count so many. */
static bool add_to_cell(struct cell *cell, uint32_t kind, const struct stack_cell *added)
{
	if (cell->kind != kind || added->samples > UINT32_MAX - cell->samples)
		return false;
	cell->samples += (uint32_t)added->samples;
	cell->period += added->period;
	return true;
}

bool stackstat_add_places(const struct stackstat *stacks, size_t place_count, struct cells *cells,
                          struct group_sums *sums, struct err *err)
{
	uint32_t *last = vec_new(place_count, sizeof(*last), err); /* by place: its last cell + 1 */

	for (size_t i = 0; err->code == ERR_NONE && i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		const struct stack_group *group = stackstat_group(stacks, cell);
		const uint32_t place = stack_cell_place(cell);
		uint32_t kind = cells_kind(cells, group->event, GROUP_ALL, cell->binary, err);

		if (kind == MAP_NONE || !cell->samples)
			continue;
		if ((!last[place] || !add_to_cell(&cells->items[last[place] - 1], kind, cell)) &&
		    cells_append(cells, kind, place, cell->samples, cell->period, err))
			last[place] = (uint32_t)cells->count;
		if (err->code == ERR_NONE && sums)
			group_sums_add(sums,
			               &(struct group_sum){ cell->period, cell->samples,
			                                    group->choice, last[place] - 1 },
			               err);
	}
	free(last);
	return err->code == ERR_NONE;
}

uint64_t stackstat_folded_samples(const struct stackstat *stacks)
{
	const struct stack_tree *tree = &stacks->tree;
	uint64_t samples = 0;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct stack_cell *cell = &stacks->cells.items[i];
		struct stack_walk walk = stack_walk_from(tree, cell->callers);
		uint32_t frame;

		/* it is called by what is folded */
		if (stack_walk_next(&walk, &frame) && tree->frames[frame].binary == tree->folded)
			samples += cell->samples;
	}
	return samples;
}

void stackstat_keep(struct stackstat *stacks, const bool *keep)
{
	for (size_t i = 0; i < stacks->cells.count; i++) {
		struct stack_cell *cell = &stacks->cells.items[i];

		if (!keep[stack_cell_place(cell)])
			cell->samples = cell->period = 0;
	}
}
