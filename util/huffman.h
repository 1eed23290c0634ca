/*
 * Packs bytes as zlib does (RFC 1950, RFC 1951), but with a code for single bytes alone: repeated
 * parts are not looked for. Of bytes that repeat nothing but are not equally frequent that is
 * smaller than with a library at a fast level, and takes a fifth of the time.
 */
#ifndef READPERF_UTIL_HUFFMAN_H
#define READPERF_UTIL_HUFFMAN_H

#include "util/errhandler.h"

/* About how many bytes it takes to pack so many. */
size_t huffman_estimate(const uint8_t *data, size_t size);
/* *out is malloc'd. False with err set when memory is refused. */
bool huffman_zlib(const uint8_t *data, size_t size, uint8_t **out, size_t *out_size,
                  struct err *err);

#endif
