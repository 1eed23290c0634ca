/*
 * The index of a package of split debug information (.debug_cu_index of a .dwp file): which parts
 * of the package's sections belong to which unit.
 * Format: DWARF 5, 7.3.5; version 2: gcc.gnu.org/wiki/DebugFissionDWP
 *
 *     version, columns, units, slots    4 bytes each; version 5 is 2 bytes and 2 of padding
 *     ids       slots of 8 bytes        a hash table of the units' ids
 *     rows      slots of 4 bytes        number of the unit's row, from 1; 0: the slot is free
 *     sections  columns of 4 bytes      what each column is about
 *     offsets   units rows of columns of 4 bytes
 *     sizes     the same
 */
#ifndef READPERF_DECODE_DWARF_PACKAGE_H
#define READPERF_DECODE_DWARF_PACKAGE_H

#include "util/bytes.h"
#include "decode/dwarf/point.h"

/* The sections that are read. */
enum package_section {
	PACKAGE_INFO,
	PACKAGE_ABBREV,
	PACKAGE_LINE,
	PACKAGE_STR_OFFSETS,
	PACKAGE_RNGLISTS,
	PACKAGE_SECTIONS
};

/* A unit's part of a section; its bounds have not been checked yet. */
struct package_part {
	uint32_t offset, size; /* bytes; size 0: it has none */
};

struct package_index {
	struct bytes ids, rows, offsets, sizes; /* borrowed */
	uint32_t slots, units, columns;
	uint32_t column[PACKAGE_SECTIONS]; /* number of the column; UINT32_MAX: none */
};

/* False if there are no units, or if the section is damaged or of an unknown version. */
bool package_index_read(struct package_index *index, const struct bytes *section);
/*
 * The parts of the unit with this id. False if there is none. The search takes steps from the
 * points' budget.
 */
bool package_index_find(const struct package_index *index, uint64_t id, struct points *points,
                        struct package_part parts[PACKAGE_SECTIONS]);

#endif
