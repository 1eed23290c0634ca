#include "decode/compare/run.h"

#include "decode/compare/runtable.h"
#include "decode/files/origin.h"
#include "util/hash.h"
#include "util/vec.h"

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
	return vec_append(&run->events, &run->event_count, &run->event_capacity, event,
	                  sizeof(*event), err);
}

bool compare_run_add_row(struct compare_run *run, const struct run_row *row, struct err *err)
{
	return vec_append(&run->rows, &run->row_count, &run->row_capacity, row, sizeof(*row), err);
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

static bool read_result_rows(struct compare_run *run, struct run_table *table, struct err *err)
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

	if (!run_table_columns(table, names, COLUMNS, SOURCE_FILE, err))
		return false;
	while (run_table_next(table, err)) {
		struct run_row row = { .period = run_table_u64(table, PERIOD, err) };

		row.samples = run_table_u64(table, SAMPLES, err);
		row.total_period = run_table_u64(table, TOTAL_PERIOD, err);
		row.total_samples = run_table_u64(table, TOTAL_SAMPLES, err);
		row.function = run_table_string(table, FUNCTION, err);
		row.binary = run_table_string(table, BINARY, err);
		row.event = run_table_string(table, EVENT, err);
		row.file = run_table_string(table, SOURCE_FILE, err);
		row.unnamed = says_why(run_table_text(table, SYMBOLS),
		                       run_table_text(table, FUNCTION));
		row.has_totals = *run_table_text(table, TOTAL_PERIOD) != '\0';
		if (err->code || !compare_run_add_row(run, &row, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_event_rows(struct compare_run *run, struct run_table *table, struct err *err)
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

	if (!run_table_columns(table, names, COLUMNS, LOST, err))
		return false;
	while (run_table_next(table, err)) {
		struct run_event event = { .samples = run_table_u64(table, SAMPLES, err) };

		event.period = run_table_u64(table, TOTAL_PERIOD, err);
		event.lost = run_table_u64(table, LOST, err);
		event.sample_period = run_table_u64(table, PERIOD, err);
		event.frequency = run_table_u64(table, FREQUENCY, err);
		/* after a selection, the sum over the functions is that of the selected samples */
		if (*run_table_text(table, SELECTED_SAMPLES)) {
			event.samples = run_table_u64(table, SELECTED_SAMPLES, err);
			event.period = run_table_u64(table, SELECTED_PERIOD, err);
		}
		event.name = *run_table_text(table, EVENT)
		                     ? run_table_string(table, EVENT, err)
		                     : strings_put_text(table->strings, "[unnamed]", err);
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_header_rows(struct compare_run *run, struct run_table *table, struct err *err)
{
	static const char *const keys[RUN_FACT_COUNT] = {
		[RUN_HOST] = "hostname",         [RUN_CPU] = "cpudesc",
		[RUN_OS_RELEASE] = "os release", [RUN_PERF_VERSION] = "perf version",
		[RUN_CMDLINE] = "cmdline",
	};
	static const char *const names[] = { "key", "value" };
	enum { KEY, VALUE };
	uint64_t first = 0, last = 0;
	struct err ignored = { 0 };

	run_table_columns(table, names, ARRAY_SIZE(names), 0, err);
	while (run_table_next(table, err)) {
		const char *name = run_table_text(table, KEY);

		for (size_t i = 0; i < RUN_FACT_COUNT; i++)
			if (!strcmp(name, keys[i]) && run->facts[i] == STRING_EMPTY)
				run->facts[i] = run_table_string(table, VALUE, err);
		if (!strcmp(name, "first sample, ns"))
			first = run_table_u64(table, VALUE, &ignored);
		if (!strcmp(name, "last sample, ns"))
			last = run_table_u64(table, VALUE, &ignored);
	}
	run->duration = last > first ? last - first : 0;
	return err->code == ERR_NONE;
}

/* Lines are sorted by cost: the first one of a function in its own file is kept. */
static bool read_line_rows(struct compare_run *run, struct run_table *table, struct err *err)
{
	enum { FUNCTION, SOURCE_FILE, LINE, COLUMNS };
	static const char *const names[COLUMNS] = { "function", "source_file", "line" };
	struct map rows = { 0 }; /* function << 32 | file -> row */
	bool ok = run_table_columns(table, names, COLUMNS, COLUMNS, err);

	for (size_t i = run->row_count; ok && i--;)
		ok = map_put(&rows, (uint64_t)run->rows[i].function << 32 | run->rows[i].file,
		             (uint32_t)i, err);
	while (ok && run_table_next(table, err)) {
		uint64_t function = run_table_string(table, FUNCTION, err);
		uint64_t file = run_table_string(table, SOURCE_FILE, err);
		uint64_t line = run_table_u64(table, LINE, err);
		uint32_t row = map_get(&rows, function << 32 | file);

		ok = err->code == ERR_NONE;
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
		bool (*read)(struct compare_run *, struct run_table *, struct err *);
	} parts[] = { { "results.csv", false, read_result_rows },
		      { "events.csv", false, read_event_rows },
		      { "header.csv", true, read_header_rows },
		      { "lines.csv", true, read_line_rows } };
	struct run_table table = { .strings = strings };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool there = true, ok;

		ok = run_table_open(&table, folder, parts[i].name,
		                    parts[i].optional ? &there : NULL, err);
		if (ok && there)
			ok = parts[i].read(run, &table, err);
		csv_table_close(&table.csv);
		if (!ok)
			return false;
	}
	run->from_tables = true;
	return true;
}
