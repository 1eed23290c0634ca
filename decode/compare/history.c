#include "decode/compare/history.h"

#include "util/vec.h"

#include <stdlib.h>

#define PACKED_MOST 25 /* bytes of a row: three numbers of at most 5, 10 and 10 */

void history_init(struct history *history, struct strings *strings, double min_share)
{
	*history = (struct history){ .strings = strings,
		                     .min_share = min_share,
		                     .matcher.strings = strings };
	tuples_init(&history->keys, sizeof(struct series_key));
}

void history_release(struct history *history)
{
	for (size_t i = 0; i < history->run_count; i++) {
		compare_run_release(&history->runs[i]);
		free(history->packed[i].bytes);
	}
	free(history->runs);
	free(history->packed);
	free(history->versions);
	free(history->series);
	free(history->of_names);
	free(history->buffer);
	tuples_release(&history->keys);
	name_matcher_release(&history->matcher);
	memset(history, 0, sizeof(*history));
}

bool history_add_version(struct history *history, uint32_t name, struct err *err)
{
	const struct trend_version version = { .name = name,
		                               .first_run = (uint32_t)history->run_count };

	return vec_append(&history->versions, &history->version_count, &history->version_capacity,
	                  &version, sizeof(version), err);
}

/* --- packing */

/* Seven bits a byte, the lowest first; the last byte has the highest bit clear. */
static uint8_t *put_number(uint8_t *to, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

static uint64_t get_number(const uint8_t **from)
{
	uint64_t number = 0;
	unsigned shift = 0;

	for (;; shift += 7) {
		const uint8_t byte = *(*from)++;

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
}

/* Small numbers of either sign as small ones without: 0, -1, 1, -2, ... */
static uint64_t fold_sign(uint64_t number)
{
	return number << 1 ^ (number >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold_sign(uint64_t number)
{
	return number >> 1 ^ (number & 1 ? UINT64_MAX : 0);
}

static uint8_t *pack_row(uint8_t *to, const struct run_row *row, uint32_t before, uint64_t period)
{
	to = put_number(to, fold_sign((uint64_t)row->row - before));
	to = put_number(to, row->samples);
	return put_number(to, fold_sign(row->period - row->samples * period));
}

static bool pack_rows(struct history *history, const struct compare_run *run,
                      struct packed_run *packed, struct err *err)
{
	uint8_t *to;
	uint32_t before = 0;

	if (!vec_reserve(&history->buffer, run->row_count * PACKED_MOST, &history->buffer_capacity,
	                 1, err))
		return false;
	to = history->buffer;
	packed->sample_period = run->event_count ? run->events[0].sample_period : 0;
	for (size_t i = 0; i < run->row_count; i++) {
		to = pack_row(to, &run->rows[i], before, packed->sample_period);
		before = run->rows[i].row;
	}
	packed->size = (size_t)(to - history->buffer);
	packed->bytes = vec_new(packed->size, 1, err);
	if (packed->bytes)
		memcpy(packed->bytes, history->buffer, packed->size);
	return packed->bytes;
}

struct unpacker history_unpack(const struct history *history, size_t run)
{
	const struct packed_run *packed = &history->packed[run];

	return (struct unpacker){ packed->bytes, packed->bytes + packed->size,
		                  packed->sample_period, 0 };
}

bool unpacker_next(struct unpacker *unpacker, struct packed_row *row)
{
	if (unpacker->pos == unpacker->end)
		return false;
	unpacker->series += (uint32_t)unfold_sign(get_number(&unpacker->pos));
	row->series = unpacker->series;
	row->seen.samples = get_number(&unpacker->pos);
	row->seen.period = unfold_sign(get_number(&unpacker->pos)) +
	                   row->seen.samples * unpacker->sample_period;
	return true;
}

/* --- series */

/* The place for the series of a row's names; NULL with err set. */
static uint32_t *known_series(struct history *history, uint32_t names, struct err *err)
{
	if (!vec_reserve(&history->of_names, names + 1, &history->of_names_capacity,
	                 sizeof(*history->of_names), err))
		return NULL;
	while (history->of_names_count <= names)
		history->of_names[history->of_names_count++] = 0;
	return &history->of_names[names];
}

/* Sets the number of a row's series, which is added if it is new. */
static bool find_series(struct history *history, struct run_row *row, struct err *err)
{
	const struct series_key key = {
		row->event, name_matcher_function(&history->matcher, row->function, err),
		name_matcher_binary(&history->matcher, row->binary, err)
	};
	const size_t count = history->keys.count;

	if (err->code)
		return false;
	row->row = tuples_put(&history->keys, &key, err);
	if (row->row == MAP_NONE || !vec_room(&history->series, count, &history->series_capacity,
	                                      sizeof(struct series), err))
		return false;
	if (row->row == count)
		history->series[count] = (struct series){
			.first = (uint32_t)history->version_count - 1
		};
	return true;
}

/* The same, but rows with names that were seen before are not looked up again. */
static bool number_row(struct history *history, struct run_row *row, struct err *err)
{
	uint32_t *known = known_series(history, row->names, err);

	if (!known)
		return false;
	if (row->names && *known) {
		row->row = *known - 1;
		return true;
	}
	if (!find_series(history, row, err))
		return false;
	*known = row->row + 1;
	return true;
}

#define AHEAD 8 /* rows */

/* Begins to fetch the series of a row that is looked at soon, if there is one. */
static void fetch_series(const struct history *history, const struct compare_run *run, size_t row)
{
	if (row + AHEAD < run->row_count)
		__builtin_prefetch(&history->series[run->rows[row + AHEAD].row]);
}

/* Notes in a row's series that the run, which is added, has it. */
static void note_row(struct history *history, const struct run_row *row)
{
	struct series *series = &history->series[row->row];
	const uint32_t run = (uint32_t)history->run_count;

	/* of several rows in a run, the most expensive one, which is the first, counts */
	if (series->run != run) {
		series->versions += !series->run || series->last + 1 != history->version_count;
		series->runs++;
		series->run = run;
		series->period = 0;
		series->binary = row->binary;
		series->unnamed = row->unnamed;
		series->last = (uint32_t)history->version_count - 1;
		if (row->file != STRING_EMPTY) {
			series->file = row->file;
			series->line = row->line;
		}
	}
	series->period = u64_add_sat(series->period, row->period);
}

/* The first event of a run with that name; NULL: it has none. */
static struct run_event *find_event(struct compare_run *run, uint32_t name)
{
	for (size_t i = 0; i < run->event_count; i++)
		if (run->events[i].name == name)
			return &run->events[i];
	return NULL;
}

static uint64_t period_of_event(const struct compare_run *run, uint32_t name)
{
	uint64_t period = 0;

	for (size_t i = 0; i < run->event_count; i++)
		if (run->events[i].name == name)
			period = u64_add_sat(period, run->events[i].period);
	return period;
}

/* Notes which series are large in the run that was added, and what has no name. */
static void note_shares(struct history *history, struct compare_run *run)
{
	struct run_event *event = NULL;
	uint32_t name = STRING_NONE;
	uint64_t period = 0;

	for (size_t i = 0; i < run->row_count; i++) {
		const struct run_row *row = &run->rows[i];
		struct series *series = &history->series[row->row];

		fetch_series(history, run, i);
		if (row->event != name) {
			name = row->event;
			event = find_event(run, name);
			period = period_of_event(run, name);
		}
		if (100 * (double)series->period >= history->min_share * (double)period)
			series->large = true;
		if (row->unnamed && event)
			event->unnamed = u64_add_sat(event->unnamed, row->period);
	}
}

bool history_add_run(struct history *history, struct compare_run *run, struct err *err)
{
	const struct compare_run rows = { .rows = run->rows, .row_capacity = run->row_capacity };
	struct packed_run *packed;

	if (!vec_room(&history->runs, history->run_count, &history->run_capacity,
	              sizeof(*history->runs), err) ||
	    !vec_room(&history->packed, history->run_count, &history->packed_capacity,
	              sizeof(*history->packed), err))
		return false;
	packed = &history->packed[history->run_count];
	*packed = (struct packed_run){ .bytes = NULL };
	history->runs[history->run_count++] = (struct compare_run){ .side = SIDE_BASE };
	history->versions[history->version_count - 1].run_count++;
	for (size_t i = 0; i < run->row_count; i++)
		if (!number_row(history, &run->rows[i], err))
			return false;
	for (size_t i = 0; i < run->row_count; i++) {
		fetch_series(history, run, i);
		note_row(history, &run->rows[i]);
	}
	note_shares(history, run);
	if (!pack_rows(history, run, packed, err))
		return false;
	run->rows = NULL;
	run->row_count = run->row_capacity = 0;
	history->runs[history->run_count - 1] = *run;
	*run = rows;
	return true;
}
