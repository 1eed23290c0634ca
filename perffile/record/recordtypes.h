/*
 * The one list of record types. A row has the name of a type, its smallest size, the function that
 * decodes it and the function that fills its row of overview.csv. stat.csv, overview.csv, messages
 * and decode.c are made from the list. To add a type, add its number in util/origperf.h, and here a
 * row and its two functions.
 */
#ifndef READPERF_PERFFILE_RECORD_RECORDTYPES_H
#define READPERF_PERFFILE_RECORD_RECORDTYPES_H

#include "perffile/record/recordrow.h"
#include "util/types.h"

struct payload;
struct record;

struct record_type {
	const char *name;
	uint16_t least; /* bytes, with the header and without the trailer */
	/*
	 * Of kernel records: sets the type's part of struct record, and pid and tid if the type has
	 * its own. Where a list does not fit, it sets record->damaged and payload->problem. NULL
	 * for records of the tool, which session_record() handles.
	 */
	void (*decode)(struct record *record, const struct payload *payload);
	/* Of kernel records: sets the columns of overview.csv that the type has. */
	void (*row)(struct overview_row *row, const struct record *record);
};

/* NULL: the type is not known. */
const struct record_type *record_type_of(uint32_t type);
/* "MMAP" ... "HEADER_ATTR" ..., or NULL if the type is not known. */
const char *record_type_name(uint32_t type);

#endif
