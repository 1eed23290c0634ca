/*
 * What a file is that is no recording: its first bytes in, a clause for the error out, so that a
 * user who named the wrong file sees which one it is.
 */
#ifndef READPERF_PERFFILE_INPUT_OTHERKIND_H
#define READPERF_PERFFILE_INPUT_OTHERKIND_H

#include <stddef.h>
#include <stdint.h>

#define OTHER_KIND_BYTES 512 /* of the file's beginning are worth looking at */

/* "is an ELF file ..."; NULL: it may be a recording, or nothing that is known. */
const char *other_kind(const uint8_t *data, size_t size);

#endif
