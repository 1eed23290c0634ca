#define _GNU_SOURCE /* getopt_long() */
#include "decode/options/commandline.h"

#include "decode/exports/page.h"
#include "decode/options/filelist.h"
#include "decode/options/loaders.h"
#include "decode/options/optionlist.h"
#include "decode/options/perfwords.h"
#include "decode/symbols/symbolpack.h"
#include "util/nearest.h"
#include "util/text.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIRST_NUMBER 256 /* numbers for getopt_long() start above all letters */

/* The arguments of getopt_long(). */
struct getopt_lists {
	struct option options[OPTIONS_MOST + 1];
	char letters[2 * OPTIONS_MOST + 2];
};

static void fill_getopt_lists(struct getopt_lists *lists)
{
	char *letter = lists->letters;

	memset(lists, 0, sizeof(*lists));
	*letter++ = ':';
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];

		lists->options[i] = (struct option){ .name = entry->name,
			                             .has_arg = entry->argument ? required_argument
			                                                        : no_argument,
			                             .val = FIRST_NUMBER + (int)i };
		if (!entry->letter)
			continue;
		*letter++ = entry->letter;
		if (entry->argument)
			*letter++ = ':';
	}
}

/* option: what getopt_long() returned. */
static const struct option_entry *entry_of(int option)
{
	if (option >= FIRST_NUMBER)
		return &option_list[option - FIRST_NUMBER];
	for (size_t i = 0; i < option_count; i++)
		if (option_list[i].letter == option)
			return &option_list[i];
	return NULL;
}

/* Without --output, only the workbook is written. */
static bool keep_sheets(struct options *options, struct err *err)
{
	const struct table *named = table_set_drop_files(&options->tables);

	return !named || err_set(err, ERR_USAGE,
	                         "--workbook: expected --output, a folder for %s, which is no "
	                         "sheet",
	                         named->file);
}

/* The same of the page of --report. */
static bool keep_shown(struct options *options, struct err *err)
{
	const struct table *named = table_set_keep_shown(&options->tables);

	if (options->groups.count || named)
		return err_set(err, ERR_USAGE,
		               "--report: expected --output, a folder for %s, which the page does "
		               "not show",
		               named ? named->format->name : options->groups.items[0].name);
	return true;
}

/* An option that has no place beside another one. */
struct excluded_option {
	bool given;
	const char *name;
};

/* The name of the first one that was given, or NULL. */
static const char *first_given(const struct excluded_option *excluded, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (excluded[i].given)
			return excluded[i].name;
	return NULL;
}

/* Of several recordings, what is one file for one of them, or for standard output, has no place. */
static bool check_several(const struct options *options, struct err *err)
{
	const struct compare_request *compare = &options->compare;
	const struct excluded_option excluded[] = {
		{ options->workbook, "workbook" },  { options->page, "report" },
		{ compare->summary, "summary" },    { compare->junit, "junit" },
		{ options->to_stdout, "output=-" },
	};
	const char *option = first_given(excluded, ARRAY_SIZE(excluded));

	if (option)
		return err_set(err, ERR_USAGE,
		               "--%s: expected one recording, found several; "
		               "--base=OLD NEW... compares several",
		               option);
	return options->tables.bits || options->groups.count ||
	       err_set(err, ERR_USAGE,
	               "--tables=none: expected tables of several recordings, found none");
}

/* A stream that is cut into slices; what is one file for all of them has no place beside it. */
static bool check_every(const struct options *options, struct err *err)
{
	const struct compare_request *compare = &options->compare;
	const struct excluded_option excluded[] = {
		{ options->workbook, "workbook" },
		{ options->page, "report" },
		{ compare->summary, "summary" },
		{ compare->junit, "junit" },
		{ compare->annotate, "annotate" },
		{ compare->rules.count, "fail-on" },
		{ compare->base_count, "base" },
		{ compare->trend, "trend" },
		{ options->to_stdout, "output=-" },
		{ options->again, "again" },
		{ options->select.fields[SELECT_TIME].count, "time" },
	};
	const char *option = first_given(excluded, ARRAY_SIZE(excluded));

	if (option)
		return err_set(err, ERR_USAGE, "--every: expected no --%s beside it", option);
	if (compare->file_count != 1 || strcmp(options->file, "-") != 0)
		return err_set(err, ERR_USAGE,
		               "--every: expected a stream and - for it, as in perf record -o - -a "
		               "| readperf --every=10s -, found %s",
		               compare->file_count ? options->file : "no FILE");
	return options->tables.bits || options->groups.count ||
	       err_set(err, ERR_USAGE, "--every: expected tables, found --tables=none");
}

static bool check_combination(const struct options *options, struct err *err)
{
	const struct compare_request *compare = &options->compare;

	if (compare->summary && compare->junit && !strcmp(compare->summary, compare->junit))
		return err_set(err, ERR_USAGE,
		               "--junit=%s: expected another place than that of --summary",
		               compare->junit);
	if (options->every && !check_every(options, err))
		return false;
	if (options->several && !check_several(options, err))
		return false;
	if (options_scope(options) == SCOPE_RECORDING)
		return rules_fit_single(&compare->rules, err);
	if (compare->trend && compare->base_count)
		return err_set(err, ERR_USAGE, "--trend: expected no --base beside it");
	if (compare->trend && rules_want_totals(&compare->rules))
		return err_set(err, ERR_USAGE,
		               "--fail-on=total:...: expected no --trend beside it");
	if (compare->file_count == 0)
		return err_set(err, ERR_USAGE, "%s, found none",
		               compare->trend ? "--trend: expected FILEs, the versions in order"
		                              : "--base: expected a FILE to compare with it");
	if (options->groups.count || options->workbook || (options->page && compare->trend))
		return err_set(err, ERR_USAGE, "--%s: expected no --%s beside it",
		               options->groups.count ? "by"
		               : options->workbook   ? "workbook"
		                                     : "report",
		               compare->trend ? "trend" : "base");
	return true;
}

/* With --output=-: exactly one table, and nothing else that would go to standard output. */
static bool check_stdout(struct options *options, struct err *err)
{
	const struct compare_request *compare = &options->compare;
	const bool asks_groups = options->tables.unsaid && options->groups.count;
	unsigned count;

	if (asks_groups)
		options->tables.bits = 0;
	count = table_set_drop_about(&options->tables) + options->groups.count;
	if (count != 1)
		return err_set(err, ERR_USAGE,
		               "--output=-: expected one table, named with --tables or --by, found "
		               "%u%s",
		               count,
		               options->tables.unsaid && !asks_groups ? ": the default ones" : "");
	if (compare->annotate || (compare->summary && !strcmp(compare->summary, "-")) ||
	    (compare->junit && !strcmp(compare->junit, "-")))
		return err_set(err, ERR_USAGE,
		               "--output=-: expected standard output to be free, found also %s",
		               compare->annotate ? "--annotate" : "--summary or --junit");
	options->quiet = true;
	return true;
}

/* With instructions the page has the source lines of samples, too. */
static unsigned page_needs(const struct table_set *set)
{
	return PAGE_NEEDS | (table_set_has(set, &instructions_table) ? NEEDS_LINES : 0);
}

/* Sets what depends on several options. */
static bool combine_options(struct options *options, struct err *err)
{
	unsigned needs;

	if (options->workbook && !options->output_named && !keep_sheets(options, err))
		return false;
	if (options->page && !options->workbook && !options->output_named &&
	    !keep_shown(options, err))
		return false;
	if (!check_combination(options, err))
		return false;
	if (options->page)
		options->tables.more = page_needs(&options->tables);
	if (options->groups.count)
		table_set_add_about(&options->tables);
	if (options->to_stdout && !check_stdout(options, err))
		return false;
	/* the picture of trend.csv comes with it */
	if (options->compare.trend && !options->to_stdout)
		table_set_add_picture(&options->tables);
	if (!table_set_fits(&options->tables, options_scope(options), err))
		return false;
	needs = table_set_needs(&options->tables);
	options->naming.lookup.lines = (needs & NEEDS_LINES) != 0 ||
	                               (group_tables_keys(&options->groups) >> KEY_LINE & 1);
	options->naming.lookup.entry_lines = (needs & NEEDS_ENTRY_LINES) != 0;
	return true;
}

static void set_defaults(struct options *options)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	*options = (struct options){
		.file = "perf.data",
		.output = ".",
		.limit = 25,
		.generate = GENERATE_COUNT,
		.groups.slice = GROUP_SLICE_DEFAULT,
		.compare.how = COMPARE_DEFAULTS,
	};
	table_set_parse(&options->tables, NULL, NULL);
	options->naming.threads = cores >= 2 ? 2 : 1;
	options->naming.lookup.sources = true;
	options->naming.lookup.symbolizer = SYMBOLIZER_DWARF;
}

/*
 * Reports an unknown option: "--nmae=value" or "-x". next: the word behind it, or NULL. Returns
 * false.
 */
static bool unknown_option(const char *word, const char *next, struct err *err)
{
	bool is_long = text_starts(word, "--");
	const char *name = word + (is_long ? 2 : 1), *advice, *near = NULL;
	size_t length = strcspn(name, "=");
	char text[64], words[256];

	snprintf(text, sizeof(text), "%.*s", (int)(is_long ? length : 1), name);
	if (is_long && name[length] == '=')
		next = name + length + 1;
	if (next && perf_words_advice(text, next, words, sizeof(words)))
		return err_set(err, ERR_USAGE, "%s%s is an option of perf: %s",
		               is_long ? "--" : "-", text, words);
	advice = is_long ? perf_option_advice(name, length) : perf_letter_advice(*name);
	if (is_long && !advice && length < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)length, name);
		near = nearest_name(text, name_of_option, NULL);
	}
	if (advice)
		return err_set(err, ERR_USAGE, "%.*s is an option of perf: %s",
		               (int)(length + (is_long ? 2 : 1)), word, advice);
	return err_set(err, ERR_USAGE, "unknown option or unexpected value: %s%s%s", word,
	               near ? "; did you mean --" : "", near ? near : "");
}

/*
 * Reports a wrong option. option and number: result of getopt_long(); word: where it stopped; next:
 * the word behind it.
 * Returns false.
 */
static bool wrong_option(int option, int number, const char *word, const char *next,
                         struct err *err)
{
	char text[3] = { '-', (char)number, '\0' };

	if (number && number < FIRST_NUMBER) {
		word = text;
		/* getopt is still in the middle of "-Fcomm" */
		if (next && next[0] == '-' && next[1] == number && next[2])
			next += 2;
	}
	if (option == ':')
		return err_set(err, ERR_USAGE, "a value is missing for %s", word);
	if (number >= FIRST_NUMBER)
		return err_set(err, ERR_USAGE, "unknown option or unexpected value: %s", word);
	return unknown_option(word, next, err);
}

static void note_given(struct options *options, const struct option_entry *entry, const char *value)
{
	size_t used = strlen(options->given);

	snprintf(options->given + used, sizeof(options->given) - used, "%s--%s%s%s",
	         used ? " " : "", entry->name, value ? "=" : "", value ? value : "");
}

/* Refuses a command of perf, unless a file is called so. */
static bool is_no_command(const char *word, struct err *err)
{
	const char *advice = word ? perf_command_advice(word) : NULL;

	return !advice || access(word, F_OK) == 0 ||
	       err_set(err, ERR_USAGE, "%s is a command of perf: %s", word, advice);
}

static bool take_files(struct options *options, int count, char **files, struct err *err)
{
	if (count && !is_no_command(files[0], err))
		return false;
	options->compare.files = files;
	options->compare.file_count = (size_t)count;
	if (count)
		options->file = files[0];
	options->several = options_scope(options) == SCOPE_RECORDING &&
	                   options->generate == GENERATE_COUNT &&
	                   (count > 1 || (count && file_list_is_plural(files[0])));
	return true;
}

void options_release(struct options *options)
{
	select_request_release(&options->select);
	rules_release(&options->compare.rules);
	symbol_pack_free(options->naming.lookup.symbols.pack);
}

void options_warn_of_idle(const struct options *options, struct diag *diag)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_entry *entry = &option_list[i];
		char option[OPTION_TEXT_SIZE];

		if (!options->present[i] || !entry->has_effect || entry->has_effect(options))
			continue;
		/* warnings with different first texts are not counted together */
		snprintf(option, sizeof(option), "--%s", entry->name);
		diag_warn(diag, ERR_NO_OFFSET, "%s: %s", option, entry->no_effect);
	}
}

/* Whether --generate is about tables whose columns only a recording knows, or a folder of them. */
static bool loads_file(const struct options *options, int count, char **files)
{
	return count == 1 && is_loader(options->generate) &&
	       (table_set_has(&options->tables, &trace_table) || file_list_is_plural(files[0]));
}

bool options_parse(struct options *options, int argc, char **argv, struct err *err)
{
	struct getopt_lists lists;
	int option;

	set_defaults(options);
	fill_getopt_lists(&lists);
	opterr = 0;
	while ((option = getopt_long(argc, argv, lists.letters, lists.options, NULL)) != -1) {
		const struct option_entry *entry = entry_of(option);

		if (option == ':' || option == '?' || !entry)
			return is_no_command(argv[1], err) &&
			       wrong_option(option, optopt, argv[optind - 1], argv[optind], err);
		if (!option_take(entry, options, optarg, err))
			return false;
		options->present[entry - option_list] = true;
		if (option_shapes_tables(entry))
			note_given(options, entry, optarg);
		if (options->action != ACTION_RUN)
			return true;
	}
	if (is_loader(options->generate) && argc - optind > 1)
		return err_set(err, ERR_USAGE,
		               "--generate: expected one FILE or folder at most, found %d",
		               argc - optind);
	if (options->generate != GENERATE_COUNT) {
		if (!loads_file(options, argc - optind, argv + optind)) {
			options->action = ACTION_GENERATE;
			return true;
		}
		options->quiet = true;
	}
	return take_files(options, argc - optind, argv + optind, err) &&
	       combine_options(options, err);
}
