/* Answers questions about points in one unit, from its functions and its rows. */
#ifndef READPERF_DECODE_DWARF_ANSWER_H
#define READPERF_DECODE_DWARF_ANSWER_H

#include "decode/dwarf/line.h"
#include "decode/dwarf/name.h"
#include "decode/dwarf/split.h"

struct dwarf_reader {
	struct source_query *query; /* borrowed */
	struct err *err;            /* borrowed */
	struct dwarf_file file, shared;
	struct splits splits;
	struct dwarf_unit *main;  /* the unit that is being read, in the main file */
	struct dwarf_unit *split; /* the same in the split file; without one, the same as main */
	const char *comp_dir;     /* of that unit; NULL: not known */
	struct points points;
	struct scan scan;
	uint64_t *anywhere; /* units that do not say, or only partly, where their code is */
	size_t anywhere_count, anywhere_capacity;
};

/* The file table for the unit's rows. NULL: it has none. */
struct line_table *reader_table(struct dwarf_reader *reader);
/*
 * The unit's compilation directory, in memory that outlives the unit, as tables do; NULL: it has
 * none.
 */
const char *reader_comp_dir(struct dwarf_reader *reader, struct dwarf_unit *unit);
/* Answers the unit's points, as far as the unit can. */
bool reader_answer(struct dwarf_reader *reader);

#endif
