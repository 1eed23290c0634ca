/*
 * Names of functions as in symbols: the linkage name or, where the compiler leaves that out, as gcc
 * does for functions that no other file can call, the name with the scopes around it.
 */
#ifndef READPERF_DECODE_DWARF_NAME_H
#define READPERF_DECODE_DWARF_NAME_H

#include "decode/dwarf/scan.h"
#include "util/strings.h"

/* Names found so far, cached. */
struct names {
	const struct dwarf_file *main; /* the file of the binary; borrowed, like the next two */
	struct dies *dies;
	struct strings *strings; /* names are put here */
	struct map known;        /* DIEs of inlined functions -> their names, strings */
	struct map files;        /* the same DIEs -> where they are defined; for the caller */
	bool of_split;           /* some entries come from a split file, which may be closed */
};

void names_release(struct names *names);
/* Drops everything that comes from split files. */
void names_drop_splits(struct names *names);

/* Whether functions of the unit can be in scopes, which they cannot in C. */
bool unit_has_scopes(const struct dwarf_unit *unit);
/* The name of the function with this DIE, as a string; empty: not known. */
uint32_t function_name(struct names *names, const struct die *die);
/* The same for a function that is inlined in many places. */
uint32_t inlined_name(struct names *names, const struct die *origin);
/* The key of such a function in maps; notes whether the entry must be dropped with split files. */
uint64_t names_key(struct names *names, const struct die *origin);

#endif
