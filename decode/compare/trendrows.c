#define _GNU_SOURCE /* qsort_r() */
#include "decode/compare/trendrows.h"

#include "decode/compare/cuts.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The version that a run is of: its number in the history. */
static uint32_t version_of(const struct trend_rows *rows, size_t run)
{
	const struct history *history = rows->history;
	uint32_t low = 0, high = (uint32_t)history->version_count;

	/* the last version that begins with this run or before it; it has runs */
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (history->versions[middle].first_run <= run)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The new side is the last version that has runs. */
static void set_sides(struct trend_rows *rows)
{
	const struct history *history = rows->history;
	uint32_t first = 0;

	for (size_t i = 0; i < history->version_count; i++)
		if (history->versions[i].run_count)
			first = history->versions[i].first_run;
	for (size_t i = 0; i < history->run_count; i++)
		history->runs[i].side = i >= first ? SIDE_NEW : SIDE_BASE;
}

static bool add_events(struct trend_rows *rows, struct err *err)
{
	struct comparison *comparison = rows->comparison;

	for (size_t run = 0; run < comparison->run_count; run++)
		if (!merge_run_events(comparison, run, err))
			return false;
	return true;
}

/*
 * Whether a series may be one: it is large in some run, and has lasted as long as one side of a
 * cut, or is in the last version, in which it may have begun. Names that differ in each build, as
 * those made of addresses, would need gigabytes.
 */
static bool may_be_row(const struct trend_rows *rows, const struct series *series)
{
	const struct comparison *comparison = rows->comparison;
	const uint32_t last = version_of(rows, comparison->run_count - 1);

	return series->large && (series->last == last || (series->versions >= CUT_VERSIONS_LEAST &&
	                                                  series->runs >= CUT_RUNS_LEAST));
}

/* Adds rows for the series that may be some; row_of: of each series. */
static bool add_rows(struct trend_rows *rows, uint32_t *row_of, struct err *err)
{
	struct comparison *comparison = rows->comparison;
	const struct history *history = rows->history;

	for (size_t i = 0; i < history_series_count(history); i++) {
		const struct series *series = &history->series[i];
		const struct series_key *key = history_key(history, i);
		struct compare_row *row;
		uint32_t event;

		row_of[i] = MAP_NONE;
		if (rows->lineage->roots[i] != i || !may_be_row(rows, series))
			continue;
		event = map_get(&comparison->event_of, key->event);
		/* samples of no event */
		if (event == MAP_NONE)
			continue;
		row_of[i] = compare_row_put(comparison, &comparison->own, event, key->function,
		                            key->home, err);
		if (row_of[i] == MAP_NONE)
			return false;
		row = &comparison->own.rows[row_of[i]];
		row->binary = series->binary;
		row->file = series->file;
		row->line = series->line;
	}
	return merge_total_rows(comparison, err) &&
	       family_alloc_seen(comparison, &comparison->own, err);
}

static void fill_run(struct trend_rows *rows, const uint32_t *row_of, size_t run)
{
	struct comparison *comparison = rows->comparison;
	struct unpacker unpacker = history_unpack(rows->history, run);
	struct packed_row row;

	while (unpacker_next(&unpacker, &row)) {
		const uint32_t number = row_of[rows->lineage->roots[row.series]];

		if (number != MAP_NONE)
			observation_add(&comparison->own.rows[number].seen[run], row.seen.samples,
			                row.seen.period);
	}
	for (size_t i = 0; i < comparison->event_count; i++) {
		const struct event_run *sums = &comparison->events[i].runs[run];
		struct compare_row *total = &comparison->own.rows[comparison->events[i].total_row];

		observation_add(&total->seen[run], sums->samples, sums->period);
	}
}

static bool fill_rows(struct trend_rows *rows, struct err *err)
{
	uint32_t *row_of = vec_new(history_series_count(rows->history), sizeof(*row_of), err);
	const bool ok = row_of && add_rows(rows, row_of, err);

	for (size_t run = 0; ok && run < rows->comparison->run_count; run++)
		fill_run(rows, row_of, run);
	free(row_of);
	return ok;
}

/* Lists the runs with samples of an event, and their versions. */
static bool list_event_runs(struct trend_rows *rows, uint32_t number, struct err *err)
{
	const struct history *history = rows->history;
	const struct compare_event *event = &rows->comparison->events[number];
	struct event_runs *list = &rows->event_runs[number];

	list->runs = vec_new(history->run_count, sizeof(*list->runs), err);
	list->versions = vec_new(history->version_count, sizeof(*list->versions), err);
	list->first_run = vec_new(history->version_count + 1, sizeof(*list->first_run), err);
	if (err->code)
		return false;
	for (uint32_t i = 0; i < history->version_count; i++) {
		const struct trend_version *version = &history->versions[i];
		const uint32_t first = list->run_count;

		for (uint32_t k = 0; k < version->run_count; k++)
			if (event->runs[version->first_run + k].present)
				list->runs[list->run_count++] = version->first_run + k;
		if (list->run_count == first)
			continue;
		list->versions[list->version_count] = i;
		list->first_run[list->version_count++] = first;
	}
	list->first_run[list->version_count] = list->run_count;
	return true;
}

double trend_share(const struct comparison *comparison, const struct compare_row *row, size_t run)
{
	const uint64_t period = comparison->events[row->event].runs[run].period;

	return period ? 100 * (double)row->seen[run].period / (double)period : 0;
}

/* Whether the versions from..to-1 may lie beside a cut; first: the first run of each. */
static bool is_segment(const uint32_t *first, uint32_t from, uint32_t to)
{
	return to - from >= CUT_VERSIONS_LEAST && first[to] - first[from] >= CUT_RUNS_LEAST;
}

/*
 * Whether a row has --min-share in some segment of the least length that may lie beside a cut; of a
 * trend that is shorter, in all of it.
 */
static bool is_large(const struct trend_rows *rows, const struct compare_row *row)
{
	const struct event_runs *list = &rows->event_runs[row->event];
	const uint32_t *first = list->first_run;

	for (uint32_t from = 0; from < list->version_count; from++) {
		uint32_t to = from;
		double share = 0;

		while (to < list->version_count && !is_segment(first, from, to))
			to++;
		if (from && !is_segment(first, from, to))
			break;
		for (uint32_t i = first[from]; i < first[to]; i++)
			share += trend_share(rows->comparison, row, list->runs[i]);
		if (share >= rows->comparison->options.min_share * (first[to] - first[from]))
			return true;
	}
	return false;
}

/* Drops rows that are never large, and those without samples, because others go on from them. */
static void keep_large_rows(struct trend_rows *rows)
{
	struct compare_family *own = &rows->comparison->own;
	size_t kept = 0;

	for (size_t i = 0; i < own->count; i++)
		if (own->rows[i].is_total || is_large(rows, &own->rows[i]))
			own->rows[kept++] = own->rows[i];
	own->count = kept;
}

/* By event, [total] first, then by the samples. */
static int compare_rows(const void *a, const void *b, void *context)
{
	const struct strings *strings = context;
	const struct compare_row *x = a, *y = b;
	const uint64_t dx = x->samples[SIDE_NEW], dy = y->samples[SIDE_NEW];
	int names;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->is_total != y->is_total)
		return x->is_total ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	names = strcmp(strings_get(strings, x->function), strings_get(strings, y->function));
	return names ? names
	             : strcmp(strings_get(strings, x->binary), strings_get(strings, y->binary));
}

/* Sorts the rows of each event by their samples in all runs. */
static void sort_rows(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->own.count; i++) {
		struct compare_row *row = &comparison->own.rows[i];

		for (size_t run = 0; run < comparison->run_count; run++)
			row->samples[SIDE_NEW] = u64_add_sat(row->samples[SIDE_NEW],
			                                     row->seen[run].samples);
	}
	qsort_r(comparison->own.rows, comparison->own.count, sizeof(*comparison->own.rows),
	        compare_rows, comparison->strings);
	for (size_t i = 0; i < comparison->own.count; i++)
		if (comparison->own.rows[i].is_total)
			comparison->events[comparison->own.rows[i].event].total_row = i;
}

/* Lists the runs of each event, and which functions go on under other names. */
static bool find_lineage(struct trend_rows *rows, struct err *err)
{
	struct comparison *comparison = rows->comparison;

	rows->event_runs = vec_new(comparison->event_count, sizeof(*rows->event_runs), err);
	for (uint32_t i = 0; rows->event_runs && i < comparison->event_count; i++)
		if (!list_event_runs(rows, i, err) ||
		    !lineage_of_functions(rows->lineage, comparison, i, &rows->event_runs[i], err))
			return false;
	return rows->event_runs;
}

bool trend_rows_make(struct trend_rows *rows, struct err *err)
{
	struct comparison *comparison = rows->comparison;

	set_sides(rows);
	if (!add_events(rows, err) || !lineage_of_binaries(rows->lineage, rows->history, err) ||
	    !fill_rows(rows, err) || !find_lineage(rows, err))
		return false;
	keep_large_rows(rows);
	if (!scale_runs(comparison, err))
		return false;
	measure_periods(comparison);
	sort_rows(comparison);
	return true;
}
