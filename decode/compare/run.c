#include "decode/compare/run.h"

#include "decode/compare/runtable.h"
#include "decode/files/origin.h"
#include "util/hash.h"
#include "util/text.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PENDING_MOST 32u /* rows that are looked up together */

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
	const char *text; /* in the arena; its cells, each behind its length */
	size_t size;
	uint32_t function, binary, event, file; /* strings */
	bool unnamed;
};

void run_names_init(struct run_names *names, struct strings *strings)
{
	*names = (struct run_names){ .strings = strings, .seed = hash_seed() };
}

void run_names_release(struct run_names *names)
{
	arena_release(&names->arena);
	hash_index_release(&names->index);
	free(names->items);
	free(names->buffer);
	free(names->memory.text);
	memset(names, 0, sizeof(*names));
}

enum name_column { NAME_FUNCTION, NAME_BINARY, NAME_EVENT, NAME_FILE, NAME_SYMBOLS, NAME_COLUMNS };

/* The columns of results.csv. */
struct result_columns {
	size_t period, samples, total_period, total_samples;
	size_t names[NAME_COLUMNS];
};

/* A row that has been read, but not yet looked up. */
struct pending_row {
	struct run_row row;
	uint64_t hash;
	size_t start, size; /* of its names, in the buffer */
};

/* Writes the cells one behind the other, each behind its length, behind what is in the buffer. */
static bool join_names(struct run_names *names, const struct run_table *table,
                       const struct result_columns *columns, struct pending_row *pending,
                       struct err *err)
{
	char *to;

	pending->start = names->buffer_used;
	pending->size = 0;
	for (unsigned i = 0; i < NAME_COLUMNS; i++)
		pending->size += sizeof(uint32_t) +
		                 csv_table_length(&table->csv, columns->names[i]);
	if (!vec_reserve(&names->buffer, pending->start + pending->size, &names->buffer_size, 1,
	                 err))
		return false;
	to = names->buffer + pending->start;
	names->buffer_used += pending->size;
	for (unsigned i = 0; i < NAME_COLUMNS; i++) {
		const uint32_t length = (uint32_t)csv_table_length(&table->csv, columns->names[i]);

		memcpy(to, &length, sizeof(length));
		memcpy(to + sizeof(length), run_table_text(table, columns->names[i]), length);
		to += sizeof(length) + length;
	}
	pending->hash = hash_bytes(names->seed, names->buffer + pending->start, pending->size);
	return true;
}

/* The names that are looked for stand behind those that have a number. */
static bool is_same_names(const void *context, uint32_t number)
{
	const struct run_names *names = context;
	const struct row_names *item = &names->items[number], *wanted = &names->items[names->count];

	return item->size == wanted->size && !memcmp(item->text, wanted->text, wanted->size);
}

/* Sets what new names are, from their text. False with err set when memory is refused. */
static bool add_names(struct run_names *names, struct row_names *item, struct err *err)
{
	uint32_t put[NAME_COLUMNS];
	const char *from, *text[NAME_COLUMNS];

	item->text = from = arena_text(&names->arena, item->text, item->size, err);
	if (!from)
		return false;
	for (unsigned i = 0; i < NAME_COLUMNS; i++) {
		uint32_t length;

		memcpy(&length, from, sizeof(length));
		text[i] = from + sizeof(length);
		from = text[i] + length;
		/* a cell has no NUL inside, but need not be followed by one here */
		put[i] = strings_put(names->strings, text[i], length, err);
		if (put[i] == STRING_NONE)
			return false;
	}
	item->function = put[NAME_FUNCTION];
	item->binary = put[NAME_BINARY];
	item->event = put[NAME_EVENT];
	item->file = put[NAME_FILE];
	item->unnamed = says_why(strings_get(names->strings, put[NAME_SYMBOLS]),
	                         strings_get(names->strings, put[NAME_FUNCTION]));
	return true;
}

/* The number of a row's names; UINT32_MAX with err set when memory is refused. */
static uint32_t number_names(struct run_names *names, const struct pending_row *pending,
                             struct err *err)
{
	const size_t count = names->count;
	uint32_t number;

	if (!vec_room(&names->items, count, &names->capacity, sizeof(*names->items), err))
		return UINT32_MAX;
	names->items[count] = (struct row_names){ .text = names->buffer + pending->start,
		                                  .size = pending->size };
	number = hash_index_put(&names->index, pending->hash, (uint32_t)count, is_same_names, names,
	                        err);
	if (number != count || number == MAP_NONE)
		return number;
	if (!add_names(names, &names->items[count], err))
		return UINT32_MAX;
	names->count++;
	return number;
}

/* Reads the numbers and names of a row. False with err set. */
static bool read_pending(struct run_names *names, const struct run_table *table,
                         const struct result_columns *columns, struct pending_row *pending,
                         struct err *err)
{
	struct run_row *row = &pending->row;

	*row = (struct run_row){ .period = run_table_u64(table, columns->period, err) };
	row->samples = run_table_u64(table, columns->samples, err);
	row->total_period = run_table_u64(table, columns->total_period, err);
	row->total_samples = run_table_u64(table, columns->total_samples, err);
	row->has_totals = *run_table_text(table, columns->total_period) != '\0';
	return !err->code && join_names(names, table, columns, pending, err);
}

/*
 * Adds rows that have been read. They are looked up together, so that the processor fetches what
 * one of them needs while it waits for that of the others: 1,500 tables of 20,000 functions, each
 * in another order, take 8.5 s and not 11.9 s.
 */
static bool add_pending(struct compare_run *run, struct run_names *names, struct pending_row *rows,
                        size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		const uint32_t first = hash_index_first(&names->index, rows[i].hash);

		if (first != MAP_NONE)
			__builtin_prefetch(&names->items[first]);
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t first = hash_index_first(&names->index, rows[i].hash);

		if (first == MAP_NONE)
			continue;
		__builtin_prefetch(names->items[first].text);
		__builtin_prefetch(names->items[first].text + 64);
	}
	for (size_t i = 0; i < count; i++) {
		const uint32_t number = number_names(names, &rows[i], err);
		struct run_row *row = &rows[i].row;

		if (number == UINT32_MAX)
			return false;
		row->function = names->items[number].function;
		row->binary = names->items[number].binary;
		row->event = names->items[number].event;
		row->file = names->items[number].file;
		row->unnamed = names->items[number].unnamed;
		row->names = number + 1;
		if (!compare_run_add_row(run, row, err))
			return false;
	}
	names->buffer_used = 0;
	return true;
}

static bool read_result_rows(struct compare_run *run, struct run_table *table,
                             struct run_names *names, struct err *err)
{
	const struct result_columns columns = {
		.period = run_table_column(table, "period", err),
		.samples = run_table_column(table, "samples", err),
		.total_period = csv_table_column(&table->csv, "total_period"),
		.total_samples = csv_table_column(&table->csv, "total_samples"),
		.names = { [NAME_FUNCTION] = run_table_column(table, "function", err),
		           [NAME_BINARY] = run_table_column(table, "binary", err),
		           [NAME_EVENT] = run_table_column(table, "event", err),
		           [NAME_FILE] = csv_table_column(&table->csv, "source_file"),
		           [NAME_SYMBOLS] = csv_table_column(&table->csv, "symbols") },
	};
	struct pending_row rows[PENDING_MOST];
	size_t count = 0;

	names->buffer_used = 0;
	while (err->code == ERR_NONE && run_table_next(table, err)) {
		if (!read_pending(names, table, &columns, &rows[count], err))
			return false;
		/* a function that only calls others has no cost of its own */
		count += rows[count].row.samples || rows[count].row.period;
		if (count < PENDING_MOST)
			continue;
		if (!add_pending(run, names, rows, count, err))
			return false;
		count = 0;
	}
	return err->code == ERR_NONE && add_pending(run, names, rows, count, err);
}

/* Whether an event with this name counts nanoseconds of a clock. */
static bool event_is_clock(const char *name)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		const char *rest = text_after(name, clocks[i]);

		if (rest && (!*rest || *rest == ':' || *rest == '/'))
			return true;
	}
	return false;
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
	const size_t type = csv_table_column(&table->csv, "type");
	const size_t selected_samples = csv_table_column(&table->csv, "selected_samples");
	const size_t selected_period = csv_table_column(&table->csv, "selected_period");

	(void)names;
	while (err->code == ERR_NONE && run_table_next(table, err)) {
		struct run_event event = { .samples = run_table_u64(table, samples, err) };

		event.period = run_table_u64(table, total_period, err);
		event.lost = run_table_u64(table, lost, err);
		event.sample_period = run_table_u64(table, period, err);
		event.frequency = run_table_u64(table, frequency, err);
		event.is_interval = strcmp(run_table_text(table, type), "interval") == 0;
		/* after a selection, the sum over the functions is that of the selected samples */
		if (*run_table_text(table, selected_samples)) {
			event.samples = run_table_u64(table, selected_samples, err);
			event.period = run_table_u64(table, selected_period, err);
		}
		event.name = *run_table_text(table, name)
		                     ? run_table_string(table, name, err)
		                     : strings_put_text(table->strings, "[unnamed]", err);
		/* the tables do not tell whether --weight made them count a field */
		event.is_time = event.is_interval || event_is_clock(run_table_text(table, name));
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
