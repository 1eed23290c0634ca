#include "decode/tally/buildstat.h"

#include "util/vec.h"
#include "perffile/session/buildid.h"

#include <stdlib.h>
#include <string.h>

struct event_totals *buildstat_total(struct buildstat *stat, uint32_t event, struct err *err)
{
	const size_t wanted = stat->session->event_count + 1;

	if (!vec_reserve(&stat->totals, wanted, &stat->total_room, sizeof(*stat->totals), err))
		return NULL;
	while (stat->total_count < wanted)
		stat->totals[stat->total_count++] = (struct event_totals){ 0 };
	return &stat->totals[(uint32_t)(event + 1)];
}

bool buildstat_init(struct buildstat *stat, struct session *session, struct strings *strings,
                    struct err *err)
{
	memset(stat, 0, sizeof(*stat));
	stat->session = session;
	stat->strings = strings;
	cells_init(&stat->cells);
	group_sums_init(&stat->sums, false, 0, NULL);
	read_values_init(&stat->reads);
	if (!processes_init(&stat->processes, strings, err) ||
	    !binaries_init(&stat->binaries, strings, err) ||
	    !mappings_init(&stat->mappings, &stat->processes, &stat->binaries, err))
		return false;
	pointed_code_init(&stat->pointed, &stat->mappings);
	branchstat_init(&stat->branches, session, &stat->mappings);
	memorystat_init(&stat->memory, session, &stat->mappings);
	run_time_code_init(&stat->code, session, &stat->mappings);
	cgroups_init(&stat->cgroups, session, strings, stat->processes.unknown);
	return buildstat_total(stat, EVENT_UNKNOWN, err) != NULL;
}

bool buildstat_choose(struct buildstat *stat, const struct choice_options *options, struct err *err)
{
	stat->chosen = true;
	stat->processes.keep_thread_names = (options->keys | options->apart_keys) >> KEY_THREAD & 1;
	if (!choice_init(&stat->choice, options, stat->session, stat->strings, err))
		return false;
	group_sums_init(&stat->sums, stat->choice.groups.width != 0,
	                options->cells ? options->cells : GROUP_CELLS, options->temp_dir);
	stat->parallel.divides = options->fields && options->fields->wall;
	if (stat->parallel.divides || choice_has_key(&stat->choice, KEY_PARALLELISM)) {
		stat->in_order = true;
		if (!parallel_init(&stat->parallel, stat->session, stat->strings, err))
			return false;
	}
	if (options->fields && (options->fields->has_weight || options->fields->wall))
		stat->weighted = vec_new(SAMPLES_MOST, sizeof(*stat->weighted), err);
	if (alike_is_possible(&stat->choice))
		stat->alike = vec_new(1, sizeof(*stat->alike), err);
	return err->code == ERR_NONE;
}

bool buildstat_keep_samples(struct buildstat *stat, const char *dir, struct err *err)
{
	const struct log_world world = { stat->session, &stat->mappings, &stat->cgroups };

	return sample_log_open(&stat->log, &world, dir, err);
}

bool buildstat_keep_trace(struct buildstat *stat, const char *dir, struct err *err)
{
	return trace_log_open(&stat->trace, stat->session, &stat->pointed, dir, err);
}

void buildstat_release(struct buildstat *stat)
{
	trace_log_close(&stat->trace);
	pointed_code_release(&stat->pointed);
	parallel_release(&stat->parallel);
	free(stat->weighted);
	free(stat->alike);
	sample_log_close(&stat->log);
	branchstat_release(&stat->branches);
	memorystat_release(&stat->memory);
	run_time_code_release(&stat->code);
	mappings_release(&stat->mappings);
	processes_release(&stat->processes);
	binaries_release(&stat->binaries);
	cells_release(&stat->cells);
	group_sums_release(&stat->sums);
	sums_release(&stat->process_sums);
	choice_release(&stat->choice);
	cgroups_release(&stat->cgroups);
	places_release(&stat->places);
	free(stat->totals);
	read_values_release(&stat->reads);
	if (stat->stacks)
		stackstat_release(stat->stacks);
	free(stat->stacks);
	stat->stacks = NULL;
	stat->totals = NULL;
}

const char *buildstat_event_name(const struct session *session, uint32_t event)
{
	if (event >= session->event_count)
		return "[unknown]";
	return session->events[event].name ? session->events[event].name : "[unnamed]";
}

bool buildstat_event_is_clock(const struct session *session, uint32_t event)
{
	const struct event *known;

	if (event >= session->event_count)
		return false;
	known = &session->events[event];
	return known->derived ? !known->counted && !known->weighted : attr_is_clock(&known->attr);
}

/* import_cells() where cells have groups: those that were folded are no longer there. */
static bool import_sums(struct buildstat *stat, struct err *err)
{
	const struct cells *cells = &stat->sums.cells;
	struct group_sum_cursor cursor;
	const struct group_sum *sum;
	bool ok;

	if (!group_sums_fold(&stat->sums, &stat->cells, err))
		return false;
	ok = group_sum_cursor_open(&cursor, &stat->sums, err);
	while (ok && (sum = group_sum_next(&cursor, err))) {
		const struct cell *cell = &cells->items[sum->cell];
		struct cell_kind kind = *cells_kind_at(cells, cell->kind);

		kind.group = (uint32_t)sum->group;
		ok = stackstat_import(stat->stacks, &kind, cell->key, sum->samples, sum->period,
		                      err);
	}
	group_sum_cursor_close(&cursor);
	return ok && err->code == ERR_NONE;
}

/* Takes over what was counted before stacks were. */
static bool import_cells(struct buildstat *stat, struct err *err)
{
	struct cells *cells = &stat->cells;

	if (stat->sums.wanted)
		return import_sums(stat, err);
	if (!cells_count_waiting(cells, err))
		return false;
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];

		if (!stackstat_import(stat->stacks, cells_kind_at(cells, cell->kind), cell->key,
		                      cell->samples, cell->period, err))
			return false;
	}
	return true;
}

static bool make_stacks(struct buildstat *stat, struct err *err)
{
	stat->stacks = vec_new(1, sizeof(*stat->stacks), err);
	if (!stat->stacks ||
	    !stackstat_init(stat->stacks, stat->session, &stat->mappings, stat->stack_options,
	                    err) ||
	    !import_cells(stat, err))
		return false;
	/* the stacks must have all samples, and know the groups of the places */
	stat->stacks->makes_cells = !stat->cells.count && !stat->sums.cells.count &&
	                            (!stat->choice.groups.keys || stat->stack_options->by_choice);
	return true;
}

bool buildstat_has_chains(const struct buildstat *stat)
{
	for (size_t i = 0; i < stat->session->event_count; i++)
		if (stackstat_has_chain(&stat->session->events[i].attr))
			return true;
	return false;
}

bool buildstat_counts_stacks(struct buildstat *stat, struct err *err)
{
	const struct session *session = stat->session;
	bool begins;

	if (stat->stacks || !stat->stack_options)
		return stat->stacks != NULL;
	begins = stat->stack_options->every_sample;
	/* each event is asked once, also if there are many and each record asks */
	for (; !begins && stat->chains_asked < session->event_count; stat->chains_asked++)
		begins = stackstat_has_chain(&session->events[stat->chains_asked].attr);
	return begins && make_stacks(stat, err);
}

/* Sets the counts of processes per event: of all samples, or of the selected ones. */
static bool add_totals(struct buildstat *stat, struct err *err)
{
	if (!buildstat_total(stat, EVENT_UNKNOWN, err))
		return false;
	for (size_t i = 0; i < stat->total_count; i++) {
		stat->totals[i].selected_samples = stat->totals[i].selected_period =
			stat->totals[i].processes = 0;
		stat->totals[i].selected_wrapped = false;
	}
	for (size_t i = 0; i < stat->process_sums.count; i++) {
		const struct sum *counted = &stat->process_sums.items[i];
		struct event_totals *total = buildstat_total(stat, counted->event, err);

		total->selected_samples += counted->samples;
		total->selected_wrapped |= counted->wrapped |
		                           __builtin_add_overflow(total->selected_period,
		                                                  counted->period,
		                                                  &total->selected_period);
		total->processes++;
	}
	return true;
}

bool buildstat_finish(struct buildstat *stat, struct err *err)
{
	if (!add_totals(stat, err) || (stat->stacks && !stackstat_finish(stat->stacks, err)) ||
	    (stat->sums.wanted && !group_sums_finish(&stat->sums, &stat->cells, err)) ||
	    !cells_finish(&stat->cells, err))
		return false;
	for (size_t i = 0; !stat->chosen && i < stat->total_count; i++) {
		stat->totals[i].samples = stat->totals[i].selected_samples;
		stat->totals[i].period = stat->totals[i].selected_period;
		stat->totals[i].wrapped = stat->totals[i].selected_wrapped;
	}
	return session_load_build_ids(stat->session, err) &&
	       mapping_finish(&stat->mappings, stat->session, err);
}

/* Counts the samples of processes, and of groups, at places that are to be kept. */
static bool keep_sums(struct buildstat *stat, const bool *keep, struct err *err)
{
	struct group_sums *sums = &stat->sums;
	struct group_sum_cursor cursor;
	const struct group_sum *sum;
	bool ok = group_sum_cursor_open(&cursor, sums, err);

	sums_release(&stat->process_sums);
	for (size_t i = 0; i < sums->place_count; i++)
		if (!keep[sums->places[i].place])
			sums->places[i].place = PLACE_NONE;
	while (ok && (sum = group_sum_next(&cursor, err))) {
		const struct group_place *at = &sums->places[sum->cell];

		if (at->place != PLACE_NONE)
			ok = sums_add(&stat->process_sums,
			              (uint32_t)groups_word(&stat->choice.groups,
			                                    (uint32_t)sum->group, KEY_PROCESS),
			              at->event, sum->samples, sum->period, err);
	}
	group_sum_cursor_close(&cursor);
	return ok && err->code == ERR_NONE;
}

bool buildstat_keep(struct buildstat *stat, const bool *keep, struct err *err)
{
	struct cells *cells = &stat->cells;
	size_t kept = 0;

	for (size_t i = 0; i < cells->count; i++)
		if (keep[cell_place(&cells->items[i])])
			cells->items[kept++] = cells->items[i];
	cells->count = kept;
	if (stat->stacks)
		stackstat_keep(stat->stacks, keep);
	return keep_sums(stat, keep, err) && add_totals(stat, err);
}
