/*
 * jitdump files: a header, then records of code loaded and moved, and of its lines.
 * Format: tools/perf/Documentation/jitdump-specification.txt, version 1
 */
#include "decode/files/jitdump.h"

#include "decode/files/keptfiles.h"
#include "decode/files/procfiles.h"
#include "decode/files/rootfs.h"
#include "util/hash.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_MAX ((size_t)1 << 30)
#define MAGIC 0x4a695444u
#define HEADER_SIZE 40
#define RECORD_HEADER_SIZE 16
#define FLAGS_AT 32
#define ARCH_TIMESTAMP 1u

enum { CODE_LOAD = 0, CODE_MOVE = 1, CODE_DEBUG_INFO = 2, CODE_CLOSE = 3 };

struct dump {
	struct jit_entries *entries;
	const struct jitdump_visitor *visitor; /* or NULL */
	struct map loads;                      /* code index -> the entry that loaded it */
	struct err *err;
};

bool jit_entries_add(struct jit_entries *entries, struct jit_entry entry, uint64_t size,
                     struct err *err)
{
	entry.end = u64_add_sat(entry.start, u64_min(size, UINT32_MAX));
	return vec_append(&entries->items, &entries->count, &entries->capacity, &entry,
	                  sizeof(entry), err);
}

static bool code_load(struct dump *dump, struct cursor *c, uint64_t time)
{
	struct jit_entry entry = { .time = time, .origin = ORIGIN_JITDUMP };
	uint64_t size, index;
	size_t length, left;
	const char *name;

	cur_u32(c);
	cur_u32(c);
	cur_u64(c);
	entry.start = cur_u64(c);
	size = cur_u64(c);
	index = cur_u64(c);
	entry.place = c->offset;
	left = cur_left(c);
	name = cur_text(c, left, &length);
	if (dump->err->code != ERR_NONE || !name)
		return false;
	/* the code follows the name */
	entry.place += length + 1;
	entry.room = left > length ? u64_min(size, left - length - 1) : 0;
	if (dump->visitor &&
	    !dump->visitor->load(dump->visitor->context, &entry, name, length, dump->err))
		return false;
	return !size ||
	       (jit_entries_add(dump->entries, entry, size, dump->err) &&
	        map_put(&dump->loads, index, (uint32_t)(dump->entries->count - 1), dump->err));
}

static bool code_move(struct dump *dump, struct cursor *c, uint64_t time)
{
	struct jit_entry entry;
	uint64_t addr, size;
	uint32_t load;

	cur_u32(c);
	cur_u32(c);
	cur_u64(c);
	cur_u64(c);
	addr = cur_u64(c);
	size = cur_u64(c);
	load = map_get(&dump->loads, cur_u64(c));
	if (dump->err->code != ERR_NONE)
		return false;
	if (load == MAP_NONE || !size)
		return true;
	entry = dump->entries->items[load];
	entry.start = addr;
	entry.time = time;
	return jit_entries_add(dump->entries, entry, size, dump->err);
}

static bool read_records(struct dump *dump, struct cursor *c)
{
	bool ok = true;

	while (ok && cur_left(c) >= RECORD_HEADER_SIZE) {
		uint32_t type = cur_u32(c), size = cur_u32(c);
		uint64_t time = cur_u64(c);
		struct cursor record;

		if (size < RECORD_HEADER_SIZE)
			return err_at(dump->err, ERR_FORMAT, c->offset,
			              "jitdump record of %u bytes", size);
		/* the last record is incomplete if the process was killed */
		if (size - RECORD_HEADER_SIZE > cur_left(c)) {
			dump->entries->cut_off = true;
			return true;
		}
		dump->entries->last_time = u64_max(dump->entries->last_time, time);
		record = cur_sub(c, size - RECORD_HEADER_SIZE, "jitdump record");
		if (type == CODE_LOAD)
			ok = code_load(dump, &record, time);
		else if (type == CODE_MOVE)
			ok = code_move(dump, &record, time);
		else if (type == CODE_DEBUG_INFO && dump->visitor)
			ok = dump->visitor->lines(dump->visitor->context, &record, dump->err);
		else if (type == CODE_CLOSE)
			return true;
	}
	dump->entries->cut_off = ok && cur_left(c);
	return ok;
}

bool jitdump_parse(const uint8_t *data, size_t size, const struct jitdump_visitor *visitor,
                   struct jit_entries *entries, struct err *err)
{
	struct dump dump = { .entries = entries, .visitor = visitor, .err = err };
	bool swap, ok;
	struct cursor c;
	uint32_t header;

	if (size < HEADER_SIZE)
		return err_at(err, ERR_FORMAT, 0, "too short for a jitdump file");
	swap = load_u32(data, false) != MAGIC;
	if (load_u32(data, swap) != MAGIC)
		return err_at(err, ERR_FORMAT, 0, "not a jitdump file");
	c = cursor_over(data, size, 0, "jitdump file", swap, err);
	cur_u64(&c);
	header = cur_u32(&c);
	if (header < HEADER_SIZE || !cur_take(&c, header - 12))
		return err_at(err, ERR_FORMAT, 8, "jitdump header of %u bytes", header);
	entries->other_clock = load_u64(data + FLAGS_AT, swap) & ARCH_TIMESTAMP;
	ok = read_records(&dump, &c);
	map_release(&dump.loads);
	return ok;
}

char *slurp_of_process(int32_t pid, const char *path, const struct file_options *options,
                       size_t *size, struct err *err)
{
	char root[40];
	int fd = -1;

	if (!options->symfs_count && pid > 0 && !options->other_machine) {
		snprintf(root, sizeof(root), "/proc/%" PRId32 "/root", pid);
		fd = proc_files_open(kept_files_helper(options->kept), root, path);
	}
	for (size_t i = 0; fd < 0 && i < file_roots(options); i++)
		fd = rootfs_open(file_root(options, i), path);
	return fd < 0 ? NULL : rootfs_slurp(fd, FILE_MAX, size, err);
}

bool jitdump_read(const char *path, int32_t pid, const struct file_options *options,
                  const struct jitdump_visitor *visitor, struct jit_entries *entries,
                  struct err *err)
{
	size_t size;
	char *data;
	bool ok;

	if (!is_jitdump(path))
		return true;
	data = slurp_of_process(pid, path, options, &size, err);
	if (!data)
		return err->code == ERR_NONE;
	entries->found = true;
	ok = jitdump_parse((uint8_t *)data, size, visitor, entries, err);
	free(data);
	return ok;
}
