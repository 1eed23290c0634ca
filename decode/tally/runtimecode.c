#include "decode/tally/runtimecode.h"

#include "perffile/session/features.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define CLOCK_MONOTONIC_ID 1 /* the kernel's number */

static uint64_t dump_key(uint32_t path, int32_t pid)
{
	return (uint64_t)(uint32_t)pid << 32 | path;
}

void run_time_code_init(struct run_time_code *code, struct session *session,
                        struct mappings *mappings)
{
	*code = (struct run_time_code){ .session = session,
		                        .mappings = mappings,
		                        .last_timed = DUMP_NONE,
		                        .next_time = TIME_NONE };
}

void run_time_code_release(struct run_time_code *code)
{
	for (size_t i = 0; i < code->count; i++)
		free(code->dumps[i].entries.items);
	free(code->dumps);
	map_release(&code->dump_of);
	code->dumps = NULL;
	code->count = 0;
}

/* Whether all events have times of the clock that run-time compilers use. */
static bool has_clock_of_compilers(const struct session *session)
{
	for (size_t i = 0; i < session->event_count; i++) {
		const struct event_attr *attr = &session->events[i].attr;

		if (!attr_flag(attr, PERF_FLAG_USE_CLOCKID) ||
		    attr->clockid != CLOCK_MONOTONIC_ID || !(attr->sample_type & PERF_SAMPLE_TIME))
			return false;
	}
	return true;
}

static bool load_next(struct run_time_code *code, struct code_dump *dump, struct err *err)
{
	const struct jit_entry *entry = &dump->entries.items[dump->next++];
	const struct loaded_code loaded = { .path = dump->path,
		                            .pid = dump->pid,
		                            .start = entry->start,
		                            .end = entry->end,
		                            .place = entry->place,
		                            .room = entry->room };

	return mapping_load(code->mappings, dump->process, &loaded, &dump->reused, err);
}

/*
 * Loads all code of a file at once, the oldest entry first, so that a later entry replaces an
 * earlier one. This is done when a process maps a file whose times are not of the recording's
 * clock. Does nothing if the process has the code already.
 */
static bool load_all(struct run_time_code *code, struct code_dump *dump, struct err *err)
{
	const struct jit_entries *entries = &dump->entries;
	struct space *space = code->mappings->processes->items[dump->process].space;
	const struct space_map *map;

	if (!entries->count)
		return true;
	map = space ? space_find(space, entries->items[entries->count - 1].start) : NULL;
	if (map && code->mappings->binaries->items[map->binary].path == dump->path)
		return true;
	for (dump->next = 0; dump->next < entries->count;)
		if (!load_next(code, dump, err))
			return false;
	return true;
}

/* Reads the file. Problems are kept until it is known whether it matters. */
static bool read_dump(struct run_time_code *code, struct code_dump *dump, struct err *err)
{
	struct jit_entries *entries = &dump->entries;
	struct err problem = { .code = ERR_NONE };
	struct file_options files = *code->files;

	file_options_complete(&files, feature_text(code->session, PERF_FEATURE_HOSTNAME),
	                      feature_text(code->session, PERF_FEATURE_OSRELEASE));
	jitdump_read(strings_get(code->mappings->strings, dump->path), dump->pid, &files, NULL,
	             entries, &problem);
	if (!err_pass_nomem(err, &problem))
		return false;
	dump->problem = strings_put_text(code->mappings->strings, problem.text, err);
	return dump->problem != STRING_NONE &&
	       radix_sort_array(&entries->items, entries->count, sizeof(*entries->items), err);
}

/* Adds a file. NULL with err set. */
static struct code_dump *add_dump(struct run_time_code *code, uint32_t path, int32_t pid,
                                  struct err *err)
{
	struct code_dump *dump;

	if (!vec_room(&code->dumps, code->count, &code->capacity, sizeof(*dump), err) ||
	    !map_put(&code->dump_of, dump_key(path, pid), (uint32_t)code->count, err))
		return NULL;
	dump = &code->dumps[code->count++];
	*dump = (struct code_dump){ .path = path, .pid = pid };
	return dump;
}

/* Reads a file, and makes its code load at its times if they are of the recording's clock. */
static bool open_dump(struct run_time_code *code, struct code_dump *dump, struct err *err)
{
	if (!read_dump(code, dump, err))
		return false;
	dump->timed = !dump->entries.other_clock && has_clock_of_compilers(code->session);
	if (dump->timed && dump->entries.count) {
		dump->timed_before = code->last_timed;
		code->last_timed = (size_t)(dump - code->dumps);
		code->next_time = u64_min(code->next_time, dump->entries.items[0].time);
		code->timed = true;
	}
	return true;
}

bool run_time_code_carry(struct run_time_code *code, uint32_t path, int32_t pid, struct err *err)
{
	const uint32_t process = code->files
	                                 ? processes_get(code->mappings->processes, pid, -1, err)
	                                 : PROCESS_NONE;
	struct code_dump *dump;

	if (process == PROCESS_NONE)
		return err->code == ERR_NONE;
	dump = add_dump(code, path, pid, err);
	if (!dump)
		return false;
	dump->process = process;
	dump->unread = true;
	code->unread = true;
	code->next_time = 0;
	return true;
}

/* Reads the files of run_time_code_carry(). */
static bool open_carried(struct run_time_code *code, struct err *err)
{
	code->unread = false;
	for (size_t i = 0; i < code->count; i++) {
		struct code_dump *dump = &code->dumps[i];

		if (!dump->unread)
			continue;
		dump->unread = false;
		if (!open_dump(code, dump, err) || (!dump->timed && !load_all(code, dump, err)))
			return false;
	}
	return true;
}

bool run_time_code_load(struct run_time_code *code, uint64_t time, struct err *err)
{
	size_t *link = &code->last_timed;

	if (code->unread && !open_carried(code, err))
		return false;
	code->next_time = TIME_NONE;
	while (*link != DUMP_NONE) {
		struct code_dump *dump = &code->dumps[*link];

		while (dump->next < dump->entries.count &&
		       dump->entries.items[dump->next].time <= time)
			if (!load_next(code, dump, err))
				return false;
		if (dump->next < dump->entries.count) {
			code->next_time = u64_min(code->next_time,
			                          dump->entries.items[dump->next].time);
			link = &dump->timed_before;
		} else {
			*link = dump->timed_before;
		}
	}
	return true;
}

bool run_time_code_mmap(struct run_time_code *code, const struct record *record, struct err *err)
{
	const uint32_t path = code->mappings->mapped_dump;
	struct code_dump *dump;
	uint32_t process, number;

	if (!code->files || path == STRING_EMPTY)
		return true;
	process = processes_get(code->mappings->processes, record->pid, record->tid, err);
	if (process == PROCESS_NONE)
		return false;
	number = map_get(&code->dump_of, dump_key(path, record->pid));
	dump = number == MAP_NONE ? add_dump(code, path, record->pid, err) : &code->dumps[number];
	if (!dump || (number == MAP_NONE && !open_dump(code, dump, err)))
		return false;
	dump->process = process;
	return dump->timed || load_all(code, dump, err);
}

static void report(const struct code_dump *dump, const struct strings *strings, struct diag *diag)
{
	const struct jit_entries *entries = &dump->entries;
	const char *path = strings_get(strings, dump->path);

	if (dump->problem == STRING_EMPTY && !entries->found)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: the recorded jitdump file is not here: copy it, or pass --symfs with a folder that has it below its full path",
			path);
	/*
	 * without code, samples stay in the binary they fell into, and that is reported when they
	 * are named
	 */
	if (dump->problem != STRING_EMPTY && entries->count)
		diag_warn(diag, ERR_NO_OFFSET, "%s: %s", path, strings_get(strings, dump->problem));
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
	if (!dump->timed && dump->reused)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: code replaced other code, but the recording does not have the clock of that file: the latest code gives the names; record with perf record -k mono",
			path);
}

void run_time_code_report(struct run_time_code *code, const struct binary *binary,
                          struct diag *diag)
{
	const uint32_t number = map_get(&code->dump_of, dump_key(binary->path, binary->pid));

	if (number == MAP_NONE || code->dumps[number].reported)
		return;
	code->dumps[number].reported = true;
	report(&code->dumps[number], code->mappings->strings, diag);
}
