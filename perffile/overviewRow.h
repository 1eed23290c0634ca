/*
 * From a record to a row of overview.csv: what the row needs is copied, so that it can be printed
 * when the record is gone.
 */
#ifndef READPERF_PERFFILE_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEWROW_H

#include "perffile/sample.h"

#define BATCH_ROWS 4096
#define BATCH_TEXT (2u * 65536u) /* bytes; full when half is used: any record's text fits */

enum info_kind { INFO_NONE, INFO_HEX, INFO_NUMBER, INFO_PID, INFO_TEXT };

struct overview_row {
	uint64_t nr, time, info, address, size, offset, period;
	int32_t pid, tid, cpu;
	const char *event; /* NULL: none; borrowed from the session */
	uint32_t type;
	uint32_t text, text_length; /* in the batch's text */
	uint8_t info_kind;
	bool has_tid, has_address, has_size, has_offset, has_period;
};

/* Rows that are passed on together. */
struct batch {
	struct overview_row rows[BATCH_ROWS];
	size_t count;
	char text[BATCH_TEXT];
	size_t text_used;
};

/* Adds the row of a record. The batch is not full. */
void batch_add(struct batch *batch, const struct session *session, const struct record *record);

static inline bool batch_full(const struct batch *batch)
{
	return batch->count == BATCH_ROWS || batch->text_used > BATCH_TEXT / 2;
}

#endif
