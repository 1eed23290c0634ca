/*
 * Names of accesses to memory: of the code, and of the data.
 *
 * In:  the accesses that memorystat counted.
 * Out: four strings of each.
 */
#ifndef READPERF_DECODE_NAMING_ACCESSNAMES_H
#define READPERF_DECODE_NAMING_ACCESSNAMES_H

#include "decode/naming/naming.h"

struct access_names {
	uint32_t function, binary, data_symbol, data_binary; /* strings */
};

/*
 * By the numbers of accesses; malloc'd. After naming_run(). NULL with err set when memory is
 * refused.
 */
struct access_names *access_names_make(struct buildstat *stat, const struct naming_options *options,
                                       struct err *err);

#endif
