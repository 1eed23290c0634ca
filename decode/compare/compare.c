#include "decode/compare/steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_REGRESSED] = "regressed",
	[VERDICT_IMPROVED] = "improved",
	[VERDICT_NEW] = "new",
	[VERDICT_GONE] = "gone",
	[VERDICT_MOVED] = "moved",
	[VERDICT_NOISE] = "noise",
	[VERDICT_SAME] = "same",
	[VERDICT_SMALL] = "small",
	[VERDICT_UNTESTED] = "untested",
};

/* A row with everything that qsort() compares. */
struct sorted {
	struct compare_row row;
	const char *function, *binary;
	size_t from;
};

static int compare_sorted(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	double dx = fabs(x->row.cost[SIDE_NEW] - x->row.cost[SIDE_BASE]);
	double dy = fabs(y->row.cost[SIDE_NEW] - y->row.cost[SIDE_BASE]);
	int order;

	if (x->row.event != y->row.event)
		return x->row.event < y->row.event ? -1 : 1;
	if (x->row.is_total != y->row.is_total)
		return x->row.is_total ? -1 : 1;
	if (x->row.verdict != y->row.verdict)
		return x->row.verdict < y->row.verdict ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	order = strcmp(x->function, y->function);
	return order ? order : strcmp(x->binary, y->binary);
}

/*
 * Sorts the rows as in diff.csv, without those that are not in this family, and updates references
 * to rows and observations.
 */
static bool sort_rows(struct comparison *comparison, struct compare_family *family, struct err *err)
{
	size_t count = family->count, runs = comparison->run_count, kept = 0;
	struct sorted *sorted = malloc((count + 1) * sizeof(*sorted));
	struct observation *seen = malloc((count * runs + 1) * sizeof(*seen));
	size_t *now_at = malloc((count + 1) * sizeof(*now_at));

	if (!sorted || !seen || !now_at) {
		free(sorted);
		free(seen);
		free(now_at);
		return err_nomem(err, (count * runs + 1) * sizeof(*seen));
	}
	for (size_t i = 0; i < count; i++)
		if (family->rows[i].is_total || family->rows[i].has_row)
			sorted[kept++] = (struct sorted){
				family->rows[i],
				strings_get(comparison->strings, family->rows[i].function),
				strings_get(comparison->strings, family->rows[i].binary), i
			};
	qsort(sorted, kept, sizeof(*sorted), compare_sorted);
	for (size_t i = 0; i < kept; i++)
		now_at[sorted[i].from] = i;
	for (size_t i = 0; i < kept; i++) {
		family->rows[i] = sorted[i].row;
		memcpy(seen + i * runs, family->seen + sorted[i].from * runs, runs * sizeof(*seen));
		if (family->rows[i].match != SIZE_MAX)
			family->rows[i].match = now_at[family->rows[i].match];
		if (family->rows[i].is_total && family == &comparison->own)
			comparison->events[family->rows[i].event].total_row = i;
	}
	free(sorted);
	free(now_at);
	free(family->seen);
	family->seen = seen;
	family->count = kept;
	return true;
}

static bool finish_family(struct comparison *comparison, struct compare_family *family,
                          struct err *err)
{
	return test_rows(comparison, family, err) && find_moved(comparison, family, err);
}

bool compare_all(struct comparison *comparison, struct compare_run *runs, size_t count,
                 const struct compare_options *options, struct strings *strings, struct err *err)
{
	memset(comparison, 0, sizeof(*comparison));
	comparison->strings = strings;
	comparison->runs = runs;
	comparison->run_count = count;
	comparison->options = *options;
	if (!merge_runs(comparison, err) || !scale_runs(comparison, err))
		return false;
	measure_periods(comparison);
	if (!finish_family(comparison, &comparison->own, err) ||
	    (comparison->totals.seen && !finish_family(comparison, &comparison->totals, err)))
		return false;
	/* up to here the rows of both families have the same numbers: see merge.c */
	return sort_rows(comparison, &comparison->own, err) &&
	       (!comparison->totals.seen || sort_rows(comparison, &comparison->totals, err));
}

static void release_family(struct compare_family *family)
{
	free(family->rows);
	free(family->seen);
}

void comparison_release(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->event_count; i++) {
		free(comparison->events[i].runs);
		map_release(&comparison->events[i].row_of);
	}
	free(comparison->events);
	map_release(&comparison->event_of);
	release_family(&comparison->own);
	release_family(&comparison->totals);
	memset(comparison, 0, sizeof(*comparison));
}

bool event_is_clock(const char *name)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		size_t length = strlen(clocks[i]);

		if (!strncmp(name, clocks[i], length) &&
		    (!name[length] || name[length] == ':' || name[length] == '/'))
			return true;
	}
	return false;
}
