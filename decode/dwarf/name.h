/*
 * Names of functions as symbols have them: the linkage name, and where compilers leave that out, as
 * gcc does for what no other file can see, the name with the scopes around it.
 */
#ifndef READPERF_DECODE_DWARF_NAME_H
#define READPERF_DECODE_DWARF_NAME_H

#include "decode/dwarf/die.h"
#include "decode/dwarf/scan.h"
#include "util/strings.h"

/* What was found out and may be asked again. */
struct names {
	const struct dwarf_file
		*main; /* the file that is asked about; borrowed, as the next four */
	struct dies *dies;
	struct points *points;   /* pay for the search */
	struct strings *strings; /* names are put here */
	struct err *err;
	const struct dwarf_unit *unit; /* the one being read, whose scopes are known, or NULL */
	const struct scopes *own;      /* of that unit */
	struct map known; /* DIEs of functions that are inlined -> their names, strings */
	struct map files; /* the same -> where they are defined, for the caller */
	bool of_split;    /* some of that, or of scopes, is of a split file, which may be closed */
	struct map units; /* other units -> number of their scopes */
	struct scopes *scopes; /* of those units */
	size_t count, capacity;
};

void names_release(struct names *names);
/* Forgets what is known of split files. */
void names_drop_splits(struct names *names);

/* Whether a unit's functions may be in scopes: not in C. */
bool unit_has_scopes(const struct dwarf_unit *unit);
/*
 * What is scanned of a unit. False: it cannot be read, or, with the file's err set, memory is
 * refused.
 */
bool unit_to_scan(struct dies *dies, struct dwarf_unit *unit, struct scan_unit *scan);
/*
 * A string: the name of the function whose DIE it is. Empty: not known. STRING_NONE: memory is
 * refused.
 */
uint32_t function_name(struct names *names, const struct die *die);
/* The same of a function that is inlined in many places. */
uint32_t inlined_name(struct names *names, const struct die *origin);
/* What such a function is found by in maps; notes whether it is to be dropped with split files. */
uint64_t names_key(struct names *names, const struct die *origin);

#endif
