#include "perffile/overview/overviewtable.h"

#include "perffile/overview/overviewrow.h"

static void on_times(void *context, uint64_t first, uint64_t last)
{
	struct overview_table *table = context;

	(void)last;
	if (first != TIME_NONE)
		table->start(table->context, first);
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct overview_table *table = context;
	struct overview_row row;

	(void)err;
	row_fill(&row, table->session, record);
	row_write(&table->out, &row);
	return true;
}

struct record_handler overview_table_handler(struct overview_table *table)
{
	/* without samples(), record() receives the samples, too */
	return (struct record_handler){ .context = table, .times = on_times, .record = on_record };
}
