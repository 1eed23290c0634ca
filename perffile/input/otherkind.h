/*
 * Recognises common files that are no recordings, for the error if a user names the wrong file. In:
 * the first bytes of the file. Out: a clause for the error.
 */
#ifndef READPERF_PERFFILE_INPUT_OTHERKIND_H
#define READPERF_PERFFILE_INPUT_OTHERKIND_H

#include <stddef.h>
#include <stdint.h>

#define OTHER_KIND_BYTES 512 /* number of first bytes that are examined */

/* "is an ELF file ..."; NULL: it may be a recording, or it is not recognised. */
const char *other_kind(const uint8_t *data, size_t size);

#endif
