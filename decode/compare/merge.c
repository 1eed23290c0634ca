/* Makes rows from runs: the same function in all runs is one row. */
#include "decode/compare/match.h"
#include "decode/compare/steps.h"
#include "util/vec.h"

#include <string.h>

/*
 * The number of an event, which is added if it is new; UINT32_MAX with err set when memory is
 * refused.
 */
static uint32_t number_of_event(struct comparison *comparison, uint32_t name, struct err *err)
{
	uint32_t number = map_number(&comparison->event_of, name, err);
	struct compare_event *event;

	if (number != comparison->event_count)
		return number;
	if (!vec_room(&comparison->events, number, &comparison->event_capacity, sizeof(*event),
	              err))
		return UINT32_MAX;
	event = &comparison->events[comparison->event_count++];
	*event = (struct compare_event){
		.name = name, .is_time = true, .excluded = true, .total_row = SIZE_MAX
	};
	event->runs = vec_new(comparison->run_count, sizeof(*event->runs), err);
	return event->runs ? number : UINT32_MAX;
}

static bool add_row(struct compare_family *family, const struct compare_row *row, struct err *err)
{
	return vec_append(&family->rows, &family->count, &family->capacity, row, sizeof(*row), err);
}

uint32_t compare_row_put(struct comparison *comparison, struct compare_family *family,
                         uint32_t event, uint32_t function, uint32_t binary, struct err *err)
{
	const struct compare_row row = { .event = event,
		                         .function = function,
		                         .binary = binary,
		                         .home = binary,
		                         .match = STRING_NONE };
	const uint64_t key = (uint64_t)function << 32 | binary;
	struct map *row_of = &comparison->events[event].row_of;
	uint32_t number = map_get(row_of, key);

	if (number != MAP_NONE)
		return number;
	number = (uint32_t)family->count;
	return map_put(row_of, key, number, err) && add_row(family, &row, err) ? number : MAP_NONE;
}

bool merge_total_rows(struct comparison *comparison, struct err *err)
{
	struct compare_row row = { .is_total = true, .match = STRING_NONE };

	row.function = strings_put_text(comparison->strings, "[total]", err);
	for (; row.event < comparison->event_count; row.event++) {
		comparison->events[row.event].total_row = comparison->own.count;
		if (!add_row(&comparison->own, &row, err))
			return false;
	}
	return err->code == ERR_NONE;
}

bool merge_run_events(struct comparison *comparison, size_t run, struct err *err)
{
	const struct compare_run *source = &comparison->runs[run];

	for (size_t i = 0; i < source->event_count; i++) {
		const struct run_event *event = &source->events[i];
		uint32_t number = number_of_event(comparison, event->name, err);
		struct compare_event *target;
		struct event_run *sums;

		if (number == UINT32_MAX)
			return false;
		target = &comparison->events[number];
		sums = &target->runs[run];
		if (!sums->present && event->samples) {
			sums->present = true;
			target->side_runs[source->side]++;
		}
		target->is_interval |= event->is_interval;
		target->is_time &= event->is_time;
		target->excluded &= event->excluded;
		if (!target->sample_period && !target->frequency) {
			target->sample_period = event->sample_period;
			target->frequency = event->frequency;
		}
		sums->samples += event->samples;
		sums->wrapped |= event->wrapped |
		                 __builtin_add_overflow(sums->period, event->period, &sums->period);
		sums->lost = u64_add_sat(sums->lost, event->lost);
		sums->unknown_period = u64_add_sat(sums->unknown_period, event->unnamed);
	}
	return true;
}

/* Finds or adds the row for a row of a run. False with err set when memory is refused. */
static bool number_row(struct comparison *comparison, struct name_matcher *matcher,
                       struct run_row *source, struct err *err)
{
	uint32_t event = number_of_event(comparison, source->event, err);
	uint32_t function = name_matcher_function(matcher, source->function, err);
	uint32_t binary = name_matcher_binary(matcher, source->binary, err);

	if (err->code)
		return false;
	source->row = compare_row_put(comparison, &comparison->own, event, function, binary, err);
	return source->row != MAP_NONE;
}

/* Sets the binary and the file of a function as a run has them. */
static void set_location(struct compare_row *row, const struct run_row *source)
{
	row->binary = source->binary;
	if (source->file != STRING_EMPTY) {
		row->file = source->file;
		row->line = source->line;
	}
}

void observation_add(struct observation *seen, uint64_t samples, uint64_t period)
{
	seen->samples = u64_add_sat(seen->samples, samples);
	seen->period = u64_add_sat(seen->period, period);
}

static void fill_run_rows(struct comparison *comparison, size_t run)
{
	const struct compare_run *source = &comparison->runs[run];

	for (size_t i = 0; i < source->row_count; i++) {
		const struct run_row *row = &source->rows[i];
		struct compare_row *target = &comparison->own.rows[row->row];
		struct observation *seen = &target->seen[run];
		struct event_run *sums = &comparison->events[target->event].runs[run];

		/* the last run counts, which is of the new side, and its most expensive row */
		if (!seen->samples)
			set_location(target, row);
		observation_add(seen, row->samples, row->period);
		if (row->unnamed)
			sums->unknown_period = u64_add_sat(sums->unknown_period, row->period);
	}
	for (size_t i = 0; i < comparison->event_count; i++) {
		const struct event_run *sums = &comparison->events[i].runs[run];
		const size_t total = comparison->events[i].total_row;

		observation_add(&comparison->own.rows[total].seen[run], sums->samples,
		                sums->period);
	}
}

static bool number_rows(struct comparison *comparison, struct err *err)
{
	struct name_matcher matcher = { .strings = comparison->strings,
		                        .base_of = comparison->options.base_of };
	bool ok = true;

	for (size_t run = 0; run < comparison->run_count; run++)
		for (size_t i = 0; ok && i < comparison->runs[run].row_count; i++)
			ok = number_row(comparison, &matcher, &comparison->runs[run].rows[i], err);
	name_matcher_release(&matcher);
	return ok;
}

bool family_alloc_seen(const struct comparison *comparison, struct compare_family *family,
                       struct err *err)
{
	const size_t runs = comparison->run_count;

	family->seen = vec_new(family->count, runs * sizeof(*family->seen), err);
	for (size_t i = 0; family->seen && i < family->count; i++)
		family->rows[i].seen = family->seen + i * runs;
	return family->seen;
}

bool merge_runs(struct comparison *comparison, struct err *err)
{
	for (size_t run = 0; run < comparison->run_count; run++)
		if (!merge_run_events(comparison, run, err))
			return false;
	if (!number_rows(comparison, err) || !merge_total_rows(comparison, err) ||
	    !family_alloc_seen(comparison, &comparison->own, err))
		return false;
	for (size_t run = 0; run < comparison->run_count; run++)
		fill_run_rows(comparison, run);
	return true;
}
