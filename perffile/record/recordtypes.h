/*
 * The one list of record types. A row names a type and says how many bytes it has at least, who
 * decodes it, and what overview.csv says of it: stat.csv, overview.csv, messages and decode.c are
 * made from it. A new type is a number in util/origperf.h, a row here, and its two functions beside
 * the others.
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
	 * Kernel records: fills what struct record has for the type, and pid and tid if they are
	 * its own. Sets record->damaged and payload->problem where a list does not fit. Tool
	 * records: NULL, they go to session_record().
	 */
	void (*decode)(struct record *record, const struct payload *payload);
	/* Kernel records: sets the columns that the contract of overview.csv gives to the type. */
	void (*row)(struct overview_row *row, const struct record *record);
};

/* NULL: not known. */
const struct record_type *record_type_of(uint32_t type);
/* "MMAP" ... "HEADER_ATTR" ..., or NULL for a type that has no name. */
const char *record_type_name(uint32_t type);

#endif
