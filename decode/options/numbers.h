/* Numbers as options have them. False: the text is none, or out of bounds. */
#ifndef READPERF_DECODE_OPTIONS_NUMBERS_H
#define READPERF_DECODE_OPTIONS_NUMBERS_H

#include "util/types.h"

bool parse_number(const char *text, uint64_t *value);
/* In bytes, with K, M, G or T behind it: 512M. */
bool parse_size(const char *text, uint64_t *value);
/* From least to most, with the unit behind it or not. */
bool parse_real(const char *value, const char *unit, double least, double most, double *number);

#endif
