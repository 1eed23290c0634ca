/*
 * The format of a tracepoint, as the recording has it: where each field of the raw data is, what
 * kind of value it holds, and what the print format calls its values. Compiled once for each
 * tracepoint; then a field is read like a column. Format reference, section 6.3.
 *
 *   field:int common_pid;	offset:4;	size:4;	signed:1;
 *   field:__data_loc char[] name;	offset:8;	size:4;	signed:1;
 *
 * The texts are foreign bytes: a field that makes no sense is left out, and what the print format
 * says about a field is used only where it can be read.
 */
#ifndef READPERF_PERFFILE_FIELDS_FORMAT_H
#define READPERF_PERFFILE_FIELDS_FORMAT_H

#include "perffile/fields/field.h"

struct format {
	const struct field *fields; /* in the order of the format; first the common ones */
	size_t count, common_count;
	uint64_t end;          /* bytes of raw data up to the end of the last field */
	bool has_locations;    /* a field says there where its bytes are (FIELD_DATA_LOC) */
	size_t function_count; /* fields with is_function */
	size_t left_out;       /* fields that make no sense, or are too many */
	uint8_t long_size;     /* bytes of a long of the recorded kernel */
};

/*
 * Compiles the text of a format. long_size: 4 or 8. False with err set only when memory is refused;
 * everything is in the arena.
 */
bool format_parse(struct format *format, const char *text, uint8_t long_size, struct arena *arena,
                  struct err *err);

/* The field with this name, the common ones too; NULL: there is none. */
const struct field *format_find(const struct format *format, const char *name);

#endif
