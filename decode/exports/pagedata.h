/*
 * The data in the page of --report: what its pieces are. pagepieces.h packs and writes them.
 *
 * In:  columns of samples, the call tree, and what the report says of names and instructions.
 * Out: columns of numbers (pagecolumn.h; of samples pageplanes.h), texts each ended by a line feed,
 * and one piece of JSON, `about`. page/data.js lists and reads them.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGEDATA_H
#define READPERF_DECODE_EXPORTS_PAGEDATA_H

#include "decode/exports/pagetree.h"

/*
 * Adds functions and texts to the tree. instructions: with those of functions. two_threads: two may
 * be used. False with err set.
 */
bool page_data_print(FILE *out, struct page_tree *tree, const struct page_samples *samples,
                     bool instructions, bool two_threads, struct err *err);

#endif
