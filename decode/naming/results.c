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
	uint32_t build; /* number of the binary with the function that determines the origin */
	uint64_t most;  /* samples of the function that determines the origin, if several are added
	                   up */
	uint8_t origin;
	bool merged; /* it was added to another one */
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

/* The sums of all events in one function. */
struct function_total {
	uint64_t samples, period;
	uint64_t event_period; /* period of its first event */
	uint32_t event;
};

/*
 * Adds up samples without a name by binary and reason; a binary may have many nameless functions.
 */
static void note_unnamed(struct results *results, uint64_t *samples_of,
                         const struct function_name *function, const struct binary *binary,
                         const struct function_total *total)
{
	struct unnamed *unnamed = &results->unnamed[function->origin];
	uint64_t *samples = &samples_of[(size_t)function->binary * ORIGIN_COUNT + function->origin];

	*samples += total->samples;
	unnamed->samples += total->samples;
	unnamed->period += total->period;
	if (*samples > unnamed->worst_samples) {
		unnamed->worst_samples = *samples;
		unnamed->worst = binary->name;
	}
}

/* Warns how much of an event's period would have been named by a file that is another build. */
static void warn_mismatch(const struct buildstat *stat, const struct function_total *total,
                          const struct binary *binary, enum symbol_origin reason, struct diag *diag)
{
	bool build = reason == ORIGIN_BUILD_ID_MISMATCH;
	uint64_t whole = buildstat_totals(stat, total->event)->period;
	const char *name;
	char percent[40];

	*format_percent(percent, total->event_period, whole, 2) = '\0';
	name = strings_get(stat->strings, binary->name);
	diag_warn_about(
		diag, (struct diag_about){ name, total->samples },
		"%s is not the file that was recorded (%s): not used, %s %% of the period has "
		"no name for it",
		name,
		build ? "its build id differs"
		      : "what was mapped does not fit it, or it has another inode",
		percent);
}

/* Adds up the samples without a name, over all events. */
static bool find_unnamed(struct results *results, const struct function_sums *sums,
                         const struct buildstat *stat, const struct place_names *names,
                         struct diag *diag, struct err *err)
{
	struct function_total *totals = calloc(names->function_count + 1, sizeof(*totals));
	uint64_t *samples_of = calloc(stat->binaries.count * ORIGIN_COUNT, sizeof(*samples_of));

	if (!totals || !samples_of) {
		free(totals);
		free(samples_of);
		return err_nomem(err, names->function_count * sizeof(*totals));
	}
	for (size_t i = 0; i < sums->count; i++) {
		const struct function_sum *sum = &sums->items[i];
		struct function_total *total = &totals[sum->function];

		results->samples += sum->samples;
		results->period += sum->period;
		if (!total->samples || sum->event < total->event) {
			total->event = sum->event;
			total->event_period = sum->period;
		}
		total->samples += sum->samples;
		total->period += sum->period;
	}
	for (size_t i = 0; i < names->function_count; i++) {
		const struct function_name *function = &names->functions[i];
		const struct binary *binary = &stat->binaries.items[function->binary];

		if (function->origin < ORIGIN_FIRST_REASON || !totals[i].samples)
			continue;
		if (binary->kind == BINARY_FILE && (function->origin == ORIGIN_BUILD_ID_MISMATCH ||
		                                    function->origin == ORIGIN_OTHER_FILE))
			warn_mismatch(stat, &totals[i], binary, function->origin, diag);
		note_unnamed(results, samples_of, function, binary, &totals[i]);
	}
	free(totals);
	free(samples_of);
	return true;
}

/*
 * Adds up functions that are the same row of the table; the one with most samples determines the
 * origin.
 */
static bool merge_alike(struct function_sums *sums, const struct place_names *names,
                        struct err *err)
{
	size_t count = sums->count;

	for (size_t i = 0; i < count; i++) {
		sums->items[i].most = sums->items[i].samples;
		sums->items[i].origin = names->functions[sums->items[i].function].origin;
		sums->items[i].build = names->functions[sums->items[i].function].binary;
	}
	for (size_t i = 0; i < count; i++) {
		struct function_sum sum = sums->items[i], *into;
		uint32_t alike = names->functions[sum.function].alike, number;

		if (alike == sum.function)
			continue;
		number = find_sum(sums, sum.event, alike, err);
		if (number == MAP_NONE)
			return false;
		sums->items[i].merged = true;
		into = &sums->items[number];
		into->samples += sum.samples;
		into->period += sum.period;
		if (sum.most > into->most ||
		    (sum.most == into->most && sum.origin < into->origin)) {
			into->most = sum.most;
			into->origin = sum.origin;
			into->build = sum.build;
		}
	}
	return true;
}

static int compare_result_rows(const void *a, const void *b, void *strings)
{
	const struct result_row *x = a, *y = b;
	int order;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	order = rows_compare_costs(x->period, x->samples, y->period, y->samples);
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

static bool make_rows(struct results *results, const struct function_sums *sums,
                      const struct buildstat *stat, const struct place_names *names,
                      const struct call_totals *totals, struct err *err)
{
	struct result_row *rows = malloc((sums->count + 1) * sizeof(*rows));

	results->rows = rows;
	if (!rows)
		return err_nomem(err, sums->count * sizeof(*rows));
	for (size_t i = 0; i < sums->count; i++) {
		const struct function_sum *sum = &sums->items[i];
		const struct function_name *function = &names->functions[sum->function];

		if (sum->merged)
			continue;
		rows[results->row_count++] = (struct result_row){
			.period = sum->period,
			.samples = sum->samples,
			.total = total_of_function(totals, stat->session, sum->function,
			                           sum->event),
			.event = sum->event,
			.binary = stat->binaries.items[function->binary].name,
			.function = function->name,
			.file = function->file,
			.build = sum->build,
			.origin = sum->origin
		};
	}
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
	     merge_alike(&sums, names, err) && make_rows(results, &sums, stat, names, totals, err);
	free(sums.items);
	map_release(&sums.index);
	return ok;
}
