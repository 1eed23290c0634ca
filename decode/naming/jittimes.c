#include "decode/naming/jittimes.h"

#include "decode/symbols/jitcode.h"

#include <stdlib.h>

#define CLOCK_MONOTONIC_ID 1 /* the kernel's number */

/* The time at which an entry was loaded. */
struct arrival {
	uint64_t time;
	size_t entry;
};

/* A jitdump file, with the code that was loaded up to some time. */
struct scene {
	struct jit_entries entries;
	struct arrival *arrivals; /* by time */
	size_t next;              /* the next one to be loaded */
	struct space_pool pool;
	struct space *space; /* pgoff of its mappings: offsets in the file */
	bool reused;         /* code was loaded where other code had been */
};

static int compare_arrivals(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static int compare_samples(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;

	if (x->dump != y->dump)
		return x->dump < y->dump ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

static bool show_entry(struct scene *scene, const struct jit_entry *entry, struct err *err)
{
	struct space_map other, map = { .start = entry->start,
		                        .end = u64_add_sat(entry->start, entry->room),
		                        .pgoff = entry->place };

	scene->reused |= space_first_behind(scene->space, entry->start, &other) &&
	                 other.start < entry->end;
	/*
	 * if its bytes are not in the file it has no offset there, but it replaces older code all
	 * the same
	 */
	return space_remove(&scene->space, entry->start, entry->end, err) &&
	       space_insert(&scene->space, &map, err);
}

/* Loads the code that came up to that time. */
static bool show_until(struct scene *scene, uint64_t time, struct err *err)
{
	for (; scene->next < scene->entries.count && scene->arrivals[scene->next].time <= time;
	     scene->next++)
		if (!show_entry(scene, &scene->entries.items[scene->arrivals[scene->next].entry],
		                err))
			return false;
	return true;
}

/* Reports what is wrong with the file. problem: why it could not be read completely. */
static void tell_problems(const struct scene *scene, const char *path, const struct err *problem,
                          struct diag *diag)
{
	const struct jit_entries *entries = &scene->entries;

	if (problem->code == ERR_NONE && !entries->found)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: the recorded jitdump file is not here: copy it, or pass --symfs with a folder that has it below its full path",
			path);
	/*
	 * without code, samples stay in the binary they fell into, and that is reported when they
	 * are named
	 */
	if (problem->code != ERR_NONE && entries->count)
		diag_warn(diag, ERR_NO_OFFSET, "%s: %s", path, problem->text);
	if (entries->cut_off && entries->last_time && !entries->other_clock)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: the jitdump file is cut off: code that was loaded after %.3f s has no name",
			path, (double)entries->last_time / 1e9);
	else if (entries->cut_off)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: the jitdump file is cut off: the code that was loaded last has no name",
			path);
}

static bool read_scene(struct scene *scene, const struct buildstat *stat,
                       const struct timed_sample *sample, const struct symbol_options *options,
                       struct diag *diag, struct err *err)
{
	const struct binary *binary = &stat->binaries.items[sample->binary];
	const char *path = strings_get(stat->strings, sample->dump);
	struct err problem = { .code = ERR_NONE };
	struct symtable names;
	bool ok;

	symtable_init(&names);
	ok = jit_dump_read(&names, &scene->entries, binary, path, options, &problem);
	symtable_release(&names);
	if (!ok && problem.code == ERR_NOMEM)
		return err_pass(err, &problem);
	tell_problems(scene, path, &problem, diag);
	scene->arrivals = malloc((scene->entries.count + 1) * sizeof(*scene->arrivals));
	if (!scene->arrivals)
		return err_nomem(err, scene->entries.count * sizeof(*scene->arrivals));
	for (size_t i = 0; i < scene->entries.count; i++)
		scene->arrivals[i] = (struct arrival){ scene->entries.items[i].time, i };
	qsort(scene->arrivals, scene->entries.count, sizeof(*scene->arrivals), compare_arrivals);
	scene->space = space_new(&scene->pool, err);
	return scene->space != NULL;
}

/* Moves an address of a binary to the code in the file that covers it now, if there is some. */
static bool move_to_file(struct buildstat *stat, const struct scene *scene, uint32_t dump,
                         uint32_t *number, uint64_t *addr, struct err *err)
{
	const struct space_map *map = scene->space ? space_find(scene->space, *addr) : NULL;
	struct binary binary = stat->binaries.items[*number];

	if (!map)
		return true;
	binary.kind = BINARY_JITDUMP;
	binary.path = dump;
	*addr += map->pgoff - map->start;
	*number = binaries_put(&stat->binaries, &binary, err);
	return *number != UINT32_MAX;
}

/* Counts a sample in the code that covers it now. */
static bool place_one(struct buildstat *stat, struct scene *scene,
                      const struct timed_sample *sample, struct err *err)
{
	uint32_t number = sample->binary, kind;
	uint64_t addr = sample->addr;

	if (!move_to_file(stat, scene, sample->dump, &number, &addr, err))
		return false;
	if (stat->moved)
		stat->moved[sample->number] = (struct place){ addr, number };
	kind = cells_kind(&stat->cells, sample->event, sample->group, number, err);
	return kind != MAP_NONE && cells_add(&stat->cells, kind, addr, sample->period, err);
}

/*
 * Moves stacks that contain code of this file. A stack has no time, so if code replaced other code
 * at the same address, the new name is used for both.
 */
static bool place_stacks(struct buildstat *stat, struct scene *scene, uint32_t dump,
                         struct err *err)
{
	struct stack_tree *tree = &stat->stacks->tree;
	bool ok = show_until(scene, UINT64_MAX, err);

	for (size_t i = STACK_ENDS; ok && i < tree->count; i++) {
		struct stack_node *node = &tree->nodes[i];
		const struct binary *binary = &stat->binaries.items[node->binary];

		if (binary->kind == BINARY_JIT &&
		    map_get(&stat->mappings.jit_dumps, (uint32_t)binary->pid) == dump)
			ok = move_to_file(stat, scene, dump, &node->binary, &node->addr, err);
	}
	return ok;
}

/* Counts the samples of one file. */
static bool place_group(struct buildstat *stat, const struct timed_sample *samples, size_t count,
                        bool clock, const struct symbol_options *options, struct diag *diag,
                        struct err *err)
{
	struct scene scene = { .reused = false };
	bool ok = read_scene(&scene, stat, samples, options, diag, err);

	/*
	 * if the file has times of another clock, or the events do, the latest code is used
	 * everywhere
	 */
	if (ok && (!clock || scene.entries.other_clock)) {
		ok = show_until(&scene, UINT64_MAX, err);
		if (scene.reused)
			diag_warn(
				diag, ERR_NO_OFFSET,
				"%s: code replaced other code, but the recording does not have the clock of that file: the latest code gives the names; record with perf record -k mono",
				strings_get(stat->strings, samples->dump));
	}
	for (size_t i = 0; ok && i < count; i++)
		ok = show_until(&scene, samples[i].time, err) &&
		     place_one(stat, &scene, &samples[i], err);
	if (ok && stat->stacks)
		ok = place_stacks(stat, &scene, samples->dump, err);
	space_put(scene.space);
	space_pool_release(&scene.pool);
	free(scene.arrivals);
	free(scene.entries.items);
	return ok;
}

/* Whether all events use the clock that run-time compilers use. */
static bool is_their_clock(const struct session *session)
{
	for (size_t i = 0; i < session->event_count; i++) {
		const struct event_attr *attr = &session->events[i].attr;

		if (!attr_flag(attr, PERF_FLAG_USE_CLOCKID) || attr->clockid != CLOCK_MONOTONIC_ID)
			return false;
	}
	return true;
}

bool jit_times_place(struct buildstat *stat, const struct symbol_options *options,
                     struct diag *diag, struct err *err)
{
	struct timed_sample *timed = stat->timed;
	bool clock = is_their_clock(stat->session);
	size_t next;

	if (sample_log_is_open(&stat->log) && stat->timed_count) {
		stat->moved = calloc(stat->timed_count, sizeof(*stat->moved));
		if (!stat->moved)
			return err_nomem(err, stat->timed_count * sizeof(*stat->moved));
	}
	if (stat->timed_count)
		qsort(timed, stat->timed_count, sizeof(*timed), compare_samples);
	for (size_t i = 0; i < stat->timed_count; i = next) {
		for (next = i + 1; next < stat->timed_count && timed[next].dump == timed[i].dump;)
			next++;
		if (!place_group(stat, timed + i, next - i, clock, options, diag, err))
			return false;
	}
	free(stat->timed);
	stat->timed = NULL;
	stat->timed_count = stat->timed_capacity = 0;
	return true;
}
