/* Standard input, output and error, which a caller may have closed (`readperf >&-`). */
#ifndef READPERF_UTIL_STANDARD_H
#define READPERF_UTIL_STANDARD_H

#include "util/types.h"

/*
 * Opens a stand-in for each of the descriptors 0, 1 and 2 that is closed: reading from the first,
 * and writing to the others, fails with EBADF as it would without it. Otherwise the next file to be
 * opened would get the number, and messages would be written into a table. Call it before any file
 * is opened. False with errno set.
 */
bool standard_streams_reserve(void);

#endif
