/* Tests whether a function costs more: costs, the t test, the verdict. */
#include "decode/compare/student.h"
#include "decode/compare/steps.h"

#include <math.h>
#include <stdlib.h>

#define TYPICAL_LEAST 20  /* functions; fewer do not show how much noise is typical */
#define TYPICAL_FREEDOM 4 /* degrees of freedom for the typical noise */
#define POWER_TAIL 0.4    /* two-sided p of the t that 4 of 5 tests exceed */
#define INTERVAL_P 0.05

/* The values for the test of one row. */
struct spread {
	double mean[2];  /* mean logarithm of each side */
	double variance; /* pooled over both sides */
	double floor;    /* the part of the variance that counting alone causes */
	double mean_samples;
};

/* A tested row among the others, by its p. */
struct ranked {
	double p;
	size_t row;
};

struct testing {
	struct comparison *comparison;
	struct compare_family *family;
	/* As many as the family has rows. */
	struct spread *spreads; /* per row */
	struct weighted *excesses;
	struct ranked *ranked;
};

static unsigned freedom_of(const struct compare_event *event)
{
	return event->side_runs[SIDE_BASE] + event->side_runs[SIDE_NEW] - 2;
}

/* With two runs a side, there is a variance. */
static bool is_event_testable(const struct compare_event *event)
{
	return event->side_runs[SIDE_BASE] >= 2 && event->side_runs[SIDE_NEW] >= 2;
}

static bool is_testable(const struct comparison *comparison, const struct compare_row *row)
{
	return row_has_share(comparison, row) && is_event_testable(&comparison->events[row->event]);
}

/* Computes sums, costs and the change of a row. */
static void fill_costs(const struct comparison *comparison, struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];

	for (size_t run = 0; run < comparison->run_count; run++) {
		enum compare_side side = comparison->runs[run].side;

		row->samples[side] = u64_add_sat(row->samples[side], row->seen[run].samples);
		row->runs[side] += row->seen[run].samples != 0;
		row->cost[side] += (double)row->seen[run].period * event->runs[run].scale;
	}
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		if (event->side_runs[side])
			row->cost[side] /= event->side_runs[side];
	if (row->cost[SIDE_BASE] > 0)
		row->change = 100 * (row->cost[SIDE_NEW] / row->cost[SIDE_BASE] - 1);
	else
		row->change = row->cost[SIDE_NEW] > 0 ? INFINITY : 0;
}

/*
 * Samples of unequal periods count as fewer: n / (1 + v), where v is the squared relative spread of
 * the periods (Kish's effective count). v is estimated from the mean periods of functions, which
 * vary from run to run by v / n relative to the run's. With a fixed period it is 0.
 */
static double spread_of_periods(const struct comparison *comparison, uint32_t number)
{
	const struct compare_event *event = &comparison->events[number];
	double sum = 0, freedom = 0;

	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct observation *seen = comparison->own.rows[i].seen;
		double weight = 0, mean = 0, squares = 0;
		unsigned count = 0;

		if (comparison->own.rows[i].event != number || comparison->own.rows[i].is_total)
			continue;
		for (size_t run = 0; run < comparison->run_count; run++) {
			const struct event_run *sums = &event->runs[run];
			double ratio, step;

			if (!seen[run].samples || !sums->period)
				continue;
			ratio = (double)seen[run].period / (double)seen[run].samples /
			        ((double)sums->period / (double)sums->samples);
			weight += (double)seen[run].samples;
			step = ratio - mean;
			mean += step * (double)seen[run].samples / weight;
			squares += (double)seen[run].samples * step * (ratio - mean);
			count++;
		}
		if (count < 2 || !(mean > 0))
			continue;
		sum += squares / (mean * mean);
		freedom += count - 1;
	}
	return freedom > 0 ? sum / freedom : 0;
}

void measure_periods(struct comparison *comparison)
{
	for (uint32_t event = 0; event < comparison->event_count; event++)
		comparison->events[event].unequal = spread_of_periods(comparison, event);
}

static struct spread spread_of_row(const struct comparison *comparison,
                                   const struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];
	struct spread spread = { .variance = 0 };
	double squares = 0;
	uint64_t samples = 0;

	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct event_run *sums = &event->runs[run];

		if (!sums->present)
			continue;
		spread.mean[comparison->runs[run].side] += observation_log(&row->seen[run], sums) +
		                                           log(sums->scale);
		samples = u64_add_sat(samples, row->seen[run].samples);
	}
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		spread.mean[side] /= event->side_runs[side];
	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct event_run *sums = &event->runs[run];
		double away;

		if (!sums->present)
			continue;
		away = observation_log(&row->seen[run], sums) + log(sums->scale) -
		       spread.mean[comparison->runs[run].side];
		squares += away * away;
	}
	spread.variance = squares / freedom_of(event);
	spread.mean_samples = (double)samples / (freedom_of(event) + 2);
	spread.floor = (1 + event->unequal) / spread.mean_samples;
	return spread;
}

/* The part of the event's typical variance that counting does not explain. */
static double typical_excess(const struct testing *testing, uint32_t event, size_t *functions)
{
	const struct compare_family *family = testing->family;

	*functions = 0;
	for (size_t i = 0; i < family->count; i++) {
		const struct compare_row *row = &family->rows[i];

		if (row->event == event && !row->is_total && row->tested)
			testing->excesses[(*functions)++] = (struct weighted){
				testing->spreads[i].variance - testing->spreads[i].floor, 1
			};
	}
	return fmax(weighted_median(testing->excesses, *functions), 0);
}

/* The parameters for testing the rows of one event. */
struct event_test {
	unsigned freedom; /* degrees of freedom, including those of the typical noise */
	bool moderated;   /* the typical noise of the event's functions is used */
	double typical;   /* the part of the typical noise that counting does not explain */
	double runs;      /* 1 / number of base runs + 1 / number of new runs */
};

static struct event_test test_of_event(const struct testing *testing, uint32_t number)
{
	const struct compare_event *event = &testing->comparison->events[number];
	struct event_test test = { .freedom = freedom_of(event) };
	size_t functions;

	test.typical = typical_excess(testing, number, &functions);
	test.moderated = functions >= TYPICAL_LEAST;
	if (test.moderated)
		test.freedom += TYPICAL_FREEDOM;
	test.runs = 1.0 / event->side_runs[SIDE_BASE] + 1.0 / event->side_runs[SIDE_NEW];
	return test;
}

/* The standard error of the difference of a row's means. */
static double error_of_row(const struct event_test *test, const struct spread *spread)
{
	double variance = spread->variance;

	if (test->moderated)
		variance = (TYPICAL_FREEDOM * (spread->floor + test->typical) +
		            (test->freedom - TYPICAL_FREEDOM) * variance) /
		           test->freedom;
	return sqrt(fmax(variance, spread->floor) * test->runs);
}

/* Tests the rows of one event. */
static void test_event(struct testing *testing, uint32_t number)
{
	const struct compare_options *options = &testing->comparison->options;
	const struct event_test test = test_of_event(testing, number);
	const double reach = student_quantile(INTERVAL_P, test.freedom);
	/*
	 * the change, in standard errors, that four of five comparisons with as many tested rows
	 * find
	 */
	const double found = student_quantile(options->alpha / (double)testing->family->tested,
	                                      test.freedom) +
	                     student_quantile(POWER_TAIL, test.freedom);

	for (size_t i = 0; i < testing->family->count; i++) {
		struct compare_row *row = &testing->family->rows[i];
		const struct spread *spread = &testing->spreads[i];
		double change, error;

		if (row->event != number || !row->tested)
			continue;
		error = error_of_row(&test, spread);
		change = spread->mean[SIDE_NEW] - spread->mean[SIDE_BASE];
		row->low = 100 * expm1(change - reach * error);
		row->high = 100 * expm1(change + reach * error);
		row->p = student_two_sided(change / error, test.freedom);
		row->detectable = fmax(100 * expm1(found * error), options->min_change);
	}
}

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Holm's step-down adjustment over all tested rows. */
static void adjust_p_values(struct testing *testing)
{
	struct compare_family *family = testing->family;
	struct ranked *ranked = testing->ranked;
	double highest = 0;
	size_t count = 0;

	for (size_t i = 0; i < family->count; i++)
		if (family->rows[i].tested)
			ranked[count++] = (struct ranked){ family->rows[i].p, i };
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < count; i++) {
		/* an adjusted value is never below that of a smaller p */
		highest = fmax(highest, ranked[i].p * (double)(count - i));
		family->rows[ranked[i].row].p_adjusted = fmin(highest, 1);
	}
}

static enum verdict verdict_of(const struct comparison *comparison, const struct compare_row *row)
{
	const struct compare_options *options = &comparison->options;
	bool large = fabs(row->change) >= options->min_change;

	if (!row_has_share(comparison, row))
		return VERDICT_SMALL;
	if (!row->tested)
		return VERDICT_UNTESTED;
	if (!large)
		return VERDICT_SAME;
	if (row->p_adjusted >= options->alpha)
		return VERDICT_NOISE;
	if (!row->samples[SIDE_BASE])
		return VERDICT_NEW;
	if (!row->samples[SIDE_NEW])
		return VERDICT_GONE;
	return row->change > 0 ? VERDICT_REGRESSED : VERDICT_IMPROVED;
}

static void run_tests(struct testing *testing)
{
	struct comparison *comparison = testing->comparison;
	struct compare_family *family = testing->family;

	for (size_t i = 0; i < family->count; i++) {
		struct compare_row *row = &family->rows[i];

		fill_costs(comparison, row);
		row->tested = is_testable(comparison, row);
		family->tested += row->tested;
		if (row->tested)
			testing->spreads[i] = spread_of_row(comparison, row);
	}
	for (uint32_t event = 0; event < comparison->event_count; event++)
		if (is_event_testable(&comparison->events[event]))
			test_event(testing, event);
	adjust_p_values(testing);
	for (size_t i = 0; i < family->count; i++)
		family->rows[i].verdict = verdict_of(comparison, &family->rows[i]);
}

bool test_rows(struct comparison *comparison, struct compare_family *family, struct err *err)
{
	struct testing testing = { .comparison = comparison, .family = family };
	size_t count = family->count + 1;
	bool ok;

	testing.spreads = calloc(count, sizeof(*testing.spreads));
	testing.excesses = calloc(count, sizeof(*testing.excesses));
	testing.ranked = calloc(count, sizeof(*testing.ranked));
	ok = (testing.spreads && testing.excesses && testing.ranked) ||
	     err_nomem(err, count * sizeof(*testing.spreads));
	if (ok)
		run_tests(&testing);
	free(testing.spreads);
	free(testing.excesses);
	free(testing.ranked);
	return ok;
}
