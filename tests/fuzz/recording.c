/* Reads a recording and prints its tables with the steps of readperf.c, without writing files. */
#define _GNU_SOURCE /* memfd_create() */
#include "decode/tables/about.h"
#include "decode/tables/grouptables.h"
#include "perffile/record/collector.h"
#include "decode/tables/console.h"
#include "decode/intervals/schedreader.h"
#include "decode/tally/intervalstat.h"
#include "decode/tables/remarks.h"
#include "decode/naming/placelist.h"
#include "perffile/facts/facts.h"
#include "perffile/perffile.h"
#include "perffile/overview/overviewprinter.h"
#include "tests/fuzz/fuzz.h"
#include "tests/inputbytes.h"
#include "tests/unit/named.h"
#include "util/csv.h"

#include <fcntl.h>
#include <unistd.h>

#define NOWHERE "/nonexistent"

static const char *const nowhere_roots[] = { NOWHERE };
static const struct file_options nowhere = { .symfs = nowhere_roots, .symfs_count = 1, .buildid_dir = NOWHERE };

struct way {
	struct diag diag;
	struct input input;
	struct session session;
	struct facts facts;
	struct strings strings;
	struct buildstat stat;
	struct collection kept;
	struct sched_reader sched;
	struct intervalstat intervals; /* of every second recording */
	struct interval_request request;
	struct overview *overview;
	struct read_summary summary;
	struct named named;
	int null; /* descriptor of /dev/null */
};

void print_nothing(void *context, uint64_t offset, const char *text)
{
	(void)context, (void)offset;
	FUZZ_CHECK(text[0]);
}

static int open_null(void *context, const char *name, struct packer **packer, struct err *err)
{
	const struct way *way = context;

	(void)name, (void)packer, (void)err;
	return way->null;
}

static void print_table(struct way *way, unsigned number, const struct report *report, struct err *err)
{
	struct table_files files = { .context = way, .open = open_null };
	struct csv csv;
	struct table_writer out;

	csv_init(&csv, &files, number % 2);
	out = csv_writer(&csv);
	/* several tables begin and end themselves */
	if (tables[number]->several || tables[number]->makes_columns) {
		check_err(tables[number]->print(&out, report, err), err);
		return;
	}
	if (table_begin(&out, tables[number]->format, err)) {
		check_err(tables[number]->print(&out, report, err), err);
		FUZZ_CHECK(csv.rows > 0);
	}
	table_discard(&out);
}

/* The tables add up: contract, "The tables". */
static void check_sums(const struct way *way)
{
	uint64_t rows = 0, counts = 0, rows_period = 0, counts_period = 0;

	for (size_t i = 0; i < way->named.results.row_count; i++) {
		rows += way->named.results.rows[i].samples;
		rows_period += way->named.results.rows[i].period;
	}
	for (size_t i = 0; i < way->stat.process_sums.count; i++) {
		counts += way->stat.process_sums.items[i].samples;
		counts_period += way->stat.process_sums.items[i].period;
	}
	FUZZ_CHECK(rows == counts && rows_period == counts_period);
	/* intervals are not in samples.csv */
	FUZZ_CHECK(way->intervals.stat ? way->stat.log.count <= rows : way->stat.log.count == rows);
}

/* The call tree adds up, too: the totals of its roots, and the counts of chains.csv. */
static void check_stacks(const struct way *way)
{
	const struct call_tree *calls = &way->named.calls;
	const struct call_count *ends = way->named.totals.ends;
	struct call_count totals = { 0, 0 }, ended = { 0, 0 };

	if (!way->stat.stacks)
		return;
	for (size_t event = 0; event < calls->event_count; event++) {
		for (uint32_t node = 0; node < calls->count; node++) {
			if (calls->nodes[node].parent != CALL_NODE_NONE)
				continue;
			totals.samples += call_tree_total(calls, node, event)->samples;
			totals.period += call_tree_total(calls, node, event)->period;
		}
		for (size_t end = 0; end < STACK_ENDS; end++) {
			ended.samples += ends[event * STACK_ENDS + end].samples;
			ended.period += ends[event * STACK_ENDS + end].period;
		}
	}
	FUZZ_CHECK(totals.samples == way->named.results.samples);
	FUZZ_CHECK(totals.period == way->named.results.period);
	FUZZ_CHECK(ended.samples == totals.samples && ended.period == totals.period);
}

/* What each thread and each CPU did adds up to its time. */
static void check_sched(const struct way *way)
{
	const struct sched *sched = way->intervals.stat ? &way->intervals.engine.reader.sched : &way->sched.sched;

	for (size_t i = 0; i < sched->threads.count; i++) {
		const struct sched_thread *thread = &sched->threads.items[i];
		uint64_t sum = 0;

		for (size_t state = 0; state < SCHED_STATES; state++)
			sum += thread->sums.states[state];
		FUZZ_CHECK(!thread->touched || sum == thread->end - thread->start);
	}
	for (size_t i = 0; i < sched->cpu_count; i++) {
		const struct sched_cpu *cpu = &sched->cpus[i];

		FUZZ_CHECK(cpu->sums[SCHED_CPU_BUSY] + cpu->sums[SCHED_CPU_IDLE] +
		                   cpu->sums[SCHED_CPU_UNKNOWN] ==
		           cpu->end - cpu->start);
	}
}

static void name_and_print(struct way *way, struct err *err)
{
	struct naming_options options = { .lookup = { .sources = true, .lines = true,
						      .symbolizer = SYMBOLIZER_NONE } };
	struct group_tables groups = { .count = 0 };
	struct about about = { .file = "", .options = "", .tables = "" };
	struct report report = {
		.about = &about,
		.by = &groups,
		.session = &way->session,
		.facts = &way->facts,
		.summary = &way->summary,
		.stat = &way->stat,
		.names = &way->named.names,
		.results = &way->named.results,
		.totals = &way->named.totals,
		.calls = &way->named.calls,
		.instructions = &way->named.instructions,
		.branches = &way->named.branches,
		.memory = &way->named.memory,
		.kept = &way->kept,
		.sched = way->intervals.stat ? &way->intervals.engine.reader.sched : &way->sched.sched,
		.intervals = &way->intervals,
		.latency = group_tables_latency(&groups),
	};
	FILE *console = fdopen(dup(way->null), "w");

	options.lookup.symbols.files = nowhere;
	options.lookup.symbols.vmlinux = options.lookup.symbols.kallsyms = NOWHERE;
	options.lookup.symbols.files.recording = NOWHERE;
	if (named_make(&way->named, &way->stat, &options, &way->diag, err) &&
	    (!way->stat.pointed.places.count || place_list_name_pointed(&way->stat, &options, err)) &&
	    interval_readers_begin(&way->intervals.log, err)) {
		check_sums(way);
		check_stacks(way);
		for (unsigned i = 0; i < TABLE_COUNT; i++)
			if (tables[i]->print && !tables[i]->file)
				print_table(way, i, &report, err);
		remarks_on_names(&way->named.results, &way->strings, &options.lookup.symbols, true, &way->diag);
		if (console)
			console_print(console, &report, &(struct console_options){ .limit = 25, .by_total = true }, err);
	}
	if (console)
		fclose(console);
	named_release(&way->named);
}

/* All intervals, also those that pair what they should not. */
static bool make_intervals(struct way *way, struct err *err)
{
	static const struct select_request everything;
	static const struct field_request no_fields;
	const struct choice_options how = { .request = &everything,
		                            .fields = &no_fields,
		                            .latency_keys = 1u << KEY_WHAT | 1u << KEY_FUNCTION,
		                            .temp_dir = "/tmp" };

	if (!interval_request_add(&way->request, "all", err) || !interval_request_add(&way->request, "wall", err) ||
	    !interval_request_add(&way->request, "own=*..*:pid", err) ||
	    !choice_init(&way->stat.choice, &how, &way->session, &way->strings, err) ||
	    !intervalstat_init(&way->intervals, &way->stat, &way->request, err))
		return false;
	way->intervals.counts_latency = way->intervals.latency_places = true;
	return intervalstat_keep(&way->intervals, "/tmp", err);
}

static void read_and_print(struct way *way, bool intervals, struct err *err)
{
	/* so little memory that large trees must be reduced */
	const struct stack_options stacks = { .files = &nowhere,
		                              .by_thread = true,
		                              .by_comm = true,
		                              .interval_dir = intervals ? "/tmp" : NULL,
		                              .every_sample = intervals,
		                              .log_dir = "/tmp",
		                              .memory = 10000 };
	struct table_files files = { .context = way, .open = open_null };
	struct record_handler handlers[3 + TABLE_COUNT];
	size_t count = 0;
	struct table_writer out;
	struct csv csv;

	way->stat.stack_options = &stacks;
	way->stat.counts_branches = way->stat.counts_memory = true;
	if (!buildstat_keep_samples(&way->stat, "/tmp", err) ||
	    !buildstat_keep_trace(&way->stat, "/tmp", err))
		return;
	if (!table_set_collect(&(struct table_set){ .bits = ~0ull }, &way->kept, &way->session, err) ||
	    (intervals && !make_intervals(way, err)) || !sched_reader_init(&way->sched, &way->session, &way->strings, NULL, err)) {
		sched_reader_release(&way->sched);
		intervalstat_release(&way->intervals);
		return;
	}
	csv_init(&csv, &files, false);
	out = csv_writer(&csv);
	way->overview = overview_new(&way->session, &out, err);
	if (way->overview) {
		handlers[count++] = overview_handler(way->overview);
		handlers[count++] = buildstat_handler(&way->stat);
		for (unsigned i = 0; i < way->kept.count; i++)
			handlers[count++] = collection_handler(&way->kept, i);
		handlers[count++] = intervals ? intervalstat_handler(&way->intervals) : sched_reader_handler(&way->sched);
		if (perffile_read(&way->session, handlers, count, NULL, &way->summary, err) &&
		    facts_fill(&way->facts, err) && intervalstat_finish(&way->intervals, &way->diag, err) && buildstat_finish(&way->stat, err) && overview_finish(way->overview, err) &&
		    (intervals || sched_reader_finish(&way->sched, true, &way->diag, err))) {
			check_sched(way);
			name_and_print(way, err);
		}
		read_summary_release(&way->summary);
	}
	overview_free(way->overview);
	sched_reader_release(&way->sched);
	intervalstat_release(&way->intervals);
}

void run_recording(const uint8_t *data, size_t size, bool pipe)
{
	struct err err = { 0 };
	struct way *way = calloc(1, sizeof(*way)); /* too large for the stack */

	FUZZ_CHECK(way != NULL);
	way->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	diag_init(&way->diag, print_nothing, NULL);
	session_init(&way->session, &way->diag);
	way->facts.session = &way->session;
	if (strings_init(&way->strings, &err) &&
	    input_open_bytes(&way->input, data, size, pipe, &err) &&
	    session_open(&way->session, &way->input, &err) &&
	    buildstat_init(&way->stat, &way->session, &way->strings, &err))
		read_and_print(way, size / 8 % 2 == 1, &err);
	FUZZ_CHECK(err.code == ERR_NONE || err.text[0]);
	buildstat_release(&way->stat);
	collection_release(&way->kept);
	facts_release(&way->facts);
	session_release(&way->session);
	input_close(&way->input);
	strings_release(&way->strings);
	diag_finish(&way->diag);
	diag_release(&way->diag);
	close(way->null);
	free(way);
}
