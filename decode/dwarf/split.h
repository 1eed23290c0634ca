/*
 * The other half of units that are split (-gsplit-dwarf): in a .dwo file of their own, or together
 * in a package (.dwp). libdw looks for .dwo files only where the compiler put them, and knows no
 * packages, so both are found, and checked by the unit's id, here. One is open at a time.
 */
#ifndef READPERF_DECODE_DWARF_SPLIT_H
#define READPERF_DECODE_DWARF_SPLIT_H

#include "decode/source/source.h"
#include "decode/dwarf/file.h"
#include "decode/dwarf/package.h"
#include "util/hash.h"

/* Of a package that is open, dwarf shows the parts of one unit alone. */
struct package {
	struct dwarf_file file;
	struct package_index index;
	struct {
		Elf_Data *data; /* what libdw reads; NULL: there is no such section */
		Elf_Data *raw;  /* what we read */
		uint8_t *bytes; /* the whole section */
		size_t size;
	} sections[PACKAGE_SECTIONS];
};

struct splits {
	const struct source_query *query; /* borrowed */
	struct diag *diag;                /* borrowed */
	struct package package;
	bool looked;            /* the package has been looked for */
	struct dwarf_file file; /* the .dwo file last used */
	char *path;      /* its name in the debug information, malloc'd; NULL: none is open */
	struct map paid; /* ids of units whose reading is in the points' work */
};

void splits_init(struct splits *splits, const struct source_query *query, struct diag *diag);
void splits_release(struct splits *splits);
void splits_forget(const struct splits *splits);
/*
 * Finds the other half of a skeleton: in a package beside the debug file or the binary, else in
 * the .dwo file that it names, looked for where the compiler put it, below --symfs if that is
 * given, and by its base name beside the debug file and the binary. *split stays as it was if it is
 * not found, which is a warning, or the unit is no skeleton. What was found before may be closed. False
 * with err set only when memory is refused.
 */
bool splits_find(struct splits *splits, Dwarf_Die *skeleton, struct points *points,
                 Dwarf_Die *split, struct err *err);

#endif
