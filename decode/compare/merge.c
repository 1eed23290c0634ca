/* From runs to rows: the same function of all runs is one row. */
#include "decode/compare/match.h"
#include "decode/compare/work.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct merging {
	struct comparison *comparison;
	struct err *err;
	struct map functions, binaries; /* name as recorded -> name to match by */
	uint32_t total_name;
	char *room; /* for the names at work */
	size_t room_size;
};

/* The string that stands for a name in all builds. */
static uint32_t matched_name(struct merging *merging, struct map *known, uint32_t name,
                             size_t (*match)(char *, const char *, size_t))
{
	const struct string_entry *entry = &merging->comparison->strings->entries[name];
	uint32_t matched = map_get(known, name);

	if (matched != MAP_NONE || entry->length == 0)
		return matched != MAP_NONE ? matched : name;
	if (entry->length > merging->room_size) {
		char *room = realloc(merging->room, entry->length);

		if (!room) {
			err_nomem(merging->err, entry->length);
			return STRING_NONE;
		}
		merging->room = room;
		merging->room_size = entry->length;
	}
	matched = strings_put(merging->comparison->strings, merging->room,
	                      match(merging->room, entry->text, entry->length), merging->err);
	if (matched == STRING_NONE || !map_put(known, name, matched, merging->err))
		return STRING_NONE;
	return matched;
}

/* The number of an event, added if it is new; UINT32_MAX with err set when memory is refused. */
static uint32_t put_event(struct merging *merging, uint32_t name)
{
	struct comparison *comparison = merging->comparison;
	uint32_t number = map_get(&comparison->event_of, name);
	struct compare_event *events;

	if (number != MAP_NONE)
		return number;
	number = (uint32_t)comparison->event_count;
	events = vec_grow(comparison->events, number, &comparison->event_capacity, sizeof(*events),
	                  merging->err);
	if (!events)
		return UINT32_MAX;
	comparison->events = events;
	memset(&events[number], 0, sizeof(*events));
	events[number].name = name;
	events[number].total_row = SIZE_MAX;
	map_init(&events[number].row_of);
	comparison->event_count++;
	events[number].runs = calloc(comparison->run_count, sizeof(*events[number].runs));
	if (!events[number].runs) {
		err_nomem(merging->err, comparison->run_count * sizeof(*events[number].runs));
		return UINT32_MAX;
	}
	return map_put(&comparison->event_of, name, number, merging->err) ? number : UINT32_MAX;
}

static struct compare_row *new_row(struct merging *merging, uint32_t event)
{
	struct compare_family *own = &merging->comparison->own;
	struct compare_row *rows = vec_grow(own->rows, own->count, &own->capacity, sizeof(*rows),
	                                    merging->err);

	if (!rows)
		return NULL;
	own->rows = rows;
	memset(&rows[own->count], 0, sizeof(*rows));
	rows[own->count].event = event;
	rows[own->count].match = SIZE_MAX;
	return &rows[own->count++];
}

static bool add_total_rows(struct merging *merging)
{
	struct comparison *comparison = merging->comparison;

	for (uint32_t i = 0; i < comparison->event_count; i++) {
		struct compare_row *row = new_row(merging, i);

		if (!row)
			return false;
		row->is_total = true;
		row->function = merging->total_name;
		comparison->events[i].total_row = comparison->own.count - 1;
	}
	return true;
}

/* Events of the same name are one. */
static bool take_events(struct merging *merging, size_t run)
{
	const struct compare_run *source = &merging->comparison->runs[run];

	for (size_t i = 0; i < source->event_count; i++) {
		const struct run_event *event = &source->events[i];
		uint32_t number = put_event(merging, event->name);
		struct compare_event *target;
		struct event_run *sums;

		if (number == UINT32_MAX)
			return false;
		target = &merging->comparison->events[number];
		sums = &target->runs[run];
		if (!sums->present && event->samples) {
			sums->present = true;
			target->side_runs[source->side]++;
		}
		if (!target->sample_period && !target->frequency) {
			target->sample_period = event->sample_period;
			target->frequency = event->frequency;
		}
		sums->samples = u64_add_sat(sums->samples, event->samples);
		sums->period = u64_add_sat(sums->period, event->period);
		sums->lost = u64_add_sat(sums->lost, event->lost);
	}
	return true;
}

/* The row of a run's row; SIZE_MAX with err set when memory is refused. */
static size_t put_row(struct merging *merging, const struct run_row *source)
{
	struct comparison *comparison = merging->comparison;
	uint32_t event = put_event(merging, source->event);
	uint32_t function = matched_name(merging, &merging->functions, source->function,
	                                 match_function);
	uint32_t binary = matched_name(merging, &merging->binaries, source->binary, match_binary);
	uint64_t key = (uint64_t)function << 32 | binary;
	struct compare_row *row;
	uint32_t number;

	if (merging->err->code)
		return SIZE_MAX;
	number = map_get(&comparison->events[event].row_of, key);
	if (number != MAP_NONE)
		return number;
	number = (uint32_t)comparison->own.count;
	row = new_row(merging, event);
	if (!row || !map_put(&comparison->events[event].row_of, key, number, merging->err))
		return SIZE_MAX;
	row->function = function;
	row->binary = source->binary;
	row->file = source->file;
	row->unnamed = source->unnamed;
	return number;
}

/*
 * The new side says last what file and binary a function is of; within a run the most expensive row
 * does.
 */
static void take_place(struct compare_row *row, const struct run_row *source, bool first)
{
	if (!first)
		return;
	row->binary = source->binary;
	if (source->file != STRING_EMPTY) {
		row->file = source->file;
		row->line = source->line;
	}
	row->unnamed = source->unnamed;
}

static bool alloc_seen(struct comparison *comparison, struct compare_family *family,
                       struct err *err)
{
	size_t cells;

	if (__builtin_mul_overflow(family->count, comparison->run_count, &cells))
		return err_nomem(err, SIZE_MAX);
	family->seen = calloc(cells ? cells : 1, sizeof(*family->seen));
	return family->seen || err_nomem(err, cells * sizeof(*family->seen));
}

static void add_observation(struct observation *seen, uint64_t samples, uint64_t period)
{
	seen->samples = u64_add_sat(seen->samples, samples);
	seen->period = u64_add_sat(seen->period, period);
}

/* The functions with what they call: the same rows, where every run tells. */
static bool copy_rows(struct comparison *comparison, struct err *err)
{
	struct compare_family *own = &comparison->own, *totals = &comparison->totals;

	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->runs[run].row_count; i++)
			if (!comparison->runs[run].rows[i].has_totals)
				return true;
	totals->rows = malloc(own->count * sizeof(*totals->rows));
	if (own->count && !totals->rows)
		return err_nomem(err, own->count * sizeof(*totals->rows));
	memcpy(totals->rows, own->rows, own->count * sizeof(*totals->rows));
	totals->count = totals->capacity = own->count;
	return alloc_seen(comparison, totals, err);
}

static bool fill_run(struct merging *merging, size_t run)
{
	struct comparison *comparison = merging->comparison;
	const struct compare_run *source = &comparison->runs[run];

	for (size_t i = 0; i < source->row_count; i++) {
		const struct run_row *row = &source->rows[i];
		size_t number = put_row(merging, row), at;
		struct event_run *sums;

		if (number == SIZE_MAX)
			return false;
		at = number * comparison->run_count + run;
		take_place(&comparison->own.rows[number], row, !comparison->own.seen[at].samples);
		add_observation(&comparison->own.seen[at], row->samples, row->period);
		if (comparison->totals.seen)
			add_observation(&comparison->totals.seen[at], row->total_samples,
			                row->total_period);
		sums = &comparison->events[comparison->own.rows[number].event].runs[run];
		if (row->unnamed)
			sums->unknown_period = u64_add_sat(sums->unknown_period, row->period);
	}
	for (size_t i = 0; i < comparison->event_count; i++) {
		const struct event_run *sums = &comparison->events[i].runs[run];
		size_t at = comparison->events[i].total_row * comparison->run_count + run;

		add_observation(&comparison->own.seen[at], sums->samples, sums->period);
		if (comparison->totals.seen)
			add_observation(&comparison->totals.seen[at], sums->samples, sums->period);
	}
	return true;
}

static bool merge_all(struct merging *merging)
{
	struct comparison *comparison = merging->comparison;

	for (size_t run = 0; run < comparison->run_count; run++)
		if (!take_events(merging, run))
			return false;
	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; i < comparison->runs[run].row_count; i++)
			if (put_row(merging, &comparison->runs[run].rows[i]) == SIZE_MAX)
				return false;
	if (!add_total_rows(merging) || !alloc_seen(comparison, &comparison->own, merging->err) ||
	    !copy_rows(comparison, merging->err))
		return false;
	for (size_t run = 0; run < comparison->run_count; run++)
		if (!fill_run(merging, run))
			return false;
	return true;
}

bool merge_runs(struct comparison *comparison, struct err *err)
{
	struct merging merging = { .comparison = comparison, .err = err };
	bool ok;

	map_init(&merging.functions);
	map_init(&merging.binaries);
	merging.total_name = strings_put_text(comparison->strings, "[total]", err);
	ok = merging.total_name != STRING_NONE && merge_all(&merging);
	map_release(&merging.functions);
	map_release(&merging.binaries);
	free(merging.room);
	return ok;
}
