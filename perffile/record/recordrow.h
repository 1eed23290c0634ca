/* The row of a record in overview.csv. */
#ifndef READPERF_PERFFILE_RECORD_RECORDROW_H
#define READPERF_PERFFILE_RECORD_RECORDROW_H

#include "util/types.h"

enum info_kind { INFO_NONE, INFO_HEX, INFO_NUMBER, INFO_PID, INFO_TEXT };

/* The columns that depend on the record's type are empty until they are set. */
struct overview_row {
	uint64_t nr, time, info, address, size, offset, period;
	int32_t pid, tid, cpu;
	const char *event; /* NULL: none; borrowed from the session */
	uint32_t type;
	const char *text; /* of INFO_TEXT: points into the record, to a literal, or to `made` */
	size_t text_length;
	uint8_t info_kind;
	bool has_tid, has_address, has_size, has_offset, has_period;
	char made[40];
};

#endif
