#include "decode/symbols/jitcode.h"

#include "decode/files/elf.h"
#include "decode/files/rootfs.h"
#include "decode/machine/space.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_MAX ((size_t)65536)

/* Reads a number, with or without 0x in front, and the spaces after it. */
static bool hex_u64(const char **text, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)**text))
		return false;
	*value = strtoull(*text, &end, 16);
	*text = end + strspn(end, " ");
	return *end == ' ';
}

bool perf_map_parse(const char *text, size_t size, struct symtable *table,
                    struct jit_entries *entries, struct err *err)
{
	const char *end = text + size, *next;

	for (const char *line = text; line < end; line = next + 1) {
		const char *name = line;
		struct jit_entry entry = { .origin = ORIGIN_PERF_MAP };
		uint64_t length;

		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			next = end;
		if (hex_u64(&name, &entry.start) && hex_u64(&name, &length) && name < next &&
		    length &&
		    !(symtable_add_name(table, name, strnlen(name, (size_t)(next - name)),
		                        &entry.name, err) &&
		      jit_entries_add(entries, entry, length, err)))
			return false;
	}
	return true;
}

/* Adds the visible part of an entry. */
static bool put_piece(struct symtable *table, const struct jit_entry *entry, uint64_t start,
                      uint64_t end, struct err *err)
{
	struct symtable_item item = { .start = start,
		                      .size = (uint32_t)(end - start),
		                      .name = entry->name,
		                      .type = STT_FUNC,
		                      .binding = STB_GLOBAL,
		                      .origin = entry->origin };

	return start >= end || symtable_put(table, &item, err);
}

/* Maps the entries one after the other into an address space: what is left of each is visible. */
bool jit_entries_put(const struct jit_entries *entries, struct symtable *table, struct err *err)
{
	struct space_pool pool = { 0 };
	struct space *space = space_new(&pool, err);
	struct space_map map = { .end = 0 };
	bool ok = space != NULL;

	for (size_t i = 0; ok && i < entries->count; i++) {
		const struct jit_entry *entry = &entries->items[i];
		const struct space_map code = { entry->start, entry->end, 0, (uint32_t)i };

		ok = space_insert(&space, &code, err);
	}
	while (ok && space_first_behind(space, map.end, &map))
		ok = put_piece(table, &entries->items[map.binary], map.start, map.end, err);
	space_put(space);
	space_pool_release(&pool);
	return ok;
}

/* The pid of a running process in its own pid namespace: the last number of NSpid. */
static int32_t own_pid(int32_t pid)
{
	struct err err = { .code = ERR_NONE };
	char path[40], *text, *line;
	size_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);
	fd = pid > 0 ? rootfs_open(NULL, path) : -1;
	text = fd < 0 ? NULL : rootfs_slurp(fd, STATUS_MAX, &size, &err);
	line = text ? strstr(text, "\nNSpid:") : NULL;
	if (line) {
		line[1 + strcspn(line + 1, "\n")] = '\0';
		pid = (int32_t)strtol(strrchr(line, '\t') + 1, NULL, 10);
	}
	free(text);
	return pid;
}

static bool load_map(struct symtable *table, struct jit_entries *entries,
                     const struct binary *binary, const struct symbol_options *options,
                     struct err *err)
{
	/* a process with this pid on this machine is not the recorded one if that was elsewhere */
	int32_t pids[] = { binary->pid, options->files.symfs_count || options->files.other_machine
		                                ? binary->pid
		                                : own_pid(binary->pid) };
	char path[64];

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		size_t size;
		char *text;
		bool ok;

		if (pids[i] <= 0 || (i && pids[i] == pids[i - 1]))
			continue;
		snprintf(path, sizeof(path), "/tmp/perf-%" PRId32 ".map", pids[i]);
		text = slurp_of_process(binary->pid, path, &options->files, &size, err);
		if (err->code != ERR_NONE)
			return false;
		if (!text)
			continue;
		entries->found = true;
		ok = perf_map_parse(text, size, table, entries, err);
		free(text);
		return ok;
	}
	return true;
}

static bool take_load(void *context, struct jit_entry *entry, const char *name, size_t length,
                      struct err *err)
{
	const struct jit_names *names = context;

	if (names->lines)
		jit_lines_place(names->lines, entry->start, entry->place,
		                entry->place + entry->room);
	return symtable_add_name(names->table, name, length, &entry->name, err);
}

static bool take_lines(void *context, struct cursor *record, struct err *err)
{
	const struct jit_names *names = context;

	return !names->lines || jit_lines_read(names->lines, record, err);
}

struct jitdump_visitor jit_names_visitor(struct jit_names *names)
{
	return (struct jitdump_visitor){ names, take_load, take_lines };
}

/* Reads the file that the path of a binary names. */
static bool read_dump(struct jit_names *names, struct jit_entries *entries,
                      const struct symbol_query *query, struct err *err)
{
	const struct binary *binary = query->binary;
	const struct jitdump_visitor visitor = jit_names_visitor(names);

	return jitdump_read(strings_get(query->strings, binary->path), binary->pid,
	                    &query->options->files, &visitor, entries, err);
}

/*
 * Adds the loaded code at the offsets of its bytes in the file; the entries have its addresses in
 * the process.
 */
static bool put_loads(struct symtable *table, const struct jit_entries *entries, struct err *err)
{
	uint64_t end = 0;

	for (size_t i = 0; i < entries->count; i++) {
		const struct jit_entry *entry = &entries->items[i];

		/* the bytes of code that was moved are where it was loaded from */
		if (entry->place < end || !entry->room)
			continue;
		end = entry->place + entry->room;
		if (!symtable_add_link(table, entry->place, end, entry->start - entry->place,
		                       err) ||
		    !put_piece(table, entry, entry->place, end, err))
			return false;
	}
	return true;
}

bool jit_dump_load(struct symtable *table, struct jit_lines *lines,
                   const struct symbol_query *query, struct err *err)
{
	struct jit_names names = { .table = table,
		                   .lines = query->options->files.want_debug ? lines : NULL };
	struct jit_entries entries = { .items = NULL };
	struct err problem = { .code = ERR_NONE };
	bool ok;

	read_dump(&names, &entries, query, &problem);
	if (names.lines)
		jit_lines_finish(lines);
	ok = err_pass_nomem(err, &problem) && put_loads(table, &entries, err);
	free(entries.items);
	return ok;
}

bool jit_code_load(struct symtable *table, const struct symbol_query *query,
                   enum symbol_origin *reason, struct err *err)
{
	struct jit_names names = { .table = table };
	struct jit_entries entries = { .items = NULL };
	const struct binary *binary = query->binary;
	struct err problem = { .code = ERR_NONE };
	bool ok;

	*reason = ORIGIN_NO_PERF_MAP;
	if (load_map(table, &entries, binary, query->options, &problem) &&
	    read_dump(&names, &entries, query, &problem) && entries.found)
		*reason = ORIGIN_NO_SYMBOL;
	if (problem.code != ERR_NONE && problem.code != ERR_NOMEM)
		diag_warn(query->diag, ERR_NO_OFFSET, "run-time code of process %" PRId32 ": %s",
		          binary->pid, problem.text);
	ok = err_pass_nomem(err, &problem) && jit_entries_put(&entries, table, err);
	free(entries.items);
	return ok;
}
