/* Build ids: which build of a binary it is. Recordings, ELF files and tables have them. */
#ifndef READPERF_UTIL_BUILDID_H
#define READPERF_UTIL_BUILDID_H

#include "util/origperf.h"
#include "util/types.h"

struct build_id {
	uint8_t bytes[PERF_BUILD_ID_SIZE];
	uint8_t size; /* bytes in use; 0: not known */
};

/* Whether both are the same (format reference, 8.8). False if either is not known. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex and a NUL; text has room for 2 * PERF_BUILD_ID_SIZE + 1 bytes. */
void build_id_format(const struct build_id *id, char *text);

#endif
