/*
 * Code made at run time: perf-PID.map files and jitdump files. Their addresses are absolute. Where
 * two entries overlap, the later one is right, because memory is reused.
 */
#ifndef READPERF_DECODE_SYMBOLS_JITCODE_H
#define READPERF_DECODE_SYMBOLS_JITCODE_H

#include "decode/symbols/jitlines.h"
#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"

/*
 * Reads the functions of a BINARY_JIT's process into table, from the jitdump file that its path
 * names and from /tmp/perf-PID.map. If there are none, *reason says why.
 */
bool jit_code_load(struct symtable *table, const struct symbol_query *query,
                   enum symbol_origin *reason, struct err *err);

/*
 * Reads the functions of a BINARY_JITDUMP, at their offsets in the file, and with want_debug their
 * lines. Problems of the file were reported by jit_times_place().
 */
bool jit_dump_load(struct symtable *table, struct jit_lines *lines,
                   const struct symbol_query *query, struct err *err);

/* One piece of code, in the order of the files. */
struct jit_entry {
	uint64_t time;       /* ns, when it was loaded or moved; of a jitdump file */
	uint64_t start, end; /* addresses */
	uint64_t place;      /* offset of its bytes in the jitdump file */
	uint64_t room;       /* number of its bytes that are there */
	uint32_t name;       /* offset in the text */
	uint8_t text;        /* of the table */
	uint8_t origin;
};

struct jit_entries {
	struct jit_entry *items;
	size_t count, capacity;
	struct jit_lines *lines; /* of the code in a jitdump file, borrowed; NULL: not wanted */
	bool other_clock;   /* the times are not of CLOCK_MONOTONIC, but of the processor's clock */
	bool found;         /* a file with code is on this machine */
	bool cut_off;       /* the file ends within a record */
	uint64_t last_time; /* the latest time of its records */
};

/* Appends the lines of a map: `START SIZE NAME`. Changes text: each name gets a NUL. */
bool perf_map_parse(char *text, size_t size, int number, struct jit_entries *entries,
                    struct err *err);
/*
 * Reads a jitdump file from memory: appends its code to entries and its lines to the entries'
 * lines, and adds the names to table.
 */
bool jitdump_parse(const uint8_t *data, size_t size, struct symtable *table,
                   struct jit_entries *entries, struct err *err);
/* Reads the jitdump file of a process, if it is on this machine. False only with err set. */
bool jit_dump_read(struct symtable *table, struct jit_entries *entries, const struct binary *binary,
                   const char *path, const struct symbol_options *options, struct err *err);
/* Adds the entries to table; where they overlap, the later one hides the earlier one. */
bool jit_entries_put(const struct jit_entries *entries, struct symtable *table, struct err *err);

#endif
