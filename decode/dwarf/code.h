/*
 * Where the code of a DIE is: the attributes about it, and the address ranges that they stand for.
 * Format: DWARF 5, 2.17, 7.25 and 7.28; DWARF 4, 2.17.
 */
#ifndef READPERF_DECODE_DWARF_CODE_H
#define READPERF_DECODE_DWARF_CODE_H

#include "decode/dwarf/facts.h"
#include "decode/dwarf/point.h"

/* What addresses and ranges in a unit are relative to. All bytes are borrowed. */
struct code_place {
	struct dwarf_format format;
	struct bytes addrs;     /* .debug_addr, starting at the unit's base */
	struct bytes ranges;    /* .debug_ranges, starting at the unit's base */
	struct bytes rnglists;  /* .debug_rnglists, whole */
	uint64_t rnglists_base; /* offset in rnglists that list numbers are relative to */
	uint64_t base;          /* address that ranges are relative to */
};

/* The address that an attribute stands for; false if there is none. */
bool code_addr(const struct die_facts *facts, enum die_fact fact, const struct code_place *place,
               uint64_t *addr);
/*
 * Calls the receiver for each point in a range that can be read. number: of the point; size: of the
 * range, in bytes. Takes steps from the points' budget, and ends when that is used up.
 */
void code_each(const struct die_facts *facts, const struct code_place *place, struct points *points,
               void (*visit)(void *context, size_t number, uint64_t size), void *context);

#endif
