/*
 * The first sheet of a workbook: what was recorded, warnings, and the most expensive functions and
 * binaries, with charts; the threads that ran or waited longest, whose chart is in their own sheet.
 */
#include "decode/tables/tables.h"

#ifdef HAVE_XLSXWRITER
#include "decode/intervals/sched.h"
#include "decode/tables/terminal.h"
#include "decode/tables/xlsxwork.h"
#include "perffile/facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 15        /* number of functions, and of binaries */
#define NUMBER_WIDTH 16 /* characters */
#define NAME_WIDTH 44
#define CHART_ROWS 18           /* rows that a chart covers */
#define THREADS_CHART_COLUMN 21 /* behind the columns of threads.csv */

/* The columns of the sheet. */
enum { COLUMN_NAME, COLUMN_NUMBERS, COLUMN_BINARY = 4, COLUMN_CHART = 6 };

struct summary {
	struct xlsx *xlsx;
	const struct report *report;
	lxw_row_t row;
};

static struct xlsx_cell cell_of(const struct summary *s, lxw_col_t column, lxw_format *format)
{
	return (struct xlsx_cell){ s->xlsx->summary, s->row, column, format };
}

static void put_text(struct summary *s, lxw_col_t column, const char *text, lxw_format *format)
{
	xlsx_put_text(s->xlsx, cell_of(s, column, format), text, strlen(text));
}

/* Writes a name that is shortened to the width of a column, and of a label in a chart. */
static void put_name(struct summary *s, lxw_col_t column, const char *name)
{
	char *text = shortened(name, NAME_WIDTH);

	xlsx_put_clean(s->xlsx, cell_of(s, column, s->xlsx->text), text ? text : "");
	free(text);
}

static void put_number(struct summary *s, lxw_col_t column, double value, lxw_format *format)
{
	xlsx_put_number(s->xlsx, cell_of(s, column, format), value);
}

/* Writes a period: of a clock event as milliseconds. */
static void put_period(struct summary *s, lxw_col_t column, uint64_t period, uint32_t event)
{
	if (buildstat_event_is_clock(s->report->session, event))
		put_number(s, column, (double)period / 1e6, s->xlsx->milliseconds);
	else
		put_number(s, column, (double)period, s->xlsx->count);
}

/* Writes a text alone in its row. */
static void put_line(struct summary *s, const char *text, lxw_format *format)
{
	put_text(s, COLUMN_NAME, text, format);
	s->row++;
}

/* Writes the heads of a name, of numbers and perhaps of the binary, and goes to the next row. */
static void put_heads(struct summary *s, const char *name, const char *const numbers[3],
                      bool binary)
{
	put_text(s, COLUMN_NAME, name, s->xlsx->head);
	for (lxw_col_t i = 0; i < 3; i++)
		put_text(s, COLUMN_NUMBERS + i, numbers[i], s->xlsx->number_head);
	if (binary)
		put_text(s, COLUMN_BINARY, "binary", s->xlsx->head);
	s->row++;
}

static void put_pair(struct summary *s, const char *key, const char *value)
{
	put_text(s, COLUMN_NAME, key, s->xlsx->text);
	put_text(s, COLUMN_NUMBERS, value, NULL);
	s->row++;
}

/* Writes the value of a feature, if the recording has it. */
static void put_fact(struct summary *s, unsigned feature, const char *label)
{
	const char *value = facts_value(s->report->facts, feature);

	if (value)
		put_pair(s, label, value);
}

static void put_recording(struct summary *s, const char *file)
{
	const struct read_summary *summary = s->report->summary;
	char text[64];

	put_line(s, "readperf", s->xlsx->title);
	s->row++;
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
	static const char *const heads[] = { "samples", "period", "lost samples" };
	const struct buildstat *stat = s->report->stat;

	put_heads(s, "event", heads, false);
	for (size_t i = 0; i < stat->session->event_count; i++) {
		const struct event_totals *totals = buildstat_totals(stat, i);

		put_name(s, COLUMN_NAME, buildstat_event_name(stat->session, (uint32_t)i));
		put_number(s, COLUMN_NUMBERS, (double)totals->samples, s->xlsx->count);
		put_period(s, COLUMN_NUMBERS + 1, totals->period, (uint32_t)i);
		put_number(s, COLUMN_NUMBERS + 2, (double)totals->lost, s->xlsx->count);
		s->row++;
	}
	s->row++;
}

static void put_warnings(struct summary *s, const struct diag *diag)
{
	put_line(s, "warnings", s->xlsx->head);
	for (const struct diag_format *format = diag->formats; format; format = format->next)
		for (const struct diag_kind *kind = format->kinds; kind; kind = kind->next)
			put_line(s, kind->text, s->xlsx->text);
	if (!diag->formats)
		put_line(s, "none", s->xlsx->text);
	s->row++;
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
	const int order = u64_order(y->period, x->period);

	return order ? order : u64_order(x->number, y->number);
}

static void put_chart(struct summary *s, const char *title, lxw_row_t first, lxw_row_t last,
                      lxw_row_t at)
{
	const struct xlsx_library *library = &s->xlsx->library;
	lxw_chart *chart = library->workbook_add_chart(s->xlsx->book, LXW_CHART_BAR);
	lxw_chart_series *series = chart ? library->chart_add_series(chart, NULL, NULL) : NULL;
	lxw_chart_options place = { .x_scale = 1.5, .y_scale = 1.2 };

	if (!series)
		return;
	library->chart_series_set_categories(series, "Summary", first, COLUMN_NAME, last,
	                                     COLUMN_NAME);
	library->chart_series_set_values(series, "Summary", first, COLUMN_NUMBERS, last,
	                                 COLUMN_NUMBERS);
	library->chart_set_series_gap(chart, 50);
	library->chart_title_set_name(chart, title);
	library->chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
	library->chart_axis_set_reverse(chart->y_axis);          /* the most expensive on top */
	library->chart_axis_set_interval_unit(chart->y_axis, 1); /* each bar has its name */
	library->chart_axis_set_num_format(chart->x_axis, "0%");
	library->worksheet_insert_chart_opt(s->xlsx->summary, at, COLUMN_CHART, chart, &place);
}

/* what: "functions", which have a binary, or "binaries". */
static void put_costs(struct summary *s, const char *what, uint32_t event, const struct cost *costs,
                      size_t count)
{
	static const char *const heads[] = { "percent", "samples", "period" };
	const struct buildstat *stat = s->report->stat;
	const uint64_t whole = buildstat_totals(stat, event)->period;
	const lxw_row_t top = s->row;
	char title[160], name[40];

	/* the name of an event may have any length */
	snprintf(name, sizeof(name), "Costliest %s", what);
	snprintf(title, sizeof(title), "%s (%.80s)", name,
	         buildstat_event_name(stat->session, event));
	put_line(s, title, s->xlsx->title);
	put_heads(s, what, heads, costs->binary != NULL);
	put_chart(s, name, s->row, s->row + (lxw_row_t)count - 1, top);
	for (size_t i = 0; i < count; i++) {
		put_name(s, COLUMN_NAME, costs[i].name);
		put_number(s, COLUMN_NUMBERS, whole ? (double)costs[i].period / (double)whole : 0,
		           s->xlsx->share);
		put_number(s, COLUMN_NUMBERS + 1, (double)costs[i].samples, s->xlsx->count);
		put_period(s, COLUMN_NUMBERS + 2, costs[i].period, event);
		if (costs[i].binary)
			put_name(s, COLUMN_BINARY, costs[i].binary);
		s->row++;
	}
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

	if (!results->row_count)
		return;
	event = results->rows[0].event;
	while (rows < results->row_count && results->rows[rows].event == event &&
	       results->rows[rows].samples)
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
	put_costs(s, "functions", event, functions, shown);
	put_costs(s, "binaries", event, binaries, count < SHOWN ? count : SHOWN);
	free(binaries);
}

static uint64_t active_time(const struct sched_thread *thread)
{
	return thread->sums.states[SCHED_RUNNING] + thread->sums.states[SCHED_WAITING];
}

/* The threads that ran or waited for a CPU longest, the first one first. Returns how many. */
static size_t find_longest(const struct sched_threads *threads,
                           const struct sched_thread *longest[SHOWN])
{
	size_t count = 0;

	for (size_t i = 0; i < threads->count; i++) {
		const struct sched_thread *thread = &threads->items[i];
		size_t at = count;

		if (!thread->touched || !active_time(thread))
			continue;
		while (at > 0 && active_time(longest[at - 1]) < active_time(thread))
			at--;
		if (at == SHOWN)
			continue;
		count += count < SHOWN;
		memmove(longest + at + 1, longest + at, (count - at - 1) * sizeof(*longest));
		longest[at] = thread;
	}
	return count;
}

static const char *const state_names[SCHED_STATES] = {
	[SCHED_UNKNOWN] = "unknown",   [SCHED_RUNNING] = "on_cpu",  [SCHED_WAITING] = "wait",
	[SCHED_SLEEPING] = "sleeping", [SCHED_BLOCKED] = "blocked", [SCHED_STOPPED] = "stopped"
};
/* from left to right */
static const enum sched_state state_order[SCHED_STATES] = { SCHED_RUNNING,  SCHED_WAITING,
	                                                    SCHED_SLEEPING, SCHED_BLOCKED,
	                                                    SCHED_STOPPED,  SCHED_UNKNOWN };

/* A bar for each thread, with a part for each state; the rows are those of the summary. */
static void chart_threads(struct summary *s, lxw_row_t head, size_t count)
{
	const struct xlsx_library *library = &s->xlsx->library;
	const lxw_row_t first = head + 1, last = head + (lxw_row_t)count;
	lxw_chart *chart = library->workbook_add_chart(s->xlsx->book, LXW_CHART_BAR_STACKED);
	lxw_worksheet *sheet = library->workbook_get_worksheet_by_name(s->xlsx->book, "threads");
	lxw_chart_options place = { .x_scale = 2, .y_scale = 1.6 };

	if (!chart || !sheet)
		return;
	for (lxw_col_t i = 0; i < SCHED_STATES; i++) {
		lxw_chart_series *series = library->chart_add_series(chart, NULL, NULL);
		const lxw_col_t column = COLUMN_NUMBERS + i;

		if (!series)
			return;
		library->chart_series_set_name(series, state_names[state_order[i]]);
		library->chart_series_set_categories(series, "Summary", first, COLUMN_NAME, last,
		                                     COLUMN_NAME);
		library->chart_series_set_values(series, "Summary", first, column, last, column);
		library->chart_set_series_gap(chart, 50);
	}
	library->chart_title_set_name(chart, "Threads: milliseconds by state");
	library->chart_axis_set_reverse(chart->y_axis);
	library->chart_axis_set_interval_unit(chart->y_axis, 1);
	library->worksheet_insert_chart_opt(sheet, 1, THREADS_CHART_COLUMN, chart, &place);
}

static void put_threads(struct summary *s)
{
	const struct sched *sched = s->report->sched;
	const struct sched_thread *longest[SHOWN];
	const size_t count = find_longest(&sched->threads, longest);
	const lxw_row_t head = s->row + 1;

	if (!count)
		return;
	/* the states go on behind the column of binaries */
	s->xlsx->library.worksheet_set_column(s->xlsx->summary, COLUMN_BINARY + 1,
	                                      COLUMN_NUMBERS + SCHED_STATES - 1, NUMBER_WIDTH,
	                                      NULL);
	put_line(s, "Threads that ran or waited for a CPU longest (ms)", s->xlsx->title);
	put_text(s, COLUMN_NAME, "thread", s->xlsx->head);
	for (lxw_col_t i = 0; i < SCHED_STATES; i++)
		put_text(s, COLUMN_NUMBERS + i, state_names[state_order[i]], s->xlsx->number_head);
	s->row++;
	for (size_t i = 0; i < count; i++) {
		const struct sched_thread *thread = longest[i];
		char name[64];

		snprintf(name, sizeof(name), "%.40s %d",
		         strings_get(sched->threads.strings, thread->name),
		         sched_thread_number(thread));
		put_name(s, COLUMN_NAME, name);
		for (lxw_col_t j = 0; j < SCHED_STATES; j++)
			put_number(s, COLUMN_NUMBERS + j,
			           (double)thread->sums.states[state_order[j]] / 1e6,
			           s->xlsx->milliseconds);
		s->row++;
	}
	chart_threads(s, head, count);
}

void xlsx_fill_summary(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                       const char *file)
{
	struct summary s = { .xlsx = xlsx, .report = report };

	xlsx_set_pages(xlsx, xlsx->summary);
	xlsx->library.worksheet_set_column(xlsx->summary, COLUMN_NAME, COLUMN_NAME, NAME_WIDTH,
	                                   NULL);
	xlsx->library.worksheet_set_column(xlsx->summary, COLUMN_NUMBERS, COLUMN_BINARY - 1,
	                                   NUMBER_WIDTH, NULL);
	xlsx->library.worksheet_set_column(xlsx->summary, COLUMN_BINARY, COLUMN_BINARY, NAME_WIDTH,
	                                   NULL);
	put_recording(&s, file);
	put_events(&s);
	put_warnings(&s, diag);
	put_costliest(&s);
	put_threads(&s);
}
#endif
