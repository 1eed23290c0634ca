/*
 * Comparisons of made-up runs. Expected numbers are those of the formulas in NumPy and SciPy 1.10.1:
 * y = ln(n + 0.5) + ln(scale), pooled variance, t with 4 (moderated: 3 + 4) degrees of freedom, Holm.
 */
#include "decode/compare/comparison.h"
#include "decode/compare/rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PERIOD 1000000u
#define RUNS_MOST 10

struct fixture {
	struct strings strings;
	struct compare_run runs[RUNS_MOST];
	size_t count;
	struct comparison comparison;
	struct compare_options options;
	struct err err;
};

static void start(struct fixture *f)
{
	static const struct compare_options defaults = COMPARE_DEFAULTS;

	memset(f, 0, sizeof(*f));
	f->options = defaults;
	assert_true(strings_init(&f->strings, &f->err));
}

static void finish(struct fixture *f)
{
	comparison_release(&f->comparison);
	for (size_t i = 0; i < f->count; i++)
		compare_run_release(&f->runs[i]);
	strings_release(&f->strings);
}

static uint32_t text(struct fixture *f, const char *name)
{
	return strings_put_text(&f->strings, name, &f->err);
}

static struct compare_run *add_run(struct fixture *f, enum compare_side side)
{
	struct run_event event = { .name = text(f, "cpu-clock") };
	struct compare_run *run = &f->runs[f->count++];

	run->side = side;
	run->file = text(f, "run");
	assert_true(compare_run_add_event(run, &event, &f->err));
	return run;
}

static void add(struct fixture *f, struct compare_run *run, const char *function, const char *file,
                uint64_t samples)
{
	struct run_row row = { .event = text(f, "cpu-clock"),
		               .function = text(f, function),
		               .binary = text(f, "/bin/prog"),
		               .file = text(f, file),
		               .samples = samples,
		               .period = samples * PERIOD };

	run->events[0].samples += samples;
	run->events[0].period += row.period;
	assert_true(compare_run_add_row(run, &row, &f->err));
}

static void compare(struct fixture *f)
{
	assert_true(compare_all(&f->comparison, f->runs, f->count, &f->options, &f->strings, &f->err));
}

static const struct compare_row *row_of(const struct fixture *f, const char *function)
{
	for (size_t i = 0; i < f->comparison.own.count; i++)
		if (!strcmp(strings_get(&f->strings, f->comparison.own.rows[i].function), function))
			return &f->comparison.own.rows[i];
	fail_msg("no row %s", function);
	return NULL;
}

static void assert_close(double value, double expected)
{
	if (fabs(value - expected) > 1e-8 * fabs(expected))
		fail_msg("%.17g, expected %.17g", value, expected);
}

static void assert_row(const struct compare_row *row, const double expected[5])
{
	assert_close(row->p, expected[0]);
	assert_close(row->p_adjusted, expected[1]);
	assert_close(row->low, expected[2]);
	assert_close(row->high, expected[3]);
	assert_close(row->detectable, expected[4]);
}

static void assert_verdict(const struct fixture *f, const char *function, enum verdict verdict)
{
	assert_string_equal(verdict_names[row_of(f, function)->verdict], verdict_names[verdict]);
}

/* Three runs a side, four functions, one of them doubled. */
static void three_with_three(void **state)
{
	static const uint64_t samples[6][4] = { { 1000, 200, 50, 400 }, { 1040, 190, 60, 380 },
		                                { 980, 215, 45, 410 },  { 1010, 410, 55, 395 },
		                                { 990, 380, 48, 420 },  { 1025, 402, 52, 388 } };
	static const double scales[] = { 1.007291370505734,  0.9685680117164702, 1.027837854350828,
		                         0.9973231233953356, 1.0174608946905468, 0.9827352668854094 };
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t run = 0; run < 6; run++) {
		struct compare_run *made = add_run(&f, run < 3 ? SIDE_BASE : SIDE_NEW);

		for (size_t i = 0; i < 4; i++) {
			char name[8];

			snprintf(name, sizeof(name), "f%zu", i);
			add(&f, made, name, "a.c", samples[run][i]);
		}
	}
	compare(&f);
	for (size_t i = 0; i < 6; i++)
		assert_close(f.comparison.events[0].runs[i].scale, scales[i]);
	assert_row(row_of(&f, "[total]"), (double[]){ 0.00439383050286471, 0.01757532201145884,
	                                              6.066232583435072, 18.18055144696237,
	                                              11.40447408471669 });
	assert_row(row_of(&f, "f1"), (double[]){ 0.0002554885478739315, 0.0012774427393696575,
	                                         68.64034291477563, 129.12727106363178,
	                                         35.80869778926412 });
	assert_row(row_of(&f, "f3"), (double[]){ 0.8728061846349029, 1, -12.727683673699767,
	                                         16.64491686545745, 33.601595059122886 });
	assert_verdict(&f, "f0", VERDICT_SAME);
	assert_verdict(&f, "f1", VERDICT_REGRESSED);
	/* 155 and 155 samples: equal before scaling */
	assert_int_equal(row_of(&f, "f2")->samples[SIDE_BASE], 155);
	assert_int_equal(row_of(&f, "f2")->runs[SIDE_NEW], 3);
	assert_true(f.comparison.own.rows[0].is_total);
	finish(&f);
}

/* From twenty functions on, each function's variance is moderated by the typical one. */
static void moderated(void **state)
{
	static const double scales[] = { 1.0195828333682786, 0.9925122961771865, 0.9932739618755544,
		                         0.9974472631394776, 0.992895010431314 };
	struct fixture f;

	(void)state;
	start(&f);
	for (uint64_t run = 0; run < 5; run++) {
		struct compare_run *made = add_run(&f, run < 2 ? SIDE_BASE : SIDE_NEW);

		for (uint64_t i = 0; i < 24; i++) {
			uint64_t samples = 100 + 10 * i + (7 * run * run + 13 * i * run) % 11 - 5;
			char name[24];

			snprintf(name, sizeof(name), "f%u", (unsigned)i);
			add(&f, made, name, "", run >= 2 && i == 20 ? 2 * samples : samples);
		}
	}
	compare(&f);
	for (size_t i = 0; i < 5; i++)
		assert_close(f.comparison.events[0].runs[i].scale, scales[i]);
	assert_row(row_of(&f, "[total]"), (double[]){ 0.002530906280811835, 0.06074175073948404,
	                                              2.8167640357335486, 9.085677304003543,
	                                              7.368867809743783 });
	assert_row(row_of(&f, "f20"), (double[]){ 6.220410170147603e-07, 1.5551025425369005e-05,
	                                          82.99040137827807, 122.74679763363892,
	                                          26.64035173178275 });
	finish(&f);
}

/*
 * Functions that only the new side has: below half of the weight, those of both sides still tell how
 * fast the machines are; from half of it on, nothing does.
 */
static void one_sided(void **state)
{
	static const uint64_t others[] = { 0, 100, 20000 };

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		struct fixture f;

		start(&f);
		for (size_t run = 0; run < 4; run++) {
			struct compare_run *made = add_run(&f, run < 2 ? SIDE_BASE : SIDE_NEW);

			/* at a third of the speed */
			add(&f, made, "a", "a.c", run < 2 ? 1000 : 3000);
			add(&f, made, "b", "b.c", run < 2 ? 500 : 1500);
			if (run >= 2 && others[k])
				add(&f, made, "other", "c.c", others[k]);
		}
		compare(&f);
		assert_int_equal(f.comparison.events[0].unscaled, k == 2);
		for (size_t run = 0; run < 2; run++)
			if (k == 2)
				assert_close(f.comparison.events[0].runs[2 * run].scale, 1);
			else
				assert_true(fabs(f.comparison.events[0].runs[2 * run].scale /
				                         sqrt(run ? 1 / 3.0 : 3) -
				                 1) < 0.001);
		finish(&f);
	}
}

/* No function reaches the least share: there is nothing to scale by, and nothing is one-sided. */
static void flat(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t run = 0; run < 4; run++) {
		struct compare_run *made = add_run(&f, run < 2 ? SIDE_BASE : SIDE_NEW);

		for (unsigned i = 0; i < 300; i++) {
			char name[8];

			snprintf(name, sizeof(name), "f%u", i);
			add(&f, made, name, "a.c", 100);
		}
	}
	compare(&f);
	assert_false(f.comparison.events[0].unscaled);
	for (size_t run = 0; run < 4; run++)
		assert_close(f.comparison.events[0].runs[run].scale, 1);
	finish(&f);
}

/* No function is on both sides. */
static void nothing_common(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t run = 0; run < 4; run++)
		add(&f, add_run(&f, run < 2 ? SIDE_BASE : SIDE_NEW), run < 2 ? "a" : "b", "a.c", 1000 + run);
	compare(&f);
	for (size_t run = 0; run < 4; run++)
		assert_close(f.comparison.events[0].runs[run].scale, 1);
	assert_verdict(&f, "[total]", VERDICT_SAME);
	finish(&f);
}

/* A machine at half its speed takes twice the samples of everything. */
static void slower_machine(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t run = 0; run < 6; run++) {
		struct compare_run *made = add_run(&f, run < 3 ? SIDE_BASE : SIDE_NEW);
		uint64_t factor = run < 3 ? 1 : 2;

		add(&f, made, "a", "a.c", factor * (1000 + run));
		add(&f, made, "b", "b.c", factor * (500 - run));
		add(&f, made, "c", "c.c", factor * (700 + 2 * run));
	}
	compare(&f);
	assert_verdict(&f, "a", VERDICT_SAME);
	assert_verdict(&f, "b", VERDICT_SAME);
	assert_verdict(&f, "c", VERDICT_SAME);
	assert_verdict(&f, "[total]", VERDICT_SAME);
	comparison_release(&f.comparison);
	f.options.scale = SCALE_NONE;
	compare(&f);
	assert_verdict(&f, "a", VERDICT_REGRESSED);
	assert_close(row_of(&f, "a")->cost[SIDE_BASE], 1001.0 * PERIOD);
	finish(&f);
}

/* One side's runs: three, of functions that stay, and what the caller adds. */
static void add_side(struct fixture *f, enum compare_side side, const char *const names[],
                     const char *const files[], const uint64_t samples[])
{
	for (uint64_t run = 0; run < 3; run++) {
		struct compare_run *made = add_run(f, side);

		add(f, made, "same", "same.c", 5000 + 10 * run);
		add(f, made, "steady", "same.c", 4000 - 10 * run);
		for (size_t i = 0; names[i]; i++)
			add(f, made, names[i], files[i], samples[i] + 5 * run);
	}
}

/*
 * Renamed, split and inlined functions moved, wherever each side was built; one that regressed beside
 * them did not.
 */
static void moved(void **state)
{
	static const char *const base_names[] = { "old", "whole", "callee", "bad", NULL };
	static const char *const base_files[] = { "/old/src/r.c", "/old/src/s.c", "i.c", "i.c" };
	static const char *const new_names[] = { "renamed", "half", "rest", "caller", "bad", NULL };
	static const char *const new_files[] = { "/new/r.c", "/new/s.c", "/new/s.c", "/new/i.c",
		                                 "/new/i.c" };
	struct fixture f;

	(void)state;
	start(&f);
	add_side(&f, SIDE_BASE, base_names, base_files, (uint64_t[]){ 900, 800, 600, 300 });
	add_side(&f, SIDE_NEW, new_names, new_files, (uint64_t[]){ 920, 420, 390, 580, 700 });
	compare(&f);
	assert_verdict(&f, "old", VERDICT_MOVED);
	assert_verdict(&f, "renamed", VERDICT_MOVED);
	assert_string_equal(strings_get(&f.strings,
	                                row_of(&f, "old")->match),
	                    "renamed");
	assert_verdict(&f, "whole", VERDICT_MOVED);
	assert_verdict(&f, "half", VERDICT_MOVED);
	assert_verdict(&f, "rest", VERDICT_MOVED);
	assert_string_equal(strings_get(&f.strings,
	                                row_of(&f, "whole")->match),
	                    "half");
	assert_verdict(&f, "callee", VERDICT_MOVED);
	assert_verdict(&f, "caller", VERDICT_MOVED);
	assert_verdict(&f, "bad", VERDICT_REGRESSED);
	assert_verdict(&f, "same", VERDICT_SAME);
	finish(&f);
}

static void new_and_gone(void **state)
{
	static const char *const base_names[] = { "leaves", NULL }, *const new_names[] = { "comes", NULL };
	static const char *const base_files[] = { "l.c" }, *const new_files[] = { "c.c" };
	struct fixture f;

	(void)state;
	start(&f);
	add_side(&f, SIDE_BASE, base_names, base_files, (uint64_t[]){ 900 });
	add_side(&f, SIDE_NEW, new_names, new_files, (uint64_t[]){ 400 });
	compare(&f);
	assert_verdict(&f, "leaves", VERDICT_GONE);
	assert_verdict(&f, "comes", VERDICT_NEW);
	assert_true(isinf(row_of(&f, "comes")->change));
	assert_close(row_of(&f, "leaves")->change, -100);
	finish(&f);
}

/* The samples of all rows are those of the runs, also of rows that are too small to be tested. */
static void adds_up(void **state)
{
	struct fixture f;
	uint64_t rows[2] = { 0, 0 };

	(void)state;
	start(&f);
	for (uint64_t run = 0; run < 4; run++) {
		struct compare_run *made = add_run(&f, run < 2 ? SIDE_BASE : SIDE_NEW);

		add(&f, made, "large", "a.c", 1000);
		add(&f, made, "work.isra.0", "a.c", 10);
		add(&f, made, run < 2 ? "work.part.1" : "work", "a.c", 20);
		add(&f, made, "tiny", "a.c", 1);
	}
	compare(&f);
	for (size_t i = 0; i < f.comparison.own.count; i++)
		for (unsigned side = 0; side < 2; side++)
			if (!f.comparison.own.rows[i].is_total)
				rows[side] += f.comparison.own.rows[i].samples[side];
	assert_int_equal(rows[SIDE_BASE], 2062);
	assert_int_equal(rows[SIDE_NEW], 2062);
	assert_int_equal(f.comparison.own.rows[0].samples[SIDE_NEW], 2062);
	assert_int_equal(row_of(&f, "work")->samples[SIDE_BASE], 60);
	assert_verdict(&f, "tiny", VERDICT_SMALL);
	finish(&f);
}

/* One run on a side: no p, and the change alone. */
static void untested(void **state)
{
	struct rules rules = { 0 };
	struct fixture f;

	(void)state;
	start(&f);
	add(&f, add_run(&f, SIDE_BASE), "f", "a.c", 100);
	add(&f, add_run(&f, SIDE_NEW), "f", "a.c", 200);
	f.options.scale = SCALE_NONE;
	compare(&f);
	assert_verdict(&f, "f", VERDICT_UNTESTED);
	assert_false(row_of(&f, "f")->tested);
	assert_close(row_of(&f, "f")->change, 100);
	assert_true(rules_parse(&rules, "function>50%,f>150%,total>99%,unknown>1pp", &f.err));
	rules_check(&rules, &f.comparison);
	assert_int_equal(rules_met(&rules), 2);
	assert_true(rule_is_met(&rules.items[0]));
	assert_false(rule_is_met(&rules.items[1]));
	assert_true(rule_is_met(&rules.items[2]));
	assert_false(rule_is_met(&rules.items[3]));
	rules_release(&rules);
	assert_true(rules_parse(&rules, "cpu-clock:function>50%,cpu-clock:f>150%,cpu-clock:total>99%,cpu:f>1%,"
	                                "cycles:total>1%",
	                        &f.err));
	rules_check(&rules, &f.comparison);
	assert_int_equal(rules_met(&rules), 2);
	assert_true(rule_is_met(&rules.items[0]));
	assert_int_equal(rules.items[1].result, RULE_NOT_MET);
	assert_true(rule_is_met(&rules.items[2]));
	assert_int_equal(rules.items[3].result, RULE_UNMATCHED);
	assert_int_equal(rules.items[4].result, RULE_UNMATCHED);
	rules_release(&rules);
	finish(&f);
}

static void work_and_share(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (size_t run = 0; run < 2; run++) {
		struct compare_run *made = add_run(&f, run ? SIDE_NEW : SIDE_BASE);

		add(&f, made, "f", "a.c", 100);
		add(&f, made, "g", "a.c", 300 + 200 * run);
	}
	f.options.scale = SCALE_SHARE;
	compare(&f);
	assert_close(row_of(&f, "f")->cost[SIDE_BASE], 25);
	assert_close(row_of(&f, "g")->cost[SIDE_NEW], 100.0 * 500 / 600);
	comparison_release(&f.comparison);
	f.options.scale = SCALE_WORK;
	f.options.work = 50;
	compare(&f);
	assert_close(row_of(&f, "f")->cost[SIDE_BASE], 100.0 * PERIOD / 50);
	comparison_release(&f.comparison);
	f.options.scale = SCALE_WORK_EVENT;
	f.options.work_event = "cpu-clock";
	compare(&f);
	assert_close(row_of(&f, "f")->cost[SIDE_BASE], 0.25);
	comparison_release(&f.comparison);
	f.options.work_event = "cycles";
	assert_false(compare_all(&f.comparison, f.runs, f.count, &f.options, &f.strings, &f.err));
	assert_string_equal(f.err.text, "--scale=work:cycles: run has no such event");
	finish(&f);
}

static void bad_rules(void **state)
{
	static const char *const lists[] = { "function", "function>", "function>5", "function>x%",
		                             ">5%", "total>5%,", "total>-1%", "total:>5%",
		                             "f>1e999%", "f>nan%" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct rules rules = { 0 };
		struct err err = { 0 };

		assert_false(rules_parse(&rules, lists[i], &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.text, "--fail-on="));
		rules_release(&rules);
	}
}

static void rule_names(void **state)
{
	struct rules rules = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_true(rules_parse(&rules, "std::map<int, long>::find>2.5%,total:parse_*>5pp,unknown>5pp",
	                        &err));
	assert_int_equal(rules.count, 3);
	assert_string_equal(rules.items[0].name, "std::map<int, long>::find");
	assert_true(rules.items[0].amount == 2.5 && !rules.items[0].points);
	assert_int_equal(rules.items[1].kind, RULE_CALLS);
	assert_string_equal(rules.items[1].name, "parse_*");
	assert_true(rules.items[1].points);
	assert_int_equal(rules.items[2].kind, RULE_UNKNOWN);
	rules_release(&rules);
	assert_true(rules_parse(&rules, "operator->>3%,operator()>4pp,a[b>5%", &err));
	assert_int_equal(rules.count, 3);
	assert_string_equal(rules.items[0].name, "operator->");
	assert_string_equal(rules.items[1].name, "operator()");
	assert_string_equal(rules.items[2].name, "a[b");
	rules_release(&rules);
}

static void single_recording(void **state)
{
	struct rules rules = { 0 };
	struct fixture f;
	struct compare_run *run;

	(void)state;
	start(&f);
	run = add_run(&f, SIDE_NEW);
	add(&f, run, "hot", "a.c", 60);
	add(&f, run, "cold", "a.c", 40);
	run->rows[1].unnamed = true;
	assert_true(rules_parse(&rules, "hot>50pp,cold>50pp,unknown>39pp,lost>0pp", &f.err));
	assert_true(rules_fit_single(&rules, &f.err));
	rules_check_single(&rules, run, &f.strings);
	assert_true(rule_is_met(&rules.items[0]) && !rule_is_met(&rules.items[1]) && rule_is_met(&rules.items[2]) &&
	            !rule_is_met(&rules.items[3]));
	rules_release(&rules);
	/* another event of that name, with half as many samples and all of them in one function */
	assert_true(compare_run_add_event(
		run, &(struct run_event){ .name = run->events[0].name, .samples = 50, .period = 50 * PERIOD }, &f.err));
	add(&f, run, "cold", "a.c", 50);
	run->events[0].samples -= 50, run->events[0].period -= 50 * PERIOD;
	run->rows[2].event_index = 1;
	assert_true(rules_parse(&rules, "hot>61pp,cold>99pp,unknown>41pp", &f.err));
	rules_check_single(&rules, run, &f.strings);
	assert_true(!rule_is_met(&rules.items[0]) && rule_is_met(&rules.items[1]) && !rule_is_met(&rules.items[2]));
	rules_release(&rules);
	assert_true(rules_parse(&rules, "function>10%", &f.err));
	assert_false(rules_fit_single(&rules, &f.err));
	rules_release(&rules);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_with_three), cmocka_unit_test(moderated),
		cmocka_unit_test(one_sided),
		cmocka_unit_test(flat),
		cmocka_unit_test(nothing_common),
		cmocka_unit_test(slower_machine),   cmocka_unit_test(moved),
		cmocka_unit_test(new_and_gone),     cmocka_unit_test(adds_up),
		cmocka_unit_test(untested),         cmocka_unit_test(work_and_share),
		cmocka_unit_test(bad_rules),        cmocka_unit_test(rule_names),
		cmocka_unit_test(single_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
