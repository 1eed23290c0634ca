#include "decode/run/runreader.h"

#include "decode/compare/runtable.h"
#include "decode/run/checks.h"
#include "decode/run/recording.h"
#include "perffile/facts/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *run_path(const struct run_reader *reader, const struct compare_run *run)
{
	return strings_get(reader->strings, run->file);
}

/* What one named recording says, on its way into a run. */
struct run_maker {
	struct compare_run *run;
	const struct report *report;
	struct selection *selection; /* NULL: it does not matter here */
	struct strings *strings;     /* of the run */
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
		                   .is_time = buildstat_event_is_clock(session, (uint32_t)number),
		                   .wrapped = whole ? totals->wrapped : totals->selected_wrapped };

	if (number < session->event_count) {
		const struct event_attr *attr = &session->events[number].attr;
		bool frequency = attr_flag(attr, PERF_FLAG_FREQ);

		event.lost = totals->lost;
		event.frequency = frequency ? attr->sample_period : 0;
		event.sample_period = frequency ? 0 : attr->sample_period;
		event.is_interval = session->events[number].derived &&
		                    !session->events[number].counted;
	}
	if (maker->selection) {
		const uint32_t name = strings_put_text(
			maker->report->stat->strings,
			buildstat_event_name(session, (uint32_t)number), maker->err);

		event.excluded = name != STRING_NONE &&
		                 !selection_takes_event(maker->selection, name, maker->err);
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
static bool read_recording(struct run_reader *reader, struct recording *recording,
                           struct compare_run *run, struct err *err)
{
	const struct options *options = reader->options;
	struct read_options how = { .threaded = options->naming.threads > 1 };
	struct report report;
	const struct run_maker maker = { run, &report, &recording->stat.choice.selection,
		                         reader->strings, err };

	if (!recording_open(recording, run_path(reader, run), err))
		return false;
	/* an interval counts where its stack says */
	recording_count(recording,
	                reader->calls || !interval_request_is_empty(&options->intervals));
	if (!recording_read(recording, &how, err) || !recording_name(recording, err) ||
	    !recording_check_selection(recording, err))
		return false;
	if (options->strict && recording->summary.broken)
		return err_set(err, ERR_FORMAT,
		               "the recording is damaged: with --strict it is not compared");
	reader->broken |= recording->summary.broken;
	report = recording_report(recording);
	return run_of_results(&maker, false) &&
	       (!reader->calls ||
	        (process_calls_make(&recording->processes, report.stat, report.calls, err) &&
	         merged_calls_add_tree(reader->calls, run, report.stat, report.processes, err)));
}

static bool add_recording(struct run_reader *reader, struct compare_run *run, struct err *err)
{
	struct recording *recording = malloc(sizeof(*recording));
	bool ok;

	if (!recording)
		return err_nomem(err, sizeof(*recording));
	recording_init(recording, reader->options, reader->diag);
	reader->diag->file = run_path(reader, run);
	ok = read_recording(reader, recording, run, err);
	reader->diag->file = NULL;
	recording_release(recording);
	free(recording);
	return ok;
}

/* No document may take the place of a table that is compared, or lies beside one. */
static bool check_tables(const struct run_reader *reader, const char *folder, struct err *err)
{
	const struct compare_request *request = &reader->options->compare;
	char name[40], path[RUN_PATH_SIZE];

	for (unsigned i = 0; (request->summary || request->junit) && i < TABLE_COUNT; i++) {
		snprintf(name, sizeof(name), "%s.csv", tables[i]->format->name);
		if (run_table_find(path, folder, tables[i]->file ? tables[i]->file : name) &&
		    !check_documents(reader->options, path, "a table of --base or FILE", err))
			return false;
	}
	return true;
}

/* Fills an empty run from a folder. "all" leaves out pictures that cannot be made. */
static bool add_tables(struct run_reader *reader, struct compare_run *run, struct err *err)
{
	const unsigned needs = table_set_needs(&reader->options->tables);
	const char *folder = run_path(reader, run);
	struct err failure = { 0 };

	/* tables were counted before */
	if (!select_request_is_empty(&reader->options->select))
		return err_set(err, ERR_USAGE,
		               "%.400s: expected recordings to select samples from, found tables",
		               folder);
	if (!compare_run_read(run, folder, &reader->names, err))
		return false;
	if (!reader->calls || merged_calls_add_folder(reader->calls, run, folder, &failure))
		return true;
	if (!(needs & NEEDS_STACKS) || needs & NEEDS_EVERY_STACK || failure.code != ERR_FORMAT)
		return err_pass(err, &failure);
	diag_warn_err(reader->diag, &failure);
	return true;
}

bool run_reader_spare(const struct run_reader *reader, const char *path, struct err *err)
{
	return spare_recording(reader->options, reader->outputs, path, err) &&
	       (!run_table_exists(path, "results.csv") || check_tables(reader, path, err));
}

bool run_reader_read(struct run_reader *reader, struct compare_run *run, struct err *err)
{
	const char *path = run_path(reader, run);
	struct err failure = { 0 };

	/* messages about tables have their paths */
	if (run_table_exists(path, "results.csv"))
		return add_tables(reader, run, err);
	if (add_recording(reader, run, &failure))
		return true;
	err_name_file(&failure, path);
	return err_pass(err, &failure);
}

bool is_table_run(const char *path)
{
	return run_table_exists(path, "results.csv");
}

bool is_folder_of_runs(const char *path)
{
	struct stat st;

	/* perf record --threads and --kcore make a folder with a file "data" */
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       !run_table_exists(path, "results.csv") && !run_table_exists(path, "data");
}

bool run_of_recording(struct compare_run *run, const struct report *report, struct strings *strings,
                      struct err *err)
{
	const struct run_maker maker = { run, report, NULL, strings, err };

	return run_of_results(&maker, true) && run_of_calls(&maker);
}
