/* Answers about the points in one unit, from its functions and its rows. */
#ifndef READPERF_DECODE_DWARF_ANSWER_H
#define READPERF_DECODE_DWARF_ANSWER_H

#include "decode/dwarf/line.h"
#include "decode/dwarf/name.h"
#include "decode/dwarf/split.h"

/* File tables that are kept: more than one only where units share their functions (LTO, dwz). */
enum { TABLES_MAX = 64 };

struct table_slot {
	const struct dwarf_file *file;
	uint64_t offset; /* in its .debug_line */
	struct line_table table;
};

struct dwarf_reader {
	struct source_query *query; /* borrowed */
	struct err *err;            /* borrowed */
	struct dwarf_file file, shared;
	struct splits splits;
	struct points points;
	struct dies dies;
	struct scan scan;
	struct names names;
	struct table_slot tables[TABLES_MAX];
	size_t table_count;
	uint64_t *anywhere; /* units that do not say, or not wholly, where their code is */
	size_t anywhere_count, anywhere_capacity;
};

/* The unit being read. */
struct unit_halves {
	struct dwarf_unit *main;  /* in the main file */
	struct dwarf_unit *split; /* in the split file, or main again */
	const char *comp_dir;     /* NULL: not known */
};

/* The file table of the unit's rows; *none: it has none. NULL: none, or memory is refused. */
struct line_table *reader_table(struct dwarf_reader *reader, const struct unit_halves *unit,
                                bool *none);
/* Drops the tables that were read from split files, or all. */
void reader_drop_tables(struct dwarf_reader *reader, bool all);
/* Answers what the unit can tell about its points. False with err set: memory is refused. */
bool reader_answer(struct dwarf_reader *reader, const struct unit_halves *unit);

#endif
