/*
 * The one list of record types. A row has the name of a type, its smallest size, the function that
 * decodes it and the function that fills its row of overview.csv. stat.csv, overview.csv, messages
 * and decode.c are made from the list. To add a type, add its number in util/origperf.h, and here a
 * row and its two functions.
 */
#ifndef READPERF_PERFFILE_RECORD_RECORDTYPES_H
#define READPERF_PERFFILE_RECORD_RECORDTYPES_H

#include "util/types.h"

struct payload;
struct record;

enum info_kind { INFO_NONE, INFO_HEX, INFO_NUMBER, INFO_PID, INFO_TEXT };

/*
 * The row of a record in overview.csv. The columns that depend on the record's type are empty until
 * they are set.
 */
struct overview_row {
	uint64_t nr, time, info, address, size, offset, period;
	int32_t pid, tid, cpu;
	const char *event; /* NULL: none; borrowed from the session */
	uint32_t type;
	const char *text; /* of INFO_TEXT: points into the record, to a literal, or to `made` */
	size_t text_length;
	uint8_t info_kind;
	bool has_tid, has_address, has_size, has_offset, has_period;
	char made[40]; /* of an unknown type its name */
};

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
