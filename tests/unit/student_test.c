/* The statistics of a comparison, against values of SciPy 1.10.1 (scipy.stats.t) and by hand. */
#include "decode/compare/test.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

static void assert_close(double value, double expected, double relative)
{
	if (fabs(value - expected) > relative * fabs(expected))
		fail_msg("%.17g, expected %.17g", value, expected);
}

/* 2 * scipy.stats.t.sf(t, freedom) */
static void p_values(void **state)
{
	static const struct {
		double t;
		unsigned freedom;
		double p;
	} cases[] = { { 2, 4, 0.1161165235168155 },     { 12.5, 3, 0.0011036313310960576 },
		      { 0.1, 7, 0.9231480596047924 },   { 40, 18, 4.865261692304997e-19 },
		      { 3, 1, 0.20483276469913345 },    { 5, 400, 8.594825129118664e-07 },
		      { 0.001, 11, 0.9992200206277011 }, { 60, 3, 1.0199593673319746e-05 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_close(student_two_sided(cases[i].t, cases[i].freedom), cases[i].p, 1e-9);
		assert_close(student_two_sided(-cases[i].t, cases[i].freedom), cases[i].p, 1e-9);
	}
	assert_true(student_two_sided(0, 5) == 1);
	assert_true(student_two_sided(INFINITY, 5) == 0);
}

/* The inverse of the same values: scipy.stats.t.isf() is right to eight digits only. */
static void quantiles(void **state)
{
	(void)state;
	assert_close(student_quantile(0.1161165235168155, 4), 2, 1e-9);
	assert_close(student_quantile(0.0011036313310960576, 3), 12.5, 1e-9);
	assert_close(student_quantile(0.9231480596047924, 7), 0.1, 1e-9);
	assert_close(student_quantile(4.865261692304997e-19, 18), 40, 1e-9);
	assert_close(student_quantile(0.20483276469913345, 1), 3, 1e-9);
	assert_close(student_quantile(8.594825129118664e-07, 400), 5, 1e-9);
	assert_close(student_quantile(0.05, 4), 2.776445105, 1e-9);
}

/* Holm 1979: the k-th smallest of m times m - k + 1, never below the one before, never above 1. */
static void holm(void **state)
{
	static const double p[] = { 0.04, 0.01, 0.03, 0.005, 0.9 };
	static const double expected[] = { 0.09, 0.04, 0.09, 0.025, 0.9 };
	struct compare_row rows[ARRAY_SIZE(p)];
	struct tested_row tested[ARRAY_SIZE(p)];
	struct testing testing = { .rows = tested, .count = ARRAY_SIZE(p) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(p); i++) {
		rows[i] = (struct compare_row){ .p = p[i] };
		tested[i] = (struct tested_row){ .row = &rows[i] };
	}
	adjust_p_values(&testing);
	for (size_t i = 0; i < ARRAY_SIZE(p); i++)
		assert_close(rows[i].p_adjusted, expected[i], 1e-12);
}

static void medians(void **state)
{
	struct weighted odd[] = { { 5, 1 }, { 1, 1 }, { 3, 1 } };
	struct weighted even[] = { { 4, 1 }, { 1, 1 }, { 3, 1 }, { 2, 1 } };
	struct weighted heavy[] = { { 9, 10 }, { 1, 2 }, { 2, 3 } };
	struct weighted light[] = { { 1, 1 }, { 2, 0 }, { 4, 1 } };

	(void)state;
	assert_true(weighted_median(odd, 3) == 3);
	assert_true(weighted_median(even, 4) == 2.5);
	assert_true(weighted_median(heavy, 3) == 9);
	assert_true(weighted_median(light, 3) == 2.5);
	assert_true(weighted_median(NULL, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(p_values), cmocka_unit_test(quantiles),
		                            cmocka_unit_test(holm), cmocka_unit_test(medians) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
