#include "util/csvtable.h"

#include <stdio.h>

void csv_tables_init(struct csv_tables *tables, const struct table_files *files, bool spreadsheet)
{
	memset(tables, 0, sizeof(*tables));
	tables->files = *files;
	tables->spreadsheet = spreadsheet;
}

static bool open_table_file(struct csv_tables *tables, struct csv *csv, struct err *err)
{
	const struct table_format *format = tables->format;
	int fd;

	if (tables->file_number == 1)
		snprintf(tables->name, sizeof(tables->name), "%s.csv", format->name);
	else
		snprintf(tables->name, sizeof(tables->name), "%s-%u.csv", format->name,
		         tables->file_number);
	fd = tables->files.open(tables->files.context, tables->name, err);
	if (fd < 0 || !csv_open(csv, fd, tables->name, (unsigned)format->column_count,
	                        tables->spreadsheet, err))
		return false;
	csv_pack(csv, table_files_packer(&tables->files, fd));
	if (tables->two_threads)
		csv_use_two_threads(csv);
	for (size_t i = 0; i < format->column_count; i++)
		csv_text(csv, format->columns[i].name, strlen(format->columns[i].name));
	csv_end(csv);
	return true;
}

static bool csv_table_begin(void *context, const struct table_format *format, struct err *err)
{
	struct csv_tables *tables = context;

	tables->format = format;
	tables->file_number = 1;
	tables->full = false;
	tables->err.code = ERR_NONE;
	memset(&tables->csv, 0, sizeof(tables->csv));
	tables->open = true;
	return open_table_file(tables, &tables->csv, err);
}

static void csv_table_discard(void *context)
{
	struct csv_tables *tables = context;

	if (tables->open)
		csv_release(&tables->csv);
	tables->open = false;
}

static bool csv_table_end(void *context, struct err *err)
{
	struct csv_tables *tables = context;
	bool ok = tables->err.code == ERR_NONE ? csv_flush(&tables->csv, err)
	                                       : err_pass(err, &tables->err);

	csv_table_discard(tables);
	return ok;
}

/* The sheet is full: the next row begins another file. */
static void next_table_file(struct csv_tables *tables)
{
	struct csv next = { .buffer = NULL };

	tables->full = false;
	if (tables->err.code != ERR_NONE || !csv_flush(&tables->csv, &tables->err))
		return;
	tables->file_number++;
	if (!open_table_file(tables, &next, &tables->err)) {
		csv_release(&next);
		return;
	}
	csv_release(&tables->csv);
	tables->csv = next;
}

/* Returns the place for the next cell. */
static inline struct csv *cell_csv(void *context)
{
	struct csv_tables *tables = context;

	if (tables->full)
		next_table_file(tables);
	return &tables->csv;
}

static void csv_table_text(void *context, const char *text, size_t length)
{
	csv_text(cell_csv(context), text, length);
}

static void csv_table_integer(void *context, uint64_t size, bool negative)
{
	struct csv *csv = cell_csv(context);

	if (negative)
		csv_i64(csv, (int64_t)(0 - size));
	else
		csv_u64(csv, size);
}

static void csv_table_address(void *context, uint64_t value)
{
	csv_hex(cell_csv(context), value);
}

static void csv_table_time(void *context, uint64_t ns)
{
	csv_u64(cell_csv(context), ns);
}

static void csv_table_decimal(void *context, double value)
{
	csv_double(cell_csv(context), value);
}

static void csv_table_percent(void *context, uint64_t part, uint64_t whole)
{
	csv_percent(cell_csv(context), part, whole);
}

static void csv_table_share(void *context, double percent)
{
	char text[400]; /* a double has at most 309 digits in front of the point */
	int length = snprintf(text, sizeof(text), "%.4f", percent);

	csv_text(cell_csv(context), text, (size_t)length);
}

static void csv_table_empty(void *context)
{
	csv_empty(cell_csv(context));
}

static void csv_table_end_row(void *context)
{
	struct csv_tables *tables = context;

	csv_end(&tables->csv);
	tables->full = tables->spreadsheet && tables->csv.rows >= SPREADSHEET_ROWS;
}

static const struct table_writer_kind csv_kind = {
	.begin = csv_table_begin,
	.end = csv_table_end,
	.discard = csv_table_discard,
	.text = csv_table_text,
	.integer = csv_table_integer,
	.address = csv_table_address,
	.time = csv_table_time,
	.decimal = csv_table_decimal,
	.percent = csv_table_percent,
	.share = csv_table_share,
	.empty = csv_table_empty,
	.end_row = csv_table_end_row,
};

struct table_writer csv_tables_writer(struct csv_tables *tables)
{
	return (struct table_writer){ &csv_kind, tables };
}

struct csv *csv_of_writer(const struct table_writer *out)
{
	struct csv_tables *tables = out->kind == &csv_kind ? out->context : NULL;

	return tables && !tables->spreadsheet ? &tables->csv : NULL;
}
