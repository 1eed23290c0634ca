#include "decode/tables/schema.h"

#include "decode/tables/grouptables.h"
#include "decode/tables/recordings.h"
#include "decode/tables/tables.h"
#include "util/csv.h"

#include <stdio.h>

static const char *column_type_name(enum column_type type)
{
	static const char *const names[] = {
		[COLUMN_TEXT] = "text",       [COLUMN_PATH] = "path",
		[COLUMN_INTEGER] = "integer", [COLUMN_UNSIGNED] = "integer",
		[COLUMN_TIME] = "integer",    [COLUMN_ADDRESS] = "address",
		[COLUMN_DECIMAL] = "decimal",
	};

	return names[type];
}

struct schema_row {
	const char *file;
	const struct column *column;
};

VALUE(schema_row, schema_file, value_str(row->file));
VALUE(schema_row, schema_column, value_str(row->column->name));
VALUE(schema_row, schema_type, value_str(column_type_name(row->column->type)));
VALUE(schema_row, schema_unit, value_str(row->column->unit));
VALUE(schema_row, schema_meaning, value_str(row->column->meaning));

static const struct column schema_columns[] = {
	{ "file", COLUMN_TEXT, "", "the table's file", 1, schema_file },
	{ "column", COLUMN_TEXT, "", "as the header row names it", 2, schema_column },
	{ "type", COLUMN_TEXT, "", "text, path, integer, address or decimal", 3, schema_type },
	{ "unit", COLUMN_TEXT, "", "of a number", 4, schema_unit },
	{ "meaning", COLUMN_TEXT, "", "what it says", 5, schema_meaning },
};

static const struct table_format schema_format = TABLE_FORMAT("schema", schema_columns);

/* name: of the file, without .csv */
static void print_format(struct table_writer *out, const struct table_format *format,
                         const char *name)
{
	char file[40];

	snprintf(file, sizeof(file), "%s.csv", name);
	for (size_t i = 0; i < format->column_count; i++) {
		const struct schema_row row = { file, &format->columns[i] };

		table_row(out, &row);
	}
}

static void print_schema(struct table_writer *out)
{
	struct group_format groups;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		print_format(out, tables[i]->format,
		             tables[i]->several ? tables[i]->several : tables[i]->format->name);
	group_format_of_all(&groups);
	print_format(out, &groups.format, groups.format.name);
	print_format(out, &recordings_format, recordings_format.name);
}

static int open_given(void *context, const char *name, struct packer **packer, struct err *err)
{
	(void)name, (void)packer, (void)err;
	return *(int *)context;
}

bool schema_write(int fd, struct err *err)
{
	struct table_files files = { .context = &fd, .open = open_given };
	struct csv csv;
	struct table_writer out;
	bool ok;

	csv_init(&csv, &files, false);
	out = csv_writer(&csv);
	ok = table_begin(&out, &schema_format, err);
	if (ok) {
		print_schema(&out);
		ok = table_end(&out, err);
	}
	table_discard(&out);
	return ok;
}
