/*
 * The other half of units that are split (-gsplit-dwarf): in a .dwo file of their own, or together
 * in a package (.dwp). Both are checked by the unit's id. One is open at a time.
 */
#ifndef READPERF_DECODE_DWARF_SPLIT_H
#define READPERF_DECODE_DWARF_SPLIT_H

#include "decode/dwarf/file.h"
#include "decode/dwarf/package.h"
#include "decode/source/source.h"

struct splits {
	const struct source_query *query; /* borrowed */
	struct diag *diag;                /* borrowed */
	struct points *points;            /* borrowed */
	struct err *err;                  /* borrowed */
	struct dwarf_file package;
	struct package_index index; /* of the package, if it is open */
	bool looked;                /* the package has been looked for */
	struct dwarf_file part;     /* what of the package is about the unit last found there */
	struct dwarf_file file;     /* the .dwo file last used */
	char *path;      /* its name in the debug information, malloc'd; NULL: none is open */
	struct map paid; /* ids of units whose reading is in the points' work */
};

void splits_init(struct splits *splits, const struct source_query *query, struct points *points,
                 struct diag *diag, struct err *err);
void splits_release(struct splits *splits);
/*
 * The other half of a skeleton: in a package beside the debug file or the binary, else in the .dwo
 * file that it names, looked for where the compiler put it, below --symfs if that is given, and by
 * its base name beside the debug file and the binary. The unit itself if it is no skeleton, or
 * nothing is found, which is a warning. What was found before is closed. NULL with err set: memory
 * is refused.
 */
struct dwarf_unit *splits_find(struct splits *splits, struct dwarf_unit *unit);

#endif
