/*
 * The rows of cachelines.csv and cacheoffsets.csv.
 *
 * In:  the accesses that memorystat counted, and their names.
 * Out: a row for each line of a process and event, those that processors fight over first; of each
 *      a row for each offset and function.
 */
#ifndef READPERF_DECODE_NAMING_LINEROWS_H
#define READPERF_DECODE_NAMING_LINEROWS_H

#include "decode/naming/accessnames.h"
#include "decode/naming/memoryrow.h"

/*
 * names: by the numbers of accesses. diag is told of lines that may be the same. False with err set
 * when memory is refused.
 */
bool line_rows_make(struct memory_rows *rows, const struct buildstat *stat,
                    const struct access_names *names, const struct memory_machine *machine,
                    struct diag *diag, struct err *err);

#endif
