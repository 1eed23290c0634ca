#include "decode/exports/pageintervals.h"

/* Whether intervals were kept, with their stacks. */
static bool has_rows(const struct report *report)
{
	return report->intervals && report->intervals->log.open && report->intervals->log.cells &&
	       report->calls->node_of_cell;
}

uint64_t page_intervals_count(const struct report *report)
{
	return has_rows(report) ? report->intervals->log.count : 0;
}

static bool is_shown(const struct page_intervals *intervals, const struct interval_row *row)
{
	return row->state == INTERVAL_ENDED && row->time != TIME_NONE &&
	       intervals->cell != MAP_NONE &&
	       intervals->report->calls->node_of_cell[intervals->cell] != CALL_NODE_NONE &&
	       !intervals->report->session->events[row->event].counted;
}

bool page_intervals_next(struct page_intervals *intervals, struct err *err)
{
	const struct report *report = intervals->report;
	const struct interval_row *row;

	do
		row = interval_rows_next(&intervals->rows, &intervals->cell, err);
	while (row && !is_shown(intervals, row));
	intervals->row = row;
	if (!row)
		return err->code == ERR_NONE;
	intervals->what = row->what & FIELD_POINTS
	                          ? report->stat->pointed.names[(uint32_t)row->what]
	                          : (uint32_t)row->what;
	intervals->node = report->calls->node_of_cell[intervals->cell];
	return true;
}

bool page_intervals_open(struct page_intervals *intervals, const struct report *report,
                         struct err *err)
{
	*intervals = (struct page_intervals){ .report = report };
	return !page_intervals_count(report) ||
	       (interval_rows_open(&intervals->rows, &report->intervals->log, err) &&
	        page_intervals_next(intervals, err));
}

void page_intervals_close(struct page_intervals *intervals)
{
	if (intervals->rows.log)
		interval_rows_close(&intervals->rows);
	*intervals = (struct page_intervals){ .row = NULL };
}
