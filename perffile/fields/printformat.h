/*
 * What a print format says of the fields: which are shown in hex, which as a function, and how
 * their values are called.
 *
 *   print fmt: "vec=%u [action=%s]", REC->vec, __print_symbolic(REC->vec, { 0, "HI" }, ...)
 */
#ifndef READPERF_PERFFILE_FIELDS_PRINTFORMAT_H
#define READPERF_PERFFILE_FIELDS_PRINTFORMAT_H

#include "perffile/fields/field.h"

/*
 * text: what stands behind "print fmt:". fields: those of the format, which are completed. False
 * with err set only when memory is refused.
 */
bool print_format_apply(const char *text, struct field *fields, size_t count, uint8_t long_size,
                        struct arena *arena, struct err *err);

#endif
