/* Parts of a trend as text: costs as bars, the order of rows, short names of versions. */
#define _GNU_SOURCE /* qsort_r() */
#include "decode/exports/trendtext.h"

#include "util/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BARS 8
/* A series that varies by less than this around its mean is shown as if it varied by so much. */
#define VARIATION_LEAST 0.25

/* Sums over the versions that share a character. */
struct bar {
	double cost;
	size_t versions;
};

/* The mean scaled cost of a row in a version of its event. */
static double mean_cost(const struct trend *trend, const struct compare_row *row, uint32_t version)
{
	const struct event_runs *list = &trend->event_runs[row->event];
	const struct event_run *runs = trend->comparison.events[row->event].runs;
	const uint32_t first = list->first_run[version], end = list->first_run[version + 1];
	double cost = 0;

	for (uint32_t i = first; i < end; i++)
		cost += (double)row->seen[list->runs[i]].period * runs[list->runs[i]].scale;
	return cost / (end - first);
}

static void fill_bars(struct bar bars[SPARKLINE_MOST], size_t count, const struct trend *trend,
                      const struct compare_row *row)
{
	const struct event_runs *list = &trend->event_runs[row->event];

	memset(bars, 0, count * sizeof(*bars));
	for (uint32_t version = 0; version < list->version_count; version++) {
		struct bar *bar =
			&bars[list->versions[version] * count / trend->history.version_count];

		bar->cost += mean_cost(trend, row, version);
		bar->versions++;
	}
	for (size_t i = 0; i < count; i++)
		if (bars[i].versions)
			bars[i].cost /= (double)bars[i].versions;
}

size_t sparkline(char out[SPARKLINE_SIZE], const struct trend *trend, const struct compare_row *row,
                 size_t most)
{
	static const char *const signs[BARS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const size_t versions = trend->history.version_count;
	const size_t limit = most < SPARKLINE_MOST ? most : SPARKLINE_MOST;
	const size_t count = versions < limit ? versions : limit;
	struct bar bars[SPARKLINE_MOST];
	double low = INFINITY, high = 0, mean = 0;
	size_t known = 0;

	fill_bars(bars, count, trend, row);
	for (size_t i = 0; i < count; i++)
		if (bars[i].versions) {
			low = fmin(low, bars[i].cost);
			high = fmax(high, bars[i].cost);
			mean += bars[i].cost;
			known++;
		}
	mean /= known ? (double)known : 1;
	low = fmin(low, mean * (1 - VARIATION_LEAST));
	high = fmax(high, mean * (1 + VARIATION_LEAST));
	*out = '\0';
	for (size_t i = 0; i < count; i++) {
		const double height = high > low ? (bars[i].cost - low) / (high - low) : 0;

		strcat(out, bars[i].versions ? signs[(size_t)(height * (BARS - 0.01))] : " ");
	}
	return count;
}

static const struct trend_step *last_step(const struct trend *trend, size_t row)
{
	const struct trend_row *more = &trend->rows[row];

	return more->step_count ? &trend->steps[more->first_step + more->step_count - 1] : NULL;
}

/* The context of a sort. */
struct shown_order {
	const struct trend *trend;
};

static int compare_shown(const void *a, const void *b, void *context)
{
	const struct trend *trend = ((const struct shown_order *)context)->trend;
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct trend_step *step_x = last_step(trend, x), *step_y = last_step(trend, y);
	const struct compare_row *rows = trend->comparison.own.rows;

	if (rows[x].is_total != rows[y].is_total)
		return rows[x].is_total ? -1 : 1;
	if (!step_x != !step_y)
		return step_x ? -1 : 1;
	if (step_x && step_x->version != step_y->version)
		return step_x->version > step_y->version ? -1 : 1;
	if (rows[x].cost[SIDE_NEW] > rows[y].cost[SIDE_NEW])
		return -1;
	if (rows[x].cost[SIDE_NEW] < rows[y].cost[SIDE_NEW])
		return 1;
	return (x > y) - (x < y);
}

size_t *trend_rows_to_show(const struct trend *trend, uint32_t event, size_t *count,
                           struct err *err)
{
	const struct compare_family *own = &trend->comparison.own;
	size_t *rows = vec_new(own->count, sizeof(*rows), err);
	struct shown_order order = { trend };

	*count = 0;
	for (size_t i = 0; rows && i < own->count; i++)
		if (own->rows[i].event == event)
			rows[(*count)++] = i;
	if (rows && *count)
		qsort_r(rows, *count, sizeof(*rows), compare_shown, &order);
	return rows;
}

/* How many bytes two texts have in common at their start, up to and including a slash. */
static size_t common_start(const char *a, const char *b, size_t most)
{
	size_t common = 0;

	for (size_t i = 0; i < most && a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			common = i + 1;
	return common;
}

/* The same at their end, from a slash on; of names without what is common at the start. */
static size_t common_end(const char *a, size_t length_a, const char *b, size_t length_b,
                         size_t most)
{
	size_t common = 0;

	for (size_t i = 1;
	     i <= most && i < length_a && i < length_b && a[length_a - i] == b[length_b - i]; i++)
		if (a[length_a - i] == '/')
			common = i;
	return common;
}

const char *version_label(const struct trend *trend, uint32_t version, size_t *length)
{
	const struct history *history = &trend->history;
	const char *first = strings_get(history->strings, history->versions[0].name);
	const char *name = strings_get(history->strings, history->versions[version].name);
	size_t start = SIZE_MAX, end = SIZE_MAX;

	for (size_t i = 1; i < history->version_count; i++)
		start = common_start(
			first, strings_get(history->strings, history->versions[i].name), start);
	if (start == SIZE_MAX)
		start = 0;
	for (size_t i = 1; i < history->version_count; i++) {
		const char *other = strings_get(history->strings, history->versions[i].name) +
		                    start;

		end = common_end(first + start, strlen(first + start), other, strlen(other), end);
	}
	if (end == SIZE_MAX)
		end = 0;
	*length = strlen(name + start) - end;
	if (*length)
		return name + start;
	*length = strlen(name);
	return name;
}
