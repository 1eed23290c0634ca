/*
 * Makes the row of overview.csv from a record, writes it, and keeps batches of rows longer than
 * their records.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H

#include "perffile/record/recordrow.h"
#include "perffile/record/sample.h"
#include "util/table.h"

/* Fill a row as the type of the record requires (recordtypes.c); the texts stay in the record. */
void row_fill_sample(struct overview_row *row, const struct session *session,
                     const struct sample *sample);
void row_fill(struct overview_row *row, const struct session *session, const struct record *record);
/* Writes a row of any kind; overviewprinter.c has a quicker way for most rows of CSV. */
void row_write(struct table_writer *out, const struct overview_row *row);

#define BATCH_ROWS 4096
/* bytes; a batch is full when half of them are used, so the text of any record fits */
#define BATCH_TEXT (2u * 65536u)

/* Rows that are kept after their records are gone. */
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
