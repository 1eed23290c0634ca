#include "decode/tables/ratios.h"

#include "decode/tables/counters.h"
#include "util/clock.h"
#include "util/tuples.h"
#include "util/vec.h"

#include <math.h>
#include <stdlib.h>

/* What is counted together. */
struct count_key {
	uint64_t scope; /* enum ratio_scope */
	uint64_t time;  /* of a counter, or TIME_NONE */
	uint64_t place; /* CPU, with ALL_CPUS; or number of a function */
	uint64_t event;
};

#define ALL_CPUS UINT64_MAX

/* An event in one of them. */
struct count {
	double count;            /* extrapolated */
	double enabled, running; /* ns, summed over the counters */
};

struct counts {
	struct tuples keys; /* struct count_key */
	struct count *items;
	size_t count, capacity;
};

static bool counts_add(struct counts *cells, struct count_key key, struct count added,
                       struct err *err)
{
	const uint32_t number = tuples_put(&cells->keys, &key, err);
	const struct count none = { 0 };

	if (number == MAP_NONE ||
	    (number == cells->count &&
	     !vec_append(&cells->items, &cells->count, &cells->capacity, &none, sizeof(none), err)))
		return false;
	cells->items[number].count += added.count;
	cells->items[number].enabled += added.enabled;
	cells->items[number].running += added.running;
	return true;
}

static struct count count_of(const struct counters *counters, const struct counter *counter)
{
	struct count cell = { (double)counter->value, (double)counter->enabled,
		              (double)counter->running };

	if (counters->scale && counter->running && counter->running < counter->enabled)
		cell.count *= cell.enabled / cell.running;
	return cell;
}

/* Adds what a counter says of a moment, for all CPUs and for its own. */
static bool add_counter(struct counts *cells, const struct counters *counters,
                        const struct counter *counter, enum ratio_scope scope, uint64_t time,
                        struct err *err)
{
	const int64_t cpu = counter_cpu(counters, counter);
	const uint32_t event = counter_event(counters, counter);
	const struct count cell = count_of(counters, counter);
	struct count_key key = { scope, time, ALL_CPUS, event };

	if (event == EVENT_UNKNOWN || counter->running == 0)
		return true;
	if (!counts_add(cells, key, cell, err))
		return false;
	key.scope = RATIO_CPU;
	key.place = (uint64_t)cpu;
	return cpu < 0 || counts_add(cells, key, cell, err);
}

/*
 * Whether the recording has intervals: several moments, or totals behind the only one. Otherwise
 * there is one moment, the end.
 */
static bool has_intervals(const struct counters *counters)
{
	for (size_t i = 1; i < counters->count; i++)
		if (counters->items[i].time != counters->items[0].time)
			return true;
	return false;
}

/* The sum of what was counted since the start, also by counters that were restarted. */
static bool add_totals(struct counts *cells, const struct counters *counters,
                       const uint32_t *previous, struct err *err)
{
	struct counter *sums = vec_new(counters->count, sizeof(*sums), err);
	bool *passed = vec_new(counters->count, sizeof(*passed), err);
	bool ok = sums && passed;

	for (size_t i = 0; ok && i < counters->count; i++) {
		const bool first = previous[i] == MAP_NONE;

		sums[i] = counter_since(&counters->items[i],
		                        first ? NULL : &counters->items[previous[i]]);
		if (first)
			continue;
		sums[i].value += sums[previous[i]].value;
		sums[i].enabled += sums[previous[i]].enabled;
		sums[i].running += sums[previous[i]].running;
		passed[previous[i]] = true;
	}
	for (size_t i = 0; ok && i < counters->count; i++)
		ok = passed[i] ||
		     add_counter(cells, counters, &sums[i], RATIO_TOTAL, TIME_NONE, err);
	free(sums);
	free(passed);
	return ok;
}

static bool add_intervals(struct counts *cells, const struct counters *counters,
                          const uint32_t *previous, struct err *err)
{
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter *counter = &counters->items[i];
		const struct counter since = counter_since(
			counter, previous[i] == MAP_NONE ? NULL : &counters->items[previous[i]]);

		/* totals that follow the intervals */
		if (counter->time == TIME_NONE)
			continue;
		if (!add_counter(cells, counters, &since, RATIO_INTERVAL, counter->time, err))
			return false;
	}
	return true;
}

static bool add_counters(struct counts *cells, const struct counters *counters, struct err *err)
{
	uint32_t *previous = counters_previous(counters, err);
	const bool ok = previous && add_totals(cells, counters, previous, err) &&
	                (!has_intervals(counters) || add_intervals(cells, counters, previous, err));

	free(previous);
	return ok;
}

/* The functions of results.csv by their numbers: pairs of function and binary. */
static bool add_functions(struct counts *cells, struct tuples *functions,
                          const struct results *results, struct err *err)
{
	for (size_t i = 0; i < results->row_count; i++) {
		const struct result_row *row = &results->rows[i];
		const uint32_t names[] = { row->function, row->binary };
		const uint32_t number = tuples_put(functions, names, err);
		const struct count_key key = { RATIO_FUNCTION, TIME_NONE, number, row->event };

		if (number == MAP_NONE ||
		    (row->period &&
		     !counts_add(cells, key, (struct count){ .count = (double)row->period }, err)))
			return false;
	}
	return true;
}

/* A cell with its key, for sorting. */
struct placed_count {
	struct count_key key;
	struct count cell;
};

static int compare_counts(const void *a, const void *b)
{
	const struct count_key *x = &((const struct placed_count *)a)->key;
	const struct count_key *y = &((const struct placed_count *)b)->key;
	int order = u64_order(x->scope, y->scope);

	/* what has no time is of the whole recording and comes first */
	if (!order)
		order = u64_order(x->time + 1, y->time + 1);
	if (!order)
		order = u64_order(x->place, y->place);
	return order ? order : u64_order(x->event, y->event);
}

/* malloc'd, sorted; NULL with err set. */
static struct placed_count *sort_counts(const struct counts *cells, struct err *err)
{
	struct placed_count *sorted = vec_new(cells->count, sizeof(*sorted), err);

	for (size_t i = 0; sorted && i < cells->count; i++) {
		memcpy(&sorted[i].key, tuples_get(&cells->keys, i), sizeof(sorted[i].key));
		sorted[i].cell = cells->items[i];
	}
	if (sorted)
		qsort(sorted, cells->count, sizeof(*sorted), compare_counts);
	return sorted;
}

/* The cells of one moment and place, and how long it lasted. */
struct group {
	const struct placed_count *cells;
	size_t count;
	double duration; /* ns */
};

static double percent_running(const struct count *cell)
{
	return cell->enabled > 0 ? 100 * cell->running / cell->enabled : -1;
}

/* The cell of an event, which must be among those of the group. */
static const struct count *find_count(const struct group *group, uint32_t event)
{
	size_t low = 0, high = group->count;

	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (group->cells[middle].key.event <= event)
			low = middle;
		else
			high = middle;
	}
	return group->cells[low].key.event == event ? &group->cells[low].cell : NULL;
}

/* False if one of the two is missing or 0. */
static bool fill_row(struct ratio_row *row, const struct group *group,
                     const struct placed_count *above, const struct ratio *ratio,
                     const struct session *session)
{
	const bool of_time = ratio->denominator == DENOMINATOR_TIME;
	const struct count *below = of_time ? NULL : find_count(group, ratio->denominator);
	double running;

	if (!of_time && !below)
		return false;
	*row = (struct ratio_row){
		.scope = (enum ratio_scope)above->key.scope,
		.kind = ratio->kind,
		.time = above->key.time,
		.cpu = -1,
		.numerator = (uint32_t)above->key.event,
		.denominator = ratio->denominator,
		.above = above->cell.count,
		.below = of_time ? group->duration : below->count,
		.running_percent = percent_running(&above->cell),
	};
	if (row->scope == RATIO_CPU)
		row->cpu = (int64_t)above->key.place;
	running = of_time ? row->running_percent : percent_running(below);
	row->running_percent = fmin(row->running_percent, running);
	row->value = row->above / row->below;
	if (ratio_is_percent(ratio->kind))
		row->value *= 100;
	if (ratio->kind == RATIO_PER_SECOND)
		row->value = counter_in_unit(row->above, session->events[row->numerator].scale) /
		             (row->below / NS_PER_SECOND);
	return row->below > 0 && isfinite(row->value);
}

static bool add_group(struct ratio_rows *rows, const struct group *group,
                      const struct ratio *ratios, const struct session *session,
                      const struct tuples *functions, struct err *err)
{
	for (size_t i = 0; i < group->count; i++) {
		const struct placed_count *above = &group->cells[i];
		const struct ratio *ratio;
		struct ratio_row row;

		/* samples of no known event have no ratios */
		if (above->key.event >= session->event_count)
			continue;
		ratio = &ratios[above->key.event];
		if (ratio->kind == RATIO_NONE || !fill_row(&row, group, above, ratio, session))
			continue;
		if (row.scope == RATIO_FUNCTION) {
			const uint32_t *names = tuples_get(functions, (size_t)above->key.place);

			row.function = names[0];
			row.binary = names[1];
		}
		if (!vec_append(&rows->rows, &rows->count, &rows->capacity, &row, sizeof(row), err))
			return false;
	}
	return true;
}

static bool same_group(const struct count_key *a, const struct count_key *b)
{
	return a->scope == b->scope && a->time == b->time && a->place == b->place;
}

/* The time of the last round: how long the recording lasted. */
static uint64_t end_of(const struct counters *counters)
{
	uint64_t end = 0;

	for (size_t i = 0; i < counters->count; i++)
		if (counters->items[i].time != TIME_NONE && counters->items[i].time > end)
			end = counters->items[i].time;
	return end;
}

/*
 * How long the moment of a group lasted: since the one before it, which began no later. The groups
 * of a scope are in order of time.
 */
struct last_moments {
	uint64_t end;          /* of the recording, ns */
	uint64_t scope;        /* of the last group */
	uint64_t time, before; /* its time, and the one before it; ns */
};

static double duration_of(struct last_moments *last, const struct count_key *key)
{
	if (key->time == TIME_NONE)
		return (double)last->end;
	if (key->scope != last->scope)
		*last = (struct last_moments){ .end = last->end, .scope = key->scope };
	if (key->time != last->time) {
		last->before = last->time;
		last->time = key->time;
	}
	return (double)(last->time - last->before);
}

static bool add_rows(struct ratio_rows *rows, const struct counts *cells,
                     const struct tuples *functions, const struct ratio *ratios,
                     const struct report *report, struct err *err)
{
	struct last_moments last = { .end = end_of(report_counters(report)) };
	struct placed_count *sorted = sort_counts(cells, err);
	bool ok = sorted;

	for (size_t i = 0, next; ok && i < cells->count; i = next) {
		struct group group = { .cells = &sorted[i],
			               .duration = duration_of(&last, &sorted[i].key) };

		for (next = i + 1;
		     next < cells->count && same_group(&sorted[i].key, &sorted[next].key);)
			next++;
		group.count = next - i;
		ok = add_group(rows, &group, ratios, report->session, functions, err);
	}
	free(sorted);
	return ok;
}

bool ratio_rows_make(struct ratio_rows *rows, const struct report *report, struct err *err)
{
	const bool counted = report_counters(report)->count != 0;
	struct ratio *ratios = ratios_of_events(report->session, counted, err);
	struct counts cells = { 0 };
	struct tuples functions;
	bool ok;

	tuples_init(&cells.keys, sizeof(struct count_key));
	tuples_init(&functions, 2 * sizeof(uint32_t));
	ok = ratios &&
	     (counted ? add_counters(&cells, report_counters(report), err)
	              : add_functions(&cells, &functions, report->results, err)) &&
	     add_rows(rows, &cells, &functions, ratios, report, err);
	tuples_release(&cells.keys);
	tuples_release(&functions);
	free(cells.items);
	free(ratios);
	return ok;
}

void ratio_rows_release(struct ratio_rows *rows)
{
	free(rows->rows);
	*rows = (struct ratio_rows){ 0 };
}
