/*
 * Writes the rows of overview.csv to writers other than CSV. This is slower, and for tables that
 * people look at. A record_handler. Rows are held back until the first sample, because times are
 * shown relative to it.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H

#include "perffile/overview/overviewrow.h"
#include "perffile/record/handler.h"
#include "util/table.h"

struct overview_table {
	const struct session *session; /* borrowed */
	struct table_writer out;
	/*
	 * Called once, before the first row: time (ns) is the moment that times are shown relative
	 * to.
	 */
	void (*start)(void *context, uint64_t time);
	void *context;
	/* until the first sample; if there is no room for more, until the next row */
	struct held_rows held;
	bool started;
};

/*
 * Set session, out, start and context, and the rest to zeros; the table of overview_format must
 * have been begun on out.
 */
struct record_handler overview_table_handler(struct overview_table *table);
/* After the last record: writes the rows that are still held back. */
void overview_table_finish(struct overview_table *table);
void overview_table_release(struct overview_table *table);

#endif
