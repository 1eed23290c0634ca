#include "decode/compare/run.h"

#include "decode/compare/runtable.h"
#include "decode/files/origin.h"
#include "util/hash.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void compare_run_release(struct compare_run *run)
{
	free(run->events);
	free(run->rows);
	memset(run, 0, sizeof(*run));
}

bool compare_run_add_event(struct compare_run *run, const struct run_event *event, struct err *err)
{
	if (!vec_room(&run->events, run->event_count, &run->event_capacity, sizeof(*event), err))
		return false;
	run->events[run->event_count++] = *event;
	return true;
}

bool compare_run_add_row(struct compare_run *run, const struct run_row *row, struct err *err)
{
	if (!vec_room(&run->rows, run->row_count, &run->row_capacity, sizeof(*row), err))
		return false;
	run->rows[run->row_count++] = *row;
	return true;
}

/*
 * Whether the name says that there is none. Functions without a name whose bounds are known are
 * recognised by the column `symbols`.
 */
static bool says_why(const char *symbols, const char *function)
{
	const enum symbol_origin origin = symbol_origin_find(symbols);

	return !strcmp(function, "[unknown]") ||
	       (origin != ORIGIN_COUNT && symbol_origin_is_reason(origin));
}

static bool read_result_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	/* the first five are required */
	enum {
		PERIOD,
		SAMPLES,
		FUNCTION,
		BINARY,
		EVENT,
		SOURCE_FILE,
		SYMBOLS,
		TOTAL_PERIOD,
		TOTAL_SAMPLES,
		COLUMNS
	};
	static const char *const names[COLUMNS] = { "period",  "samples",      "function",
		                                    "binary",  "event",        "source_file",
		                                    "symbols", "total_period", "total_samples" };
	size_t at[COLUMNS];

	if (!run_table_columns(table, names, COLUMNS, SOURCE_FILE, at, err))
		return false;
	while (run_table_next(table, err)) {
		struct run_row row = { 0 };

		if (!csv_table_u64(table, at[PERIOD], &row.period, err) ||
		    !csv_table_u64(table, at[SAMPLES], &row.samples, err) ||
		    !csv_table_u64(table, at[TOTAL_PERIOD], &row.total_period, err) ||
		    !csv_table_u64(table, at[TOTAL_SAMPLES], &row.total_samples, err))
			return false;
		row.function = run_table_string(table, at[FUNCTION], strings, err);
		row.binary = run_table_string(table, at[BINARY], strings, err);
		row.event = run_table_string(table, at[EVENT], strings, err);
		row.file = run_table_string(table, at[SOURCE_FILE], strings, err);
		row.unnamed = says_why(csv_table_text(table, at[SYMBOLS]),
		                       csv_table_text(table, at[FUNCTION]));
		row.has_totals = *csv_table_text(table, at[TOTAL_PERIOD]) != '\0';
		if (err->code || !compare_run_add_row(run, &row, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_event_rows(struct compare_run *run, struct csv_table *table,
                            struct strings *strings, struct err *err)
{
	/* the first three are required */
	enum {
		EVENT,
		SAMPLES,
		TOTAL_PERIOD,
		LOST,
		PERIOD,
		FREQUENCY,
		SELECTED_SAMPLES,
		SELECTED_PERIOD,
		COLUMNS
	};
	static const char *const names[COLUMNS] = {
		"event",  "samples",   "total_period",     "lost",
		"period", "frequency", "selected_samples", "selected_period"
	};
	size_t at[COLUMNS];

	if (!run_table_columns(table, names, COLUMNS, LOST, at, err))
		return false;
	while (run_table_next(table, err)) {
		struct run_event event = { 0 };

		if (!csv_table_u64(table, at[SAMPLES], &event.samples, err) ||
		    !csv_table_u64(table, at[TOTAL_PERIOD], &event.period, err) ||
		    !csv_table_u64(table, at[LOST], &event.lost, err) ||
		    !csv_table_u64(table, at[PERIOD], &event.sample_period, err) ||
		    !csv_table_u64(table, at[FREQUENCY], &event.frequency, err))
			return false;
		/* after a selection, the sum over the functions is that of the selected samples */
		if (*csv_table_text(table, at[SELECTED_SAMPLES]) &&
		    (!csv_table_u64(table, at[SELECTED_SAMPLES], &event.samples, err) ||
		     !csv_table_u64(table, at[SELECTED_PERIOD], &event.period, err)))
			return false;
		event.name = *csv_table_text(table, at[EVENT])
		                     ? run_table_string(table, at[EVENT], strings, err)
		                     : strings_put_text(strings, "[unnamed]", err);
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_header_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	static const char *const keys[RUN_FACT_COUNT] = {
		[RUN_HOST] = "hostname",         [RUN_CPU] = "cpudesc",
		[RUN_OS_RELEASE] = "os release", [RUN_PERF_VERSION] = "perf version",
		[RUN_CMDLINE] = "cmdline",
	};
	size_t key = csv_table_column(table, "key"), value = csv_table_column(table, "value");
	uint64_t first = 0, last = 0;
	struct err ignored = { 0 };

	while (run_table_next(table, err)) {
		const char *name = csv_table_text(table, key);

		for (size_t i = 0; i < RUN_FACT_COUNT; i++)
			if (!strcmp(name, keys[i]) && run->facts[i] == STRING_EMPTY)
				run->facts[i] = run_table_string(table, value, strings, err);
		if (!strcmp(name, "first sample, ns"))
			csv_table_u64(table, value, &first, &ignored);
		if (!strcmp(name, "last sample, ns"))
			csv_table_u64(table, value, &last, &ignored);
	}
	run->duration = last > first ? last - first : 0;
	return err->code == ERR_NONE;
}

/* Lines are sorted by cost: the first one of a function in its own file is kept. */
static bool read_line_rows(struct compare_run *run, struct csv_table *table,
                           struct strings *strings, struct err *err)
{
	enum { FUNCTION, SOURCE_FILE, LINE, COLUMNS };
	static const char *const names[COLUMNS] = { "function", "source_file", "line" };
	size_t at[COLUMNS];
	struct map rows; /* function << 32 | file -> row */
	bool ok = run_table_columns(table, names, COLUMNS, COLUMNS, at, err);

	map_init(&rows);
	for (size_t i = run->row_count; ok && i--;)
		ok = map_put(&rows, (uint64_t)run->rows[i].function << 32 | run->rows[i].file,
		             (uint32_t)i, err);
	while (ok && run_table_next(table, err)) {
		uint64_t function = run_table_string(table, at[FUNCTION], strings, err), line;
		uint64_t file = run_table_string(table, at[SOURCE_FILE], strings, err);
		uint32_t row;

		ok = err->code == ERR_NONE && csv_table_u64(table, at[LINE], &line, err);
		row = ok ? map_get(&rows, function << 32 | file) : MAP_NONE;
		if (row != MAP_NONE && !run->rows[row].line && line <= UINT32_MAX)
			run->rows[row].line = (uint32_t)line;
	}
	map_release(&rows);
	return ok && err->code == ERR_NONE;
}

/* The sums of the samples of one event, as each of two tables has them. */
struct event_sums {
	uint32_t name;
	uint64_t results_samples, results_period; /* sums over the functions */
	uint64_t events_samples, events_period;
};

/* Compares the sums of one event. What does not fit into 64 bits is not compared. */
static bool check_event_sums(const struct event_sums *sums, const char *folder,
                             const struct strings *strings, struct err *err)
{
	const char *event = strings_get(strings, sums->name);

	if (sums->results_samples != sums->events_samples)
		return err_set(err, ERR_FORMAT,
		               "%.300s: results.csv has %" PRIu64
		               " samples of %.100s, events.csv %" PRIu64
		               ": one of them is not whole, or they are of two runs",
		               folder, sums->results_samples, event, sums->events_samples);
	if (sums->results_period != sums->events_period && sums->results_period != UINT64_MAX &&
	    sums->events_period != UINT64_MAX)
		return err_set(err, ERR_FORMAT,
		               "%.300s: results.csv has a period of %" PRIu64
		               " of %.100s, events.csv %" PRIu64
		               ": one of them is not whole, or they are of two runs",
		               folder, sums->results_period, event, sums->events_period);
	return true;
}

/* Adds up the events of one name. Returns how many names there are. */
static size_t add_event_sums(const struct compare_run *run, struct event_sums *sums,
                             struct map *sums_of, struct err *err)
{
	size_t count = 0;

	for (size_t i = 0; i < run->event_count; i++) {
		const struct run_event *event = &run->events[i];
		uint32_t at = map_get(sums_of, event->name);

		if (at == MAP_NONE) {
			at = (uint32_t)count++;
			sums[at].name = event->name;
			if (!map_put(sums_of, event->name, at, err))
				break;
		}
		sums[at].events_samples = u64_add_sat(sums[at].events_samples, event->samples);
		sums[at].events_period = u64_add_sat(sums[at].events_period, event->period);
	}
	return count;
}

/*
 * results.csv is cut off, or of another run than events.csv, if its functions do not add up to the
 * events. Only samples whose event is not known have none in events.csv.
 */
static bool check_sums(const struct compare_run *run, const char *folder,
                       const struct strings *strings, struct err *err)
{
	struct event_sums *sums = calloc(run->event_count + 1, sizeof(*sums));
	struct map sums_of; /* name -> sums */
	size_t count;

	if (!sums)
		return err_nomem(err, (run->event_count + 1) * sizeof(*sums));
	map_init(&sums_of);
	count = add_event_sums(run, sums, &sums_of, err);
	for (size_t i = 0; err->code == ERR_NONE && i < run->row_count; i++) {
		const struct run_row *row = &run->rows[i];
		uint32_t at = map_get(&sums_of, row->event);

		if (at == MAP_NONE && !strcmp(strings_get(strings, row->event), "[unknown]"))
			continue;
		if (at == MAP_NONE) {
			err_set(err, ERR_FORMAT,
			        "%.300s: results.csv has samples of %.100s, which events.csv does not list",
			        folder, strings_get(strings, row->event));
			break;
		}
		sums[at].results_samples = u64_add_sat(sums[at].results_samples, row->samples);
		sums[at].results_period = u64_add_sat(sums[at].results_period, row->period);
	}
	for (size_t i = 0; err->code == ERR_NONE && i < count; i++)
		check_event_sums(&sums[i], folder, strings, err);
	map_release(&sums_of);
	free(sums);
	return err->code == ERR_NONE;
}

bool compare_run_read(struct compare_run *run, const char *folder, struct strings *strings,
                      struct err *err)
{
	static const struct {
		const char *name;
		bool optional;
		bool (*read)(struct compare_run *, struct csv_table *, struct strings *,
		             struct err *);
	} parts[] = { { "results.csv", false, read_result_rows },
		      { "events.csv", false, read_event_rows },
		      { "header.csv", true, read_header_rows },
		      { "lines.csv", true, read_line_rows } };
	char path[4096];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct csv_table table;
		bool there = true, ok;

		ok = run_table_open(&table, path, sizeof(path), folder, parts[i].name,
		                    parts[i].optional ? &there : NULL, err);
		if (ok && there)
			ok = parts[i].read(run, &table, strings, err);
		csv_table_close(&table);
		if (!ok)
			return false;
	}
	return check_sums(run, folder, strings, err);
}
