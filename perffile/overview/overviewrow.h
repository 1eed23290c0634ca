/*
 * Makes the row of overview.csv from a record, writes it, and keeps rows longer than
 * their records.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H

#include "perffile/record/recordtypes.h"
#include "perffile/record/sample.h"
#include "util/table.h"

/* Fill a row as the type of the record requires (recordtypes.c); the texts stay in the record. */
void row_fill_sample(struct overview_row *row, const struct session *session,
                     const struct sample *sample);
void row_fill(struct overview_row *row, const struct session *session, const struct record *record);
/* Writes a row of any kind; samplerow.h has a quicker way for most samples. */
void row_write(struct table_writer *out, const struct overview_row *row);

#define BATCH_ROWS 4096
/* bytes; a batch is full when half of them are used, so the text of any record fits */
#define BATCH_TEXT (2u * 65536u)
#define BATCHES_MOST 32

/* Rows that are kept after their records are gone, with their texts. All zeros is empty. */
struct row_batches {
	struct batch {
		struct overview_row rows[BATCH_ROWS];
		size_t count;
		char text[BATCH_TEXT];
		size_t text_used;
	} * items[BATCHES_MOST]; /* malloc'd */
	size_t count;
};

/* Keeps a row. False if there is no room for it, or memory is refused. */
bool row_batches_add(struct row_batches *batches, const struct overview_row *row);
void row_batches_release(struct row_batches *batches);

#endif
