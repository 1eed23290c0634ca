/*
 * Packs a file with gzip or zstd, the same bytes for the same content. A library that was not there
 * at build time gives ERR_UNSUPPORTED and an error that names it.
 */
#ifndef READPERF_UTIL_PACK_H
#define READPERF_UTIL_PACK_H

#include "util/errhandler.h"

enum pack_format { PACK_NONE, PACK_GZIP, PACK_ZSTD };

/* What a packed file's name ends with: ".gz", ".zst", or nothing. */
const char *pack_suffix(enum pack_format format);
/* Whether this build can; else false with err set. */
bool pack_check(enum pack_format format, struct err *err);
/*
 * Packs what in_fd holds from its beginning on, and appends it to out_fd. In at most some MB of
 * memory.
 */
bool pack_fd(enum pack_format format, int in_fd, int out_fd, struct err *err);

#endif
