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
	free(run->costs);
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

/* What a row of results.csv is about. */
struct row_names {
	uint32_t function, binary, event, file; /* strings */
	bool unnamed;
};

bool run_names_init(struct run_names *names, struct strings *strings, struct err *err)
{
	*names = (struct run_names){ .strings = strings };
	return strings_init(&names->texts, err);
}

void run_names_release(struct run_names *names)
{
	strings_release(&names->texts);
	free(names->items);
	free(names->buffer);
	free(names->memory.text);
	memset(names, 0, sizeof(*names));
}

enum name_column { NAME_FUNCTION, NAME_BINARY, NAME_EVENT, NAME_FILE, NAME_SYMBOLS, NAME_COLUMNS };

/* Writes the cells one behind the other, each behind its length. Returns how many bytes; 0: err. */
static size_t join_names(struct run_names *names, const struct run_table *table,
                         const size_t columns[NAME_COLUMNS], struct err *err)
{
	size_t size = 0;
	char *to;

	for (unsigned i = 0; i < NAME_COLUMNS; i++)
		size += sizeof(uint32_t) + csv_table_length(&table->csv, columns[i]);
	if (!vec_reserve(&names->buffer, size, &names->buffer_size, 1, err))
		return 0;
	to = names->buffer;
	for (unsigned i = 0; i < NAME_COLUMNS; i++) {
		const uint32_t length = (uint32_t)csv_table_length(&table->csv, columns[i]);

		memcpy(to, &length, sizeof(length));
		memcpy(to + sizeof(length), run_table_text(table, columns[i]), length);
		to += sizeof(length) + length;
	}
	return size;
}

/* The number of a row's names; UINT32_MAX with err set when memory is refused. */
static uint32_t number_names(struct run_names *names, const struct run_table *table,
                             const size_t columns[NAME_COLUMNS], struct err *err)
{
	const size_t size = join_names(names, table, columns, err), count = names->texts.count;
	struct row_names row;
	uint32_t number;

	if (!size || !vec_room(&names->items, count, &names->capacity, sizeof(row), err))
		return UINT32_MAX;
	number = strings_put(&names->texts, names->buffer, size, err);
	if (number == STRING_NONE || number < count)
		return number;
	row.function = run_table_string(table, columns[NAME_FUNCTION], err);
	row.binary = run_table_string(table, columns[NAME_BINARY], err);
	row.event = run_table_string(table, columns[NAME_EVENT], err);
	row.file = run_table_string(table, columns[NAME_FILE], err);
	row.unnamed = says_why(run_table_text(table, columns[NAME_SYMBOLS]),
	                       run_table_text(table, columns[NAME_FUNCTION]));
	names->items[number] = row;
	return err->code ? UINT32_MAX : number;
}

static bool read_result_rows(struct compare_run *run, struct run_table *table,
                             struct run_names *names, struct err *err)
{
	const size_t period = run_table_column(table, "period", err);
	const size_t samples = run_table_column(table, "samples", err);
	const size_t columns[NAME_COLUMNS] = {
		[NAME_FUNCTION] = run_table_column(table, "function", err),
		[NAME_BINARY] = run_table_column(table, "binary", err),
		[NAME_EVENT] = run_table_column(table, "event", err),
		[NAME_FILE] = csv_table_column(&table->csv, "source_file"),
		[NAME_SYMBOLS] = csv_table_column(&table->csv, "symbols"),
	};
	const size_t total_period = csv_table_column(&table->csv, "total_period");
	const size_t total_samples = csv_table_column(&table->csv, "total_samples");

	while (err->code == ERR_NONE && run_table_next(table, err)) {
		struct run_row row = { .period = run_table_u64(table, period, err) };
		const struct row_names *of;
		uint32_t number;

		row.samples = run_table_u64(table, samples, err);
		row.total_period = run_table_u64(table, total_period, err);
		row.total_samples = run_table_u64(table, total_samples, err);
		row.has_totals = *run_table_text(table, total_period) != '\0';
		if (err->code)
			return false;
		/* a function that only calls others has no cost of its own */
		if (!row.samples && !row.period)
			continue;
		number = number_names(names, table, columns, err);
		if (number == UINT32_MAX)
			return false;
		of = &names->items[number];
		row.function = of->function;
		row.binary = of->binary;
		row.event = of->event;
		row.file = of->file;
		row.unnamed = of->unnamed;
		row.names = number + 1;
		if (!compare_run_add_row(run, &row, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_event_rows(struct compare_run *run, struct run_table *table,
                            struct run_names *names, struct err *err)
{
	const size_t name = run_table_column(table, "event", err);
	const size_t samples = run_table_column(table, "samples", err);
	const size_t total_period = run_table_column(table, "total_period", err);
	const size_t lost = csv_table_column(&table->csv, "lost");
	const size_t period = csv_table_column(&table->csv, "period");
	const size_t frequency = csv_table_column(&table->csv, "frequency");
	const size_t selected_samples = csv_table_column(&table->csv, "selected_samples");
	const size_t selected_period = csv_table_column(&table->csv, "selected_period");

	(void)names;
	while (err->code == ERR_NONE && run_table_next(table, err)) {
		struct run_event event = { .samples = run_table_u64(table, samples, err) };

		event.period = run_table_u64(table, total_period, err);
		event.lost = run_table_u64(table, lost, err);
		event.sample_period = run_table_u64(table, period, err);
		event.frequency = run_table_u64(table, frequency, err);
		/* after a selection, the sum over the functions is that of the selected samples */
		if (*run_table_text(table, selected_samples)) {
			event.samples = run_table_u64(table, selected_samples, err);
			event.period = run_table_u64(table, selected_period, err);
		}
		event.name = *run_table_text(table, name)
		                     ? run_table_string(table, name, err)
		                     : strings_put_text(table->strings, "[unnamed]", err);
		if (err->code || !compare_run_add_event(run, &event, err))
			return false;
	}
	return err->code == ERR_NONE;
}

static bool read_header_rows(struct compare_run *run, struct run_table *table,
                             struct run_names *names, struct err *err)
{
	static const char *const keys[RUN_FACT_COUNT] = {
		[RUN_HOST] = "hostname",         [RUN_CPU] = "cpudesc",
		[RUN_OS_RELEASE] = "os release", [RUN_PERF_VERSION] = "perf version",
		[RUN_CMDLINE] = "cmdline",
	};
	const size_t key = csv_table_column(&table->csv, "key");
	const size_t value = csv_table_column(&table->csv, "value");
	uint64_t first = 0, last = 0;
	struct err ignored = { 0 };

	(void)names;
	while (run_table_next(table, err)) {
		const char *name = run_table_text(table, key);

		for (size_t i = 0; i < RUN_FACT_COUNT; i++)
			if (!strcmp(name, keys[i]) && run->facts[i] == STRING_EMPTY)
				run->facts[i] = run_table_string(table, value, err);
		if (!strcmp(name, "first sample, ns"))
			first = run_table_u64(table, value, &ignored);
		if (!strcmp(name, "last sample, ns"))
			last = run_table_u64(table, value, &ignored);
	}
	run->duration = last > first ? last - first : 0;
	return err->code == ERR_NONE;
}

/* Lines are sorted by cost: the first one of a function in its own file is kept. */
static bool read_line_rows(struct compare_run *run, struct run_table *table,
                           struct run_names *names, struct err *err)
{
	const size_t function_column = run_table_column(table, "function", err);
	const size_t file_column = run_table_column(table, "source_file", err);
	const size_t line_column = run_table_column(table, "line", err);
	struct map rows = { 0 }; /* function << 32 | file -> row */
	bool ok = err->code == ERR_NONE;

	(void)names;
	for (size_t i = run->row_count; ok && i--;)
		ok = map_put(&rows, (uint64_t)run->rows[i].function << 32 | run->rows[i].file,
		             (uint32_t)i, err);
	while (ok && run_table_next(table, err)) {
		uint64_t function = run_table_string(table, function_column, err);
		uint64_t file = run_table_string(table, file_column, err);
		uint64_t line = run_table_u64(table, line_column, err);
		uint32_t row = map_get(&rows, function << 32 | file);

		ok = err->code == ERR_NONE;
		if (row != MAP_NONE && !run->rows[row].line && line <= UINT32_MAX)
			run->rows[row].line = (uint32_t)line;
	}
	map_release(&rows);
	return ok && err->code == ERR_NONE;
}

/* The samples of one event, in events.csv and in results.csv; periods modulo 2^64. */
struct event_sums {
	uint32_t name;
	bool listed, wrapped;
	struct {
		uint64_t samples, period;
	} event, rows;
};

/* All events of a run by name. */
struct sum_list {
	struct map number_of;
	struct event_sums *items;
	size_t count, capacity;
};

static struct event_sums *sums_of(struct sum_list *list, uint32_t name, struct err *err)
{
	const struct event_sums sums = { .name = name };
	const uint32_t number = map_number(&list->number_of, name, err);

	if (number == MAP_NONE)
		return NULL;
	if (number == list->count &&
	    !vec_append(&list->items, &list->count, &list->capacity, &sums, sizeof(sums), err))
		return NULL;
	return &list->items[number];
}

static bool add_up(const struct compare_run *run, struct sum_list *list, struct err *err)
{
	for (size_t i = 0; i < run->event_count; i++) {
		struct event_sums *sums = sums_of(list, run->events[i].name, err);

		if (!sums)
			return false;
		sums->listed = true;
		sums->event.samples += run->events[i].samples;
		sums->event.period += run->events[i].period;
	}
	for (size_t i = 0; i < run->row_count; i++) {
		struct event_sums *sums = sums_of(list, run->rows[i].event, err);

		if (!sums)
			return false;
		sums->rows.samples += run->rows[i].samples;
		sums->wrapped |= __builtin_add_overflow(sums->rows.period, run->rows[i].period,
		                                        &sums->rows.period);
	}
	return true;
}

/*
 * results.csv is cut off, or of another run than events.csv, if its functions do not add up to the
 * events, modulo 2^64. Only samples whose event is not known have none in events.csv.
 */
static bool check_sums(const struct event_sums *sums, const char *folder, const char *event,
                       struct err *err)
{
	if (!sums->listed && sums->rows.samples && strcmp(event, "[unknown]") != 0)
		return err_set(
			err, ERR_FORMAT,
			"%.300s: results.csv has samples of %.100s, which events.csv does not list",
			folder, event);
	if (sums->listed &&
	    (sums->rows.period != sums->event.period || sums->rows.samples != sums->event.samples))
		return err_set(err, ERR_FORMAT,
		               "%.300s: results.csv has %" PRIu64
		               " samples of %.100s with a period of %" PRIu64
		               ", events.csv %" PRIu64 " and %" PRIu64
		               ": one of them is not whole, or they are of two runs",
		               folder, sums->rows.samples, event, sums->rows.period,
		               sums->event.samples, sums->event.period);
	return true;
}

static bool check_run_sums(struct compare_run *run, const char *folder,
                           const struct strings *strings, struct err *err)
{
	struct sum_list list = { .count = 0 };
	bool ok = add_up(run, &list, err);

	for (size_t i = 0; ok && i < list.count; i++)
		ok = check_sums(&list.items[i], folder, strings_get(strings, list.items[i].name),
		                err);
	for (size_t i = 0; ok && i < run->event_count; i++)
		run->events[i].wrapped =
			list.items[map_get(&list.number_of, run->events[i].name)].wrapped;
	map_release(&list.number_of);
	free(list.items);
	return ok;
}

bool compare_run_read(struct compare_run *run, const char *folder, struct run_names *names,
                      struct err *err)
{
	static const struct {
		const char *name;
		bool optional;
		bool (*read)(struct compare_run *, struct run_table *, struct run_names *,
		             struct err *);
	} parts[] = { { "results.csv", false, read_result_rows },
		      { "events.csv", false, read_event_rows },
		      { "header.csv", true, read_header_rows },
		      { "lines.csv", true, read_line_rows } };
	struct run_table table = { .strings = names->strings, .memory = &names->memory };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		bool ok = run_table_open(&table, folder, parts[i].name, parts[i].optional, err) &&
		          (!table.csv.columns || parts[i].read(run, &table, names, err));

		run_table_close(&table);
		if (!ok)
			return false;
	}
	return check_run_sums(run, folder, names->strings, err);
}
