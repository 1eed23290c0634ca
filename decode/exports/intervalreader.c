#include "decode/exports/intervalreader.h"

/* Whether intervals were kept, with their stacks. */
static bool has_rows(const struct report *report)
{
	return report->intervals && report->intervals->log.open && report->intervals->log.cells &&
	       report->calls->node_of_cell;
}

uint64_t interval_reader_count(const struct report *report)
{
	return has_rows(report) ? report->intervals->log.count : 0;
}

static bool is_sample(const struct interval_reader *reader, const struct interval_row *row)
{
	return row->counts && row->time != TIME_NONE && reader->cell != MAP_NONE &&
	       reader->report->calls->node_of_cell[reader->cell] != CALL_NODE_NONE;
}

bool interval_reader_next(struct interval_reader *reader, struct err *err)
{
	const struct report *report = reader->report;
	const struct interval_row *row;

	do
		row = interval_rows_next(&reader->rows, &reader->cell, err);
	while (row && !is_sample(reader, row));
	reader->row = row;
	if (!row)
		return err->code == ERR_NONE;
	reader->what = row->what & FIELD_POINTS ? report->stat->pointed.names[(uint32_t)row->what]
	                                        : (uint32_t)row->what;
	reader->node = report->calls->node_of_cell[reader->cell];
	return true;
}

bool interval_reader_open(struct interval_reader *reader, const struct report *report,
                          struct err *err)
{
	*reader = (struct interval_reader){ .report = report };
	return !interval_reader_count(report) ||
	       (interval_rows_open(&reader->rows, &report->intervals->log, err) &&
	        interval_reader_next(reader, err));
}

void interval_reader_close(struct interval_reader *reader)
{
	if (reader->rows.log)
		interval_rows_close(&reader->rows);
	*reader = (struct interval_reader){ .row = NULL };
}
