/* Packs blocks of memory as zlib does (RFC 1950), and writes bytes as text. */
#ifndef READPERF_UTIL_DEFLATE_H
#define READPERF_UTIL_DEFLATE_H

#include "util/errhandler.h"

#include <stdio.h>

/* Whether this build has a library for it. */
bool deflate_can(void);
/*
 * Packs a block, if deflate_can(); the same block always gives the same bytes. *out is malloc'd.
 * False with err set when memory is refused.
 */
bool deflate_zlib(const void *data, size_t size, uint8_t **out, size_t *out_size, struct err *err);

/* Writes the bytes in base64 (RFC 4648), in one line. */
void print_base64(FILE *out, const uint8_t *data, size_t size);

#endif
