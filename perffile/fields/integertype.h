/* Names of integer types of C and of the kernel. */
#ifndef READPERF_PERFFILE_FIELDS_INTEGERTYPE_H
#define READPERF_PERFFILE_FIELDS_INTEGERTYPE_H

#include "util/types.h"

/*
 * The width in bytes and the sign of an integer type; 0: it is another type. long_size: bytes of a
 * long of the recorded kernel.
 */
uint8_t integer_width(const char *type, size_t length, uint8_t long_size, bool *is_signed);

#endif
