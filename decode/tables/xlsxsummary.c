/*
 * The first sheet of a workbook: what was recorded, warnings, and the most expensive functions and
 * binaries, with charts.
 */
#include "decode/tables/tables.h"

#ifdef HAVE_XLSXWRITER
#include "decode/tables/xlsxwork.h"

#include "perffile/facts/featurefacts.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN 15        /* number of functions, and of binaries */
#define NUMBER_WIDTH 16 /* characters */
#define NAME_WIDTH 44
#define CHART_COLUMN 5
#define CHART_ROWS 18 /* rows that a chart covers */

struct summary {
	struct xlsx *xlsx;
	const struct report *report;
	lxw_row_t row;
};

static void put_text(struct summary *s, lxw_col_t column, const char *text, lxw_format *format)
{
	xlsx_put_text(s->xlsx, s->xlsx->summary, s->row, column, text, strlen(text), format);
}

static void put_pair(struct summary *s, const char *key, const char *value)
{
	put_text(s, 0, key, NULL);
	put_text(s, 1, value, NULL);
	s->row++;
}

/* Writes the value of a feature, if the recording has it. */
static void put_fact(struct summary *s, unsigned feature, const char *label)
{
	struct session *session = s->report->session;
	struct err err = { 0 };
	struct facts facts;

	facts_init(&facts, &session->arena, &err);
	if (feature_facts(session, feature, &facts, &err) && facts.count)
		put_pair(s, label, facts.items[0].value);
	facts_release(&facts);
}

static void put_recording(struct summary *s, const char *file)
{
	const struct read_summary *summary = s->report->summary;
	char text[64];

	put_text(s, 0, "readperf", s->xlsx->title);
	s->row += 2;
	put_pair(s, "recording", file);
	put_fact(s, PERF_FEATURE_HOSTNAME, "host");
	put_fact(s, PERF_FEATURE_OSRELEASE, "os release");
	put_fact(s, PERF_FEATURE_CPUDESC, "cpu");
	put_fact(s, PERF_FEATURE_CMDLINE, "command line");
	if (summary->first_time != TIME_NONE) {
		snprintf(text, sizeof(text), "%.3f s",
		         (double)(summary->last_time - summary->first_time) / 1e9);
		put_pair(s, "duration", text);
	}
	s->row++;
}

static void put_events(struct summary *s)
{
	static const char *const heads[] = { "event", "samples", "period", "lost samples" };
	const struct buildstat *stat = s->report->stat;
	lxw_worksheet *sheet = s->xlsx->summary;

	for (lxw_col_t i = 0; i < ARRAY_SIZE(heads); i++)
		put_text(s, i, heads[i], s->xlsx->head);
	s->row++;
	for (size_t i = 0; i < stat->session->event_count; i++) {
		const struct event_totals *totals = &stat->totals[i];

		put_text(s, 0, buildstat_event_name(stat->session, (uint32_t)i), NULL);
		s->xlsx->library.worksheet_write_number(sheet, s->row, 1, (double)totals->samples,
		                                        s->xlsx->count);
		s->xlsx->library.worksheet_write_number(sheet, s->row, 2, (double)totals->period,
		                                        s->xlsx->count);
		s->xlsx->library.worksheet_write_number(sheet, s->row, 3, (double)totals->lost,
		                                        s->xlsx->count);
		s->row++;
	}
	s->row++;
}

static void put_warnings(struct summary *s, const struct diag *diag)
{
	put_text(s, 0, "warnings", s->xlsx->head);
	s->row++;
	for (size_t i = 0; i < diag->count; i++)
		for (size_t k = 0; k < diag->formats[i].count; k++) {
			put_text(s, 0, diag->formats[i].kinds[k].text, NULL);
			s->row++;
		}
	if (diag->count == 0)
		put_text(s, 0, "none", NULL);
	s->row += diag->count == 0 ? 2 : 1;
}

/* A bar of a chart. */
struct cost {
	const char *name, *binary; /* binary is NULL if the bar is a binary */
	uint32_t number;
	uint64_t period, samples;
};

static int compare_costs(const void *a, const void *b)
{
	const struct cost *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void put_chart(struct summary *s, const char *title, lxw_row_t first, lxw_row_t last,
                      lxw_row_t at)
{
	lxw_chart *chart = s->xlsx->library.workbook_add_chart(s->xlsx->book, LXW_CHART_BAR);
	lxw_chart_series *series = chart ? s->xlsx->library.chart_add_series(chart, NULL, NULL)
	                                 : NULL;
	lxw_chart_options place = { .x_scale = 1.3, .y_scale = 1.2 };

	if (!series)
		return;
	s->xlsx->library.chart_series_set_categories(series, "Summary", first, 0, last, 0);
	s->xlsx->library.chart_series_set_values(series, "Summary", first, 1, last, 1);
	s->xlsx->library.chart_title_set_name(chart, title);
	s->xlsx->library.chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
	s->xlsx->library.chart_axis_set_reverse(chart->y_axis); /* the most expensive on top */
	s->xlsx->library.chart_axis_set_num_format(chart->x_axis, "0%");
	s->xlsx->library.worksheet_insert_chart_opt(s->xlsx->summary, at, CHART_COLUMN, chart,
	                                            &place);
}

static void put_costs(struct summary *s, const char *what, const char *event,
                      const struct cost *costs, size_t count, uint64_t whole)
{
	static const char *const heads[] = { "", "percent", "samples", "binary" };
	lxw_worksheet *sheet = s->xlsx->summary;
	lxw_row_t top = s->row, first;
	char title[160], name[40];

	snprintf(title, sizeof(title), "Costliest %s (%.80s)", what, event);
	put_text(s, 0, title, s->xlsx->title);
	s->row++;
	put_text(s, 0, what, s->xlsx->head);
	for (lxw_col_t i = 1; i < (costs->binary ? 4 : 3); i++)
		put_text(s, i, heads[i], s->xlsx->head);
	first = ++s->row;
	for (size_t i = 0; i < count; i++) {
		put_text(s, 0, costs[i].name, NULL);
		s->xlsx->library.worksheet_write_number(
			sheet, s->row, 1, whole ? (double)costs[i].period / (double)whole : 0,
			s->xlsx->share);
		s->xlsx->library.worksheet_write_number(sheet, s->row, 2, (double)costs[i].samples,
		                                        s->xlsx->count);
		if (costs[i].binary)
			put_text(s, 3, costs[i].binary, NULL);
		s->row++;
	}
	/* the name of an event may have any length */
	snprintf(name, sizeof(name), "Costliest %s", what);
	put_chart(s, name, first, s->row - 1, top);
	s->row = s->row > top + CHART_ROWS ? s->row + 1 : top + CHART_ROWS;
}

/* The rows of the first event, the most expensive first, and their sums by binary. */
static void put_costliest(struct summary *s)
{
	const struct results *results = s->report->results;
	const struct buildstat *stat = s->report->stat;
	struct cost functions[SHOWN], *binaries;
	size_t rows = 0, shown, count = 0;
	uint32_t event;
	const char *name;
	uint64_t whole;

	if (!results->row_count)
		return;
	event = results->rows[0].event;
	name = buildstat_event_name(stat->session, event);
	whole = buildstat_totals(stat, event)->period;
	while (rows < results->row_count && results->rows[rows].event == event)
		rows++;
	shown = rows < SHOWN ? rows : SHOWN;
	binaries = calloc(stat->strings->count + 1, sizeof(*binaries));
	if (!binaries) {
		s->xlsx->error = -1;
		return;
	}
	for (size_t i = 0; i < rows; i++) {
		const struct result_row *row = &results->rows[i];
		struct cost *binary = &binaries[row->binary];

		if (i < shown)
			functions[i] = (struct cost){ strings_get(stat->strings, row->function),
				                      strings_get(stat->strings, row->binary), 0,
				                      row->period, row->samples };
		binary->name = strings_get(stat->strings, row->binary);
		binary->number = row->binary;
		binary->period += row->period;
		binary->samples += row->samples;
	}
	for (size_t i = 0; i < stat->strings->count; i++)
		if (binaries[i].name)
			binaries[count++] = binaries[i];
	qsort(binaries, count, sizeof(*binaries), compare_costs);
	put_costs(s, "functions", name, functions, shown, whole);
	put_costs(s, "binaries", name, binaries, count < SHOWN ? count : SHOWN, whole);
	free(binaries);
}

void xlsx_fill_summary(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                       const char *file)
{
	struct summary s = { .xlsx = xlsx, .report = report };

	xlsx->library.worksheet_set_landscape(xlsx->summary);
	xlsx->library.worksheet_fit_to_pages(xlsx->summary, 1, 0);
	xlsx->library.worksheet_set_column(xlsx->summary, 0, 0, NAME_WIDTH, NULL);
	xlsx->library.worksheet_set_column(xlsx->summary, 1, 2, NUMBER_WIDTH, NULL);
	xlsx->library.worksheet_set_column(xlsx->summary, 3, 3, NAME_WIDTH, NULL);
	put_recording(&s, file);
	put_events(&s);
	put_costliest(&s);
	put_warnings(&s, diag);
}
#endif
