/* Reads DIEs anywhere in the files, and follows references between them. */
#ifndef READPERF_DECODE_DWARF_DIE_H
#define READPERF_DECODE_DWARF_DIE_H

#include "decode/dwarf/unit.h"

/* Abbreviation tables that are cached: several are needed only if units share functions. */
enum { ABBREV_TABLES_MAX = 64 };

struct abbrev_slot {
	const struct dwarf_file *file;
	uint64_t offset;
	struct abbrev_table table;
};

/* The state of reading DIEs. */
struct dies {
	struct abbrev_slot slots[ABBREV_TABLES_MAX];
	uint32_t slot_count, slot_next;
};

struct die {
	struct dwarf_unit *unit;
	uint64_t offset; /* in its section */
};

void dies_release(struct dies *dies);
/* Drops what was read from a file, because it will be replaced by another one. */
void dies_forget(struct dies *dies, const struct dwarf_file *file);
/*
 * The abbreviations of a unit, valid until those of another unit are read. NULL: they cannot be
 * read.
 */
const struct abbrev_table *dies_abbrevs(struct dies *dies, struct dwarf_unit *unit);
/* Reads the attributes of a DIE. False: there is none, or it cannot be read. */
bool die_read(struct dies *dies, const struct die *die, struct facts *facts);
/* The DIE that an attribute of a DIE in the unit refers to. False: there is none. */
bool die_refer(struct dwarf_unit *unit, const struct facts *facts, enum fact fact, struct die *to);
/*
 * Goes from a DIE to the first one that has this attribute: itself, or one that describes the same
 * thing. facts: of that DIE. False: none has it.
 */
bool die_find(struct dies *dies, struct die *die, enum fact fact, struct facts *facts);
/* Goes from a DIE to the last one that describes the same thing. */
void die_find_origin(struct dies *dies, struct die *die);

#endif
