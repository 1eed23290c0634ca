/* Answers questions about points in one unit, from its functions and its rows. */
#ifndef READPERF_DECODE_DWARF_ANSWER_H
#define READPERF_DECODE_DWARF_ANSWER_H

#include "decode/dwarf/line.h"
#include "decode/dwarf/name.h"
#include "decode/dwarf/split.h"

/* File tables that are cached: several are needed only if units share functions (LTO, dwz). */
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
	uint64_t *anywhere; /* units that do not say, or only partly, where their code is */
	size_t anywhere_count, anywhere_capacity;
};

/* The unit that is being read. */
struct unit_halves {
	struct dwarf_unit *main;  /* in the main file */
	struct dwarf_unit *split; /* in the split file; without one, the same as main */
	const char *comp_dir;     /* NULL: not known */
};

/* The file table for the unit's rows. NULL: it has none. */
struct line_table *reader_table(struct dwarf_reader *reader, const struct unit_halves *unit);
/*
 * The unit's compilation directory, in memory that outlives the unit, as tables do; NULL: it has
 * none.
 */
const char *reader_comp_dir(struct dwarf_reader *reader, struct dwarf_unit *unit);
/* Releases the tables that were read from split files, or all tables. */
void reader_drop_tables(struct dwarf_reader *reader, bool all);
/* Answers the unit's points, as far as the unit can. */
bool reader_answer(struct dwarf_reader *reader, const struct unit_halves *unit);

#endif
