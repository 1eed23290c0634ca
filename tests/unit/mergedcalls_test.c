/*
 * The call trees of several runs as one: names that are the same in all builds, totals in which a sample
 * counts once, sums of sides. The runs are folders of tables; every number is computed by hand.
 */
#define _XOPEN_SOURCE 700 /* mkdtemp() */
#include "decode/compare/comparison.h"
#include "decode/compare/mergedcalls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNS_MOST 8
#define HEADER "frame,parent,depth,function,binary,source_file,event,period,samples,symbols\n"

struct fixture {
	struct strings strings;
	struct merged_calls calls;
	struct compare_run runs[RUNS_MOST];
	size_t count;
	struct comparison comparison;
	char folder[64], path[80];
	struct err err;
};

static void start(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	assert_true(strings_init(&f->strings, &f->err));
	merged_calls_init(&f->calls, &f->strings);
	strcpy(f->folder, "/tmp/readperf-calls.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->path, sizeof(f->path), "%s/calltree.csv", f->folder);
}

static void finish(struct fixture *f)
{
	comparison_release(&f->comparison);
	merged_calls_release(&f->calls);
	for (size_t i = 0; i < f->count; i++)
		compare_run_release(&f->runs[i]);
	strings_release(&f->strings);
	unlink(f->path);
	rmdir(f->folder);
}

static uint32_t text(struct fixture *f, const char *name)
{
	return strings_put_text(&f->strings, name, &f->err);
}

/* A run whose calltree.csv has these rows (NULL: no such file), and no rows of results.csv yet. */
static struct compare_run *add_run(struct fixture *f, enum compare_side side, uint64_t samples,
                                   const char *rows)
{
	struct run_event event = { .name = text(f, "cycles"),
		                   .samples = samples,
		                   .period = samples * 10 };
	struct compare_run *run = &f->runs[f->count++];
	struct run_row all = { .samples = samples, .period = 10 * samples };
	struct compare_run whole = { .rows = &all, .row_count = 1 };
	FILE *out;

	unlink(f->path);
	if (rows) {
		out = fopen(f->path, "w");
		assert_non_null(out);
		fprintf(out, HEADER "%s", rows);
		assert_int_equal(fclose(out), 0);
	}
	run->side = side;
	run->file = text(f, "run");
	assert_true(compare_run_add_event(run, &event, &f->err));
	whole.file = run->file;
	assert_true(merged_calls_add_folder(&f->calls, &whole, f->folder, &f->err));
	run->costs = whole.costs;
	run->cost_count = whole.cost_count;
	return run;
}

static void add_row(struct fixture *f, struct compare_run *run, const char *function,
                    uint64_t samples)
{
	struct run_row row = { .event = text(f, "cycles"),
		               .function = text(f, function),
		               .binary = text(f, "/bin/p"),
		               .samples = samples,
		               .period = samples * 10 };

	assert_true(compare_run_add_row(run, &row, &f->err));
}

static void compare(struct fixture *f, enum compare_scale scale)
{
	struct compare_options options = COMPARE_DEFAULTS;

	options.scale = scale;
	options.calls = &f->calls;
	assert_true(compare_all(&f->comparison, f->runs, f->count, &options, &f->strings, &f->err));
}

static const struct compare_row *find_row(const struct fixture *f,
                                          const struct compare_family *family, const char *function)
{
	for (size_t i = 0; i < family->count; i++)
		if (!strcmp(strings_get(&f->strings, family->rows[i].function), function))
			return &family->rows[i];
	return NULL;
}

static uint64_t total_samples(const struct fixture *f, const char *function, enum compare_side side)
{
	const struct compare_row *row = find_row(f, &f->comparison.totals, function);

	assert_non_null(row);
	return row->samples[side];
}

/* A recursive function counts once; so does one of which a part became a function of its own. */
static void totals_count_once(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (unsigned i = 0; i < 2; i++) {
		struct compare_run *run = add_run(&f, SIDE_BASE, 100,
		                                  "1,,0,main,/old/p,,cycles,0,0,symtab\n"
		                                  "2,1,1,walk,/old/p,,cycles,400,40,symtab\n"
		                                  "3,2,2,walk,/old/p,,cycles,600,60,symtab\n");

		add_row(&f, run, "walk", 100);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct compare_run *run =
			add_run(&f, SIDE_NEW, 100,
		                "1,,0,main.constprop.0,/new/p,,cycles,0,0,symtab\n"
		                "2,1,1,walk,/new/p,,cycles,300,30,symtab\n"
		                "3,2,2,walk.part.0,/new/p,,cycles,600,60,symtab\n"
		                "4,3,3,leaf,/new/p,,cycles,100,10,symtab\n");

		add_row(&f, run, "walk", 30);
		add_row(&f, run, "walk.part.0", 60);
		add_row(&f, run, "leaf", 10);
	}
	compare(&f, SCALE_NONE);
	assert_true(merged_calls_complete(&f.calls));
	assert_int_equal(total_samples(&f, "walk", SIDE_BASE), 200);
	assert_int_equal(total_samples(&f, "walk", SIDE_NEW), 200);
	assert_int_equal(total_samples(&f, "main", SIDE_BASE), 200);
	assert_int_equal(total_samples(&f, "main", SIDE_NEW), 200);
	assert_int_equal(total_samples(&f, "leaf", SIDE_BASE), 0);
	assert_int_equal(total_samples(&f, "leaf", SIDE_NEW), 20);
	assert_int_equal(total_samples(&f, "[total]", SIDE_NEW), 200);
	assert_int_equal(find_row(&f, &f.comparison.totals, "walk")->verdict, VERDICT_SAME);
	/* what only calls others is no row of diff.csv */
	assert_null(find_row(&f, &f.comparison.own, "main"));
	assert_non_null(find_row(&f, &f.comparison.own, "leaf"));
	finish(&f);
}

/* Means of each side's runs, times their scale, by function and callers. */
static void sums_of_sides(void **state)
{
	/* the new runs: 30 and 60 samples; at half the speed, the second one */
	static const char *const rows[] = { "1,,0,main,/p,,cycles,100,10,symtab\n"
		                            "2,1,1,f,/p,,cycles,200,20,symtab\n",
		                            "1,,0,main,/p,,cycles,200,20,symtab\n"
		                            "2,1,1,f,/p,,cycles,400,40,symtab\n" };
	struct merged_sum *sums;
	struct fixture f;

	(void)state;
	start(&f);
	for (unsigned i = 0; i < 3; i++) {
		struct compare_run *run = add_run(&f, i ? SIDE_NEW : SIDE_BASE, i == 2 ? 60 : 30,
		                                  rows[i == 2]);

		add_row(&f, run, "main", i == 2 ? 20 : 10);
		add_row(&f, run, "f", i == 2 ? 40 : 20);
	}
	compare(&f, SCALE_NONE);
	sums = merged_calls_sum(&f.comparison, 0, &f.err);
	assert_non_null(sums);
	/* the process without a name, main, f */
	assert_int_equal(f.calls.count, 3);
	assert_int_equal(merged_calls_processes(&f.calls), 1);
	assert_true(sums[0].cost[SIDE_BASE] == 0 && sums[0].cost[SIDE_NEW] == 0);
	assert_true(sums[1].cost[SIDE_BASE] == 100 && sums[1].cost[SIDE_NEW] == 150);
	assert_true(sums[2].cost[SIDE_BASE] == 200 && sums[2].cost[SIDE_NEW] == 300);
	assert_int_equal(sums[2].samples[SIDE_NEW], 60);
	free(sums);
	comparison_release(&f.comparison);
	/* shares are 100 * 1/3 and 100 * 2/3 of each run; in periods, whose mean is 400, 400/3 and 800/3 */
	compare(&f, SCALE_SHARE);
	sums = merged_calls_sum(&f.comparison, 0, &f.err);
	assert_non_null(sums);
	for (unsigned side = 0; side < 2; side++) {
		assert_true(fabs(sums[1].cost[side] - 400.0 / 3) < 1e-9);
		assert_true(fabs(sums[2].cost[side] - 800.0 / 3) < 1e-9);
	}
	free(sums);
	finish(&f);
}

/* Frames that differ in their kind or binary are two; remarks are no functions. */
static void nodes_of_names(void **state)
{
	struct fixture f;
	struct compare_run *run;

	(void)state;
	start(&f);
	run = add_run(&f, SIDE_BASE, 10,
	              "1,,0,[cut],,,cycles,0,0,\n"
	              "2,1,1,f,/lib/libx.so.1.2,,cycles,50,5,symtab\n"
	              "3,1,1,f,/other/libx.so.2,,cycles,10,1,debug-file\n"
	              "4,1,1,f,/lib/libx.so.1.2,,cycles,10,1,inline\n"
	              "5,1,1,f,/lib/liby.so,,cycles,10,1,symtab\n"
	              "6,,0,do_sys,[kernel.kallsyms],,cycles,20,2,kallsyms\n");
	add_row(&f, run, "f", 8);
	run = add_run(&f, SIDE_NEW, 0, NULL);
	assert_int_equal(f.calls.count, 6);
	assert_int_equal(f.calls.nodes[1].kind, CALL_REMARK);
	assert_int_equal(f.calls.nodes[2].kind, CALL_USER);
	assert_string_equal(strings_get(&f.strings, f.calls.nodes[2].binary), "libx.so");
	assert_int_equal(f.calls.nodes[3].kind, CALL_INLINED);
	assert_int_equal(f.calls.nodes[5].kind, CALL_KERNEL);
	assert_int_equal(f.calls.nodes[5].depth, 1);
	assert_int_equal(f.runs[0].cost_count, 4);
	assert_int_equal(f.runs[0].costs[0].samples, 6);
	/* and a run without the table says so */
	assert_false(merged_calls_complete(&f.calls));
	assert_string_equal(strings_get(&f.strings, f.calls.missing), "run");
	finish(&f);
}

static void odd_tables(void **state)
{
	static const char *const rows[] = { "1,,1,main,/p,,cycles,1,1,symtab\n",
		                            "1,,0,main,/p,,cycles,1,1,symtab\n2,1,2,f,/p,,cycles,1,1,\n",
		                            "1,,18446744073709551615,f,/p,,cycles,1,1,symtab\n",
		                            "1,,-1,f,/p,,cycles,1,1,symtab\n",
		                            "1,,0,f,/p,,cycles,x,1,symtab\n",
		                            /* fewer than in results.csv */
		                            "1,,0,f,/p,,cycles,2,1,symtab\n",
		                            "1,,0,f,/p,,cycles,1,2,symtab\n",
		                            /* a row is missing: frame 3, which calls frame 4 */
		                            "1,,0,f,/p,,cycles,1,1,symtab\n4,3,1,h,/p,,cycles,1,1,symtab\n",
		                            "1,,0,f,/p,,cycles,1,1,symtab\n2,,1,g,/p,,cycles,1,1,symtab\n",
		                            "1,1,0,f,/p,,cycles,2,2,symtab\n" };
	struct run_row two = { .samples = 2, .period = 2 };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct compare_run run = { .rows = &two, .row_count = 1 };
		FILE *out;

		start(&f);
		out = fopen(f.path, "w");
		assert_non_null(out);
		fprintf(out, HEADER "%s", rows[i]);
		assert_int_equal(fclose(out), 0);
		assert_false(merged_calls_add_folder(&f.calls, &run, f.folder, &f.err));
		assert_non_null(strstr(f.err.text, "calltree.csv"));
		free(run.costs);
		finish(&f);
	}
}

/* Without call trees: columns of results.csv tell only of functions that every run sampled. */
static void totals_of_columns(void **state)
{
	struct fixture f;

	(void)state;
	start(&f);
	for (unsigned i = 0; i < 4; i++) {
		struct compare_run *run = add_run(&f, i < 2 ? SIDE_BASE : SIDE_NEW, 100, NULL);

		add_row(&f, run, "always", 60);
		add_row(&f, run, i < 2 ? "before" : "after", 40);
		for (size_t k = 0; k < 2; k++) {
			run->rows[k].has_totals = true;
			run->rows[k].total_samples = 90 - 40 * k;
			run->rows[k].total_period = 10 * run->rows[k].total_samples;
		}
	}
	compare(&f, SCALE_NONE);
	assert_int_equal(total_samples(&f, "always", SIDE_NEW), 180);
	assert_null(find_row(&f, &f.comparison.totals, "after"));
	assert_null(find_row(&f, &f.comparison.totals, "before"));
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_count_once), cmocka_unit_test(sums_of_sides),
		cmocka_unit_test(nodes_of_names),    cmocka_unit_test(odd_tables),
		cmocka_unit_test(totals_of_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
