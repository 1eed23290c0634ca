#include "decode/run/recording.h"

#include "decode/run/checks.h"
#include "decode/run/machinefacts.h"
#include "decode/files/buildidcache.h"
#include "decode/options/filelist.h"
#include "decode/naming/placelist.h"
#include "decode/naming/waitnames.h"
#include "decode/tally/samplereader.h"
#include "perffile/overview/lastfile.h"
#include "util/memory.h"
#include "util/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Bytes; a symbol table of this size is returned to the system when it is freed. Without it a
 * system-wide recording of 100 MB took 6 % more CPU time and 15 % more time, medians of 8 runs each
 * with a load of 12 on 2 CPUs.
 */
#define TABLE_APART (2 * 1024 * 1024)

void recording_init(struct recording *recording, const struct options *options, struct diag *diag)
{
	memset(recording, 0, sizeof(*recording));
	recording->options = options;
	recording->diag = diag;
	recording->naming = options->naming;
	session_init(&recording->session, diag);
	spe_init(&recording->spe, &recording->session);
	recording->facts.session = &recording->session;
}

void recording_release(struct recording *recording)
{
	instructions_release(&recording->instructions);
	branch_rows_release(&recording->branches);
	memory_rows_release(&recording->memory);
	results_release(&recording->results);
	process_calls_release(&recording->processes);
	call_tree_release(&recording->calls);
	call_totals_release(&recording->totals);
	place_names_release(&recording->names);
	intervalstat_release(&recording->intervals);
	wait_code_release(&recording->wait_code);
	buildstat_release(&recording->stat);
	spe_release(&recording->spe);
	read_summary_release(&recording->summary);
	facts_release(&recording->facts);
	session_release(&recording->session);
	input_close(&recording->input);
	strings_release(&recording->strings);
	free(recording->buildid_dir);
}

/* Functions are selected by their names, so samples are counted in groups until there are some. */
static bool selects_functions(const struct options *options)
{
	return options->select.fields[SELECT_FUNCTION].count != 0;
}

/* The times of the first and the last sample must be known before samples are counted. */
static bool needs_times(const struct options *options)
{
	return select_request_needs_times(&options->select) ||
	       group_tables_have_slices(&options->groups);
}

/* Sets which samples count, and in which groups. */
static bool choose_samples(struct recording *recording, struct err *err)
{
	const struct options *options = recording->options;
	struct choice_options how = { .request = &options->select,
		                      .fields = &options->groups.fields,
		                      .slice = options->groups.slice,
		                      .temp_dir = temp_dir() };

	for (unsigned i = 0; i < options->groups.count; i++) {
		unsigned keys = group_table_keys(&options->groups.items[i]);

		if (keys >> KEY_SAMPLE_END || selects_functions(options))
			how.keys |= keys;
		else
			how.apart_keys |= keys;
	}
	/* the console shows what they are, whatever latency.csv asks for */
	how.latency_keys = group_table_keys(group_tables_latency(&options->groups)) |
	                   1u << KEY_WHAT;
	/* intervals alone are counted in groups then */
	if (!options->groups.count && select_request_is_empty(&options->select) &&
	    field_request_is_empty(&options->groups.fields))
		return interval_request_is_empty(&options->intervals) ||
		       choice_init(&recording->stat.choice, &how, &recording->session,
		                   &recording->strings, err);
	/* processes.csv then counts only the samples of these functions */
	if (selects_functions(options))
		how.keys |= 1u << KEY_PROCESS;
	return buildstat_choose(&recording->stat, &how, err);
}

/* Copies a pipe to a file if that is needed. A slice of a stream is read as it comes. */
static bool spool_input(struct recording *recording, struct err *err)
{
	bool needs_file = recording->needs_file || needs_times(recording->options);

	if (!needs_file && !recording->carried && !spe_in_pipe(&recording->input, &needs_file, err))
		return false;
	return !needs_file || input_spool(&recording->input, temp_dir(), err);
}

static bool open_input(struct recording *recording, const char *path, struct err *err)
{
	if (input_open(&recording->input, path, temp_dir(), recording->diag, err))
		return true;
	if (err->code != ERR_FORMAT || !file_looks_like_list(path))
		return false;
	err->code = ERR_NONE;
	return err_set(
		err, ERR_FORMAT,
		"is a list of files; expected a perf.data recording, or @%s for those that it names",
		path);
}

bool recording_open(struct recording *recording, const char *path, struct err *err)
{
	struct file_options *files = &recording->naming.lookup.symbols.files;

	files->recording = path;
	if (!files->buildid_dir)
		files->buildid_dir = recording->buildid_dir = buildid_cache_dir(err);
	return err->code == ERR_NONE && strings_init(&recording->strings, err) &&
	       open_input(recording, path, err) && spool_input(recording, err) &&
	       session_open(&recording->session, &recording->input, err) &&
	       buildstat_init(&recording->stat, &recording->session, &recording->strings, err) &&
	       choose_samples(recording, err) &&
	       (interval_request_is_empty(&recording->options->intervals) ||
	        intervalstat_init(&recording->intervals, &recording->stat,
	                          &recording->options->intervals, err));
}

void recording_add(struct recording *recording, struct record_handler handler)
{
	assert(recording->handler_count < RECORDING_HANDLERS);
	recording->handlers[recording->handler_count++] = handler;
}

/* Stacks are unwound with files that are searched before the last record. */
static bool on_times(void *context, uint64_t first, uint64_t last, struct err *err)
{
	struct recording *recording = context;

	(void)first;
	recording->naming.lookup.symbols.files.last_sample = last;
	return !recording->finds_wait_code || !buildstat_has_chains(&recording->stat) ||
	       wait_code_find(&recording->wait_code, &recording->stat, &recording->naming, err);
}

static struct stack_options choose_stacks(struct recording *recording)
{
	const struct options *options = recording->options;
	const bool callers = recording->stat.choice.options.keys >> KEY_CALLER & 1;
	unsigned needs = table_set_needs(&options->tables);

	if (rules_want_totals(&options->compare.rules))
		needs |= NEEDS_STACKS;
	recording->makes_tree = (needs & NEEDS_STACKS) != 0 || callers;
	return (struct stack_options){
		.files = &recording->naming.lookup.symbols.files,
		.by_choice = callers,
		.interval_dir = recording->intervals.log.open ? temp_dir() : NULL,
		.every_sample = (needs & NEEDS_EVERY_STACK) || recording->intervals.stat,
		.by_comm = (needs & NEEDS_PROCESSES) != 0,
		.by_thread = (needs & NEEDS_THREADS) != 0,
		.memory = STACK_MEMORY,
		.log_dir = (needs & (NEEDS_SAMPLES | NEEDS_TRACE)) && (needs & NEEDS_STACKS)
		                   ? temp_dir()
		                   : NULL
	};
}

/* What is asked for, but for sums that intervals, threads and CPUs keep themselves. */
static unsigned needs_of_counts(const struct recording *recording)
{
	const struct table *const without[] = { &latency_table, &threads_table, &cpus_table };
	struct table_set set = recording->options->tables;

	/* groups have places; the tables of a comparison are made of what its runs have counted */
	if (recording->stat.chosen || options_scope(recording->options) != SCOPE_RECORDING)
		return NEEDS_TALLY | NEEDS_NAMES;
	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		table_set_remove(&set, without[i]);
	return table_set_needs(&set);
}

void recording_count(struct recording *recording, bool stacks)
{
	const struct options *options = recording->options;
	const unsigned needs = needs_of_counts(recording);

	recording->counts = true;
	recording_add(recording,
	              (struct record_handler){ .context = recording, .times = on_times });
	recording->stat.code.files = &recording->naming.lookup.symbols.files;
	/* instructions have how often they ran, which the branches between say */
	recording->stat.counts_branches = table_set_needs(&recording->options->tables) &
	                                  (NEEDS_BRANCHES | NEEDS_CODE);
	recording->stat.processes.keep_thread_names |=
		(table_set_needs(&recording->options->tables) & NEEDS_THREAD_NAMES) != 0;
	recording->stat.groups_branches = group_tables_keys(&recording->options->groups) &
	                                  KEYS_OF_BRANCHES;
	recording->stat.counts_branches |= recording->stat.groups_branches;
	recording->stat.counts_memory = table_set_needs(&recording->options->tables) & NEEDS_MEMORY;
	recording->stat.counts_no_places = !stacks && !(needs & NEEDS_NAMES);
	recording->stat.counts_nothing = !stacks && !(needs & (NEEDS_TALLY | NEEDS_NAMES));
	if (stacks) {
		recording->stack_options = choose_stacks(recording);
		recording->stat.stack_options = &recording->stack_options;
	}
	recording_add(recording, spe_handler(&recording->spe, buildstat_handler(&recording->stat)));
	if (recording->intervals.stat) {
		recording->finds_wait_code = stacks && interval_request_cuts(&options->intervals);
		recording->intervals.wait_code = &recording->wait_code;
		/* the console shows what and where */
		recording->intervals.counts_latency = !options->quiet ||
		                                      table_set_has(&options->tables,
		                                                    &latency_table);
		recording->intervals.latency_places =
			!options->quiet || selects_functions(options) ||
			group_table_keys(group_tables_latency(&options->groups)) >> KEY_SAMPLE_END;
		recording_add(recording, intervalstat_handler(&recording->intervals));
	}
}

/* Damage in the features makes the recording a broken one, as damage in its records does. */
static bool read_features(struct recording *recording, struct err *err)
{
	bool ok = facts_fill(&recording->facts, err);

	recording->summary.broken |= recording->session.damaged;
	return ok;
}

bool recording_read(struct recording *recording, const struct read_options *options,
                    struct err *err)
{
	struct read_options how = *options;

	how.once &= !needs_times(recording->options);
	if (recording->counts && recording->carried &&
	    !carried_give(recording->carried, &recording->stat, err))
		return false;
	return perffile_read(&recording->session, recording->handlers, recording->handler_count,
	                     &how, &recording->summary, err) &&
	       last_file_check(&recording->session, &recording->summary, recording->diag, err) &&
	       read_features(recording, err) &&
	       (!recording->counts ||
	        (intervalstat_finish(&recording->intervals, recording->diag, err) &&
	         spe_finish(&recording->spe, err) && buildstat_finish(&recording->stat, err)));
}

bool recording_needs_names(const struct recording *recording)
{
	return selects_functions(recording->options) ||
	       group_tables_keys(&recording->options->groups) >> KEY_SAMPLE_END != 0 ||
	       (table_set_has(&recording->options->tables, &latency_table) &&
	        group_table_keys(group_tables_latency(&recording->options->groups)) >>
	                KEY_SAMPLE_END);
}

/* The accesses to memory, by what the recording says of its machine. */
static bool name_memory(struct recording *recording, struct err *err)
{
	const uint64_t recorded = facts_line_size(&recording->facts);
	int16_t *node_of = vec_new(FACTS_CPUS, sizeof(*node_of), err);
	struct memory_machine machine = { recorded, node_of, FACTS_CPUS };
	bool ok;

	if (!node_of)
		return false;
	facts_nodes(&recording->facts, node_of);
	if (!recorded)
		machine.line_size = LINE_SIZE_USUAL;
	if (recording->options->cache_line)
		machine.line_size = recording->options->cache_line;
	ok = memory_rows_make(&recording->memory, &recording->stat, &recording->naming, &machine,
	                      recording->diag, err);
	free(node_of);
	return ok;
}

static bool name_instructions(struct recording *recording, struct err *err)
{
	const struct instruction_source source = { .stat = &recording->stat,
		                                   .names = &recording->names,
		                                   .options = &recording->naming,
		                                   .code = &recording->options->code,
		                                   .diag = recording->diag };

	return instructions_make(&recording->instructions, &source, err);
}

static bool needs_branches(const struct recording *recording)
{
	return recording->stat.groups_branches ||
	       table_set_needs(&recording->options->tables) & NEEDS_BRANCHES;
}

static bool make_names(struct recording *recording, struct err *err)
{
	struct buildstat *stat = &recording->stat;
	struct place_names *names = &recording->names;

	return naming_run(names, stat, &recording->naming, recording->diag, err) &&
	       (!buildstat_selects_functions(stat) || functions_select(stat, names, err)) &&
	       call_totals_make(&recording->totals, stat, names, err) &&
	       (!recording->makes_tree || call_tree_make(&recording->calls, stat, names, err)) &&
	       (!recording->stack_options.by_comm ||
	        process_calls_make(&recording->processes, stat, &recording->calls, err)) &&
	       results_make(&recording->results, stat, names, &recording->totals, recording->diag,
	                    err) &&
	       (!needs_branches(recording) ||
	        branch_rows_make(&recording->branches, stat, &recording->naming, recording->diag,
	                         err)) &&
	       (!(table_set_needs(&recording->options->tables) & NEEDS_MEMORY) ||
	        name_memory(recording, err)) &&
	       (!(table_set_needs(&recording->options->tables) & NEEDS_CODE) ||
	        name_instructions(recording, err)) &&
	       sample_readers_begin(stat, err) &&
	       interval_readers_begin(&recording->intervals.log, err);
}

bool recording_name(struct recording *recording, struct err *err)
{
	/* symbol tables come and go, each in the place of the one before */
	memory_part_from(TABLE_APART);
	recording->naming.lookup.symbols.files.last_sample = recording->summary.last_time;
	recording->naming.lookup.symbols.pack = recording->options->naming.lookup.symbols.pack;
	return make_names(recording, err);
}

bool recording_name_pointed(struct recording *recording, struct err *err)
{
	return !recording->stat.pointed.places.count ||
	       place_list_name_pointed(&recording->stat, &recording->naming, err);
}

bool recording_check_selection(struct recording *recording, struct err *err)
{
	const struct buildstat *stat = &recording->stat;

	field_choice_report(&stat->choice.fields, recording->diag);
	parallel_report(&stat->parallel, recording->diag);
	if (select_request_is_empty(&recording->options->select))
		return true;
	selection_report(&stat->choice.selection, recording->diag);
	for (size_t i = 0; i < stat->total_count; i++)
		if (stat->totals[i].selected_samples)
			return true;
	if (recording->intervals.lists_only)
		return true;
	recording->selects_nothing = true;
	return err_set(err, ERR_FORMAT, "the selection leaves no sample");
}

struct report recording_report(struct recording *recording)
{
	return (struct report){ .session = &recording->session,
		                .summary = &recording->summary,
		                .facts = &recording->facts,
		                .stat = &recording->stat,
		                .intervals = &recording->intervals,
		                .names = &recording->names,
		                .results = &recording->results,
		                .totals = &recording->totals,
		                .calls = &recording->calls,
		                .processes = &recording->processes,
		                .instructions = &recording->instructions,
		                .branches = &recording->branches,
		                .memory = &recording->memory };
}
