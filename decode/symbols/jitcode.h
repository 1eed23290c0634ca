/*
 * Code made at run time: perf-PID.map files and jitdump files. Their addresses are absolute. Where
 * two entries overlap, the later one is right, because memory is reused.
 */
#ifndef READPERF_DECODE_SYMBOLS_JITCODE_H
#define READPERF_DECODE_SYMBOLS_JITCODE_H

#include "decode/files/jitdump.h"
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
 * lines. Problems of the file are reported by run_time_code_report().
 */
bool jit_dump_load(struct symtable *table, struct jit_lines *lines,
                   const struct symbol_query *query, struct err *err);

/* Where the names and lines of a jitdump file go. */
struct jit_names {
	struct symtable *table;  /* borrowed, as are the lines */
	struct jit_lines *lines; /* NULL: not wanted; call jit_lines_finish() after the file */
};

/*
 * A visitor that adds the names to the table and sets them in the entries, and adds the lines. The
 * names must live as long as it does.
 */
struct jitdump_visitor jit_names_visitor(struct jit_names *names);

/* Appends the lines of a map: `START SIZE NAME`. text ends with a NUL; the names go to table. */
bool perf_map_parse(const char *text, size_t size, struct symtable *table,
                    struct jit_entries *entries, struct err *err);
/* Adds the entries to table; where they overlap, the later one hides the earlier one. */
bool jit_entries_put(const struct jit_entries *entries, struct symtable *table, struct err *err);

#endif
