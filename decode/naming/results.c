#define _GNU_SOURCE /* qsort_r() */
#include "decode/naming/results.h"

#include "decode/naming/rows.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The sum of one event in one function. */
struct function_sum {
	uint64_t samples, period;
	uint32_t event, function;
};

struct function_sums {
	struct function_sum *items;
	size_t count, capacity;
	struct map index; /* event << 32 | function -> number */
};

void results_release(struct results *results)
{
	free(results->rows);
	memset(results, 0, sizeof(*results));
}

/* The index of the sum, or MAP_NONE with err set. */
static uint32_t find_sum(struct function_sums *sums, uint32_t event, uint32_t function,
                         struct err *err)
{
	uint32_t number = map_number(&sums->index, (uint64_t)event << 32 | function, err);

	if (number != sums->count)
		return number;
	if (!vec_room(&sums->items, number, &sums->capacity, sizeof(*sums->items), err))
		return MAP_NONE;
	sums->items[sums->count++] = (struct function_sum){ .event = event, .function = function };
	return number;
}

/* Adds up the cells by event and function. */
static bool sum_cells(struct function_sums *sums, const struct buildstat *stat,
                      const struct place_names *names, struct err *err)
{
	const struct cells *cells = &stat->cells;
	uint32_t number = MAP_NONE;

	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		uint32_t function = names->places[cell_place(cell)].function;
		uint32_t event = cells_kind_at(cells, cell->kind)->event;

		/* the places of a function are contiguous */
		if (number == MAP_NONE || sums->items[number].function != function ||
		    sums->items[number].event != event)
			number = find_sum(sums, event, function, err);
		if (number == MAP_NONE)
			return false;
		sums->items[number].samples += cell->samples;
		sums->items[number].period += cell->period;
	}
	return true;
}

#define REASON_COUNT ((size_t)ORIGIN_COUNT - ORIGIN_FIRST_REASON)

/* The samples of a binary, of all events, that have no name for one reason. */
struct unnamed_sum {
	uint64_t samples, period;
	uint64_t event_period; /* period of the first event that has any */
	uint32_t event;        /* that event */
};

/* Warns how much of an event's period would have been named by a file that is another build. */
static void warn_mismatch(const struct buildstat *stat, const struct unnamed_sum *sum,
                          const struct binary *binary, enum symbol_origin reason, struct diag *diag)
{
	bool build = reason == ORIGIN_BUILD_ID_MISMATCH;
	uint64_t whole = buildstat_totals(stat, sum->event)->period;
	const char *name;
	char percent[40];

	if (binary->kind != BINARY_FILE || !(build || reason == ORIGIN_OTHER_FILE))
		return;
	*format_percent(percent, sum->event_period, whole, 2) = '\0';
	name = strings_get(stat->strings, binary->name);
	diag_warn_about(
		diag, (struct diag_about){ name, sum->samples },
		"%s is not the file that was recorded (%s): not used, %s %% of the period has "
		"no name for it",
		name,
		build ? "its build id differs"
		      : "what was mapped does not fit it, or it has another inode",
		percent);
}

static void add_unnamed(struct unnamed_sum *to, const struct function_sum *sum)
{
	if (!to->samples || sum->event < to->event) {
		to->event = sum->event;
		to->event_period = sum->period;
	}
	to->samples += sum->samples;
	to->period += sum->period;
}

static bool is_interval(const struct session *session, uint32_t event)
{
	return event < session->event_count && session->events[event].derived &&
	       !session->events[event].counted;
}

/*
 * Adds up the samples without a name, over all events, by binary and reason; a binary may have many
 * nameless functions.
 */
static bool find_unnamed(struct results *results, const struct function_sums *sums,
                         const struct buildstat *stat, const struct place_names *names,
                         struct diag *diag, struct err *err)
{
	const size_t count = stat->binaries.count * REASON_COUNT;
	struct unnamed_sum *all = vec_new(count, sizeof(*all), err);
	const bool ok = all;

	for (size_t i = 0; ok && i < sums->count; i++) {
		const struct function_sum *sum = &sums->items[i];
		const struct function_name *function = &names->functions[sum->function];
		const size_t first = function->binary * REASON_COUNT;

		results->samples += sum->samples;
		results->period += sum->period;
		/* what threads did by records that have no address: nothing can be done about it */
		if (function->origin == ORIGIN_NO_MAP && is_interval(stat->session, sum->event))
			continue;
		results->nameable.samples += sum->samples;
		results->nameable.period += sum->period;
		if (symbol_origin_is_reason(function->origin))
			add_unnamed(&all[first + function->origin - ORIGIN_FIRST_REASON], sum);
	}
	for (size_t i = 0; ok && i < count; i++) {
		const struct binary *binary = &stat->binaries.items[i / REASON_COUNT];
		const enum symbol_origin reason = ORIGIN_FIRST_REASON + i % REASON_COUNT;
		struct unnamed *unnamed = &results->unnamed[reason];

		if (!all[i].samples)
			continue;
		warn_mismatch(stat, &all[i], binary, reason, diag);
		unnamed->samples += all[i].samples;
		unnamed->period += all[i].period;
		if (all[i].samples > unnamed->worst_samples) {
			unnamed->worst_samples = all[i].samples;
			unnamed->worst = binary->name;
		}
	}
	free(all);
	return ok;
}

static int compare_result_rows(const void *a, const void *b, void *strings)
{
	const struct result_row *x = a, *y = b;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = rows_compare_costs(x->period, x->samples, y->period, y->samples);
	if (!order && !x->samples)
		order = rows_compare_costs(x->total.period, x->total.samples, y->total.period,
		                           y->total.samples);
	if (!order)
		order = rows_compare_texts(strings, x->binary, y->binary);
	if (!order)
		order = rows_compare_texts(strings, x->function, y->function);
	return order ? order : rows_compare_texts(strings, x->file, y->file);
}

/* The samples of an event with the function in their stack; nothing if the event has no stacks. */
static struct call_count total_of_function(const struct call_totals *totals,
                                           const struct session *session, uint32_t function,
                                           uint32_t event)
{
	static const struct call_count none = { 0, 0 };

	return totals->functions ? totals->functions[function * totals->event_count +
	                                             call_event_of(session, event)]
	                         : none;
}

/* Adds the sum of one of the functions that are the row. */
static void add_to_row(struct result_row *row, const struct function_sum *sum,
                       const struct function_name *function)
{
	row->samples += sum->samples;
	row->period += sum->period;
	if (sum->samples > row->most ||
	    (sum->samples == row->most && function->origin < row->origin)) {
		row->most = sum->samples;
		row->origin = function->origin;
		row->build = function->binary;
	}
}

/* The number of functions in an event's stacks. */
static size_t count_totals(const struct call_totals *totals, const struct place_names *names)
{
	size_t count = 0;

	for (size_t i = 0; totals->chains && i < names->function_count * totals->event_count; i++)
		count += totals->functions[i].samples != 0;
	return count;
}

/*
 * Adds a row without samples for each function and event of which only callees have samples, unless
 * it has a row. There is room for them.
 */
static bool add_callers(struct results *results, struct map *row_of, const struct buildstat *stat,
                        const struct place_names *names, const struct call_totals *totals,
                        struct err *err)
{
	const size_t count = totals->chains ? names->function_count * totals->event_count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct function_name *function = &names->functions[i / totals->event_count];
		const size_t event = i % totals->event_count;
		const uint32_t number = event < stat->session->event_count ? (uint32_t)event
		                                                           : EVENT_UNKNOWN;
		uint32_t row;

		if (!totals->functions[i].samples)
			continue;
		row = map_number(row_of, (uint64_t)number << 32 | i / totals->event_count, err);
		if (row == MAP_NONE)
			return false;
		if (row == results->row_count)
			results->rows[results->row_count++] = (struct result_row){
				.total = totals->functions[i],
				.event = number,
				.binary = stat->binaries.items[function->binary].name,
				.function = function->name,
				.file = function->file,
				.build = function->binary,
				.origin = function->origin,
			};
	}
	return true;
}

static bool make_rows(struct results *results, const struct function_sums *sums,
                      const struct buildstat *stat, const struct place_names *names,
                      const struct call_totals *totals, struct err *err)
{
	struct result_row *rows = vec_new(sums->count + count_totals(totals, names), sizeof(*rows),
	                                  err);
	struct map row_of = { 0 }; /* event << 32 | first function that is alike -> row */

	results->rows = rows;
	for (size_t i = 0; rows && i < sums->count; i++) {
		const struct function_sum *sum = &sums->items[i];
		const struct function_name *function = &names->functions[sum->function];
		const uint32_t number = map_number(
			&row_of, (uint64_t)sum->event << 32 | function->alike, err);

		if (number == MAP_NONE)
			break;
		if (number == results->row_count)
			rows[results->row_count++] = (struct result_row){
				.total = total_of_function(totals, stat->session, function->alike,
				                           sum->event),
				.event = sum->event,
				.binary = stat->binaries.items[function->binary].name,
				.function = function->name,
				.file = function->file,
			};
		add_to_row(&rows[number], sum, function);
	}
	if (rows && err->code == ERR_NONE)
		add_callers(results, &row_of, stat, names, totals, err);
	map_release(&row_of);
	if (err->code != ERR_NONE)
		return false;
	qsort_r(rows, results->row_count, sizeof(*rows), compare_result_rows, stat->strings);
	return true;
}

bool results_make(struct results *results, const struct buildstat *stat,
                  const struct place_names *names, const struct call_totals *totals,
                  struct diag *diag, struct err *err)
{
	struct function_sums sums = { .items = NULL };
	bool ok;

	ok = sum_cells(&sums, stat, names, err) &&
	     find_unnamed(results, &sums, stat, names, diag, err) &&
	     make_rows(results, &sums, stat, names, totals, err);
	free(sums.items);
	map_release(&sums.index);
	return ok;
}
