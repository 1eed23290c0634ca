/*
 * The second half of units that are split (-gsplit-dwarf): in a .dwo file, or in a package of all
 * of them (.dwp). Both are checked by the unit's id. One file is open at a time.
 */
#ifndef READPERF_DECODE_DWARF_SPLIT_H
#define READPERF_DECODE_DWARF_SPLIT_H

#include "decode/dwarf/file.h"
#include "decode/dwarf/package.h"
#include "decode/source/source.h"

/* The caller sets the first four fields, and zeros in the others. */
struct splits {
	const struct source_query *query; /* borrowed */
	struct diag *diag;                /* borrowed */
	struct points *points;            /* borrowed */
	struct err *err;                  /* borrowed */
	struct dwarf_file package;
	struct package_index index; /* of the package, if it is open */
	bool looked;                /* the package has been looked for */
	struct dwarf_file part;     /* the parts of the package for the unit last found there */
	struct dwarf_file file;     /* the .dwo file last used */
	char *path;      /* malloc'd: its name in the debug information; NULL: none is open */
	struct map paid; /* ids of units whose size has been added to the budget */
};

void splits_release(struct splits *splits);
/*
 * The second half of a skeleton unit. It is looked for in a package beside the debug file or the
 * binary, then in the .dwo file that the skeleton names: where the compiler wrote that, below
 * --symfs if that is given, and by its base name beside the debug file and the binary. The unit
 * itself if it is no skeleton, or if nothing is found, which is a warning. The unit found before is
 * closed.
 */
struct dwarf_unit *splits_find(struct splits *splits, struct dwarf_unit *unit);

#endif
