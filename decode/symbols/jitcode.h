/*
 * Code made at run time: perf-PID.map files and jitdump files. Their addresses are absolute, and
 * where two entries overlap the later one is right, since memory is used again.
 */
#ifndef READPERF_DECODE_SYMBOLS_JITCODE_H
#define READPERF_DECODE_SYMBOLS_JITCODE_H

#include "decode/symbols/jitlines.h"
#include "decode/symbols/symboloptions.h"
#include "decode/symbols/symtable.h"

/*
 * Puts the functions of a BINARY_JIT's process into table, from the jitdump file that its path
 * names and from /tmp/perf-PID.map. *path is malloc'd: where they came from. False with err set
 * only when memory is refused; without any *reason says why.
 */
bool jit_code_load(struct symtable *table, const struct binary *binary,
                   const struct strings *strings, const struct symbol_options *options,
                   struct diag *diag, char **path, enum symbol_origin *reason, struct err *err);

/*
 * The functions of a BINARY_JITDUMP, at their places in the file, and, with want_debug, their
 * lines; its problems were told by jit_times_place().
 */
bool jit_dump_load(struct symtable *table, struct jit_lines *lines, const struct binary *binary,
                   const struct strings *strings, const struct symbol_options *options, char **path,
                   struct err *err);

/* One piece of code, in the order of the files. */
struct jit_entry {
	uint64_t start, end; /* addresses */
	uint64_t time;       /* ns, when it came there; of a jitdump file */
	uint64_t place;      /* of its bytes in the jitdump file */
	uint64_t room;       /* of them are there */
	uint32_t name;       /* offset in the text */
	uint8_t text;        /* of the table */
	uint8_t origin;
};

struct jit_entries {
	struct jit_entry *items;
	size_t count, capacity;
	struct jit_lines *lines; /* of a jitdump file's code, borrowed; NULL: not wanted */
	bool other_clock;        /* of the times: not CLOCK_MONOTONIC, but the processor's */
	bool cut_off;            /* the file ends within a record */
	uint64_t last_time;      /* of its records: the latest that there is */
};

/* Appends the lines of a map: `START SIZE NAME`. text is changed: names get their NUL. */
bool perf_map_parse(char *text, size_t size, int number, struct jit_entries *entries,
                    struct err *err);
/*
 * Reads a jitdump image, appends its code, adds the names to table and its lines to the entries'
 * lines.
 */
bool jitdump_parse(const uint8_t *data, size_t size, struct symtable *table,
                   struct jit_entries *entries, struct err *err);
/* Reads a process's jitdump file. *there: whether it is here at all. False only with err set. */
bool jit_dump_read(struct symtable *table, struct jit_entries *entries, const struct binary *binary,
                   const char *path, const struct symbol_options *options, bool *there,
                   struct err *err);
/* Puts the entries into table; of overlapping ones the later hides the earlier. */
bool jit_entries_put(const struct jit_entries *entries, struct symtable *table, struct err *err);

#endif
