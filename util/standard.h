/* Standard input, output and error, which a caller may have closed (`readperf >&-`). */
#ifndef READPERF_UTIL_STANDARD_H
#define READPERF_UTIL_STANDARD_H

#include "util/types.h"

/*
 * Opens what stands for those of the descriptors 0, 1 and 2 that are closed: to read from the first
 * and to write to the others fails with EBADF, as with closed ones. Else the next file that is
 * opened would get the number, and messages would land in a table. Call it before any file is
 * opened. False with errno set.
 */
bool standard_streams_reserve(void);

#endif
