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
	run->from_tables = true;
	return true;
}
