#define _GNU_SOURCE /* strdup() beside glob() */
#include "decode/run/comparing.h"

#include "decode/run/checks.h"
#include "decode/compare/comparable.h"
#include "decode/compare/runtable.h"
#include "decode/run/recording.h"
#include "perffile/facts/facts.h"
#include "util/vec.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- one recording as a run */

/* What one named recording says, on its way into a run. */
struct run_maker {
	struct compare_run *run;
	const struct report *report;
	struct strings *strings; /* of the run */
	struct err *err;
};

static uint32_t run_string(const struct run_maker *maker, const char *text)
{
	return strings_put_text(maker->strings, text, maker->err);
}

/* string: of the recording */
static uint32_t recorded_string(const struct run_maker *maker, uint32_t string)
{
	return run_string(maker, strings_get(maker->report->stat->strings, string));
}

/* number: of an event, or the number of events for samples that belong to none */
static uint32_t event_string(const struct run_maker *maker, size_t number)
{
	return run_string(maker, buildstat_event_name(maker->report->session, (uint32_t)number));
}

/* In a comparison, the totals of events are those of the selected samples, as with functions. */
static bool add_event(const struct run_maker *maker, size_t number, bool whole)
{
	const struct session *session = maker->report->session;
	const struct event_totals *totals = buildstat_totals(maker->report->stat, number);
	struct run_event event = { .name = event_string(maker, number),
		                   .samples = whole ? totals->samples : totals->selected_samples,
		                   .period = whole ? totals->period : totals->selected_period,
		                   .wrapped = whole ? totals->wrapped : totals->selected_wrapped };

	if (number < session->event_count) {
		const struct event_attr *attr = &session->events[number].attr;
		bool frequency = attr_flag(attr, PERF_FLAG_FREQ);

		event.lost = totals->lost;
		event.frequency = frequency ? attr->sample_period : 0;
		event.sample_period = frequency ? 0 : attr->sample_period;
	}
	return !maker->err->code && compare_run_add_event(maker->run, &event, maker->err);
}

/* Adds the events, and one for samples that belong to none, if a damaged recording has any. */
static bool add_events(const struct run_maker *maker, bool whole)
{
	const size_t count = maker->report->session->event_count +
	                     (buildstat_totals(maker->report->stat, EVENT_UNKNOWN)->samples != 0);

	for (size_t i = 0; i < count; i++)
		if (!add_event(maker, i, whole))
			return false;
	return true;
}

/* Adds a row, whose function, binary and file are strings of the recording; event: its number. */
static bool add_run_row(const struct run_maker *maker, struct run_row row, size_t event)
{
	row.event = event_string(maker, event);
	row.event_index = (uint32_t)call_event_of(maker->report->session, (uint32_t)event);
	row.function = recorded_string(maker, row.function);
	row.binary = recorded_string(maker, row.binary);
	row.file = recorded_string(maker, row.file);
	return !maker->err->code && compare_run_add_row(maker->run, &row, maker->err);
}

static bool add_rows(const struct run_maker *maker)
{
	const struct results *results = maker->report->results;

	for (size_t i = 0; i < results->row_count; i++) {
		const struct result_row *from = &results->rows[i];
		const struct run_row row = { .function = from->function,
			                     .binary = from->binary,
			                     .file = from->file,
			                     .samples = from->samples,
			                     .period = from->period,
			                     .unnamed = symbol_origin_is_reason(from->origin),
			                     .has_totals = maker->report->totals->chains,
			                     .total_samples = from->total.samples,
			                     .total_period = from->total.period };

		/* what has no samples of its own is no function of the event's cost */
		if (from->samples && !add_run_row(maker, row, from->event))
			return false;
	}
	return true;
}

/* Adds the totals of all functions in call chains. */
static bool run_of_calls(const struct run_maker *maker)
{
	const struct report *report = maker->report;
	const struct call_totals *totals = report->totals;
	const size_t count = totals->chains ? report->names->function_count * totals->event_count
	                                    : 0;

	for (size_t i = 0; i < count; i++) {
		const struct function_name *function =
			&report->names->functions[i / totals->event_count];
		const struct run_row row = {
			.function = function->name,
			.binary = report->stat->binaries.items[function->binary].name,
			.file = function->file,
			.calls_only = true,
			.total_samples = totals->functions[i].samples,
			.total_period = totals->functions[i].period
		};

		if (row.total_samples && !add_run_row(maker, row, i % totals->event_count))
			return false;
	}
	return true;
}

/* As header.csv has them. */
static bool add_facts(const struct run_maker *maker)
{
	static const unsigned features[RUN_FACT_COUNT] = {
		[RUN_HOST] = PERF_FEATURE_HOSTNAME,
		[RUN_CPU] = PERF_FEATURE_CPUDESC,
		[RUN_OS_RELEASE] = PERF_FEATURE_OSRELEASE,
		[RUN_PERF_VERSION] = PERF_FEATURE_VERSION,
		[RUN_CMDLINE] = PERF_FEATURE_CMDLINE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const char *text = facts_value(maker->report->facts, features[i]);

		maker->run->facts[i] = text ? run_string(maker, text) : STRING_EMPTY;
	}
	return !maker->err->code;
}

/*
 * Adds what one named recording says to an empty run. whole: shares are of the whole events,
 * whatever was selected.
 */
static bool run_of_results(const struct run_maker *maker, bool whole)
{
	const struct read_summary *summary = maker->report->summary;

	if (summary->first_time != TIME_NONE)
		maker->run->duration = summary->last_time - summary->first_time;
	return add_events(maker, whole) && add_rows(maker) && add_facts(maker);
}

/* Fills an empty run from an empty recording. */
static bool read_recording(struct comparing *comparing, struct recording *recording,
                           struct compare_run *run, struct err *err)
{
	const struct options *options = comparing->options;
	struct read_options how = { .threaded = options->naming.threads > 1 };
	struct report report;
	const struct run_maker maker = { run, &report, &comparing->strings, err };

	if (!recording_open(recording, strings_get(&comparing->strings, run->file), err))
		return false;
	recording_count(recording, comparing->wants_calls);
	if (!recording_read(recording, &how, err) || !recording_name(recording, err) ||
	    !recording_check_selection(recording, err))
		return false;
	if (options->strict && recording->summary.broken)
		return err_set(err, ERR_FORMAT,
		               "the recording is damaged: with --strict it is not compared");
	comparing->broken |= recording->summary.broken;
	report = recording_report(recording);
	return run_of_results(&maker, false) &&
	       (!comparing->wants_calls ||
	        (process_calls_make(&recording->processes, report.stat, report.calls, err) &&
	         merged_calls_add_tree(&comparing->calls, run, report.stat, report.processes,
	                               err)));
}

static bool add_recording(struct comparing *comparing, struct compare_run *run, struct err *err)
{
	struct recording *recording = malloc(sizeof(*recording));
	bool ok;

	if (!recording)
		return err_nomem(err, sizeof(*recording));
	recording_init(recording, comparing->options, comparing->diag);
	comparing->diag->file = strings_get(&comparing->strings, run->file);
	ok = read_recording(comparing, recording, run, err);
	comparing->diag->file = NULL;
	recording_release(recording);
	free(recording);
	return ok;
}

/* No document may take the place of a table that is compared, or lies beside one. */
static bool check_tables(const struct comparing *comparing, const char *folder, struct err *err)
{
	char name[40], path[RUN_PATH_SIZE];

	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		snprintf(name, sizeof(name), "%s.csv", tables[i]->format->name);
		if (run_table_find(path, folder, tables[i]->file ? tables[i]->file : name) &&
		    !check_documents(comparing->options, path, "a table of --base or FILE", err))
			return false;
	}
	return true;
}

/* Fills an empty run from a folder. "all" leaves out pictures that cannot be made. */
static bool add_tables(struct comparing *comparing, struct compare_run *run, struct err *err)
{
	const unsigned needs = table_set_needs(&comparing->options->tables);
	const char *folder = strings_get(&comparing->strings, run->file);
	struct err failure = { 0 };

	/* tables were counted before */
	if (!select_request_is_empty(&comparing->options->select))
		return err_set(err, ERR_USAGE,
		               "%.400s: expected recordings to select samples from, found tables",
		               folder);
	if (!check_tables(comparing, folder, err) ||
	    !compare_run_read(run, folder, &comparing->strings, err))
		return false;
	if (!comparing->wants_calls ||
	    merged_calls_add_folder(&comparing->calls, run, folder, &failure))
		return true;
	if (!(needs & NEEDS_STACKS) || needs & NEEDS_EVERY_STACK || failure.code != ERR_FORMAT)
		return err_pass(err, &failure);
	diag_warn_err(comparing->diag, &failure);
	return true;
}

/* --- finding the runs that the user names */

static bool add_run(struct comparing *comparing, const char *path, enum compare_side side,
                    struct err *err)
{
	struct err failure = { 0 };
	struct compare_run *run;

	if (!vec_room(&comparing->runs, comparing->run_count, &comparing->run_capacity,
	              sizeof(*comparing->runs), err))
		return false;
	run = &comparing->runs[comparing->run_count++];
	*run = (struct compare_run){ .side = side };
	run->file = strings_put_text(&comparing->strings, path, err);
	if (run->file == STRING_NONE ||
	    !spare_recording(comparing->options, comparing->outputs, path, err))
		return false;
	/* messages about tables have their paths */
	if (run_table_exists(path, "results.csv"))
		return add_tables(comparing, run, err);
	if (add_recording(comparing, run, &failure))
		return true;
	err_name_file(&failure, path);
	return err_pass(err, &failure);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds the folders with tables in a folder, by name. */
static bool add_folders(struct comparing *comparing, const char *folder, enum compare_side side,
                        struct err *err)
{
	size_t before = comparing->run_count;
	struct dirent **entries;
	int count = scandir(folder, &entries, is_visible, alphasort);
	bool ok = true;

	if (count < 0)
		return err_errno(err, "%s", folder);
	for (int i = 0; i < count; i++) {
		char path[4096];

		if (ok &&
		    snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
		            (int)sizeof(path) &&
		    run_table_exists(path, "results.csv"))
			ok = add_run(comparing, path, side, err);
		free(entries[i]);
	}
	free(entries);
	if (ok && comparing->run_count == before)
		return err_set(
			err, ERR_FORMAT,
			"%.400s: expected results.csv, or folders that have one, found neither; "
			"recordings in a folder are given by a pattern, as 'DIR/*.data'",
			folder);
	return ok;
}

static bool add_path(struct comparing *comparing, const char *path, enum compare_side side,
                     struct err *err)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	/* perf record --threads and --kcore make a folder with a file "data" */
	if (folder && !run_table_exists(path, "results.csv") && !run_table_exists(path, "data"))
		return add_folders(comparing, path, side, err);
	return add_run(comparing, path, side, err);
}

static bool add_base_runs(struct comparing *comparing, const char *pattern, struct err *err)
{
	struct stat st;
	glob_t found;
	bool ok = true;

	/* if a file with exactly this name exists, it is no pattern */
	if (stat(pattern, &st) == 0)
		return add_path(comparing, pattern, SIDE_BASE, err);
	if (glob(pattern, 0, NULL, &found) != 0)
		return err_set(err, ERR_IO, "--base=%.400s: no such file or folder", pattern);
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = add_path(comparing, found.gl_pathv[i], SIDE_BASE, err);
	globfree(&found);
	return ok;
}

static bool add_sides(struct comparing *comparing, struct err *err)
{
	const struct compare_request *request = &comparing->options->compare;

	for (size_t i = 0; i < request->base_count; i++)
		if (!add_base_runs(comparing, request->bases[i], err))
			return false;
	for (size_t i = 0; i < request->file_count; i++)
		if (!add_path(comparing, request->files[i], SIDE_NEW, err))
			return false;
	return true;
}

/* --- the result */

/* Reports what was found; with --strict, the first finding is an error. */
static bool report_findings(struct comparing *comparing, struct err *err)
{
	const struct findings *findings = &comparing->findings;

	if (findings->err.code)
		return err_pass(err, &findings->err);
	if (comparing->options->strict && findings->count)
		return err_set(err, ERR_FORMAT, "--strict: %s", findings->texts[0]);
	for (size_t i = 0; i < findings->count; i++)
		diag_warn(comparing->diag, ERR_NO_OFFSET, "%s", findings->texts[i]);
	return true;
}

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
	comparing->wants_calls = rules_want_totals(rules) || needs & NEEDS_STACKS;
	how.calls = comparing->wants_calls ? &comparing->calls : NULL;
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
	return report_findings(comparing, err);
}

bool comparing_judge(struct comparing *comparing, const struct report *report, struct err *err)
{
	const struct run_maker maker = { &comparing->single, report, &comparing->strings, err };
	struct rules *rules = &comparing->options->compare.rules;

	if (!compare_request_wants_rows(&comparing->options->compare))
		return true;
	if (!strings_init(&comparing->strings, err) || !run_of_results(&maker, true) ||
	    !run_of_calls(&maker))
		return false;
	rules_check_single(rules, &comparing->single, &comparing->strings);
	comparing->findings.strings = &comparing->strings;
	comparable_check_single(rules, report->totals->chains, &comparing->findings);
	return report_findings(comparing, err);
}

struct verdict_report comparing_report(const struct comparing *comparing)
{
	const struct table_set *set = &comparing->options->tables;
	const bool compared = comparing->run_count != 0;

	return (struct verdict_report){ .strings = &comparing->strings,
		                        .comparison = compared ? &comparing->comparison : NULL,
		                        .run = &comparing->single,
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
	renamed_release(&comparing->renamed);
	for (size_t i = 0; i < comparing->run_count; i++)
		compare_run_release(&comparing->runs[i]);
	free(comparing->runs);
	compare_run_release(&comparing->single);
	free(comparing->findings.texts);
	strings_release(&comparing->strings);
	memset(comparing, 0, sizeof(*comparing));
}
