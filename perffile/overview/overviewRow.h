/*
 * From a record to a row of overview.csv.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H

#include "perffile/record/sample.h"

enum info_kind { INFO_NONE, INFO_HEX, INFO_NUMBER, INFO_PID, INFO_TEXT };

struct overview_row {
	uint64_t nr, time, info, address, size, offset, period;
	int32_t pid, tid, cpu;
	const char *event; /* NULL: none; borrowed from the session */
	uint32_t type;
	const char *text; /* of INFO_TEXT; in the record, or a literal, or made */
	size_t text_length;
	uint8_t info_kind;
	bool has_tid, has_address, has_size, has_offset, has_period;
	char made[40];
};

/* What the contract of overview.csv puts into a row of this type; its texts stay the record's. */
void row_fill_sample(struct overview_row *row, const struct session *session,
                     const struct sample *sample);
void row_fill(struct overview_row *row, const struct session *session, const struct record *record);

#define BATCH_ROWS 4096
#define BATCH_TEXT (2u * 65536u) /* bytes; full when half is used: any record's text fits */

/* Rows that outlive their records. */
struct batch {
	struct overview_row rows[BATCH_ROWS];
	size_t count;
	char text[BATCH_TEXT];
	size_t text_used;
};

/* Keeps a row, with a copy of its text. The batch is not full. */
void batch_add(struct batch *batch, const struct overview_row *row);

static inline bool batch_full(const struct batch *batch)
{
	return batch->count == BATCH_ROWS || batch->text_used > BATCH_TEXT / 2;
}

#endif
