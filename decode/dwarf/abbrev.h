/* The table of abbreviations of one unit, prepared for scanning. */
#ifndef READPERF_DECODE_DWARF_ABBREV_H
#define READPERF_DECODE_DWARF_ABBREV_H

#include "decode/dwarf/scan.h"

enum abbrev_kind {
	ABBREV_PLAIN,    /* only passed over; steps are merged */
	ABBREV_FUNCTION, /* a subprogram with code */
	ABBREV_INLINED   /* an inlined subroutine with code */
};

enum { ATTR_ABSTRACT_ORIGIN = 0x31, ATTR_DECL_FILE = 0x3a, ATTR_SPECIFICATION = 0x47 };

/* Reads scan->abbrevs and scan->steps. False with err set only when memory is refused. */
bool abbrevs_read(struct scan *scan, const struct scan_unit *unit, struct err *err);
/* Use abbrevs_find(). */
const struct scan_abbrev *abbrevs_search(const struct scan *scan, uint64_t code);

/* The abbreviation with this code, or NULL. */
static inline const struct scan_abbrev *abbrevs_find(const struct scan *scan, uint64_t code)
{
	/* Compilers count from 1 without gaps. */
	if (code && code <= scan->abbrev_count && scan->abbrevs[code - 1].code == code)
		return &scan->abbrevs[code - 1];
	return abbrevs_search(scan, code);
}

#endif
