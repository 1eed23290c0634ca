#include "decode/tally/stackstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The group of samples of which nothing is known that was asked for. */
static const struct stack_group no_group = { -1, -1, STRING_EMPTY, GROUP_ALL };

bool stackstat_init(struct stackstat *stacks, const struct stack_world *world,
                    const struct stack_options *options, struct err *err)
{
	struct mappings *mappings = world->mappings;
	struct binary folded = { .kind = BINARY_SPECIAL };
	uint32_t number;

	memset(stacks, 0, sizeof(*stacks));
	stacks->options = *options;
	stacks->processes = mappings->processes;
	stacks->session = world->session;
	stacks->last_nr = UINT64_MAX;
	stacks->list.swap = world->session->swap;
	stack_files_init(&stacks->files, world->session, mappings, options->files);
	chain_reader_init(&stacks->reader, &stacks->files, &world->other);
	cells_init(&stacks->cells);
	tuples_init(&stacks->groups, sizeof(struct stack_group));
	folded.name = strings_put_text(mappings->strings, "[folded]", err);
	if (folded.name == STRING_NONE ||
	    (options->log_dir && !spool_open(&stacks->log, options->log_dir, err)))
		return false;
	number = binaries_put(mappings->binaries, &folded, err);
	return number != UINT32_MAX && stack_tree_init(&stacks->tree, number, err) &&
	       whole_chains_init(&stacks->whole, &stacks->cells, err);
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
	stack_files_release(&stacks->files);
	chain_reader_release(&stacks->reader);
	chain_release(&stacks->chain);
	stack_tree_release(&stacks->tree);
	whole_chains_release(&stacks->whole);
	cells_release(&stacks->cells);
	tuples_release(&stacks->groups);
	for (size_t i = 0; i < stacks->deferred_count; i++)
		chain_release(&stacks->deferred[i].chain);
	free(stacks->deferred);
	free(stacks->places);
	memset(stacks, 0, sizeof(*stacks));
}

/* The group of a sample, by the properties that were asked for. MAP_NONE with err set. */
static uint32_t find_group(struct stackstat *stacks, int32_t pid, int32_t tid, uint32_t process,
                           struct err *err)
{
	const struct stack_options *options = &stacks->options;
	struct stack_group group = no_group;

	if (options->by_thread || options->by_comm)
		group.comm = stacks->processes->items[process].comm;
	if (options->by_thread) {
		group.pid = pid;
		group.tid = tid;
	}
	if (options->by_choice)
		group.choice = stacks->choice;
	return tuples_put(&stacks->groups, &group, err);
}

/* Copies cells with the nodes' numbers in another tree. */
static bool move_cells(struct cells *to, struct cells *from, const uint32_t *moved, struct err *err)
{
	if (!cells_count_waiting(from, err))
		return false;
	for (size_t i = 0; i < from->capacity; i++) {
		const struct cell *cell = &from->items[i];
		const struct cell_kind *kind;
		uint32_t number;

		if (!cell->samples)
			continue;
		kind = &from->kinds[cell->kind];
		number = cells_kind(to, kind->event, kind->group, CELL_STACKS, err);
		if (number == MAP_NONE ||
		    !cells_add_many(to, number, moved[cell->key], cell->samples, cell->period, err))
			return false;
	}
	return true;
}

#define NODES_AT_ONCE 1024

/* Updates the nodes of logged samples to their numbers in another tree. */
static bool move_log(struct stackstat *stacks, const uint32_t *moved, struct err *err)
{
	const uint64_t size = stacks->log.open ? spool_size(&stacks->log) : 0;
	uint32_t nodes[NODES_AT_ONCE];
	size_t piece;

	for (uint64_t at = 0; at < size; at += piece) {
		piece = (size_t)u64_min(size - at, sizeof(nodes));
		if (!spool_get(&stacks->log, at, nodes, piece, err))
			return false;
		for (size_t i = 0; i < piece / sizeof(*nodes); i++)
			if (nodes[i] != STACK_NODE_NONE)
				nodes[i] = moved[nodes[i]];
		if (!spool_put(&stacks->log, at, nodes, piece, err))
			return false;
	}
	return true;
}

/*
 * Folds the tree, which has become too large: inner parts of deep stacks are dropped, but no sample
 * is.
 */
static bool fold_tree(struct stackstat *stacks, struct err *err)
{
	bool *uses = calloc(stacks->tree.count, sizeof(*uses));
	struct stack_tree small = { .nodes = NULL };
	uint32_t *moved = NULL;
	struct cells cells;
	bool ok;

	cells_init(&cells);
	if (!uses)
		return err_nomem(err, stacks->tree.count * sizeof(*uses));
	ok = whole_chains_flush(&stacks->whole, err) && cells_count_waiting(&stacks->cells, err);
	for (size_t i = 0; ok && i < stacks->cells.capacity; i++)
		if (stacks->cells.items[i].samples)
			uses[stacks->cells.items[i].key] = true;
	ok = ok && stack_tree_fold(&small, &stacks->tree, uses, &moved, err) &&
	     move_cells(&cells, &stacks->cells, moved, err) && move_log(stacks, moved, err);
	free(uses);
	free(moved);
	if (!ok) {
		stack_tree_release(&small);
		cells_release(&cells);
		return false;
	}
	stack_tree_release(&stacks->tree);
	cells_release(&stacks->cells);
	stacks->tree = small;
	stacks->cells = cells;
	return true;
}

/* Whether the tree must be folded before it grows further. */
static bool is_too_large(const struct stackstat *stacks)
{
	const struct stack_tree *tree = &stacks->tree;

	return tree->count * (sizeof(*tree->nodes) + 2 * sizeof(*tree->index.slots)) >
	               stacks->options.memory &&
	       tree->depth_most > 0;
}

static uint32_t put_chain(struct stackstat *stacks, const struct chain *chain, struct err *err)
{
	while (is_too_large(stacks))
		if (!fold_tree(stacks, err))
			return STACK_NODE_NONE;
	return stack_tree_put(&stacks->tree, chain, err);
}

/* Logs the node of the next sample; STACK_NODE_NONE: it follows later. */
static bool log_node(struct stackstat *stacks, uint32_t node, struct err *err)
{
	return !stacks->log.open || spool_append(&stacks->log, &node, sizeof(node), err);
}

static bool count_at(struct stackstat *stacks, uint32_t event, uint32_t group, uint32_t node,
                     uint64_t period, struct err *err)
{
	uint32_t kind = cells_kind(&stacks->cells, event, group, CELL_STACKS, err);

	return kind != MAP_NONE && cells_add(&stacks->cells, kind, node, period, err);
}

/* Keeps a sample until the record with its user part comes. */
static bool hold_sample(struct stackstat *stacks, const struct deferred_sample *sample,
                        struct err *err)
{
	const struct chain *chain = &stacks->chain;
	struct deferred_sample *held;

	if (!vec_room(&stacks->deferred, stacks->deferred_count, &stacks->deferred_capacity,
	              sizeof(*held), err))
		return false;
	held = &stacks->deferred[stacks->deferred_count];
	*held = *sample;
	held->logged = spool_size(&stacks->log);
	if (!log_node(stacks, STACK_NODE_NONE, err))
		return false;
	held->chain = *chain;
	held->chain.capacity = chain->count;
	held->chain.frames = malloc(chain->count * sizeof(*chain->frames));
	if (!held->chain.frames)
		return err_nomem(err, chain->count * sizeof(*chain->frames));
	memcpy(held->chain.frames, chain->frames, chain->count * sizeof(*chain->frames));
	stacks->deferred_count++;
	return true;
}

/* Counts a sample that was kept, and forgets it. */
static bool release_sample(struct stackstat *stacks, size_t number, struct err *err)
{
	struct deferred_sample *held = &stacks->deferred[number];
	uint32_t node = put_chain(stacks, &held->chain, err);
	bool ok = node != STACK_NODE_NONE &&
	          count_at(stacks, held->event, held->group, node, held->period, err) &&
	          (!stacks->log.open ||
	           spool_put(&stacks->log, held->logged, &node, sizeof(node), err));

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

/* What a sample is counted by: the key of its chain, its event and its group. */
struct stack_lookup {
	struct chain_key key;
	uint32_t event, group;
};

/* Counts one sample at the chain that was read last. */
static bool count_chain(struct stackstat *stacks, const struct stack_lookup *lookup,
                        uint64_t period, struct err *err)
{
	struct whole_chain *whole = whole_chains_find(&stacks->whole, &lookup->key);

	if (!whole->hash) {
		uint32_t node = put_chain(stacks, &stacks->chain, err), kind;

		if (node == STACK_NODE_NONE)
			return false;
		kind = cells_kind(&stacks->cells, lookup->event, lookup->group, CELL_STACKS, err);
		if (kind == MAP_NONE)
			return false;
		whole = whole_chains_put(&stacks->whole, &lookup->key, kind, node, err);
		if (!whole)
			return false;
	}
	return log_node(stacks, whole->node, err) &&
	       whole_chain_add(&stacks->whole, whole, period, err);
}

bool stackstat_add(struct stackstat *stacks, const struct record *record, uint32_t process,
                   uint32_t event, uint64_t period, struct err *err)
{
	struct deferred_sample sample = {
		.period = period, .tid = record->tid, .process = process, .event = event
	};
	struct stack_lookup lookup;

	sample.group = find_group(stacks, record->pid, record->tid, process, err);
	if (sample.group == MAP_NONE)
		return false;
	/* a record that read several counters is one sample of each */
	if (stacks->last_nr != record->nr &&
	    !chain_read(&stacks->reader, record, stacks->processes->items[process].space,
	                &stacks->chain, err))
		return false;
	stacks->last_nr = record->nr;
	if (stacks->chain.has_cookie)
		return hold_sample(stacks, &sample, err);
	lookup.event = event;
	lookup.group = sample.group;
	lookup.key = chain_key(&stacks->chain, stacks->whole.seed, event, sample.group);
	return count_chain(stacks, &lookup, period, err);
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

/* Number of samples whose chains are fetched from memory at the same time. */
#define TOGETHER 32

/*
 * Makes the key of a sample's chain, if it was recorded as a list, and starts to fetch its entry
 * from memory.
 */
static bool look_up_list(struct stackstat *stacks, const struct sample *sample,
                         const struct placed *placed, struct stack_lookup *lookup, struct err *err)
{
	const struct event *event = &stacks->session->events[sample->event];
	const uint8_t *chain = sample->data + event->layout.fixed;
	const bool swap = stacks->session->swap;
	struct chain_list list = { .ip = sample->ip,
		                   .addr = placed->addr,
		                   .binary = placed->binary,
		                   .misc = sample->misc,
		                   .swap = swap };

	lookup->key.hash = 0;
	if (!is_chain_next(&event->attr))
		return true;
	list.words = chain + 8;
	list.count = load_u64(chain, swap);
	list.space = stacks->processes->items[placed->process].space;
	list.mappings = stacks->files.mappings;
	lookup->event = sample->event;
	lookup->group = find_group(stacks, sample->pid, sample->tid, placed->process, err);
	lookup->key = chain_list_key(&list, stacks->whole.seed, sample->event, lookup->group);
	whole_chains_prefetch(&stacks->whole, &lookup->key);
	return lookup->group != MAP_NONE;
}

/* Counts a sample whose chain has a key. */
static bool add_list(struct stackstat *stacks, const struct sample *sample, uint32_t process,
                     const struct stack_lookup *lookup, struct err *err)
{
	struct whole_chain *whole = whole_chains_find(&stacks->whole, &lookup->key);

	if (whole->hash)
		return log_node(stacks, whole->node, err) &&
		       whole_chain_add(&stacks->whole, whole, sample->period, err);
	fill_record(&stacks->list, sample, stacks->session);
	stacks->last_nr = sample->nr;
	return chain_read(&stacks->reader, &stacks->list, stacks->processes->items[process].space,
	                  &stacks->chain, err) &&
	       count_chain(stacks, lookup, sample->period, err);
}

static bool add_sample(struct stackstat *stacks, const struct sample *sample, uint32_t process,
                       const struct stack_lookup *lookup, struct err *err)
{
	struct record record;

	if (lookup->key.hash)
		return add_list(stacks, sample, process, lookup, err);
	sample_record(&record, stacks->session, sample);
	return stackstat_add(stacks, &record, process, sample->event, sample->period, err);
}

bool stackstat_add_samples(struct stackstat *stacks, const struct sample *samples,
                           const struct placed *placed, size_t count, struct err *err)
{
	struct stack_lookup lookups[TOGETHER];

	for (size_t first = 0; first < count; first += TOGETHER) {
		const size_t part = count - first < TOGETHER ? count - first : TOGETHER;

		for (size_t i = 0; i < part; i++)
			if (!look_up_list(stacks, &samples[first + i], &placed[first + i],
			                  &lookups[i], err))
				return false;
		for (size_t i = 0; i < part; i++)
			if (!add_sample(stacks, &samples[first + i], placed[first + i].process,
			                &lookups[i], err))
				return false;
	}
	return true;
}

bool stackstat_add_damaged(struct stackstat *stacks, const struct record *record, uint32_t process,
                           uint32_t binary, struct err *err)
{
	uint32_t group = find_group(stacks, record->pid, record->tid, process, err);
	uint32_t node = stack_tree_single(&stacks->tree, binary, 0, err);

	return group != MAP_NONE && node != STACK_NODE_NONE && log_node(stacks, node, err) &&
	       count_at(stacks, record->event, group, node, 0, err);
}

bool stackstat_import(struct stackstat *stacks, struct cells *cells, struct err *err)
{
	if (!cells_count_waiting(cells, err))
		return false;
	for (size_t i = 0; i < cells->capacity; i++) {
		const struct cell *cell = &cells->items[i];
		const struct cell_kind *kind;
		struct stack_group unknown = no_group;
		uint32_t node, number, group;

		if (!cell->samples)
			continue;
		kind = &cells->kinds[cell->kind];
		node = stack_tree_single(&stacks->tree, kind->binary, cell->key, err);
		if (stacks->options.by_choice)
			unknown.choice = kind->group;
		group = tuples_put(&stacks->groups, &unknown, err);
		if (group == MAP_NONE)
			return false;
		number = cells_kind(&stacks->cells, kind->event, group, CELL_STACKS, err);
		if (node == STACK_NODE_NONE || number == MAP_NONE ||
		    !cells_add_many(&stacks->cells, number, node, cell->samples, cell->period, err))
			return false;
	}
	return true;
}

bool stackstat_finish(struct stackstat *stacks, struct err *err)
{
	while (stacks->deferred_count)
		if (!release_sample(stacks, stacks->deferred_count - 1, err))
			return false;
	if (!whole_chains_flush(&stacks->whole, err))
		return false;
	/* naming needs memory, and no chain is read or looked up any more */
	stack_files_release(&stacks->files);
	chain_reader_release(&stacks->reader);
	whole_chains_release(&stacks->whole);
	stack_tree_finish(&stacks->tree);
	return cells_settle(&stacks->cells, NULL, err);
}

uint64_t stackstat_folded_samples(const struct stackstat *stacks)
{
	const struct stack_node *nodes = stacks->tree.nodes;
	uint64_t samples = 0;

	for (size_t i = 0; i < stacks->cells.count; i++) {
		const struct cell *cell = &stacks->cells.items[i];

		if (cell->key >= STACK_ENDS && nodes[cell->key].parent >= STACK_ENDS &&
		    nodes[nodes[cell->key].parent].binary == stacks->tree.folded)
			samples += cell->samples;
	}
	return samples;
}
