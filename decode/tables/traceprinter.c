/*
 * The tables of -t trace: one for each recorded tracepoint, with its own fields as columns.
 *
 *   nr,time,cpu,pid,tid,comm,frame,<the fields in the order of the format>
 *
 * A field whose values the print format names is followed by FIELD_text, one that it shows as a
 * function by FIELD_function. Samples lie in one file in
 * order of time, which is read once for each table.
 */
#include "decode/tables/sampleframes.h"
#include "decode/tables/sampleplaces.h"
#include "util/digits.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>

#define OWN_COLUMNS 7
#define FILE_NAME_MOST 200          /* bytes of a table's name */
#define CELL_TEXT_MOST (128 * 1024) /* bytes: two for each of a record's */

struct trace_column {
	const struct field *field; /* NULL: all of the raw data */
	bool is_text;              /* the names of the field's value */
	unsigned function;         /* from 1: the name of this of the functions; 0: none */
	/* the value that was named last; its text is at `kept` */
	bool has_kept;
	uint64_t kept_value;
	size_t kept_length;
	char *kept; /* of VALUE_TEXT_SIZE bytes */
};

struct trace_table {
	char name[FILE_NAME_MOST];
	uint32_t type;
	uint64_t config; /* of the events whose samples are in it */
	const struct event_format *format;
};

struct trace_printer {
	struct table_writer *out;
	const struct report *report;
	struct sample_frames frames;
	struct sample_places places;
	struct trace_table *tables;
	size_t table_count, table_capacity;
	uint32_t *table_of; /* by event; UINT32_MAX: none */
	/* of the table that is being written */
	struct column columns[TRACE_COLUMNS_MOST];
	struct trace_column fields[TRACE_COLUMNS_MOST];
	size_t column_count;
	unsigned function_count;
	struct arena arena; /* names of columns, and kept texts */
	char *text;         /* CELL_TEXT_MOST bytes, for one cell */
};

struct trace_row {
	struct trace_printer *printer;
	struct traced_sample sample;
	const uint8_t *raw;
	uint32_t frame;
};

VALUE(trace_row, trace_nr, value_u64(row->sample.nr));
VALUE(trace_row, trace_time, value_if(row->sample.time != TIME_NONE, value_time(row->sample.time)));
VALUE(trace_row, trace_cpu, value_if(row->sample.cpu >= 0, value_i64(row->sample.cpu)));
VALUE(trace_row, trace_pid, value_if(row->sample.has_tid, value_i64(row->sample.pid)));
VALUE(trace_row, trace_tid, value_if(row->sample.has_tid, value_i64(row->sample.tid)));
VALUE(trace_row, trace_comm,
      value_str(strings_get(row->printer->report->stat->strings, row->sample.comm)));
VALUE(trace_row, trace_frame, value_if(row->frame != 0, value_u64(row->frame)));

static const struct column own_columns[OWN_COLUMNS] = {
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

static struct value bytes_in_hex(struct trace_printer *printer, const uint8_t *raw, size_t size)
{
	static const struct field all = { .kind = FIELD_BYTES };

	return value_text(printer->text, field_print(&all, (struct field_bytes){ raw, size }, false,
	                                             printer->text, CELL_TEXT_MOST));
}

static struct value name_of_value(struct trace_column *column, uint64_t value)
{
	if (!column->has_kept || column->kept_value != value) {
		column->kept_length = value_names_text(column->field->names, value, column->kept);
		column->kept_value = value;
		column->has_kept = true;
	}
	return value_text(column->kept, column->kept_length);
}

/* The name of the function that the field points to. */
static struct value name_of_function(const struct report *report, unsigned function)
{
	const struct pointed_code *pointed = &report->stat->pointed;
	const uint32_t number = report->stat->trace.functions[function - 1];

	return number == MAP_NONE
	               ? value_none()
	               : value_str(strings_get(report->stat->strings, pointed->names[number]));
}

static struct value number_of_field(const struct trace_row *row, const struct field *field,
                                    uint64_t value)
{
	struct trace_printer *printer = row->printer;
	struct err refused = { .code = ERR_NONE };

	if (field->kind == FIELD_TEXT_POINTER) {
		const char *text = formats_text(&printer->report->stat->trace.formats, value,
		                                &refused);

		return text ? value_str(text) : value_address(value);
	}
	return field->kind == FIELD_HEX      ? value_address(value)
	       : field->kind == FIELD_SIGNED ? value_i64((int64_t)value)
	                                     : value_u64(value);
}

static struct value trace_value(const void *any, size_t number)
{
	const struct trace_row *row = any;
	struct trace_printer *printer = row->printer;
	struct trace_column *column = &printer->fields[number];
	const bool swap = formats_swap(&printer->report->stat->trace.formats);
	const size_t size = row->sample.raw_size;
	struct field_bytes bytes;
	uint64_t value;

	if (column->function)
		return name_of_function(printer->report, column->function);
	if (!column->field)
		return bytes_in_hex(printer, row->raw, size);
	if (field_is_number(column->field)) {
		if (!field_number(column->field, row->raw, size, swap, &value))
			return value_none();
		return column->is_text ? name_of_value(column, value)
		                       : number_of_field(row, column->field, value);
	}
	bytes = field_bytes(column->field, row->raw, size, swap);
	if (!bytes.data)
		return value_none();
	if (column->field->kind == FIELD_TEXT)
		return value_text((const char *)bytes.data, bytes.size);
	return value_text(printer->text,
	                  field_print(column->field, bytes, swap, printer->text, CELL_TEXT_MOST));
}

static bool is_taken(const struct trace_printer *printer, const char *name)
{
	for (size_t i = 0; i < printer->column_count; i++)
		if (!strcmp(printer->columns[i].name, name))
			return true;
	return false;
}

/* Adds a column; a name that is there gets "_" appended until it is another. */
static bool add_column(struct trace_printer *printer, const char *name, const char *ending,
                       enum column_type type, const struct field *field, struct err *err)
{
	const size_t length = strlen(name) + strlen(ending);
	char *unique = arena_alloc(&printer->arena, length + TRACE_COLUMNS_MOST + 1, err);
	struct trace_column *own = &printer->fields[printer->column_count];

	if (!unique)
		return false;
	snprintf(unique, length + 1, "%s%s", name, ending);
	for (size_t end = length; is_taken(printer, unique); end++)
		unique[end] = '_';
	*own = (struct trace_column){ .field = field, .is_text = strcmp(ending, "_text") == 0 };
	if (own->is_text && !(own->kept = arena_alloc(&printer->arena, VALUE_TEXT_SIZE, err)))
		return false;
	if (!own->is_text && *ending)
		own->function = ++printer->function_count;
	printer->columns[printer->column_count++] = (struct column){
		.name = unique, .type = type, .unit = "", .meaning = "a field of the tracepoint"
	};
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

static bool make_columns(struct trace_printer *printer, const struct format *format,
                         struct err *err)
{
	arena_release(&printer->arena);
	memcpy(printer->columns, own_columns, sizeof(own_columns));
	printer->column_count = OWN_COLUMNS;
	printer->function_count = 0;
	if (format->count == 0)
		return add_column(printer, "raw", "", COLUMN_TEXT, NULL, err);
	for (size_t i = format->common_count;
	     i < format->count && printer->column_count + 3 <= TRACE_COLUMNS_MOST; i++) {
		const struct field *field = &format->fields[i];

		if (!add_column(printer, field->name, "", type_of_field(field), field, err) ||
		    (field->names &&
		     !add_column(printer, field->name, "_text", COLUMN_TEXT, field, err)) ||
		    (field->is_function && printer->function_count < TRACE_FUNCTIONS_MOST &&
		     !add_column(printer, field->name, "_function", COLUMN_TEXT, field, err)))
			return false;
	}
	return true;
}

/* Writes the rows of one table. */
static bool print_rows(struct trace_printer *printer, size_t table, struct err *err)
{
	const struct report *report = printer->report;
	struct buildstat *stat = report->stat;
	struct trace_row row = { .printer = printer };

	if (!spool_rewind(&stat->trace.rows, err) || !sample_frames_rewind(&printer->frames, err))
		return false;
	for (uint64_t i = 0; i < stat->trace.traced; i++) {
		if (!trace_log_next(&stat->trace, &row.sample, &row.raw, err))
			return false;
		if (printer->table_of[row.sample.event] != table)
			continue;
		while (printer->frames.frames && printer->frames.nodes.number <= row.sample.number)
			if (!sample_frames_next(&printer->frames, &row.frame, err))
				return false;
		if (buildstat_selects_functions(stat)) {
			const struct sample_place *place = sample_places_find(
				&printer->places,
				sample_places_slot(&printer->places, row.sample.binary,
			                           row.sample.addr),
				row.sample.binary, row.sample.addr);
			const uint32_t name = report->names->functions[place->function].name;

			if (!selection_function_passes(&stat->choice.selection, name, err)) {
				if (err->code != ERR_NONE)
					return false;
				continue;
			}
		}
		table_row(printer->out, &row);
	}
	return true;
}

static bool print_table(struct trace_printer *printer, size_t number, struct err *err)
{
	const struct trace_table *table = &printer->tables[number];
	struct table_format format = { .name = table->name,
		                       .columns = printer->columns,
		                       .value_at = trace_value };
	bool ok;

	if (!make_columns(printer, &table->format->format, err))
		return false;
	format.column_count = printer->column_count;
	ok = table_begin(printer->out, &format, err) && print_rows(printer, number, err) &&
	     table_end(printer->out, err);
	table_discard(printer->out);
	return ok;
}

/* trace-SYSTEM-NAME, and a number behind it if another table has that name. */
static void name_table(const struct trace_printer *printer, struct trace_table *table,
                       const char *event)
{
	size_t length = (size_t)snprintf(table->name, FILE_NAME_MOST - 8, "trace-%s", event);
	unsigned number = 1;

	if (length >= FILE_NAME_MOST - 8)
		length = FILE_NAME_MOST - 9;
	for (char *c = table->name; *c; c++)
		if (!is_digit(*c) && !(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') &&
		    *c != '_' && *c != '-')
			*c = '-';
	for (size_t i = 0; i < printer->table_count;) {
		if (strcmp(printer->tables[i++].name, table->name) != 0)
			continue;
		snprintf(table->name + length, 8, "-%u", ++number);
		i = 0;
	}
}

/* The table of an event that has samples. */
static bool add_event(struct trace_printer *printer, uint32_t event, struct err *err)
{
	const struct session *session = printer->report->session;
	const struct event_attr *attr = &session->events[event].attr;
	struct trace_table table = { .type = attr->type, .config = attr->config };

	for (size_t i = 0; i < printer->table_count; i++)
		if (printer->tables[i].type == attr->type &&
		    printer->tables[i].config == attr->config) {
			printer->table_of[event] = (uint32_t)i;
			return true;
		}
	table.format = formats_of(&printer->report->stat->trace.formats, event, err);
	if (!table.format)
		return false;
	name_table(printer, &table,
	           table.format->name ? table.format->name : buildstat_event_name(session, event));
	printer->table_of[event] = (uint32_t)printer->table_count;
	return vec_append(&printer->tables, &printer->table_count, &printer->table_capacity, &table,
	                  sizeof(table), err);
}

static bool find_tables(struct trace_printer *printer, struct err *err)
{
	const struct report *report = printer->report;

	for (uint32_t event = 0; event < report->session->event_count; event++) {
		printer->table_of[event] = UINT32_MAX;
		if (trace_log_has(report->session, event) &&
		    buildstat_totals(report->stat, event)->selected_samples &&
		    !add_event(printer, event, err))
			return false;
	}
	return true;
}

static bool print_tables(struct trace_printer *printer, struct err *err)
{
	for (size_t i = 0; i < printer->table_count; i++)
		if (!print_table(printer, i, err))
			return false;
	return true;
}

static bool print_traces(struct table_writer *out, const struct report *report, struct err *err)
{
	struct trace_printer *printer = vec_new(1, sizeof(*printer), err);
	bool ok;

	if (!printer)
		return false;
	printer->out = out;
	printer->report = report;
	ok = (printer->table_of = vec_new(report->session->event_count, sizeof(uint32_t), err)) &&
	     (printer->text = vec_new(CELL_TEXT_MOST, 1, err)) &&
	     sample_places_init(&printer->places, &report->stat->places, report->names, err) &&
	     sample_frames_init(&printer->frames, report, report->stat->trace.count, err) &&
	     find_tables(printer, err) && print_tables(printer, err);
	free(printer->table_of);
	free(printer->text);
	free(printer->tables);
	arena_release(&printer->arena);
	sample_frames_release(&printer->frames);
	sample_places_release(&printer->places);
	free(printer);
	return ok;
}

static bool has_traces(const struct report *report)
{
	return report->stat->trace.traced != 0;
}

const struct table trace_table = {
	.format = FORMAT_OF("trace", own_columns),
	.several = "trace-SYSTEM-NAME",
	.needs = NEEDS_NAMES | NEEDS_TRACE,
	.can_fill = has_traces,
	.print = print_traces,
};
