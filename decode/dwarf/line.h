/*
 * The line tables of DWARF 2 to 5 (.debug_line): names of source files, and the rows that map
 * addresses to lines. Rows are not kept: each is dropped unless it answers a point.
 * Format: DWARF 5, 6.2; DWARF 4, 6.2.
 */
#ifndef READPERF_DECODE_DWARF_LINE_H
#define READPERF_DECODE_DWARF_LINE_H

#include "decode/dwarf/form.h"
#include "decode/dwarf/point.h"
#include "decode/dwarf/section.h"
#include "util/strings.h"

/* Where a table and its texts are; borrowed by the table that is read from them. */
struct line_place {
	struct bytes line;        /* .debug_line, from the table on */
	struct section *line_str; /* .debug_line_str, or NULL */
	struct section *str;      /* .debug_str, or NULL */
	const char *comp_dir;     /* of the unit; NULL: not known */
	uint8_t address_size;     /* bytes, for tables that do not say it */
};

struct line_file {
	const char *name; /* borrowed from a section; NULL: unreadable */
	uint64_t dir;     /* index of its directory */
	uint32_t string;  /* its whole path, once asked for; STRING_NONE before */
};

struct line_table {
	struct dwarf_format format;
	const char *comp_dir; /* borrowed; NULL: not known */
	const char **dirs;
	struct line_file *files;
	size_t dir_count, dir_capacity, file_count, file_capacity;
	struct bytes program;
	const uint8_t *opcode_lengths; /* of opcodes 1 to opcode_base - 1 */
	uint8_t min_length, max_ops, line_range, opcode_base;
	int8_t line_base;
};

/*
 * Reads a table. A damaged one is empty, or ends where the damage begins. False with err set only
 * when memory is refused. For line_table_release() in any case.
 */
bool line_table_read(struct line_table *table, const struct line_place *place, struct err *err);
void line_table_release(struct line_table *table);

/*
 * The path of a file: directories are joined, ".." and "." stay.
 * STRING_EMPTY: the table has no such file; STRING_NONE with err set: memory is refused.
 */
uint32_t line_table_file(struct line_table *table, uint64_t index, struct strings *strings,
                         struct err *err);

/*
 * The file that the unit was compiled from, which its DIE calls name, as the table writes it.
 * As line_table_file().
 */
uint32_t line_table_primary(struct line_table *table, const char *name, struct strings *strings,
                            struct err *err);

/*
 * Runs the program and sets the rows of the points that the unit has claimed. Of rows for the same
 * address the last one counts, but the first one tells the file of a function that begins there:
 * the others may be of what was inlined. Of sequences that overlap, the one that starts first.
 * False with err set only when memory is refused.
 */
bool line_table_run(struct line_table *table, struct points *points, struct err *err);

#endif
