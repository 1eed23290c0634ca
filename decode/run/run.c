#include "decode/run/run.h"

#include "decode/run/checks.h"
#include "decode/run/generating.h"
#include "decode/tables/console.h"
#include "decode/tables/counters.h"
#include "decode/tables/remarks.h"
#include "decode/tables/terminal.h"
#include "util/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/resource.h>

static bool needs_names(const struct run *run)
{
	return !run->options->quiet || run->options->workbook || run->options->page ||
	       compare_request_wants_rows(&run->options->compare) ||
	       (table_set_needs(&run->options->tables) & NEEDS_LABELS) ||
	       recording_needs_names(&run->recording);
}

/* Whether what is written has source files: groups may. */
static bool needs_sources(const struct run *run)
{
	const struct options *options = run->options;

	return !options->quiet || options->workbook || options->page || options->groups.count ||
	       compare_request_wants_rows(&options->compare) ||
	       (table_set_needs(&options->tables) & NEEDS_SOURCES);
}

/* Makes all that lies outside of the sandbox, and enters it. */
static bool open_outputs(struct run *run)
{
	const struct options *options = run->options;
	struct outputs *outputs = &run->tables.outputs;

	/* a document may be in the folder of the tables, so that is made first */
	return table_outputs_init(&run->tables, options, &run->err) &&
	       check_places(options, &run->err) &&
	       (!writes_folder(options) || outputs_make_dir(outputs, &run->err)) &&
	       documents_open(&run->documents, &options->compare, outputs, &run->err) &&
	       (run->is_confined || enter_sandbox(options, outputs, &run->err));
}

static bool open_recording(struct run *run)
{
	struct options *options = run->options;
	struct recording *recording = &run->recording;

	recording->needs_file = table_outputs_need_file(options) ||
	                        !interval_request_is_empty(&options->intervals);
	if (!recording_open(recording, options->file, &run->err) ||
	    !check_paths(options, &run->tables.outputs, run->diag, &run->err) ||
	    !spare_recording(options, &run->tables.outputs, options->file, &run->err) ||
	    ((table_set_needs(&options->tables) & NEEDS_SAMPLES) &&
	     !buildstat_keep_samples(&recording->stat, temp_dir(), &run->err)) ||
	    ((table_set_needs(&options->tables) & NEEDS_TRACE) &&
	     !buildstat_keep_trace(&recording->stat, temp_dir(), &run->err)) ||
	    (recording->intervals.stat && (table_set_needs(&options->tables) & NEEDS_INTERVALS) &&
	     !intervalstat_keep(&recording->intervals, temp_dir(), &run->err)) ||
	    !table_outputs_open(&run->tables, recording, &run->err) ||
	    !table_set_collect(&options->tables, &run->kept, &recording->session, &run->err) ||
	    /* the console says what was counted, whatever the tables are */
	    !collection_add(&run->kept, &counters_collector, &recording->session, &run->err))
		return false;
	identity_init(&run->identity, &recording->session);
	run->report = recording_report(recording);
	run->report.temp_dir = temp_dir();
	run->report.kept = &run->kept;
	run->report.about = &run->about;
	run->report.by = &options->groups;
	run->report.title = options->title;
	run->report.latency = group_tables_latency(&options->groups);
	if (recording->intervals.stat) {
		run->report.sched = &recording->intervals.engine.reader.sched;
		return true;
	}
	run->report.sched = &run->scheduling.reader.sched;
	return scheduling_open(&run->scheduling, &options->tables, &recording->session, &run->err);
}

/* Whether samples are counted; not all tables need that. */
static bool needs_tally(const struct run *run)
{
	return needs_names(run) || run->recording.stat.chosen || run->recording.intervals.stat ||
	       (table_set_needs(&run->options->tables) & NEEDS_TALLY);
}

/* Whether nothing is written that has recorded samples, beside intervals. */
static bool writes_intervals_alone(const struct run *run)
{
	const struct table *const alone[] = { &intervals_table, &latency_table, &threads_table,
		                              &cpus_table };
	const struct options *options = run->options;
	struct table_set others = options->tables;

	for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
		table_set_remove(&others, alone[i]);
	return options->quiet && !options->workbook && !options->page &&
	       !run->recording.stat.chosen && !compare_request_wants_rows(&options->compare) &&
	       !recording_needs_names(&run->recording) &&
	       !(table_set_needs(&others) & (NEEDS_TALLY | NEEDS_NAMES));
}

/* Whether times of threads or CPUs may be written. */
static bool writes_scheduling(const struct options *options)
{
	return options->workbook || table_set_needs(&options->tables) & NEEDS_SCHED ||
	       options->intervals.lists & (1u << LIST_SCHED | 1u << LIST_WALL);
}

static bool read_all(struct run *run)
{
	struct recording *recording = &run->recording;

	/* stacks whenever a table has functions, because results.csv has totals */
	if (needs_tally(run))
		recording_count(recording, needs_names(run));
	recording->intervals.engine.reader.sched.keeps_no_times = !writes_scheduling(run->options);
	recording->stat.skips_samples = recording->intervals.stat && writes_intervals_alone(run);
	for (unsigned i = 0; i < run->kept.count; i++)
		recording_add(recording, collection_handler(&run->kept, i));
	if (run->scheduling.wanted)
		recording_add(recording, sched_reader_handler(&run->scheduling.reader));
	if (run->options->tables.bits || run->options->page)
		recording_add(recording, identity_handler(&run->identity));
	if (!recording_read(recording, &run->how, &run->err))
		return false;
	run->read_done = clock_seconds();
	return scheduling_finish(&run->scheduling, run->diag, &run->err) &&
	       table_outputs_end_records(&run->tables, &run->err);
}

static bool name_all(struct run *run)
{
	struct recording *recording = &run->recording;

	if (!needs_names(run))
		return recording_name_pointed(recording, &run->err);
	recording->naming.lookup.sources &= needs_sources(run);
	if (!recording_name(recording, &run->err) || !recording_name_pointed(recording, &run->err))
		return false;
	remarks_on_stacks(&run->report, run->diag);
	remarks_on_names(&recording->results, &recording->strings,
	                 &recording->naming.lookup.symbols, run->options->verbose, run->diag);
	run->named_done = clock_seconds();
	return true;
}

/* The exit status of a run that does not fail. */
static int end_status(const struct run *run)
{
	if (rules_met(&run->options->compare.rules))
		return EXIT_RULE_MET;
	return run->recording.summary.broken || run->recording.stat.trace.shorter ||
	                       formats_are_damaged(&run->recording.stat.trace.formats) ||
	                       formats_are_damaged(&run->recording.stat.choice.fields.formats) ||
	                       run->comparing.reader.broken || run->trending.broken
	               ? EXIT_DAMAGED
	               : EXIT_CLEAN;
}

static void fill_about(struct run *run)
{
	const struct options *options = run->options;

	tables_written(&options->tables, &run->report, run->written);
	run->about = (struct about){
		.file = options->file,
		.options = options->given,
		.tables = run->written,
		.status = end_status(run),
		.slice = run->slice,
	};
	snprintf(run->about.recording, sizeof(run->about.recording), "%016" PRIx64,
	         identity_number(&run->identity));
}

static bool write_tables(struct run *run)
{
	const char *folder = run->options->output;

	fill_about(run);
	if (!group_tables_make(&run->report, run->group_rows, &run->err) ||
	    !table_outputs_write(&run->tables, &run->report, &run->err))
		return false;
	if (writes_folder(run->options))
		leftover_compare(folder, run->about.recording, &run->tables.outputs, run->diag);
	return true;
}

/* It is no failure if the reader has gone (readperf | head). */
static bool flush_console(struct run *run)
{
	errno = 0;
	return (fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE ||
	       err_errno(&run->err, "standard output: cannot write");
}

/* What --base, --trend and --fail-on found. */
static struct verdict_report verdicts_of(const struct run *run)
{
	return options_scope(run->options) == SCOPE_TREND ? trending_report(&run->trending)
	                                                  : comparing_report(&run->comparing);
}

/* Prints the result of --base, --fail-on and --summary, for people and CI services. */
static bool print_verdicts(struct run *run)
{
	const struct options *options = run->options;
	struct verdict_report report = verdicts_of(run);

	if (!report.comparison && !compare_request_wants_rows(&options->compare))
		return true;
	if (!options->quiet && !documents_take_output(&options->compare))
		verdict_print(stdout, &report);
	return flush_console(run) && documents_write(&run->documents, &report, &run->err);
}

static bool print_console(struct run *run)
{
	const struct console_options how = {
		.limit = run->options->limit,
		.in_results = table_set_has(&run->options->tables, &results_table),
		.ratios = table_set_names(&run->options->tables, &ratios_table),
		.by_total = run->options->by_total,
	};

	if (run->options->quiet || documents_take_output(&run->options->compare))
		return true;
	return console_print(stdout, &run->report, &how, &run->err) && flush_console(run);
}

void run_print_figures(const struct run *run, FILE *out)
{
	const struct recording *recording = &run->recording;
	const struct read_summary *summary = &recording->summary;
	const double started = run->started, end = clock_seconds();
	const double named_done = run->named_done > 0 ? run->named_done : run->read_done;
	struct rusage usage_now;

	getrusage(RUSAGE_SELF, &usage_now);
	if (options_scope(run->options) != SCOPE_RECORDING) {
		fprintf(out, "readperf: %zu runs in %.3f s; peak memory %ld kB\n",
		        run->comparing.run_count + run->trending.trend.history.run_count,
		        end - started, usage_now.ru_maxrss);
		return;
	}
	if (run->read_again)
		fprintf(out, "readperf: its rounds do not tell the order of its records, so that "
		             "it was read again\n");
	fprintf(out,
	        "readperf: %" PRIu64
	        " records in %.3f s (%.1f million/s): first look %.3f s, reading %.3f s, "
	        "naming %.3f s, tables %.3f s\n",
	        summary->records, end - started, (double)summary->records / (end - started) / 1e6,
	        summary->scan_seconds, run->read_done - started - summary->scan_seconds,
	        named_done - run->read_done, end - named_done);
	fprintf(out,
	        "readperf: %zu addresses in %zu binaries, %zu functions; peak memory %ld kB: "
	        "records waiting %" PRIu64 " kB (%" PRIu64
	        " at most), mappings %zu kB, addresses %zu kB, "
	        "names %zu kB\n",
	        recording->names.place_count, recording->names.binaries, recording->names.symbols,
	        usage_now.ru_maxrss, summary->memory_most / 1024, summary->window_most,
	        recording->stat.processes.pool.arena.size / 1024,
	        recording->stat.cells.capacity * sizeof(struct cell) / 1024,
	        recording->strings.arena.size / 1024);
}

static bool commit(struct run *run)
{
	const struct verdict_report verdicts = verdicts_of(run);

	return table_outputs_commit(&run->tables, &run->report, &verdicts, run->diag, &run->err);
}

/* As before open_recording(). */
static void start_again(struct run *run)
{
	table_outputs_start_again(&run->tables);
	collection_release(&run->kept);
	scheduling_release(&run->scheduling);
	recording_release(&run->recording);
	recording_init(&run->recording, run->options, run->diag);
	run->scheduling = (struct scheduling){ .wanted = false };
	run->err = (struct err){ .code = ERR_NONE };
	diag_start_again(run->diag);
}

/* Reads a file once if it can be, else twice: see perffile_read(). */
static bool read_recording(struct run *run)
{
	run->how.once = !table_outputs_need_two_readings(run->options);
	if (open_recording(run) && read_all(run))
		return true;
	if (run->err.code != ERR_ORDER)
		return false;
	start_again(run);
	run->how.once = false;
	run->read_again = true;
	return open_recording(run) && read_all(run);
}

static bool recording_steps(struct run *run)
{
	const struct options *options = run->options;
	struct recording *recording = &run->recording;

	if (!open_outputs(run) || !read_recording(run))
		return false;
	remarks_on_reading(&run->report, &options->tables, options->file, run->diag);
	remarks_on_keys(&run->report, run->diag);
	if (options->strict && recording->summary.broken)
		return err_set(&run->err, ERR_FORMAT,
		               "the recording is damaged: --strict writes no tables");
	return name_all(run) && recording_check_selection(recording, &run->err) &&
	       comparing_judge(&run->comparing, &run->report, &run->err) && write_tables(run) &&
	       print_console(run) && print_verdicts(run) && commit(run);
}

/* With --base: reads the runs of both sides and compares them. */
static bool comparison_steps(struct run *run)
{
	struct options *options = run->options;

	if (!open_outputs(run) ||
	    !check_paths(options, &run->tables.outputs, run->diag, &run->err) ||
	    !comparing_run(&run->comparing, &run->err) ||
	    !table_outputs_open_page(&run->tables, &run->err))
		return false;
	run->report.comparison = &run->comparing.comparison;
	run->report.temp_dir = temp_dir();
	run->report.by = &options->groups;
	run->report.title = options->title;
	return table_outputs_write(&run->tables, &run->report, &run->err) && print_verdicts(run) &&
	       commit(run);
}

/* With --trend: reads the versions and finds since when functions cost more. */
static bool trend_steps(struct run *run)
{
	struct options *options = run->options;

	if (!open_outputs(run) ||
	    !check_paths(options, &run->tables.outputs, run->diag, &run->err) ||
	    !trending_run(&run->trending, &run->err))
		return false;
	run->report.trend = &run->trending.trend;
	run->report.comparison = &run->trending.trend.comparison;
	run->report.by = &options->groups;
	run->report.title = options->title;
	return table_outputs_write(&run->tables, &run->report, &run->err) && print_verdicts(run) &&
	       commit(run);
}

void run_init(struct run *run, struct options *options, struct diag *diag)
{
	*run = (struct run){ .options = options,
		             .diag = diag,
		             .how.threaded = options->naming.threads > 1,
		             .started = clock_seconds() };
	recording_init(&run->recording, options, diag);
	run->trending = (struct trending){ .options = options,
		                           .outputs = &run->tables.outputs,
		                           .diag = diag };
	run->comparing = (struct comparing){ .options = options,
		                             .outputs = &run->tables.outputs,
		                             .diag = diag };
}

int run_steps(struct run *run)
{
	bool (*const steps[])(struct run *) = { [SCOPE_RECORDING] = recording_steps,
		                                [SCOPE_COMPARISON] = comparison_steps,
		                                [SCOPE_TREND] = trend_steps };

	if (run->options->generate != GENERATE_COUNT
	            ? generating_run(&run->recording, &run->tables, &run->how, &run->err)
	            : steps[options_scope(run->options)](run))
		return end_status(run);
	return run->err.code == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

void run_release(struct run *run)
{
	documents_close(&run->documents);
	comparing_release(&run->comparing);
	trending_release(&run->trending);
	table_outputs_release(&run->tables);
	for (unsigned i = 0; i < run->options->groups.count; i++)
		group_rows_release(&run->group_rows[i]);
	collection_release(&run->kept);
	scheduling_release(&run->scheduling);
	recording_release(&run->recording);
}
