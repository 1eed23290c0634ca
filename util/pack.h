/*
 * Packs what is written to a file with gzip or zstd, while it is written; the same content always
 * gives the same bytes. Where a library was missing at build time, the error is ERR_UNSUPPORTED and
 * names it.
 */
#ifndef READPERF_UTIL_PACK_H
#define READPERF_UTIL_PACK_H

#include "util/errhandler.h"

enum pack_format { PACK_NONE, PACK_GZIP, PACK_ZSTD };

/* What a packed file's name ends with: ".gz", ".zst", or nothing. */
const char *pack_suffix(enum pack_format format);
/* Whether this build can pack in that format; if not, false with err set. */
bool pack_check(enum pack_format format, struct err *err);

/* Needs a few MB of memory from the first byte until packer_end(). */
struct packer;

/* Packs what comes, and appends the result to fd, which is borrowed. NULL with err set. */
struct packer *packer_new(enum pack_format format, int fd, struct err *err);
void packer_free(struct packer *packer); /* NULL is fine */
/* Returns 0, or the errno of what failed; after that, or after packer_end(), write no more. */
int packer_write(struct packer *packer, const void *data, size_t size);
/* Writes all that is left, once; further calls do nothing. Returns as packer_write(). */
int packer_end(struct packer *packer);

#endif
