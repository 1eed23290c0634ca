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
	struct run_event *events = vec_grow(run->events, run->event_count, &run->event_capacity,
	                                    sizeof(*events), err);

	if (!events)
		return false;
	run->events = events;
	events[run->event_count++] = *event;
	return true;
}

bool compare_run_add_row(struct compare_run *run, const struct run_row *row, struct err *err)
{
	struct run_row *rows = vec_grow(run->rows, run->row_count, &run->row_capacity,
	                                sizeof(*rows), err);

	if (!rows)
		return false;
	run->rows = rows;
	rows[run->row_count++] = *row;
	return true;
}

/*
 * Whether the name says that there is none. Functions without a name whose bounds are known are
 * recognised by the column `symbols`.
 */
static bool says_why(const char *symbols, const char *function)
{
	if (!strcmp(function, "[unknown]"))
		return true;
	for (unsigned i = ORIGIN_FIRST_REASON; i < ORIGIN_COUNT; i++)
		if (!strcmp(symbols, origins[i].word))
			return true;
	return false;
}

static bool read_result_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	static const char *const names[] = { "period",  "samples",      "function",
		                             "binary",  "event",        "source_file",
		                             "symbols", "total_period", "total_samples" };
	size_t at[ARRAY_SIZE(names)];

	if (!run_table_columns(table, names, ARRAY_SIZE(names), 5, at, err))
		return false;
	while (csv_table_next(table)) {
		struct run_row row = { 0 };

		if (!csv_table_u64(table, at[0], &row.period, err) ||
		    !csv_table_u64(table, at[1], &row.samples, err) ||
		    !csv_table_u64(table, at[7], &row.total_period, err) ||
		    !csv_table_u64(table, at[8], &row.total_samples, err))
			return false;
		row.function = run_table_string(table, at[2], strings, err);
		row.binary = run_table_string(table, at[3], strings, err);
		row.event = run_table_string(table, at[4], strings, err);
		row.file = run_table_string(table, at[5], strings, err);
		row.unnamed = says_why(csv_table_text(table, at[6]), csv_table_text(table, at[2]));
		row.has_totals = *csv_table_text(table, at[7]) != '\0';
		if (err->code || !compare_run_add_row(run, &row, err))
			return false;
	}
	return true;
}

static bool read_event_rows(struct compare_run *run, struct csv_table *table,
                            struct strings *strings, struct err *err)
{
	static const char *const names[] = {
		"event",  "samples",   "total_period",     "lost",
		"period", "frequency", "selected_samples", "selected_period"
	};
	size_t at[ARRAY_SIZE(names)];

	if (!run_table_columns(table, names, ARRAY_SIZE(names), 3, at, err))
		return false;
	while (csv_table_next(table)) {
		struct run_event event = { 0 };

		if (!csv_table_u64(table, at[1], &event.samples, err) ||
		    !csv_table_u64(table, at[2], &event.period, err) ||
		    !csv_table_u64(table, at[3], &event.lost, err) ||
		    !csv_table_u64(table, at[4], &event.sample_period, err) ||
		    !csv_table_u64(table, at[5], &event.frequency, err))
			return false;
		/* after a selection, the sum over the functions is that of the selected samples */
		if (*csv_table_text(table, at[6]) &&
		    (!csv_table_u64(table, at[6], &event.samples, err) ||
		     !csv_table_u64(table, at[7], &event.period, err)))
			return false;
		event.name = run_table_string(table, at[0], strings, err);
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return true;
}

static bool read_header_rows(struct compare_run *run, struct csv_table *table,
                             struct strings *strings, struct err *err)
{
	size_t key = csv_table_column(table, "key"), value = csv_table_column(table, "value");
	uint64_t first = 0, last = 0;
	struct err ignored = { 0 };

	while (csv_table_next(table)) {
		const char *name = csv_table_text(table, key);
		const struct {
			const char *name;
			uint32_t *fact;
		} facts[] = { { "hostname", &run->facts.host },
			      { "cpudesc", &run->facts.cpu },
			      { "os release", &run->facts.os_release },
			      { "perf version", &run->facts.perf_version },
			      { "cmdline", &run->facts.cmdline } };

		for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
			if (!strcmp(name, facts[i].name) && *facts[i].fact == STRING_EMPTY)
				*facts[i].fact = run_table_string(table, value, strings, err);
		if (!strcmp(name, "first sample, ns"))
			csv_table_u64(table, value, &first, &ignored);
		if (!strcmp(name, "last sample, ns"))
			csv_table_u64(table, value, &last, &ignored);
	}
	run->facts.duration = last > first ? last - first : 0;
	return err->code == ERR_NONE;
}

/* Lines are sorted by cost: the first one of a function in its own file is kept. */
static bool read_line_rows(struct compare_run *run, struct csv_table *table,
                           struct strings *strings, struct err *err)
{
	static const char *const names[] = { "function", "source_file", "line" };
	size_t at[ARRAY_SIZE(names)];
	struct map rows; /* function << 32 | file -> row */
	bool ok = run_table_columns(table, names, ARRAY_SIZE(names), ARRAY_SIZE(names), at, err);

	map_init(&rows);
	for (size_t i = run->row_count; ok && i--;)
		ok = map_put(&rows, (uint64_t)run->rows[i].function << 32 | run->rows[i].file,
		             (uint32_t)i, err);
	while (ok && csv_table_next(table)) {
		uint64_t function = run_table_string(table, at[0], strings, err), line;
		uint64_t file = run_table_string(table, at[1], strings, err);
		uint32_t row;

		ok = err->code == ERR_NONE && csv_table_u64(table, at[2], &line, err);
		row = ok ? map_get(&rows, function << 32 | file) : MAP_NONE;
		if (row != MAP_NONE && !run->rows[row].line && line <= UINT32_MAX)
			run->rows[row].line = (uint32_t)line;
	}
	map_release(&rows);
	return ok;
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
	return true;
}
