/*
 * The line tables of DWARF 2 to 5 (.debug_line): names of source files, and rows that map addresses
 * to lines. A row is stored only if it answers a point. Format: DWARF 5, 6.2; DWARF 4, 6.2.
 */
#ifndef READPERF_DECODE_DWARF_LINE_H
#define READPERF_DECODE_DWARF_LINE_H

#include "decode/dwarf/unit.h"

struct line_file {
	const char *name; /* borrowed from a section; NULL: unreadable */
	uint64_t dir;     /* index of its directory */
	uint32_t string;  /* its full path, when it has been made; STRING_NONE before */
};

struct line_table {
	struct dwarf_file *file; /* borrowed, like the next one */
	const char *comp_dir;    /* NULL: not known */
	struct dwarf_format format;
	const char **dirs;
	struct line_file *files;
	size_t dir_count, dir_capacity, file_count, file_capacity;
	struct bytes program;
	const uint8_t *opcode_lengths; /* of opcodes 1 to opcode_base - 1 */
	uint8_t min_length, max_ops, line_range, opcode_base;
	int8_t line_base;
};

/*
 * Reads the table at the front of b, which it borrows, for a unit of the file. The caller sets file
 * and comp_dir, in format the size of addresses for tables without it, and zeros in the others. A
 * damaged table is empty, or ends where the damage begins. line_table_release() must be called in
 * any case.
 */
bool line_table_read(struct line_table *table, struct bytes b);
void line_table_release(struct line_table *table);

/*
 * The path of a file: its directories are joined, ".." and "." are kept. STRING_EMPTY: the table
 * has no such file.
 */
uint32_t line_table_file(struct line_table *table, uint64_t index, struct strings *strings);

/*
 * The file that the unit was compiled from, whose name is in the unit's DIE, as the table writes
 * it. Results as of line_table_file().
 */
uint32_t line_table_primary(struct line_table *table, const char *name, struct strings *strings);

/*
 * Runs the program and sets the rows of the points that the unit has claimed. Of several rows for
 * the same address the last one counts; but the first one gives the file of a function that begins
 * there, because later ones may belong to inlined code. Of overlapping sequences, the one that
 * starts first counts.
 */
bool line_table_run(struct line_table *table);

#endif
