/*
 * Makes the row of overview.csv from a record, writes it, and keeps rows longer than
 * their records.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H

#include "perffile/record/recordtypes.h"
#include "perffile/record/sample.h"
#include "util/arena.h"
#include "util/table.h"

/* Fill a row as the type of the record requires (recordtypes.c); the texts stay in the record. */
void row_fill_sample(struct overview_row *row, const struct session *session,
                     const struct sample *sample);
void row_fill(struct overview_row *row, const struct session *session, const struct record *record);
/* Writes a row of any kind; samplerow.h has a quicker way for most samples. */
void row_write(struct table_writer *out, const struct overview_row *row);

/* Rows that are kept after their records are gone, with their texts. All zeros is empty. */
struct held_rows {
	struct overview_row *items;
	size_t count, capacity;
	struct arena texts;
};

/* Keeps a row. False if there is no room for it, or memory is refused. */
bool held_rows_add(struct held_rows *held, const struct overview_row *row);
void held_rows_release(struct held_rows *held);

#endif
