/*
 * Packs a file with gzip or zstd; the same content always gives the same bytes. Where a library was
 * missing at build time, the error is ERR_UNSUPPORTED and names it.
 */
#ifndef READPERF_UTIL_PACK_H
#define READPERF_UTIL_PACK_H

#include "util/errhandler.h"

enum pack_format { PACK_NONE, PACK_GZIP, PACK_ZSTD };

/* What a packed file's name ends with: ".gz", ".zst", or nothing. */
const char *pack_suffix(enum pack_format format);
/* Whether this build can pack in that format; if not, false with err set. */
bool pack_check(enum pack_format format, struct err *err);
/*
 * Packs all of in_fd from its beginning on, and appends the result to out_fd. Needs a few MB of
 * memory at most.
 */
bool pack_fd(enum pack_format format, int in_fd, int out_fd, struct err *err);

#endif
