/* The command line: the list of options is complete, --help fits, and messages about wrong usage suggest options. */
#define _GNU_SOURCE /* open_memstream(), optind = 0 */
#include "decode/options/commandline.h"
#include "decode/options/help.h"
#include "decode/options/optionlist.h"
#include "decode/options/perfwords.h"
#include "util/nearest.h"

#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define ARGUMENTS_MOST 80

/* Parses "readperf WORDS". The options borrow the words, which stay until the next call. */
static bool parse(struct options *options, struct err *err, const char *words)
{
	static char text[1000], program[] = "readperf";
	static char *argv[ARGUMENTS_MOST + 2];
	int argc = 0;

	memset(err, 0, sizeof(*err));
	argv[argc++] = program;
	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok(text, " "); word && argc <= ARGUMENTS_MOST; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	optind = 0; /* getopt_long() starts anew */
	return options_parse(options, argc, argv, err);
}

static void expect_usage(const char *words, const char *says)
{
	struct options options;
	struct err err;

	assert_false(parse(&options, &err, words));
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.text, says))
		fail_msg("%s: expected \"%s\" in \"%s\"", words, says, err.text);
	options_release(&options);
}

static void words_of_perf(void **state)
{
	(void)state;
	expect_usage("--dsos=/bin/ls", "--dsos is an option of perf: --binary=");
	expect_usage("--time-quantum=1ms", "--time-quantum is an option of perf: --slice=");
	expect_usage("--comms ls", "--comm=");
	expect_usage("--symbols=main", "--function=");
	expect_usage("-C 0", "--cpu=");
	expect_usage("--sort=comm,dso,sym,overhead", "--sort is an option of perf: --by=comm,binary,function groups");
	expect_usage("--sort=trace", "--by=field.NAME groups by these; -t trace writes the fields of tracepoints");
	expect_usage("-Fcomm,tid,trace", "-F is an option of perf: comm,tid are columns of -t samples; -t trace writes");
	expect_usage("-Fmisc", "-F is an option of perf: --by=KEY,...");
	expect_usage("--symbol=main", "--symbol is an option of perf: --function=");
	expect_usage("--show-mmap-events", "--show-mmap-events is an option of perf: -t overview");
	expect_usage("-i perf.data", "readperf FILE");
	expect_usage("--input=perf.data", "readperf FILE");
	expect_usage("--sort=comm,dso", "--by=");
	expect_usage("-s comm", "--by=");
	expect_usage("--stdio", "leave it out");
	expect_usage("--children", "total_period");
	expect_usage("-g", "calltree");
	expect_usage("--call-graph=none", "calltree");
	expect_usage("report", "report is a command of perf: readperf FILE");
	expect_usage("report /no/perf.data", "readperf FILE");
	expect_usage("script", "-t samples");
	expect_usage("--max-stack=10", "leave it out");
	expect_usage("--hide-unresolved", "![unknown]");
	expect_usage("-U", "![unknown]");
	expect_usage("-T", "--by=tid");
	expect_usage("inject", "jitdump");
	expect_usage("mem report", "-t memory");
	expect_usage("trace -s", "trace is a command of perf: readperf --intervals=syscalls");
	expect_usage("sched timehist", "--intervals=sched -t threads,latency");
	expect_usage("-b", "-t branches,blocks");
}

static void near_misses(void **state)
{
	(void)state;
	expect_usage("--ouptut=x", "did you mean --output");
	expect_usage("--buildiddir=x", "did you mean --buildid-dir");
	expect_usage("--no-sources", "did you mean --no-source");
	expect_usage("-t reslts", "did you mean results");
	expect_usage("-t all,-overvew", "did you mean overview");
	expect_usage("--tables=stat,evnts,lines", "did you mean events");
	expect_usage("--by=pid,functoin", "did you mean function");
	expect_usage("--by=threads=pid", "there is another table threads");
	expect_usage("--by=sched=pid", "the name sched is reserved");
	expect_usage("--by=results=pid", "there is another table results");
	expect_usage("--mode=usr", "did you mean user");
	expect_usage("--generate=bsh", "did you mean bash");
	expect_usage("--symbolizer=lidbw", "did you mean libdw");
	expect_usage("--compress=gzp", "did you mean gzip");
	expect_usage("--scale=robst", "did you mean robust");
	expect_usage("--annotate=gitub", "did you mean github");
}

/* What is wrong together is said before anything is read. */
static void combinations(void **state)
{
	(void)state;
	expect_usage("--fail-on=main>5% x", "no change without --base");
	expect_usage("--fail-on=total>5pp x", "no change without --base");
	expect_usage("--base=a", "expected a FILE");
	expect_usage("--base=a --by=pid x", "--by: expected no --base");
	expect_usage("--summary=- --junit=- x", "another place");
}

static void keep_line(void *context, uint64_t offset, const char *text)
{
	char *lines = context;
	size_t used = strlen(lines);

	(void)offset;
	snprintf(lines + used, 1000 - used, "%s\n", text);
}

/* The warnings about options that have no effect beside the others. */
static void expect_idle(const char *words, const char *expected)
{
	char lines[1000] = "";
	struct options options;
	struct diag diag;
	struct err err;

	assert_true(parse(&options, &err, words));
	diag_init(&diag, keep_line, lines);
	options_warn_of_idle(&options, &diag);
	diag_finish(&diag);
	diag_release(&diag);
	assert_string_equal(lines, expected);
	options_release(&options);
}

static void idle_options(void **state)
{
	static const char base[] = "has no effect without --base or --trend\n";
	char expected[1000];

	(void)state;
	expect_idle("--junit=a x", "--junit: has no test cases without --fail-on\n");
	expect_idle("--junit=a --base=y x", "--junit: has no test cases without --fail-on\n");
	expect_idle("--junit=a --fail-on=unknown>5pp x", "");
	expect_idle("--last=3 x", "--last: has no effect without --base\n");
	expect_idle("--last=3 --base=y x", "");
	expect_idle("--slice=1s x", "--slice: has no effect without --by=time\n");
	expect_idle("--slice=1s --by=pid x", "--slice: has no effect without --by=time\n");
	expect_idle("--slice=1s --by=pid --by=heat=cpu,time x", "");
	snprintf(expected, sizeof(expected), "--scale: %s--alpha: %s--min-share: %s--min-change: %s--annotate: %s", base,
	         base, base, base, base);
	expect_idle("--scale=none --alpha=0.1 --min-share=1 --min-change=2 --annotate=github x", expected);
	expect_idle("--scale=none --alpha=0.1 --min-share=1 --min-change=2 --annotate=github --base=y x", "");
	expect_idle("--title=a x", "--title: has no effect without flame, timeline, trendlines or --report\n");
	expect_idle("--title=a --report=b.html x", "");
	expect_idle("--spreadsheet -t none x", "--spreadsheet: has no effect without CSV tables\n");
	expect_idle("--spreadsheet -t stat x", "");
	expect_idle("-q -n 3 -o a -t none x", "");
	expect_idle("-t latency x", "--tables: intervals and latency have no rows without --intervals=LIST\n");
	expect_idle("-t all --by=comm x", "");
	expect_idle("-t intervals --by=latency=tid --intervals=sched x", "");
	snprintf(expected, sizeof(expected), "--by: latency, what, result, waker and duration are of intervals: %s",
	         "add --intervals=LIST\n");
	expect_idle("--by=comm,what x", expected);
	expect_idle("--by=latency=tid x", expected);
	expect_idle("--where=duration>1ms x",
	            "--where: duration and unfinished are of intervals: add --intervals=LIST\n");
	expect_idle("--where=duration>1ms --intervals=locks x", "");
}

/* Several folders of --symfs are kept in their order. */
static void folders_of_symfs(void **state)
{
	const struct file_options *files;
	struct options options;
	char line[1000] = "";
	struct err err;

	(void)state;
	assert_true(parse(&options, &err, "x.data --symfs=/a --symfs /b --symfs=/c"));
	files = &options.naming.lookup.symbols.files;
	assert_int_equal(file_roots(files), 3);
	assert_string_equal(file_root(files, 0), "/a");
	assert_string_equal(file_root(files, 2), "/c");
	assert_string_equal(options.given, "--symfs=/a --symfs=/b --symfs=/c");
	assert_true(parse(&options, &err, "x.data --symfs=/a --symfs /b --symfs="));
	assert_int_equal(file_roots(files), 1);
	assert_null(file_root(files, 0));
	for (int i = 0; i < SYMFS_MOST + 2; i++)
		strcat(line, "--symfs=/a ");
	expect_usage(line, "--symfs: expected at most");
}

static void no_guesses(void **state)
{
	struct options options;
	struct err err;

	(void)state;
	assert_false(parse(&options, &err, "--absurd-thing"));
	assert_string_equal(err.text, "unknown option or unexpected value: --absurd-thing");
	assert_false(parse(&options, &err, "-Z"));
	assert_string_equal(err.text, "unknown option or unexpected value: -Z");
	assert_false(parse(&options, &err, "--quiet=yes"));
	assert_string_equal(err.text, "unknown option or unexpected value: --quiet=yes");
	assert_false(parse(&options, &err, "--tables"));
	assert_string_equal(err.text, "a value is missing for --tables");
	assert_false(parse(&options, &err, "-n"));
	assert_string_equal(err.text, "a value is missing for -n");
	assert_false(parse(&options, &err, "--summary=s a b"));
	assert_string_equal(err.text, "--summary: expected one recording, found several; "
	                             "--base=OLD NEW... compares several");
}

static void values(void **state)
{
	struct options options;
	struct err err;

	(void)state;
	assert_true(parse(&options, &err, "x.data -q -n 3 -j 1 --max-memory=2M -o out"));
	assert_string_equal(options.file, "x.data");
	assert_string_equal(options.output, "out");
	assert_true(options.compare.file_count && options.quiet && !options.verbose);
	assert_int_equal(options.limit, 3);
	assert_int_equal(options.naming.threads, 1);
	assert_int_equal(options.max_memory, 2 << 20);
	assert_true(parse(&options, &err, "-t lines"));
	assert_true(!options.compare.file_count && options.naming.lookup.lines);
	/* a comparison has no table of lines, so none are looked up */
	assert_true(parse(&options, &err, "--base=b -t all x"));
	assert_false(options.naming.lookup.lines);
	assert_true(parse(&options, &err, "--base=b x"));
	assert_false(table_set_names(&options.tables, &results_table));
	assert_int_equal(table_set_needs(&options.tables), 0);
	assert_true(parse(&options, &err, "-hV"));
	assert_int_equal(options.action, ACTION_HELP);
	assert_true(parse(&options, &err, "-V --nonsense"));
	assert_int_equal(options.action, ACTION_VERSION);
}

/* Every option is whole, and no two have a name or a letter in common; perf's letters are not ours. */
static void whole_entries(void **state)
{
	(void)state;
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];

		assert_true(entry->name[0] && entry->help[0]);
		assert_true((entry->parse != NULL) == (entry->kind == OPTION_PARSED));
		assert_true(entry->section < SECTION_COUNT);
		assert_null(perf_option_advice(entry->name, strlen(entry->name)));
		assert_true(!entry->letter || !perf_letter_advice(entry->letter));
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(entry->name, option_list[k].name);
			assert_true(!entry->letter || entry->letter != option_list[k].letter);
		}
	}
}

static void help_fits(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(out);
	help_print(out);
	fclose(out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	for (size_t i = 0; i < option_count; i++) {
		char name[64];

		snprintf(name, sizeof(name), "--%s", option_list[i].name);
		assert_non_null(strstr(text, name));
	}
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		assert_true(tables[i] == &about_table || strstr(text, tables[i]->format->name));
	free(text);
}

static const char *fruit(const void *context, size_t index)
{
	const char *const *names = context;

	return names[index];
}

static void nearest(void **state)
{
	static const char *const names[] = { "apple", "pear", "plum", NULL };

	(void)state;
	assert_string_equal(nearest_name("appel", fruit, names), "apple"); /* swapped */
	assert_string_equal(nearest_name("aple", fruit, names), "apple");  /* one less */
	assert_string_equal(nearest_name("pearl", fruit, names), "pear");  /* one more */
	assert_string_equal(nearest_name("plom", fruit, names), "plum");   /* another */
	assert_null(nearest_name("melon", fruit, names));
	assert_null(nearest_name("", fruit, names));
	assert_null(nearest_name("a", fruit, names));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_perf), cmocka_unit_test(near_misses),
		cmocka_unit_test(no_guesses), cmocka_unit_test(combinations), cmocka_unit_test(idle_options), cmocka_unit_test(folders_of_symfs),    cmocka_unit_test(values),
		cmocka_unit_test(whole_entries), cmocka_unit_test(help_fits),
		cmocka_unit_test(nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
