/* Reads DIEs anywhere in the files, and follows references between them. */
#ifndef READPERF_DECODE_DWARF_DIE_H
#define READPERF_DECODE_DWARF_DIE_H

#include "decode/dwarf/unit.h"

struct die {
	struct dwarf_unit *unit;
	uint64_t offset; /* in its section */
};

/* Reads the attributes of a DIE. False: there is none, or it cannot be read. */
bool die_read(const struct die *die, struct die_facts *facts);
/*
 * The DIE that an attribute of a DIE in the unit refers to. False: there is none, and *to is as
 * before.
 */
bool die_refer(struct dwarf_unit *unit, const struct die_facts *facts, enum die_fact fact,
               struct die *to);
/*
 * Goes from a DIE to the first one that has this attribute: itself, or one that describes the same
 * thing. facts: of that DIE. False: none has it.
 */
bool die_find(struct die *die, enum die_fact fact, struct die_facts *facts);
/* Goes from a DIE to the last one that describes the same thing. */
void die_find_origin(struct die *die);

#endif
