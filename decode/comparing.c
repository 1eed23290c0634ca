#define _GNU_SOURCE /* strdup() beside glob() */
#include "decode/comparing.h"

#include "decode/choosing.h"
#include "decode/compare/comparable.h"
#include "decode/compare/compare.h"
#include "decode/compare/runtable.h"
#include "decode/recording.h"
#include "perffile/facts/featurefacts.h"
#include "perffile/session/features.h"
#include "util/vec.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- one recording as a run */

static uint32_t escaped_string(struct strings *strings, const char *text, struct err *err)
{
	return compare_string(strings, text, strlen(text), err);
}

/* Adds the samples that belong to no event of a damaged recording, if there are any. */
static bool add_unknown_event(struct compare_run *run, const struct report *report, bool whole,
                              struct strings *strings, struct err *err)
{
	const struct event_totals *totals = &report->stat->unknown;
	struct run_event event = { .samples = whole ? totals->samples : totals->selected_samples,
		                   .period = whole ? totals->period : totals->selected_period };

	if (!totals->samples)
		return true;
	event.name = escaped_string(strings, buildstat_event_name(report->session, EVENT_UNKNOWN),
	                            err);
	return !err->code && compare_run_add_event(run, &event, err);
}

/* In a comparison, the totals of events are those of the selected samples, as with functions. */
static bool add_events(struct compare_run *run, const struct report *report, bool whole,
                       struct strings *strings, struct err *err)
{
	const struct session *session = report->session;

	for (uint32_t i = 0; i < session->event_count; i++) {
		const struct event_attr *attr = &session->events[i].attr;
		const struct event_totals *totals = &report->stat->totals[i];
		struct run_event event = { .name = escaped_string(
						   strings, buildstat_event_name(session, i), err),
			                   .samples = totals->selected_samples,
			                   .period = totals->selected_period,
			                   .lost = totals->lost };

		if (whole) {
			event.samples = totals->samples;
			event.period = totals->period;
		}
		if (attr_flag(attr, PERF_FLAG_FREQ))
			event.frequency = attr->sample_period;
		else
			event.sample_period = attr->sample_period;
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return add_unknown_event(run, report, whole, strings, err);
}

static bool add_rows(struct compare_run *run, const struct report *report, struct strings *strings,
                     struct err *err)
{
	const struct strings *names = report->stat->strings;

	for (size_t i = 0; i < report->results->row_count; i++) {
		const struct result_row *from = &report->results->rows[i];
		const char *event = buildstat_event_name(report->session, from->event);
		struct run_row row = {
			.event = escaped_string(strings, event, err),
			.function = escaped_string(strings, strings_get(names, from->function),
			                           err),
			.binary = escaped_string(strings, strings_get(names, from->binary), err),
			.file = escaped_string(strings, strings_get(names, from->file), err),
			.samples = from->samples,
			.period = from->period,
			.unnamed = symbol_origin_is_reason(from->origin),
			.has_totals = report->calls && report->calls->count,
			.total_samples = from->total.samples,
			.total_period = from->total.period
		};

		if (err->code || !compare_run_add_row(run, &row, err))
			return false;
	}
	return true;
}

/*
 * By function and event of the call tree: whether the function has samples of its own. NULL with
 * err set.
 */
static bool *find_sampled(const struct call_tree *calls, struct err *err)
{
	bool *sampled = calloc(calls->function_count * calls->event_count + 1, 1);

	if (!sampled)
		err_nomem(err, calls->function_count * calls->event_count);
	for (size_t i = 0; sampled && i < calls->count; i++)
		for (size_t event = 0; event < calls->event_count; event++)
			if (calls->nodes[i].function != CALL_NO_FUNCTION &&
			    call_tree_own(calls, (uint32_t)i, event)->samples)
				sampled[calls->nodes[i].function * calls->event_count + event] =
					true;
	return sampled;
}

static bool add_caller(struct compare_run *run, const struct report *report, uint32_t number,
                       size_t event, struct strings *strings, struct err *err)
{
	const struct strings *names = report->stat->strings;
	const struct function_name *function = &report->names->functions[number];
	const struct binary *binary = &report->stat->binaries.items[function->binary];
	const struct call_tree *calls = report->calls;
	const struct call_count *total = &calls->functions[number * calls->event_count + event];
	const bool known = event < report->session->event_count;
	const char *name = buildstat_event_name(report->session,
	                                        known ? (uint32_t)event : EVENT_UNKNOWN);
	struct run_row row = {
		.event = escaped_string(strings, name, err),
		.function = escaped_string(strings, strings_get(names, function->name), err),
		.binary = escaped_string(strings, strings_get(names, binary->name), err),
		.file = escaped_string(strings, strings_get(names, function->file), err),
		.calls_only = true,
		.has_totals = true,
		.total_samples = total->samples,
		.total_period = total->period
	};

	return err->code == ERR_NONE && compare_run_add_row(run, &row, err);
}

/* Adds the functions without samples of their own, from a named call tree. */
static bool run_of_callers(struct compare_run *run, const struct report *report,
                           struct strings *strings, struct err *err)
{
	const struct call_tree *calls = report->calls;
	bool *sampled = find_sampled(calls, err), ok = sampled != NULL;

	for (uint32_t i = 0; ok && i < calls->function_count; i++)
		for (size_t event = 0; ok && event < calls->event_count; event++)
			if (calls->functions[i * calls->event_count + event].samples &&
			    !sampled[i * calls->event_count + event])
				ok = add_caller(run, report, i, event, strings, err);
	free(sampled);
	return ok;
}

static bool add_fact(uint32_t *fact, struct session *session, unsigned feature,
                     struct strings *strings, struct err *err)
{
	const char *text = session_feature_text(session, feature);

	*fact = text ? escaped_string(strings, text, err) : STRING_EMPTY;
	return *fact != STRING_NONE;
}

/* The command line as header.csv has it. */
static bool add_cmdline(struct compare_run *run, struct session *session, struct strings *strings,
                        struct err *err)
{
	struct facts facts;
	bool ok;

	facts_init(&facts, &session->arena, err);
	ok = feature_facts(session, PERF_FEATURE_CMDLINE, &facts, err);
	if (ok && facts.count)
		run->facts[RUN_CMDLINE] = escaped_string(strings, facts.items[0].value, err);
	facts_release(&facts);
	return ok && run->facts[RUN_CMDLINE] != STRING_NONE;
}

/*
 * Adds what one named recording says to an empty run; texts become those of strings, as tables
 * print them. whole: shares are of the whole events, whatever was selected.
 */
static bool run_of_results(struct compare_run *run, const struct report *report, bool whole,
                           struct strings *strings, struct err *err)
{
	const struct read_summary *summary = report->summary;
	struct session *session = report->session;

	if (summary->first_time != TIME_NONE)
		run->duration = summary->last_time - summary->first_time;
	return add_events(run, report, whole, strings, err) &&
	       add_rows(run, report, strings, err) &&
	       add_fact(&run->facts[RUN_HOST], session, PERF_FEATURE_HOSTNAME, strings, err) &&
	       add_fact(&run->facts[RUN_CPU], session, PERF_FEATURE_CPUDESC, strings, err) &&
	       add_fact(&run->facts[RUN_OS_RELEASE], session, PERF_FEATURE_OSRELEASE, strings,
	                err) &&
	       add_fact(&run->facts[RUN_PERF_VERSION], session, PERF_FEATURE_VERSION, strings,
	                err) &&
	       add_cmdline(run, session, strings, err);
}

/* Whether a rule asks for functions with all that they call. */
static bool wants_totals(const struct rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].kind == RULE_CALLS)
			return true;
	return false;
}

/* Fills an empty run from an empty recording. */
static bool read_recording(struct comparing *comparing, struct recording *recording,
                           struct compare_run *run, const char *path, const struct options *options,
                           struct err *err)
{
	struct read_options how = { .threaded = options->threads > 1 };
	struct report report;
	unsigned needs = table_set_needs(&options->tables) | NEEDS_STACKS;

	/* "all" leaves out pictures if the recordings have no stacks */
	if (options->tables.all)
		needs &= ~(unsigned)NEEDS_EVERY_STACK;
	recording->needs_file = choosing_needs_times(options);
	if (!recording_open(recording, path, err) ||
	    !choosing_begin(options, &recording->stat, err))
		return false;
	recording->selects_functions = choosing_functions(options);
	recording_count(recording);
	if (comparing->wants_calls)
		recording_count_stacks(recording, needs);
	if (!recording_read(recording, &how, err) || !recording_name(recording, err) ||
	    !choosing_end(options, &recording->stat, comparing->diag, err))
		return false;
	if (options->strict && recording->summary.broken)
		return err_set(err, ERR_FORMAT,
		               "the recording is damaged: with --strict it is not compared");
	comparing->broken |= recording->summary.broken;
	report = recording_report(recording);
	return run_of_results(run, &report, false, &comparing->strings, err) &&
	       (!comparing->wants_calls || merged_calls_add_tree(&comparing->calls, report.stat,
	                                                         report.calls, run->file, err));
}

static bool add_recording(struct comparing *comparing, struct compare_run *run, const char *path,
                          const struct options *options, struct err *err)
{
	struct recording *recording = malloc(sizeof(*recording));
	bool ok;

	if (!recording)
		return err_nomem(err, sizeof(*recording));
	recording_init(recording, &options->naming, comparing->diag);
	ok = read_recording(comparing, recording, run, path, options, err);
	recording_release(recording);
	free(recording);
	return ok;
}

/* --- finding the runs that the user names */

static bool has_file(const char *folder, const char *name)
{
	char path[4096];
	struct stat st;

	return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       stat(path, &st) == 0;
}

/* Puts the name of the run in front of an error, because there are many runs. */
static bool name_run(const char *path, const struct err *failure, struct err *err)
{
	return err_at(err, failure->code, failure->offset, "%.300s: %.300s", path, failure->text);
}

/* Tables were counted before, so no samples can be selected. */
static bool check_selection(const char *path, const struct options *options, struct err *err)
{
	return select_request_is_empty(&options->select) ||
	       err_set(err, ERR_USAGE,
	               "%.400s: expected recordings to select samples from, found tables", path);
}

static bool add_run(struct comparing *comparing, const char *path, enum compare_side side,
                    const struct options *options, struct err *err)
{
	struct err failure = { 0 };
	struct compare_run *run;
	bool ok;

	if (!vec_room(&comparing->runs, comparing->run_count, &comparing->run_capacity,
	              sizeof(*comparing->runs), err))
		return false;
	run = &comparing->runs[comparing->run_count++];
	*run = (struct compare_run){ .side = side };
	run->file = escaped_string(&comparing->strings, path, err);
	if (run->file == STRING_NONE)
		return false;
	if (run_table_exists(path, "results.csv"))
		ok = check_selection(path, options, &failure) &&
		     compare_run_read(run, path, &comparing->strings, &failure) &&
		     (!comparing->wants_calls ||
		      merged_calls_add_folder(&comparing->calls, path, run->file, &failure));
	else
		ok = add_recording(comparing, run, path, options, &failure);
	if (ok)
		return true;
	/* messages about tables have the path already */
	return strstr(failure.text, path) ? err_pass(err, &failure) : name_run(path, &failure, err);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Adds the folders with tables in a folder, by name. */
static bool add_folders(struct comparing *comparing, const char *folder, enum compare_side side,
                        const struct options *options, struct err *err)
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
			ok = add_run(comparing, path, side, options, err);
		free(entries[i]);
	}
	free(entries);
	if (ok && comparing->run_count == before)
		return err_set(
			err, ERR_FORMAT,
			"%.400s: expected results.csv, or folders that have one, found neither",
			folder);
	return ok;
}

static bool add_path(struct comparing *comparing, const char *path, enum compare_side side,
                     const struct options *options, struct err *err)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	/* perf record --threads and --kcore make a folder with a file "data" */
	if (folder && !run_table_exists(path, "results.csv") && !has_file(path, "data"))
		return add_folders(comparing, path, side, options, err);
	return add_run(comparing, path, side, options, err);
}

static bool add_base(struct comparing *comparing, const char *pattern,
                     const struct options *options, struct err *err)
{
	struct stat st;
	glob_t found;
	bool ok = true;

	/* if a file with exactly this name exists, it is no pattern */
	if (stat(pattern, &st) == 0)
		return add_path(comparing, pattern, SIDE_BASE, options, err);
	if (glob(pattern, 0, NULL, &found) != 0)
		return err_set(err, ERR_IO, "--base=%.400s: no such file or folder", pattern);
	for (size_t i = 0; ok && i < found.gl_pathc; i++)
		ok = add_path(comparing, found.gl_pathv[i], SIDE_BASE, options, err);
	globfree(&found);
	return ok;
}

static bool add_sides(struct comparing *comparing, const struct options *options, struct err *err)
{
	const struct compare_request *request = &options->compare;

	for (size_t i = 0; i < request->base_count; i++)
		if (!add_base(comparing, request->bases[i], options, err))
			return false;
	for (size_t i = 0; i < request->file_count; i++)
		if (!add_path(comparing, request->files[i], SIDE_NEW, options, err))
			return false;
	return true;
}

/* --- the result */

struct findings {
	struct comparing *comparing;
	struct err *err;
};

static void keep_warning(void *context, const char *text)
{
	struct findings *findings = context;
	struct comparing *comparing = findings->comparing;
	char *warning = strdup(text);

	if (!warning)
		err_nomem(findings->err, strlen(text) + 1);
	else if (vec_room(&comparing->warnings, comparing->warning_count,
	                  &comparing->warning_capacity, sizeof(*comparing->warnings),
	                  findings->err))
		comparing->warnings[comparing->warning_count++] = warning;
	else
		free(warning);
}

static bool check_runs(struct comparing *comparing, const struct options *options, struct err *err)
{
	struct findings findings = { comparing, err };
	struct finding_sink sink = { keep_warning, &findings };

	comparable_check(&comparing->comparison, &comparing->rules, &sink);
	if (err->code)
		return false;
	if (options->strict && comparing->warning_count)
		return err_set(err, ERR_FORMAT, "--strict: %s", comparing->warnings[0]);
	for (size_t i = 0; i < comparing->warning_count; i++)
		diag_warn(comparing->diag, ERR_NO_OFFSET, "%s", comparing->warnings[i]);
	return true;
}

static bool rules_of_options(struct rules *rules, const struct options *options, struct err *err)
{
	for (size_t i = 0; i < options->compare.rule_count; i++)
		if (!rules_parse(rules, options->compare.rules[i], err))
			return false;
	return true;
}

/* Flame graphs and folded stacks need the call trees of all runs. */
static bool check_calls(const struct comparing *comparing, const struct options *options,
                        struct err *err)
{
	const uint32_t missing = comparing->calls.missing;

	if (missing == STRING_NONE || options->tables.all ||
	    !(table_set_needs(&options->tables) & NEEDS_STACKS))
		return true;
	return err_set(err, ERR_FORMAT,
	               "%.300s: expected calltree.csv, which flame and folded are made of, with "
	               "stacks in it: keep it beside results.csv (-t results,events,calltree)",
	               strings_get(&comparing->strings, missing));
}

bool comparing_run(struct comparing *comparing, const struct options *options, struct diag *diag,
                   struct err *err)
{
	struct compare_options how = options->compare.how;

	memset(comparing, 0, sizeof(*comparing));
	comparing->diag = diag;
	merged_calls_init(&comparing->calls, &comparing->strings);
	if (!strings_init(&comparing->strings, err) ||
	    !rules_of_options(&comparing->rules, options, err))
		return false;
	comparing->wants_calls = wants_totals(&comparing->rules) ||
	                         (table_set_needs(&options->tables) & NEEDS_STACKS);
	how.calls = comparing->wants_calls ? &comparing->calls : NULL;
	if (!add_sides(comparing, options, err) || !check_calls(comparing, options, err) ||
	    !compare_all(&comparing->comparison, comparing->runs, comparing->run_count, &how,
	                 &comparing->strings, err))
		return false;
	comparing->met = rules_check(&comparing->rules, &comparing->comparison);
	return check_runs(comparing, options, err);
}

bool comparing_judge(struct comparing *comparing, const struct options *options,
                     const struct report *report, struct err *err)
{
	if (!compare_request_wants_rows(&options->compare))
		return true;
	return strings_init(&comparing->strings, err) &&
	       rules_of_options(&comparing->rules, options, err) &&
	       run_of_results(&comparing->single, report, true, &comparing->strings, err) &&
	       run_of_callers(&comparing->single, report, &comparing->strings, err) &&
	       rules_check_single(&comparing->rules, &comparing->single, &comparing->strings,
	                          &comparing->met, err);
}

struct verdict_report comparing_report(const struct comparing *comparing, uint64_t limit)
{
	return (struct verdict_report){ .strings = &comparing->strings,
		                        .comparison = comparing->run_count ? &comparing->comparison
		                                                           : NULL,
		                        .run = &comparing->single,
		                        .rules = &comparing->rules,
		                        .warnings = (const char *const *)comparing->warnings,
		                        .warning_count = comparing->warning_count,
		                        .limit = limit };
}

void comparing_release(struct comparing *comparing)
{
	comparison_release(&comparing->comparison);
	merged_calls_release(&comparing->calls);
	for (size_t i = 0; i < comparing->run_count; i++)
		compare_run_release(&comparing->runs[i]);
	free(comparing->runs);
	compare_run_release(&comparing->single);
	rules_release(&comparing->rules);
	for (size_t i = 0; i < comparing->warning_count; i++)
		free(comparing->warnings[i]);
	free(comparing->warnings);
	strings_release(&comparing->strings);
	memset(comparing, 0, sizeof(*comparing));
}
