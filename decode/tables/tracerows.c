#include "decode/tables/tracerows.h"

#include "decode/tables/tables.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define FILE_NAME_MOST 200              /* bytes of a table's name */
#define CELL_TEXT_MOST (5 * 64 * 1024)  /* bytes: up to five for each of a record's */
#define BUFFER_SIZE ((size_t)64 * 1024) /* of each table: there may be a thousand */
#define DIRECT_MOST 8192                /* bytes of a cell that is written right into the buffer */
#define NUMBER_MOST 32                  /* bytes of a number, and what is written around it */
#define TASKS_KEPT 1024                 /* a power of two */
#define TEXTS_KEPT 64                   /* of values of a field; a power of two */

/* A cell of a field's value that has names. */
struct kept_names {
	uint64_t value;
	size_t length;
	char *text; /* of VALUE_TEXT_SIZE bytes; NULL: none is kept */
};

struct trace_column {
	const struct field *field; /* NULL: all of the raw data */
	enum { SHOWS_VALUE, SHOWS_NAMES, SHOWS_FUNCTION } shows;
	unsigned function;       /* which of those of the row */
	struct kept_names *kept; /* TEXTS_KEPT, by value */
};

struct trace_table {
	char name[FILE_NAME_MOST];
	uint32_t type;
	uint64_t config; /* of the events whose samples are in it */
	const struct event_format *source;
	struct table_format format;
	struct column *columns;
	struct trace_column *fields; /* by column; the first ones are not used */
	unsigned function_count;
	bool begun;
	struct table_writer out;
	struct csv csv;   /* of out, if that writes text */
	struct csv *rows; /* the same, if rows can be written right into its buffer */
};

#define NAME_MOST 15    /* bytes of a thread's name that the kernel keeps */
#define NUMBERS_MOST 40 /* bytes of the cells before it */

/* The cells ",cpu,pid,tid,comm,". */
struct trace_task {
	int32_t cpu, pid, tid;
	uint32_t comm, has_tid;
	uint32_t length; /* 0: none are kept */
	char text[NUMBERS_MOST + CSV_CELL_MOST(NAME_MOST)];
};

/* A row whose cells are asked for one by one. */
struct cell_row {
	struct trace_rows *rows;
	struct trace_table *table;
	const struct trace_row *row;
};

VALUE(cell_row, trace_nr, value_u64(row->row->sample->nr));
VALUE(cell_row, trace_time,
      value_if(row->row->sample->time != TIME_NONE, value_time(row->row->sample->time)));
VALUE(cell_row, trace_cpu, value_if(row->row->sample->cpu >= 0, value_i64(row->row->sample->cpu)));
VALUE(cell_row, trace_pid, value_if(row->row->sample->has_tid, value_i64(row->row->sample->pid)));
VALUE(cell_row, trace_tid, value_if(row->row->sample->has_tid, value_i64(row->row->sample->tid)));
VALUE(cell_row, trace_comm,
      value_str(strings_get(row->rows->stat->strings, row->row->sample->comm)));
VALUE(cell_row, trace_frame, value_if(row->row->frame != 0, value_u64(row->row->frame)));

const struct column trace_own_columns[TRACE_OWN_COLUMNS] = {
	{ "nr", COLUMN_INTEGER, "", "position of its record in the file, as in overview.csv", 7,
	  trace_nr },
	{ "time", COLUMN_TIME, "ns", "of the recording's clock", 1, trace_time },
	{ "cpu", COLUMN_INTEGER, "", "where it happened", 5, trace_cpu },
	{ "pid", COLUMN_INTEGER, "", "process", 3, trace_pid },
	{ "tid", COLUMN_INTEGER, "", "thread", 4, trace_tid },
	{ "comm", COLUMN_TEXT, "", "name of the process at that moment", 2, trace_comm },
	{ "frame", COLUMN_INTEGER, "", "innermost: with event, a row of calltree.csv", 6,
	  trace_frame },
};

/* The names of a value. */
static struct value names_of(struct trace_rows *rows, const struct trace_column *column,
                             const struct trace_row *row, uint64_t value)
{
	const struct field *field = column->field;
	struct kept_names *kept = &column->kept[(value ^ value >> 6) % TEXTS_KEPT];
	struct err refused = { .code = ERR_NONE };

	if (field->decider ||
	    (!kept->text && !(kept->text = arena_alloc(&rows->arena, VALUE_TEXT_SIZE, &refused))))
		return value_text(rows->text,
		                  value_names_text(field->names, value,
		                                   field_decision(field, &row->raw), rows->text));
	if (!kept->length || kept->value != value)
		kept->length = value_names_text(field->names, value, 0, kept->text);
	kept->value = value;
	return value_text(kept->text, kept->length);
}

static struct value function_of(const struct trace_rows *rows, const struct trace_row *row,
                                unsigned function)
{
	const struct pointed_code *pointed = &rows->stat->pointed;
	const uint32_t number = row->functions[function];

	return number == MAP_NONE
	               ? value_none()
	               : value_str(strings_get(rows->stat->strings, pointed->names[number]));
}

static struct value number_of(struct trace_rows *rows, const struct trace_column *column,
                              const struct trace_row *row, uint64_t value)
{
	const struct field *field = column->field;
	struct err refused = { .code = ERR_NONE };

	if (column->shows == SHOWS_NAMES)
		return names_of(rows, column, row, value);
	if (field->kind == FIELD_TEXT_POINTER) {
		const char *text = formats_text(&rows->stat->trace.formats, value, &refused);

		return text ? value_str(text) : value_address(value);
	}
	return field->kind == FIELD_HEX      ? value_address(value)
	       : field->kind == FIELD_SIGNED ? value_i64((int64_t)value)
	                                     : value_u64(value);
}

static struct value value_of(struct trace_rows *rows, const struct trace_column *column,
                             const struct trace_row *row)
{
	static const struct field all = { .kind = FIELD_BYTES };
	const struct field *field = column->field ? column->field : &all;
	struct raw_data bytes = row->raw;
	uint64_t value;

	if (column->shows == SHOWS_FUNCTION)
		return function_of(rows, row, column->function);
	if (field_is_number(field))
		return field_number(field, &row->raw, &value) ? number_of(rows, column, row, value)
		                                              : value_none();
	if (column->field)
		bytes = field_bytes(field, &row->raw);
	if (!bytes.data)
		return value_none();
	if (field->kind == FIELD_TEXT)
		return value_text((const char *)bytes.data, bytes.size);
	return value_text(rows->text, field_print(field, &bytes, rows->text, CELL_TEXT_MOST));
}

static struct value cell_value(const void *any, size_t number)
{
	const struct cell_row *row = any;

	return value_of(row->rows, &row->table->fields[number], row->row);
}

static bool is_taken(const struct trace_table *table, const char *name)
{
	for (size_t i = 0; i < table->format.column_count; i++)
		/* databases take small and capital letters for the same */
		if (!strcasecmp(table->columns[i].name, name))
			return true;
	return false;
}

/* Adds a column; a name that is there gets "_" appended until it is another. */
static bool add_column(struct trace_rows *rows, struct trace_table *table, const char *name,
                       const char *ending, enum column_type type, struct trace_column own,
                       struct err *err)
{
	const size_t length = strlen(name) + strlen(ending);
	const size_t number = table->format.column_count;
	char *unique = arena_alloc(&rows->arena, length + number + 1, err);

	if (!unique)
		return false;
	snprintf(unique, length + 1, "%s%s", name, ending);
	for (size_t end = length; is_taken(table, unique); end++) {
		unique[end] = '_';
		unique[end + 1] = '\0';
	}
	if (own.shows == SHOWS_NAMES) {
		const size_t size = TEXTS_KEPT * sizeof(*own.kept);

		own.kept = arena_alloc(&rows->arena, size, err);
		if (!own.kept)
			return false;
		memset(own.kept, 0, size);
	}
	table->fields[number] = own;
	table->columns[number] = (struct column){
		.name = unique, .type = type, .unit = "", .meaning = "a field of the tracepoint"
	};
	table->format.column_count++;
	return true;
}

static enum column_type type_of_field(const struct field *field)
{
	switch (field->kind) {
	case FIELD_SIGNED:
		return COLUMN_INTEGER;
	case FIELD_UNSIGNED:
		return field->width == 8 ? COLUMN_UNSIGNED : COLUMN_INTEGER;
	case FIELD_HEX:
		return COLUMN_ADDRESS;
	default:
		return COLUMN_TEXT;
	}
}

static bool add_field(struct trace_rows *rows, struct trace_table *table, const struct field *field,
                      struct err *err)
{
	struct trace_column own = { .field = field };

	if (!add_column(rows, table, field->name, "", type_of_field(field), own, err))
		return false;
	own.shows = SHOWS_NAMES;
	if (field->names && !add_column(rows, table, field->name, "_text", COLUMN_TEXT, own, err))
		return false;
	if (!field->is_function || table->function_count == TRACE_FUNCTIONS_MOST)
		return true;
	own.shows = SHOWS_FUNCTION;
	own.function = table->function_count++;
	return add_column(rows, table, field->name, "_function", COLUMN_TEXT, own, err);
}

static bool make_columns(struct trace_rows *rows, struct trace_table *table, struct err *err)
{
	const struct format *source = &table->source->format;
	/* a field may have two columns more; without fields there is one of raw data */
	const size_t most = TRACE_OWN_COLUMNS + 1 + 3 * (source->count - source->common_count);

	table->columns = arena_alloc(&rows->arena, most * sizeof(*table->columns), err);
	table->fields = arena_alloc(&rows->arena, most * sizeof(*table->fields), err);
	if (!table->columns || !table->fields)
		return false;
	memcpy(table->columns, trace_own_columns, sizeof(trace_own_columns));
	table->format = (struct table_format){ .name = table->name,
		                               .columns = table->columns,
		                               .column_count = TRACE_OWN_COLUMNS,
		                               .value_at = cell_value };
	if (source->count == 0)
		return add_column(rows, table, "raw", "", COLUMN_TEXT,
		                  (struct trace_column){ .field = NULL }, err);
	for (size_t i = source->common_count; i < source->count; i++)
		if (!add_field(rows, table, &source->fields[i], err))
			return false;
	return true;
}

/* trace-SYSTEM-NAME, and a number behind it if another table has that name. */
static void name_table(const struct trace_rows *rows, struct trace_table *table, const char *event)
{
	size_t length = (size_t)snprintf(table->name, FILE_NAME_MOST - 8, "trace-%s", event);
	unsigned number = 1;

	if (length >= FILE_NAME_MOST - 8)
		length = FILE_NAME_MOST - 9;
	for (char *c = table->name; *c; c++)
		if (!is_of_identifier(*c))
			*c = '-';
	for (size_t i = 0; i < rows->count;) {
		if (strcmp(rows->tables[i++]->name, table->name) != 0)
			continue;
		snprintf(table->name + length, 8, "-%u", ++number);
		i = 0;
	}
}

/* Makes the table of an event; not yet its file. */
static bool add_table(struct trace_rows *rows, uint32_t event, struct err *err)
{
	const struct session *session = rows->stat->session;
	const struct event_attr *attr = &session->events[event].attr;
	struct trace_table *table;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->tables[i]->type == attr->type &&
		    rows->tables[i]->config == attr->config) {
			rows->table_of[event] = (uint32_t)i + 1;
			return true;
		}
	table = vec_new(1, sizeof(*table), err);
	if (!table ||
	    !vec_append(&rows->tables, &rows->count, &rows->capacity, &table, sizeof(table), err)) {
		free(table);
		return false;
	}
	table->type = attr->type;
	table->config = attr->config;
	table->source = formats_of(&rows->stat->trace.formats, event, err);
	if (!table->source)
		return false;
	rows->count--; /* its name is not one of the others' */
	name_table(rows, table,
	           table->source->name ? table->source->name
	                               : buildstat_event_name(session, event));
	rows->table_of[event] = (uint32_t)++rows->count;
	return make_columns(rows, table, err);
}

uint32_t trace_rows_table(struct trace_rows *rows, uint32_t event, struct err *err)
{
	static const uint32_t none;

	while (rows->event_count <= event)
		if (!vec_append(&rows->table_of, &rows->event_count, &rows->event_capacity, &none,
		                sizeof(none), err))
			return UINT32_MAX;
	if (!rows->table_of[event] && !add_table(rows, event, err))
		return UINT32_MAX;
	return rows->table_of[event] - 1;
}

bool trace_rows_has(const struct buildstat *stat, uint32_t event)
{
	return trace_log_has(stat->session, event) &&
	       buildstat_totals(stat, event)->selected_samples;
}

const struct table_format *trace_rows_format(const struct trace_rows *rows, uint32_t table)
{
	return &rows->tables[table]->format;
}

static bool begin(struct trace_rows *rows, struct trace_table *table, struct err *err)
{
	if (table->begun)
		return true;
	table->begun = true;
	table->out = rows->out;
	if (csv_beside(&rows->out, &table->csv)) {
		table->csv.size = BUFFER_SIZE;
		table->out.context = &table->csv;
		table->rows = csv_of_writer(&table->out);
		if (table->csv.spreadsheet)
			table->rows = NULL;
	}
	return table_begin(&table->out, &table->format, err);
}

bool trace_rows_begin(struct trace_rows *rows, uint32_t event, struct err *err)
{
	const uint32_t number = trace_rows_table(rows, event, err);

	return number != UINT32_MAX && begin(rows, rows->tables[number], err);
}

bool trace_rows_init(struct trace_rows *rows, struct buildstat *stat,
                     const struct table_writer *out, struct err *err)
{
	*rows = (struct trace_rows){ .stat = stat, .out = *out };
	rows->tasks = vec_new(TASKS_KEPT, sizeof(*rows->tasks), err);
	rows->text = vec_new(CELL_TEXT_MOST, 1, err);
	return rows->tasks && rows->text;
}

void trace_rows_release(struct trace_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		if (rows->tables[i]->begun)
			table_discard(&rows->tables[i]->out);
		free(rows->tables[i]);
	}
	free(rows->tables);
	free(rows->table_of);
	free(rows->tasks);
	free(rows->text);
	arena_release(&rows->arena);
	memset(rows, 0, sizeof(*rows));
}

bool trace_rows_end(struct trace_rows *rows, struct err *err)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct trace_table *table = rows->tables[i];

		if (table->begun && !table_end(&table->out, err))
			return false;
		if (table->begun)
			table_discard(&table->out);
		table->begun = false;
	}
	return true;
}

/* The cells of a sample's task; NULL: they are too long to be kept. */
static const struct trace_task *find_task(struct trace_rows *rows,
                                          const struct traced_sample *sample)
{
	struct trace_task *task =
		&rows->tasks[((uint32_t)sample->tid * 8 + (uint32_t)sample->cpu) % TASKS_KEPT];
	const char *comm;
	size_t length;
	char *out;

	if (task->length && task->cpu == sample->cpu && task->tid == sample->tid &&
	    task->pid == sample->pid && task->comm == sample->comm &&
	    task->has_tid == sample->has_tid)
		return task;
	comm = strings_get(rows->stat->strings, sample->comm);
	length = strlen(comm);
	if (sample->pid < 0 || sample->tid < 0 || length > NAME_MOST)
		return NULL;
	out = task->text;
	*out++ = ',';
	if (sample->cpu >= 0)
		out = format_u64(out, (uint32_t)sample->cpu);
	*out++ = ',';
	if (sample->has_tid)
		out = format_u64(out, (uint32_t)sample->pid);
	*out++ = ',';
	if (sample->has_tid)
		out = format_u64(out, (uint32_t)sample->tid);
	*out++ = ',';
	out = csv_cell(out, comm, length);
	*out++ = ',';
	task->cpu = sample->cpu;
	task->pid = sample->pid;
	task->tid = sample->tid;
	task->comm = sample->comm;
	task->has_tid = sample->has_tid;
	task->length = (uint32_t)(out - task->text);
	return task;
}

/* A row that is written right into the buffer of its table. */
struct direct_row {
	struct trace_table *table;
	struct csv *csv;
	char *out; /* behind what is written */
};

/* Makes room for so many bytes. */
static inline void make_room(struct direct_row *direct, size_t size)
{
	struct csv *csv = direct->csv;

	if ((size_t)(csv->buffer + csv->size - direct->out) >= size)
		return;
	csv_rows_end(csv, direct->out, 0);
	direct->out = csv_room(csv, size);
}

/* Writes a cell by the writer of the table. */
static void put_slowly(struct direct_row *direct, const struct value *value)
{
	csv_rows_end(direct->csv, direct->out, 0);
	direct->csv->column = 1; /* so that its comma is written */
	direct->table->out.kind->cell(direct->csv, value);
	direct->csv->column = 0;
	direct->out = csv_room(direct->csv, NUMBER_MOST);
}

static void put_value(struct direct_row *direct, const struct value *value)
{
	const size_t most = CSV_CELL_MOST(value->length) + 1;

	if (value->kind != CELL_NONE && (value->kind != CELL_TEXT || most > DIRECT_MOST)) {
		put_slowly(direct, value);
		return;
	}
	make_room(direct, value->kind == CELL_NONE ? 1 : most);
	*direct->out++ = ',';
	if (value->kind == CELL_TEXT)
		direct->out = csv_cell(direct->out, value->text, value->length);
}

/* A field with one number that is shown as it is. */
static inline void put_number(struct direct_row *direct, const struct field *field,
                              const struct raw_data *raw)
{
	uint64_t value;

	make_room(direct, NUMBER_MOST);
	*direct->out++ = ',';
	if (!field_number(field, raw, &value))
		return;
	if (field->kind == FIELD_HEX) {
		direct->out = format_hex(direct->out, value);
		return;
	}
	if (field->kind == FIELD_SIGNED && value >> 63) {
		*direct->out++ = '-';
		value = -value;
	}
	direct->out = format_u64(direct->out, value);
}

static void put_numbers(struct direct_row *direct, const struct field *field,
                        const struct raw_data *bytes)
{
	make_room(direct, DIRECT_MOST + 1);
	*direct->out++ = ',';
	if (bytes->data)
		direct->out += field_print(field, bytes, direct->out, DIRECT_MOST);
}

static void put_field(struct direct_row *direct, struct trace_rows *rows,
                      const struct trace_column *column, const struct trace_row *row)
{
	const struct field *field = column->field;
	struct value value;

	if (column->shows == SHOWS_VALUE && field && field->kind <= FIELD_HEX) {
		put_number(direct, field, &row->raw);
		return;
	}
	if (field && field->kind == FIELD_NUMBERS) {
		const struct raw_data bytes = field_bytes(field, &row->raw);

		/* each byte is up to five characters */
		if (bytes.size <= DIRECT_MOST / 5) {
			put_numbers(direct, field, &bytes);
			return;
		}
	}
	value = value_of(rows, column, row);
	put_value(direct, &value);
}

/* Writes a row right into the buffer. False: it has to be written cell by cell. */
static bool put_directly(struct trace_rows *rows, struct trace_table *table,
                         const struct trace_row *row)
{
	const struct trace_task *task = table->rows ? find_task(rows, row->sample) : NULL;
	struct direct_row direct = { .table = table, .csv = table->rows };

	if (!task)
		return false;
	direct.out = csv_room(direct.csv, 4 * NUMBER_MOST + sizeof(task->text));
	direct.out = format_u64(direct.out, row->sample->nr);
	*direct.out++ = ',';
	if (row->sample->time != TIME_NONE)
		direct.out = format_u64(direct.out, row->sample->time);
	memcpy(direct.out, task->text, task->length);
	direct.out += task->length;
	if (row->frame)
		direct.out = format_u64(direct.out, row->frame);
	for (size_t i = TRACE_OWN_COLUMNS; i < table->format.column_count; i++)
		put_field(&direct, rows, &table->fields[i], row);
	make_room(&direct, 1);
	*direct.out++ = '\n';
	csv_rows_end(direct.csv, direct.out, 1);
	return true;
}

bool trace_rows_put(struct trace_rows *rows, const struct trace_row *row, struct err *err)
{
	const uint32_t number = trace_rows_table(rows, row->sample->event, err);
	struct trace_table *table;

	if (number == UINT32_MAX)
		return false;
	table = rows->tables[number];
	if (!table->begun && !begin(rows, table, err))
		return false;
	if (!put_directly(rows, table, row)) {
		const struct cell_row cells = { rows, table, row };

		table_row(&table->out, &cells);
	}
	/* a write that failed is reported now, and not after millions of rows */
	return !table->rows || !table->rows->error || table_end(&table->out, err);
}

bool trace_rows_take(void *context, const struct traced_sample *sample, const struct raw_data *raw,
                     struct err *err)
{
	const struct trace_row row = { .sample = sample, .raw = *raw };

	return trace_rows_put(context, &row, err);
}
