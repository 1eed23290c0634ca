/*
 * The data in the page of --report: pieces with names, each packed and in base64.
 *
 * In:  columns of samples, the call tree, and what the report says of names and instructions.
 * Out: <script type="text/plain" id="NAME" data-packed="zlib">BASE64</script>
 *
 * Pieces are columns of numbers (pagecolumn.h), texts each ended by a line feed, and one piece of
 * JSON, `about`. page/data.js lists and reads them.
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
