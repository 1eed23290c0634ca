/* Tests whether a function costs more: costs, the t test, the verdict. */
#include "decode/compare/noise.h"
#include "decode/compare/student.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>

struct tested_row {
	struct compare_row *row;
	double mean[2];  /* mean logarithm of each side */
	double variance; /* pooled over both sides */
	double floor;    /* the part of the variance that counting alone causes */
};

struct testing {
	const struct comparison *comparison;
	struct tested_row *rows;
	size_t count;
	struct weighted *excesses; /* buffer, one for each row */
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

static void fill_costs(const struct comparison *comparison, struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];

	for (size_t run = 0; run < comparison->run_count; run++) {
		enum compare_side side = comparison->runs[run].side;

		row->samples[side] = u64_add_sat(row->samples[side], row->seen[run].samples);
		row->runs[side] += row->seen[run].samples != 0;
		row->cost[side] += (double)row->seen[run].period * event->runs[run].scale;
	}
	divide_by_runs(row->cost, event);
	row->change = change_percent(row->cost);
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

static struct tested_row prepare_row(const struct comparison *comparison, struct compare_row *row)
{
	const struct compare_event *event = &comparison->events[row->event];
	struct tested_row tested = { .row = row };
	double squares = 0;
	uint64_t samples = 0;

	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct event_run *sums = &event->runs[run];

		if (!sums->present)
			continue;
		tested.mean[comparison->runs[run].side] += observation_log(&row->seen[run], sums) +
		                                           log(sums->scale);
		samples = u64_add_sat(samples, row->seen[run].samples);
	}
	divide_by_runs(tested.mean, event);
	for (size_t run = 0; run < comparison->run_count; run++) {
		const struct event_run *sums = &event->runs[run];
		double away;

		if (!sums->present)
			continue;
		away = observation_log(&row->seen[run], sums) + log(sums->scale) -
		       tested.mean[comparison->runs[run].side];
		squares += away * away;
	}
	tested.variance = squares / freedom_of(event);
	tested.floor = event->is_interval
	                       ? INTERVAL_NOISE
	                       : (1 + event->unequal) / ((double)samples / (freedom_of(event) + 2));
	return tested;
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
	size_t functions = 0;

	for (size_t i = 0; i < testing->count; i++) {
		const struct tested_row *tested = &testing->rows[i];

		if (tested->row->event == number && !tested->row->is_total)
			testing->excesses[functions++] = (struct weighted){
				tested->variance - tested->floor, 1
			};
	}
	test.typical = fmax(weighted_median(testing->excesses, functions), 0);
	test.moderated = functions >= TYPICAL_LEAST;
	if (test.moderated)
		test.freedom += TYPICAL_FREEDOM;
	test.runs = 1.0 / event->side_runs[SIDE_BASE] + 1.0 / event->side_runs[SIDE_NEW];
	return test;
}

/* The standard error of the difference of a row's means. */
static double error_of_row(const struct event_test *test, const struct tested_row *tested)
{
	const unsigned freedom = test->freedom - (test->moderated ? TYPICAL_FREEDOM : 0);

	return sqrt(test->runs * noise_variance(tested->variance, freedom, tested->floor,
	                                        test->typical, test->moderated));
}

static void test_event(const struct testing *testing, uint32_t number)
{
	const struct compare_options *options = &testing->comparison->options;
	const struct event_test test = test_of_event(testing, number);
	const double reach = student_quantile(INTERVAL_P, test.freedom);
	/*
	 * the change, in standard errors, that four of five comparisons with as many tested rows
	 * find
	 */
	const double found = student_quantile(options->alpha / (double)testing->count,
	                                      test.freedom) +
	                     student_quantile(POWER_TAIL, test.freedom);

	for (size_t i = 0; i < testing->count; i++) {
		const struct tested_row *tested = &testing->rows[i];
		struct compare_row *row = tested->row;
		double change, error;

		if (row->event != number)
			continue;
		error = error_of_row(&test, tested);
		change = tested->mean[SIDE_NEW] - tested->mean[SIDE_BASE];
		/* what is tested: the middle of its interval */
		if (row->samples[SIDE_BASE] && row->samples[SIDE_NEW])
			row->change = 100 * expm1(change);
		row->low = 100 * expm1(change - reach * error);
		row->high = 100 * expm1(change + reach * error);
		row->p = student_two_sided(change / error, test.freedom);
		row->detectable = fmax(100 * expm1(found * error), options->min_change);
	}
}

static int compare_p(const void *a, const void *b)
{
	const struct compare_row *x = ((const struct tested_row *)a)->row;
	const struct compare_row *y = ((const struct tested_row *)b)->row;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x > y) - (x < y);
}

/* Holm's step-down adjustment over all tested rows. */
static void adjust_p_values(const struct testing *testing)
{
	double highest = 0;

	qsort(testing->rows, testing->count, sizeof(*testing->rows), compare_p);
	for (size_t i = 0; i < testing->count; i++) {
		struct compare_row *row = testing->rows[i].row;

		/* an adjusted value is never below that of a smaller p */
		highest = fmax(highest, row->p * (double)(testing->count - i));
		row->p_adjusted = fmin(highest, 1);
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

static void run_tests(struct testing *testing, struct compare_family *family)
{
	const struct comparison *comparison = testing->comparison;

	for (size_t i = 0; i < family->count; i++) {
		struct compare_row *row = &family->rows[i];

		fill_costs(comparison, row);
		row->tested = row_has_share(comparison, row) &&
		              is_event_testable(&comparison->events[row->event]);
		if (row->tested)
			testing->rows[testing->count++] = prepare_row(comparison, row);
	}
	for (uint32_t event = 0; event < comparison->event_count; event++)
		if (is_event_testable(&comparison->events[event]))
			test_event(testing, event);
	adjust_p_values(testing);
	for (size_t i = 0; i < family->count; i++)
		family->rows[i].verdict = verdict_of(comparison, &family->rows[i]);
}

bool test_rows(const struct comparison *comparison, struct compare_family *family, struct err *err)
{
	const size_t count = family->count;
	struct testing testing = { .comparison = comparison,
		                   .rows = vec_new(count, sizeof(*testing.rows), err),
		                   .excesses = vec_new(count, sizeof(*testing.excesses), err) };

	if (testing.rows && testing.excesses)
		run_tests(&testing, family);
	free(testing.rows);
	free(testing.excesses);
	return err->code == ERR_NONE;
}
