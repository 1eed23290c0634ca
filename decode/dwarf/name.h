/*
 * Names of functions as symbols have them: the linkage name, and where compilers leave that out, as
 * gcc does for what no other file can see, the name with the scopes around it.
 */
#ifndef READPERF_DECODE_DWARF_NAME_H
#define READPERF_DECODE_DWARF_NAME_H

#include "decode/dwarf/scan.h"
#include "util/hash.h"

#include <elfutils/libdw.h>

struct dwarf_reader;
struct unit;

/* What was found out and may be asked again. */
struct names {
	struct map known;      /* DIEs of functions that are inlined -> their names, strings */
	bool of_split;         /* known has some of a split file, which may be closed */
	struct map units;      /* units other than the one being read -> number of their scopes */
	struct scopes *scopes; /* of those units */
	size_t count, capacity;
};

void names_release(struct names *names);
/* Forgets what is known of split files. */
void names_drop_splits(struct names *names);

/* Whether a unit's functions may be in scopes: not in C. */
bool dwarf_has_scopes(Dwarf_CU *cu);
/* Follows a DIE to what describes it: its abstract instance, then its declaration. */
void dwarf_find_origin(Dwarf_Die *die);
/*
 * A string: the name of the function whose DIE is at offset in the unit. inlined: it is a call that
 * was inlined. Empty: it is not known. STRING_NONE: memory is refused.
 */
uint32_t reader_name(struct dwarf_reader *reader, const struct unit *unit, uint64_t offset,
                     bool inlined);

#endif
