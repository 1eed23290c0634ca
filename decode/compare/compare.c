#define _GNU_SOURCE /* qsort_r() */
#include "decode/compare/steps.h"
#include "util/text.h"

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

static void release_family(struct compare_family *family)
{
	free(family->rows);
	free(family->seen);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct strings *strings = context;
	const struct compare_row *x = a, *y = b;
	double dx = fabs(x->cost[SIDE_NEW] - x->cost[SIDE_BASE]);
	double dy = fabs(y->cost[SIDE_NEW] - y->cost[SIDE_BASE]);
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->is_total != y->is_total)
		return x->is_total ? -1 : 1;
	if (x->verdict != y->verdict)
		return x->verdict < y->verdict ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	order = strcmp(strings_get(strings, x->function), strings_get(strings, y->function));
	return order ? order
	             : strcmp(strings_get(strings, x->binary), strings_get(strings, y->binary));
}

/* Tests the rows and sorts them as in diff.csv. */
static bool finish_family(struct comparison *comparison, struct compare_family *family,
                          struct err *err)
{
	if (!family->count)
		return true;
	if (!test_rows(comparison, family, err) || !find_moved(comparison, family, err))
		return false;
	qsort_r(family->rows, family->count, sizeof(*family->rows), compare_rows,
	        comparison->strings);
	return true;
}

bool compare_all(struct comparison *comparison, struct compare_run *runs, size_t count,
                 const struct compare_options *options, struct strings *strings, struct err *err)
{
	*comparison = (struct comparison){
		.strings = strings, .runs = runs, .run_count = count, .options = *options
	};
	if (!merge_runs(comparison, err) || !totals_merge(comparison, err) ||
	    !scale_runs(comparison, err))
		return false;
	measure_periods(comparison);
	if (!finish_family(comparison, &comparison->own, err) ||
	    !finish_family(comparison, &comparison->totals, err))
		return false;
	for (size_t i = 0; i < comparison->own.count; i++)
		if (comparison->own.rows[i].is_total)
			comparison->events[comparison->own.rows[i].event].total_row = i;
	return true;
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
