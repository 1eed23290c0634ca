/*
 * The rows of memory.csv, cachelines.csv and cacheoffsets.csv: what memorystat counted, with names.
 *
 * In:  the sums of accesses.
 * Out: rows by event, those that cost most first; of cache lines those that processors fight over.
 */
#ifndef READPERF_DECODE_NAMING_MEMORYROWS_H
#define READPERF_DECODE_NAMING_MEMORYROWS_H

#include "decode/naming/memoryrow.h"
#include "decode/naming/naming.h"

/*
 * After naming_run(). diag is told of lines that may be the same. False with err set when memory is
 * refused; memory_rows_release() in any case.
 */
bool memory_rows_make(struct memory_rows *rows, struct buildstat *stat,
                      const struct naming_options *options, const struct memory_machine *machine,
                      struct diag *diag, struct err *err);
void memory_rows_release(struct memory_rows *rows);

#endif
