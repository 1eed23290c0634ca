/* Makes the row of overview.csv from a record, and writes it. */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWROW_H

#include "perffile/record/recordtypes.h"
#include "perffile/record/sample.h"
#include "util/table.h"

/* Fills a row as the type of the record requires (recordtypes.c); texts stay in the record. */
void row_fill(struct overview_row *row, const struct session *session, const struct record *record);
/* Writes a row of any kind; samplerow.h has a quicker way for most samples. */
void row_write(struct table_writer *out, const struct overview_row *row);

#endif
