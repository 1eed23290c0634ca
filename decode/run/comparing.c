#define _GNU_SOURCE /* strdup(), strverscmp() */
#include "decode/run/comparing.h"

#include "decode/compare/comparable.h"
#include "decode/compare/runtable.h"
#include "decode/options/filelist.h"
#include "util/folder.h"
#include "util/vec.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- finding the runs that the user names */

static bool add_run(struct comparing *comparing, const char *path, enum compare_side side,
                    struct err *err)
{
	struct compare_run *run;

	if (!vec_room(&comparing->runs, comparing->run_count, &comparing->run_capacity,
	              sizeof(*comparing->runs), err))
		return false;
	run = &comparing->runs[comparing->run_count++];
	*run = (struct compare_run){ .side = side };
	run->file = strings_put_text(&comparing->strings, path, err);
	return run->file != STRING_NONE && run_reader_spare(&comparing->reader, path, err) &&
	       run_reader_read(&comparing->reader, run, err);
}

/* Adds what of a folder is wanted, by name. */
static bool add_entries(struct comparing *comparing, const struct folder *found, const char *folder,
                        enum compare_side side, bool (*is_wanted)(const char *path),
                        struct err *err)
{
	for (size_t i = 0; i < found->count; i++) {
		char path[RUN_PATH_SIZE];

		if (snprintf(path, sizeof(path), "%s/%s", folder, found->entries[i]->d_name) <
		            (int)sizeof(path) &&
		    is_wanted(path) && !add_run(comparing, path, side, err))
			return false;
	}
	return true;
}

/* Adds the folders with tables in a folder; or if there are none, the recordings. */
static bool add_folder(struct comparing *comparing, const char *folder, enum compare_side side,
                       struct err *err)
{
	size_t before = comparing->run_count;
	struct folder found;
	bool ok;

	if (!folder_list(&found, folder, folder_entry_is_visible))
		return err_errno(err, "%s", folder);
	ok = add_entries(comparing, &found, folder, side, is_table_run, err) &&
	     (comparing->run_count > before ||
	      add_entries(comparing, &found, folder, side, file_is_recording, err));
	folder_release(&found);
	if (ok && comparing->run_count == before)
		return err_set(
			err, ERR_FORMAT,
			"%.400s: expected recordings, results.csv, or folders that have one, found "
			"none of them",
			folder);
	return ok;
}

static bool add_path(struct comparing *comparing, const char *path, enum compare_side side,
                     struct err *err)
{
	return is_folder_of_runs(path) ? add_folder(comparing, path, side, err)
	                               : add_run(comparing, path, side, err);
}

static int compare_versions(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the paths of a pattern or of a LIST; in_order: those of a pattern, of version. */
static bool list_base(struct comparing *comparing, struct file_list *list, const char *pattern,
                      bool in_order, struct err *err)
{
	struct stat st;
	glob_t found;
	bool ok = true;

	/* if a file with exactly this name exists, it is no pattern */
	if (*pattern == '@' || stat(pattern, &st) == 0)
		return file_list_add(list, pattern, comparing->diag, err);
	if (glob(pattern, 0, NULL, &found) != 0)
		return err_set(err, ERR_IO, "--base=%.400s: no such file or folder", pattern);
	if (in_order)
		qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), compare_versions);
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = file_list_add(list, found.gl_pathv[i], comparing->diag, err);
	globfree(&found);
	return ok;
}

/* How many of the paths are left out for --last. */
static size_t count_older(const struct comparing *comparing, const struct file_list *list)
{
	const uint64_t last = comparing->options->compare.last;

	if (!last)
		return 0;
	if (last > list->count)
		diag_warn(comparing->diag, ERR_NO_OFFSET,
		          "--last=%" PRIu64 ": --base names only %zu", last, list->count);
	return last < list->count ? list->count - (size_t)last : 0;
}

static bool add_bases(struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = &comparing->options->compare;
	struct file_list list = { .count = 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < request->base_count; i++)
		ok = list_base(comparing, &list, request->bases[i], request->last, err);
	if (ok && list.count == 0)
		ok = err_set(err, ERR_FORMAT, "--base=%.400s: expected files, found none",
		             request->bases[0]);
	for (size_t i = ok ? count_older(comparing, &list) : 0; ok && i < list.count; i++)
		ok = add_path(comparing, list.paths[i], SIDE_BASE, err);
	file_list_release(&list);
	return ok;
}

static bool add_sides(struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = &comparing->options->compare;

	if (!add_bases(comparing, err))
		return false;
	for (size_t i = 0; i < request->file_count; i++)
		if (!add_path(comparing, request->files[i], SIDE_NEW, err))
			return false;
	return true;
}

/* --- the result */

/* Finds binaries that have another name on the other side, and says so. */
static bool match_renamed(struct comparing *comparing, struct err *err)
{
	struct renamed *renamed = &comparing->renamed;
	const struct strings *strings = &comparing->strings;

	if (!renamed_find(renamed, comparing->runs, comparing->run_count, &comparing->strings,
	                  err) ||
	    !renamed_merge_calls(renamed, &comparing->calls, comparing->runs, comparing->run_count,
	                         err))
		return false;
	for (size_t i = 0; i < renamed->count; i++)
		diag_warn(comparing->diag, ERR_NO_OFFSET,
		          "%s is compared with %s of the base: most of their cost is in functions "
		          "of the same names",
		          strings_get(strings, renamed->items[i].now),
		          strings_get(strings, renamed->items[i].base));
	return true;
}

bool comparing_run(struct comparing *comparing, struct err *err)
{
	const unsigned needs = table_set_needs(&comparing->options->tables);
	struct compare_options how = comparing->options->compare.how;
	struct rules *rules = &comparing->options->compare.rules;

	merged_calls_init(&comparing->calls, &comparing->strings);
	if (rules_want_totals(rules) || needs & NEEDS_STACKS)
		how.calls = &comparing->calls;
	comparing->reader = (struct run_reader){ .options = comparing->options,
		                                 .outputs = comparing->outputs,
		                                 .diag = comparing->diag,
		                                 .strings = &comparing->strings,
		                                 .calls = how.calls ? &comparing->calls : NULL };
	run_names_init(&comparing->reader.names, &comparing->strings);
	if (!strings_init(&comparing->strings, err) || !add_sides(comparing, err))
		return false;
	/* flame graphs and folded stacks that were named need the call trees of all runs */
	if (comparing->calls.missing != STRING_NONE && needs & NEEDS_EVERY_STACK)
		return err_set(
			err, ERR_FORMAT,
			"%.300s: expected calltree.csv, which flame and folded are made of, with "
			"stacks in it: keep it beside results.csv (-t results,events,calltree)",
			strings_get(&comparing->strings, comparing->calls.missing));
	if (!match_renamed(comparing, err))
		return false;
	how.base_of = &comparing->renamed.base_of;
	if (!compare_all(&comparing->comparison, comparing->runs, comparing->run_count, &how,
	                 &comparing->strings, err))
		return false;
	rules_check(rules, &comparing->comparison);
	comparing->findings.strings = &comparing->strings;
	comparable_check(&comparing->comparison, rules, &comparing->findings);
	return findings_report(&comparing->findings, comparing->options->strict, comparing->diag,
	                       err);
}

bool comparing_judge(struct comparing *comparing, const struct report *report, struct err *err)
{
	struct rules *rules = &comparing->options->compare.rules;

	if (!compare_request_wants_rows(&comparing->options->compare))
		return true;
	if (!strings_init(&comparing->strings, err) ||
	    !run_of_recording(&comparing->single, report, &comparing->strings, err))
		return false;
	rules_check_single(rules, &comparing->single, &comparing->strings);
	comparing->findings.strings = &comparing->strings;
	comparable_check_single(rules, report->totals->chains, &comparing->findings);
	return findings_report(&comparing->findings, comparing->options->strict, comparing->diag,
	                       err);
}

struct verdict_report comparing_report(const struct comparing *comparing)
{
	const struct table_set *set = &comparing->options->tables;
	const bool compared = comparing->run_count != 0;

	return (struct verdict_report){ .strings = &comparing->strings,
		                        .comparison = compared ? &comparing->comparison : NULL,
		                        .run = compared ? NULL : &comparing->single,
		                        .rules = &comparing->options->compare.rules,
		                        .findings = &comparing->findings,
		                        .limit = comparing->options->limit,
		                        .table = table_set_has(set, compared ? &diff_table
		                                                             : &results_table) };
}

void comparing_release(struct comparing *comparing)
{
	comparison_release(&comparing->comparison);
	merged_calls_release(&comparing->calls);
	run_names_release(&comparing->reader.names);
	renamed_release(&comparing->renamed);
	for (size_t i = 0; i < comparing->run_count; i++)
		compare_run_release(&comparing->runs[i]);
	free(comparing->runs);
	compare_run_release(&comparing->single);
	free(comparing->findings.texts);
	strings_release(&comparing->strings);
	memset(comparing, 0, sizeof(*comparing));
}
