/*
 * Writes the rows of overview.csv to writers other than CSV. This is slower, and for tables that
 * people look at. A record_handler. The recording must not come from a pipe: times are shown
 * relative to the first sample, which is known before the first row with a time is written.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H
#define READPERF_PERFFILE_OVERVIEW_OVERVIEWTABLE_H

#include "perffile/record/handler.h"
#include "util/table.h"

struct overview_table {
	const struct session *session; /* borrowed */
	struct table_writer out;       /* on which the table of overview_format has been begun */
	/*
	 * Called once, before the first row with a time: that of the first sample, in ns. If there
	 * are no samples, it is not called.
	 */
	void (*start)(void *context, uint64_t time);
	void *context;
};

/* table must outlive the handler. */
struct record_handler overview_table_handler(struct overview_table *table);

#endif
