/* Between dwarf.c, which walks the units of a file, and dwarf_answer.c, which answers from them. */
#ifndef READPERF_DECODE_DWARF_READER_H
#define READPERF_DECODE_DWARF_READER_H

#include "decode/source/source.h"
#include "decode/dwarf/file.h"
#include "decode/dwarf/name.h"
#include "decode/dwarf/scan.h"
#include "decode/dwarf/split.h"

/* File tables that are kept: more than one only where units share their functions (LTO, dwz). */
enum { TABLES_MAX = 64 };

struct table_slot {
	Dwarf *dwarf;
	uint64_t offset; /* in its .debug_line */
	struct line_table table;
};

struct dwarf_reader {
	struct source_query *query; /* borrowed */
	struct err *err;            /* borrowed */
	bool limited;               /* memory is: libdw must not be refused any */
	struct dwarf_file file, shared;
	struct splits splits;
	struct dwarf_sections main, other; /* other: of the split or shared file last used */
	struct points points;
	struct scan scan;
	struct names names;
	struct table_slot tables[TABLES_MAX];
	size_t table_count;
	size_t passed;     /* units of the main file, up to the one at work */
	size_t known;      /* as many as libdw has seen */
	uint64_t touched;  /* bytes read since pages were given back */
	uint32_t unit;     /* number of the unit being read, from 1 */
	uint32_t *claimed; /* points that the unit claims */
	size_t claimed_count, claimed_capacity;
	uint64_t *anywhere; /* units that do not say where their code is */
	size_t anywhere_count, anywhere_capacity;
};

/* The unit being read. */
struct unit {
	Dwarf_Die die;   /* its unit DIE in the main file */
	Dwarf_Die split; /* the same in the split file, or die again */
	Dwarf *dwarf;    /* that holds split */
	struct scan_unit scan;
	const char *comp_dir; /* NULL: not known */
};

/* An attribute of this very DIE. False, or NULL, if it has none that can be read. */
bool dwarf_uint_attr(Dwarf_Die *die, unsigned name, uint64_t *value);
const char *dwarf_text_attr(Dwarf_Die *die, unsigned name);
/* Fills in the place of a unit's DIEs, and how they are written. False: they cannot be read. */
bool reader_place(struct dwarf_reader *reader, Dwarf_CU *cu, struct scan_unit *place);
/* The sections of the main, the shared or a split file. */
const struct dwarf_sections *reader_sections(struct dwarf_reader *reader, Dwarf *dwarf);
/* Drops what was read from split files, since they may be closed. */
void reader_drop_splits(struct dwarf_reader *reader);
/* The file table of the unit's rows; *none: it has none. NULL: none, or memory refused. */
struct line_table *reader_table(struct dwarf_reader *reader, const struct unit *unit, bool *none);
/* Answers what the unit can tell about its points. False with err set: memory refused. */
bool reader_answer(struct dwarf_reader *reader, const struct unit *unit);

#endif
