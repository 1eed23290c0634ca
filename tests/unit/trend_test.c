/*
 * Trends of made-up runs. The expected numbers follow from the formulas by hand: with 4 and 6
 * degrees of freedom, Student's t has a closed form, p = 1 - sin a (1 + cos^2 a / 2 [+ 3/8 cos^4 a])
 * with tan a = t / sqrt(freedom).
 */
#include "decode/compare/rules.h"
#include "decode/compare/trend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 1000u

static void assert_close(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-8 * fabs(expected)))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* --- cuts */

static struct cut_list cuts_of(const double *costs, uint32_t count)
{
	struct cut_value values[32];
	uint32_t first_run[33];
	struct cut_set set = { .values = values,
		               .series_count = 1,
		               .run_count = count,
		               .first_run = first_run,
		               .version_count = count,
		               .tested = 1,
		               .min_share = 0.5,
		               .min_change = 5,
		               .alpha = 0.05 };
	struct cut_list list = { .count = 0 };
	struct err err = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		values[i] = (struct cut_value){ costs[i], 1e9, 50 };
		first_run[i] = i;
	}
	first_run[count] = count;
	assert_true(cut_set_init(&set, &err));
	assert_true(cut_series(&set, 0, &list, &err));
	cut_set_release(&set);
	return list;
}

/*
 * Of eight runs, three places leave three on either side. In the middle, the change is 1 and the
 * variance 8 * 0.01 / 6, so that t = 1 / sqrt(0.08 / 6 * (1/4 + 1/4)) = 12.247.
 */
static void one_cut(void **state)
{
	static const double costs[] = { 0.1, -0.1, 0.1, -0.1, 1.1, 0.9, 1.1, 0.9 };
	struct cut_list list = cuts_of(costs, 8);

	(void)state;
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].version, 4);
	assert_close(list.items[0].p_adjusted, 5.41273472129955e-05);
	free(list.items);
}

static void no_cut(void **state)
{
	static const double alike[] = { 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1 };
	/* one run, wherever it is */
	static const double first[] = { 3, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1 };
	static const double last[] = { 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 3 };
	/* too few on one side */
	static const double two[] = { 0.1, -0.1, 0.1, -0.1, 0.1, -0.1, 0.1, 2, 2.1 };
	static const double few[] = { 0, 0, 5, 5, 5 };
	/* a change of 4 %, however certain */
	static const double small[] = { 0, 0, 0, 0, 0.04, 0.04, 0.04, 0.04 };
	static const struct {
		const double *costs;
		uint32_t count;
	} series[] = { { alike, 8 }, { first, 9 }, { last, 9 }, { few, 5 }, { small, 8 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(series); i++) {
		struct cut_list list = cuts_of(series[i].costs, series[i].count);

		if (list.count)
			fail_msg("series %zu is cut at %u", i, list.items[0].version);
		free(list.items);
	}
	/* what two runs show is found three runs from the end, if at all */
	{
		struct cut_list list = cuts_of(two, 9);

		for (size_t i = 0; i < list.count; i++)
			assert_true(list.items[i].version <= 6);
		free(list.items);
	}
}

/* Up and down again: no single cut explains that. */
static void undone(void **state)
{
	double costs[24];
	struct cut_list list;

	(void)state;
	for (size_t i = 0; i < 24; i++)
		costs[i] = (i % 2 ? 0.05 : -0.05) + (i >= 8 && i < 14 ? 0.4 : 0);
	list = cuts_of(costs, 24);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].version, 8);
	assert_int_equal(list.items[1].version, 14);
	free(list.items);
}

/* --- whole trends */

struct fixture {
	struct strings strings;
	struct trend trend;
	struct compare_options options;
	struct err err;
};

static void start(struct fixture *f)
{
	static const struct compare_options defaults = COMPARE_DEFAULTS;

	memset(f, 0, sizeof(*f));
	f->options = defaults;
	f->options.scale = SCALE_NONE;
	assert_true(strings_init(&f->strings, &f->err));
	history_init(&f->trend.history, &f->strings, defaults.min_share);
}

static uint32_t text(struct fixture *f, const char *name)
{
	return strings_put_text(&f->strings, name, &f->err);
}

static void add(struct fixture *f, struct compare_run *run, const char *function, uint64_t samples)
{
	const struct run_row row = { .event = text(f, "cpu-clock"),
		                     .function = text(f, function),
		                     .binary = text(f, "/bin/prog"),
		                     .samples = samples,
		                     .period = samples * PERIOD };

	run->events[0].samples += samples;
	run->events[0].period += row.period;
	assert_true(!samples || compare_run_add_row(run, &row, &f->err));
}

/* A version of one run, in which f has so many samples, and g 1000. */
static void add_version(struct fixture *f, const char *name, uint64_t samples)
{
	const struct run_event event = { .name = text(f, "cpu-clock"), .sample_period = PERIOD };
	struct compare_run run = { .file = text(f, name) };

	assert_true(history_add_version(&f->trend.history, text(f, name), &f->err));
	assert_true(compare_run_add_event(&run, &event, &f->err));
	add(f, &run, "f", samples);
	add(f, &run, "g.part.0", 1000);
	assert_true(history_add_run(&f->trend.history, &run, &f->err));
	compare_run_release(&run);
}

static void finish(struct fixture *f)
{
	trend_release(&f->trend);
	strings_release(&f->strings);
}

/*
 * 100 samples three times, then 200. Runs do not differ, so that the variance is 1 / mean samples =
 * 6 / 900, and the error sqrt(6 / 900 * 2/3) = 1/15. One place, three series: f, g and [total].
 */
static void exact_step(void **state)
{
	struct fixture f;
	const struct trend_step *step;

	(void)state;
	start(&f);
	for (unsigned i = 0; i < 6; i++) {
		char name[3] = { 'v', (char)('1' + i), '\0' };

		add_version(&f, name, i < 3 ? 100 : 200);
	}
	assert_true(trend_make(&f.trend, &f.options, &f.err));
	assert_int_equal(f.trend.comparison.own.count, 3);
	assert_int_equal(f.trend.step_count, 1);
	step = &f.trend.steps[0];
	assert_string_equal(strings_get(&f.strings, f.trend.comparison.own.rows[step->row].function),
	                    "f");
	assert_int_equal(step->verdict, VERDICT_REGRESSED);
	assert_int_equal(step->version, 3);
	assert_int_equal(step->previous, 2);
	assert_close(step->cost[SIDE_BASE], 100 * PERIOD);
	assert_close(step->cost[SIDE_NEW], 200 * PERIOD);
	assert_close(step->change, 100 * (200.5 / 100.5 - 1));
	assert_close(step->low, 65.79139888185446);
	assert_close(step->high, 140.06819902559832);
	assert_close(step->p_adjusted, 0.0014701200110124324);
	assert_int_equal(step->runs[SIDE_BASE], 3);
	assert_int_equal(step->runs[SIDE_NEW], 3);
	finish(&f);
}

/* Rules speak of the last segment. */
static void last_segment(void **state)
{
	static const struct {
		uint64_t samples[9];
		const char *rule;
		bool met;
	} cases[] = {
		{ { 100, 100, 100, 200, 200, 200, 200, 200, 200 }, "f>50%", true },
		{ { 100, 100, 100, 200, 200, 200, 200, 200, 200 }, "f>150%", false },
		{ { 100, 100, 100, 200, 200, 200, 200, 200, 200 }, "g>1%", false },
		{ { 100, 100, 100, 200, 200, 200, 200, 200, 200 }, "f>5pp", true },
		{ { 200, 200, 200, 100, 100, 100, 100, 100, 100 }, "function>1%", false },
		{ { 0, 0, 0, 100, 100, 100, 100, 100, 100 }, "function>50%", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rules rules = { .count = 0 };
		struct fixture f;

		start(&f);
		for (unsigned v = 0; v < 9; v++) {
			char name[3] = { 'v', (char)('1' + v), '\0' };

			add_version(&f, name, cases[i].samples[v]);
		}
		assert_true(trend_make(&f.trend, &f.options, &f.err));
		assert_true(rules_parse(&rules, cases[i].rule, &f.err));
		rules_check(&rules, &f.trend.comparison);
		if (rule_is_met(&rules.items[0]) != cases[i].met)
			fail_msg("case %zu: %s", i, cases[i].rule);
		rules_release(&rules);
		finish(&f);
	}
}

/* What is packed comes back, whatever the numbers. */
static void packing(void **state)
{
	static const uint64_t samples[] = { 1, 127, 128, 1u << 21, UINT64_MAX };
	struct fixture f;
	struct unpacker unpacker;
	struct packed_row row;

	(void)state;
	start(&f);
	assert_true(history_add_version(&f.trend.history, text(&f, "v"), &f.err));
	for (size_t k = 0; k < 2; k++) {
		const struct run_event event = { .name = text(&f, "cycles"),
			                         .sample_period = k ? UINT64_MAX : 3 };
		struct compare_run run = { .file = text(&f, "run") };

		assert_true(compare_run_add_event(&run, &event, &f.err));
		for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
			char name[3] = { 'f', (char)('0' + (k ? 4 - i : i)), '\0' };
			const struct run_row added = { .event = event.name,
				                       .function = text(&f, name),
				                       .binary = text(&f, "b"),
				                       .samples = samples[i],
				                       .period = samples[4 - i] };

			assert_true(compare_run_add_row(&run, &added, &f.err));
		}
		assert_true(history_add_run(&f.trend.history, &run, &f.err));
		compare_run_release(&run);
	}
	for (size_t k = 0; k < 2; k++) {
		unpacker = history_unpack(&f.trend.history, k);
		for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
			assert_true(unpacker_next(&unpacker, &row));
			assert_int_equal(row.series, k ? 4 - i : i);
			assert_true(row.seen.samples == samples[i]);
			assert_true(row.seen.period == samples[4 - i]);
		}
		assert_false(unpacker_next(&unpacker, &row));
	}
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_cut),    cmocka_unit_test(no_cut),
		cmocka_unit_test(undone),     cmocka_unit_test(exact_step),
		cmocka_unit_test(last_segment), cmocka_unit_test(packing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
