#include "decode/naming/jittimes.h"

#include "decode/symbols/jitcode.h"
#include "util/radix.h"

#include <stdlib.h>

#define CLOCK_MONOTONIC_ID 1 /* the kernel's number */

/* A jitdump file, with the code that was loaded up to some time. */
struct loaded_code {
	struct jit_entries entries; /* by time */
	size_t next;                /* the next one to be loaded */
	struct space_pool pool;
	struct space *space; /* pgoff of its mappings: offsets in the file */
	bool reused;         /* code was loaded where other code had been */
};

static int compare_samples(const void *a, const void *b)
{
	const struct timed_sample *x = a, *y = b;

	if (x->dump != y->dump)
		return x->dump < y->dump ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

static bool load_entry(struct loaded_code *code, const struct jit_entry *entry, struct err *err)
{
	struct space_map other, map = { .start = entry->start,
		                        .end = u64_add_sat(entry->start, entry->room),
		                        .pgoff = entry->place };

	code->reused |= space_first_behind(code->space, entry->start, &other) &&
	                other.start < entry->end;
	/*
	 * if its bytes are not in the file it has no offset there, but it replaces older code all
	 * the same
	 */
	return space_remove(&code->space, entry->start, entry->end, err) &&
	       space_insert(&code->space, &map, err);
}

/* Loads the code that came up to that time. */
static bool load_until(struct loaded_code *code, uint64_t time, struct err *err)
{
	const struct jit_entries *entries = &code->entries;

	for (; code->next < entries->count && entries->items[code->next].time <= time; code->next++)
		if (!load_entry(code, &entries->items[code->next], err))
			return false;
	return true;
}

/* Reports what is wrong with the file. problem: why it could not be read completely. */
static void report_problems(const struct loaded_code *code, const char *path,
                            const struct err *problem, struct diag *diag)
{
	const struct jit_entries *entries = &code->entries;

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

static bool read_dump(struct loaded_code *code, const struct buildstat *stat,
                      const struct timed_sample *sample, const struct symbol_options *options,
                      struct diag *diag, struct err *err)
{
	const struct binary *binary = &stat->binaries.items[sample->binary];
	const char *path = strings_get(stat->strings, sample->dump);
	struct err problem = { .code = ERR_NONE };
	struct symtable names = { 0 };
	struct jit_entry *items, *room;
	bool ok;

	ok = jit_dump_read(&names, &code->entries, binary, path, options, &problem);
	symtable_release(&names);
	if (!ok && problem.code == ERR_NOMEM)
		return err_pass(err, &problem);
	report_problems(code, path, &problem, diag);
	room = malloc((code->entries.count + 1) * sizeof(*room));
	if (!room)
		return err_nomem(err, code->entries.count * sizeof(*room));
	items = code->entries.items;
	code->entries.items = radix_sort(items, room, code->entries.count, sizeof(*room));
	free(code->entries.items == items ? room : items);
	code->space = space_new(&code->pool, err);
	return code->space != NULL;
}

/* Moves an address of a binary to the code in the file that covers it now, if there is some. */
static bool move_to_file(struct buildstat *stat, const struct loaded_code *code, uint32_t dump,
                         uint32_t *number, uint64_t *addr, struct err *err)
{
	const struct space_map *map = code->space ? space_find(code->space, *addr) : NULL;
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
static bool place_sample(struct buildstat *stat, struct loaded_code *code,
                         const struct timed_sample *sample, struct err *err)
{
	uint32_t number = sample->binary, kind;
	uint64_t addr = sample->addr;

	if (!move_to_file(stat, code, sample->dump, &number, &addr, err))
		return false;
	if (stat->moved)
		stat->moved[sample->number] = (struct place){ addr, number };
	kind = cells_kind(&stat->cells, sample->event, sample->group, number, err);
	return kind != MAP_NONE && cells_append(&stat->cells, kind, addr, 1, sample->period, err);
}

/* Whether the binary is code that was made at run time, and is in this file. */
static bool is_code_of(const struct buildstat *stat, uint32_t number, uint32_t dump)
{
	const struct binary *binary = &stat->binaries.items[number];

	return binary->kind == BINARY_JIT &&
	       map_get(&stat->mappings.jit_dumps, (uint32_t)binary->pid) == dump;
}

/*
 * Moves stacks that contain code of this file. A stack has no time, so if code replaced other code
 * at the same address, the new name is used for both.
 */
static bool place_stacks(struct buildstat *stat, struct loaded_code *code, uint32_t dump,
                         struct err *err)
{
	struct stackstat *stacks = stat->stacks;
	bool ok = load_until(code, UINT64_MAX, err);

	for (size_t i = 0; ok && i < stacks->tree.frame_count; i++) {
		struct stack_frame *frame = &stacks->tree.frames[i];

		if (is_code_of(stat, frame->binary, dump))
			ok = move_to_file(stat, code, dump, &frame->binary, &frame->addr, err);
	}
	for (size_t i = 0; ok && i < stacks->cells.count; i++) {
		struct stack_cell *cell = &stacks->cells.items[i];

		if (is_code_of(stat, cell->binary, dump))
			ok = move_to_file(stat, code, dump, &cell->binary, &cell->addr, err);
	}
	return ok;
}

/* Counts the samples of one file. */
static bool place_samples(struct buildstat *stat, const struct timed_sample *samples, size_t count,
                          bool clock, const struct symbol_options *options, struct diag *diag,
                          struct err *err)
{
	struct loaded_code code = { .reused = false };
	bool ok = read_dump(&code, stat, samples, options, diag, err);

	/*
	 * if the file has times of another clock, or the events do, the latest code is used
	 * everywhere
	 */
	if (ok && (!clock || code.entries.other_clock)) {
		ok = load_until(&code, UINT64_MAX, err);
		if (code.reused)
			diag_warn(
				diag, ERR_NO_OFFSET,
				"%s: code replaced other code, but the recording does not have the clock of that file: the latest code gives the names; record with perf record -k mono",
				strings_get(stat->strings, samples->dump));
	}
	for (size_t i = 0; ok && i < count; i++)
		ok = load_until(&code, samples[i].time, err) &&
		     place_sample(stat, &code, &samples[i], err);
	if (ok && stat->stacks)
		ok = place_stacks(stat, &code, samples->dump, err);
	space_put(code.space);
	space_pool_release(&code.pool);
	free(code.entries.items);
	return ok;
}

/* Whether all events use the clock that run-time compilers use. */
static bool is_clock_of_compilers(const struct session *session)
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
	bool clock = is_clock_of_compilers(stat->session);
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
		if (!place_samples(stat, timed + i, next - i, clock, options, diag, err))
			return false;
	}
	free(stat->timed);
	stat->timed = NULL;
	stat->timed_count = stat->timed_capacity = 0;
	return true;
}
