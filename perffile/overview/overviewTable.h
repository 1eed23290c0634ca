/*
 * The rows of overview.csv for writers other than CSV: slower, and for what people look at. A
 * record_handler. Rows are held back until the first sample has come, because times are shown from
 * there on.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H

#include "perffile/overview/overviewRow.h"
#include "perffile/record/handler.h"
#include "util/table.h"

#define TABLE_BATCHES \
	32 /* of rows that are held back; with more, times are shown from the first row on */

struct overview_table {
	const struct session *session; /* borrowed */
	struct table_writer out;
	/* Told once, before the first row: the time from which on others are shown, in ns. */
	void (*start)(void *context, uint64_t time);
	void *context;
	struct batch *held[TABLE_BATCHES];
	size_t held_count;
	bool started;
};

/*
 * Set session, out, start and context, the rest to zeros; out has begun the table of
 * overview_format.
 */
struct record_handler overview_table_handler(struct overview_table *table);
/* After the last record: writes what is still held back. */
void overview_table_finish(struct overview_table *table);
void overview_table_release(struct overview_table *table);

#endif
