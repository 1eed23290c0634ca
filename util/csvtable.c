#include "util/csvtable.h"

#include <stdio.h>
#include <stdlib.h>

void csv_tables_init(struct csv_tables *tables, const struct table_files *files, bool spreadsheet)
{
	memset(tables, 0, sizeof(*tables));
	tables->files = *files;
	tables->spreadsheet = spreadsheet;
}

bool csv_open_table(struct csv *csv, int fd, const char *name, const struct table_format *format,
                    bool spreadsheet, struct err *err)
{
	size_t size = 1, used = 0;
	char *header;
	bool ok;

	memset(csv, 0, sizeof(*csv));
	for (size_t i = 0; i < format->column_count; i++)
		size += strlen(format->columns[i].name) + 1;
	header = malloc(size);
	if (!header)
		return err_nomem(err, size);
	for (size_t i = 0; i < format->column_count; i++)
		used += (size_t)snprintf(header + used, size - used, "%s%s", i ? "," : "",
		                         format->columns[i].name);
	ok = csv_open(csv, fd, name, header, spreadsheet, err);
	free(header);
	return ok;
}

static bool csv_table_begin(void *context, const struct table_format *format, struct err *err)
{
	struct csv_tables *tables = context;
	int fd;

	snprintf(tables->name, sizeof(tables->name), "%s.csv", format->name);
	fd = tables->files.open(tables->files.context, tables->name, err);
	if (fd < 0)
		return false;
	tables->open = true;
	return csv_open_table(&tables->csv, fd, tables->name, format, tables->spreadsheet, err);
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
	bool ok = csv_flush(&tables->csv, err);

	csv_table_discard(tables);
	return ok;
}

static void csv_table_text(void *context, const char *text, size_t length)
{
	csv_text(&((struct csv_tables *)context)->csv, text, length);
}

static void csv_table_integer(void *context, uint64_t size, bool negative)
{
	struct csv_tables *tables = context;

	if (negative)
		csv_i64(&tables->csv, (int64_t)(0 - size));
	else
		csv_u64(&tables->csv, size);
}

static void csv_table_address(void *context, uint64_t value)
{
	csv_hex(&((struct csv_tables *)context)->csv, value);
}

static void csv_table_time(void *context, uint64_t ns)
{
	csv_u64(&((struct csv_tables *)context)->csv, ns);
}

static void csv_table_decimal(void *context, double value)
{
	csv_double(&((struct csv_tables *)context)->csv, value);
}

static void csv_table_percent(void *context, uint64_t part, uint64_t whole)
{
	csv_percent(&((struct csv_tables *)context)->csv, part, whole);
}

static void csv_table_share(void *context, double percent)
{
	char text[400]; /* a double has at most 309 digits in front of the point */
	int length = snprintf(text, sizeof(text), "%.4f", percent);

	csv_text(&((struct csv_tables *)context)->csv, text, (size_t)length);
}

static void csv_table_empty(void *context)
{
	csv_empty(&((struct csv_tables *)context)->csv);
}

static void csv_table_end_row(void *context)
{
	csv_end(&((struct csv_tables *)context)->csv);
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
