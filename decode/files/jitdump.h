/*
 * jitdump files, in which run-time compilers say what code they loaded at which address and time.
 *
 * In:  the path of such a file, as the recording has it.
 * Out: its code, in the order of the file.
 */
#ifndef READPERF_DECODE_FILES_JITDUMP_H
#define READPERF_DECODE_FILES_JITDUMP_H

#include "decode/files/locate.h"
#include "util/cursor.h"

/* One piece of code, of a jitdump file or of a perf map. */
struct jit_entry {
	uint64_t time;       /* ns, when it was loaded or moved; of a jitdump file */
	uint64_t start, end; /* addresses */
	uint64_t place;      /* offset of its bytes in the jitdump file */
	uint64_t room;       /* number of its bytes that are there */
	uint32_t name;       /* offset in the names; set by readers of names */
	uint8_t origin;
};

struct jit_entries {
	struct jit_entry *items;
	size_t count, capacity;
	bool other_clock;   /* the times are not of CLOCK_MONOTONIC, but of the processor's clock */
	bool found;         /* a file with code is on this machine */
	bool cut_off;       /* the file ends within a record */
	uint64_t last_time; /* the latest time of its records */
};

/* What else is to be read of a jitdump file. Each returns false with err set to end the reading. */
struct jitdump_visitor {
	void *context;
	/* Code was loaded; the function may set its name. */
	bool (*load)(void *context, struct jit_entry *entry, const char *name, size_t length,
	             struct err *err);
	/* A record of lines, without its header; the code that it belongs to is loaded later. */
	bool (*lines)(void *context, struct cursor *record, struct err *err);
};

/* Appends code of size bytes from entry.start on; as no symbol is larger, 4 GB at most. */
bool jit_entries_add(struct jit_entries *entries, struct jit_entry entry, uint64_t size,
                     struct err *err);

/*
 * Reads a jitdump file from memory: appends its code to entries. visitor: NULL if only the code is
 * wanted. False with err set; what was read until then is in entries.
 */
bool jitdump_parse(const uint8_t *data, size_t size, const struct jitdump_visitor *visitor,
                   struct jit_entries *entries, struct err *err);
/*
 * Reads the jitdump file of a process, if it is on this machine and has the name of one. False only
 * with err set.
 */
bool jitdump_read(const char *path, int32_t pid, const struct file_options *options,
                  const struct jitdump_visitor *visitor, struct jit_entries *entries,
                  struct err *err);

/*
 * Reads a file in the root directory of the process, below --symfs, or at its path. *size does not
 * include the NUL that follows the bytes. Malloc'd; NULL: it is not there, or err is set.
 */
char *slurp_of_process(int32_t pid, const char *path, const struct file_options *options,
                       size_t *size, struct err *err);

#endif
