/* DIEs at any place of the files, and how they refer to each other. */
#ifndef READPERF_DECODE_DWARF_DIE_H
#define READPERF_DECODE_DWARF_DIE_H

#include "decode/dwarf/unit.h"

/* Tables of abbreviations that are kept: more than one only where units share their functions. */
enum { ABBREV_TABLES_MAX = 64 };

struct abbrev_slot {
	const struct dwarf_file *file;
	uint64_t offset;
	struct abbrev_table table;
};

/* Reads DIEs. */
struct dies {
	struct abbrev_slot slots[ABBREV_TABLES_MAX];
	uint32_t slot_count, slot_next;
};

struct die {
	struct dwarf_unit *unit;
	uint64_t offset; /* in its section */
};

void dies_release(struct dies *dies);
/* Forgets what is known of a file whose units are others from now on. */
void dies_forget(struct dies *dies, const struct dwarf_file *file);
/*
 * The abbreviations of a unit, until those of others are asked for; NULL: they cannot be read, or,
 * with the file's err set, memory is refused.
 */
const struct abbrev_table *dies_abbrevs(struct dies *dies, struct dwarf_unit *unit);
/* Reads what a DIE says. False: there is none, or it cannot be read. */
bool die_read(struct dies *dies, const struct die *die, struct facts *facts);
/* The DIE that an attribute of one in the unit refers to. False: there is none. */
bool die_refer(struct dwarf_unit *unit, const struct facts *facts, enum fact fact, struct die *to);
/*
 * Moves a DIE to the next one that describes the same: its abstract instance, or its declaration.
 * False: it refers to none.
 */
bool die_follow(struct die *die, const struct facts *facts);
/*
 * Moves a DIE to the first one that says this: itself, or one that describes the same. facts: of
 * that DIE. False: none does.
 */
bool die_find(struct dies *dies, struct die *die, enum fact fact, struct facts *facts);
/* Moves a DIE to the last one that describes the same. */
void die_find_origin(struct dies *dies, struct die *die);

#endif
