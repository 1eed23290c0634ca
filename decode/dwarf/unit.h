/*
 * The header of one unit of .debug_info and what its own DIE says of where its code is. libdw would
 * read a unit's whole table of abbreviations to know that, in which gcc puts the one of the unit
 * last; and of all units few have anything to answer.
 * Format: DWARF 5, 7.5.1 and 3.1.1; DWARF 4, 7.5.1.
 */
#ifndef READPERF_DECODE_DWARF_UNIT_H
#define READPERF_DECODE_DWARF_UNIT_H

#include "decode/dwarf/code.h"

struct dwarf_sections;

struct dwarf_unit {
	uint64_t next; /* offset of the next unit's header */
	bool has_code; /* it may have: it is a compilation's, and what follows could be read */
	struct dwarf_code code;
	struct scan_unit scan; /* for code_each(): where its addresses and ranges are */
};

/*
 * Reads the unit whose header is at offset. What is searched of abbreviations is taken from the
 * points' work. False where no unit is.
 */
bool dwarf_unit_read(struct dwarf_unit *unit, const struct dwarf_sections *sections,
                     uint64_t offset, struct points *points);

#endif
