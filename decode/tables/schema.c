#include "decode/tables/schema.h"

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "util/csv.h"

#include <stdio.h>

static const struct column schema_columns[] = {
	{ "file", COLUMN_TEXT, "", "the table's file", 1 },
	{ "column", COLUMN_TEXT, "", "as the header row names it", 2 },
	{ "type", COLUMN_TEXT, "", "text, path, integer, address or decimal", 3 },
	{ "unit", COLUMN_TEXT, "", "of a number", 4 },
	{ "meaning", COLUMN_TEXT, "", "what it says", 5 },
};

static const struct table_format schema_format = TABLE_FORMAT("schema", schema_columns);

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

static void print_format(struct table_writer *out, const struct table_format *format)
{
	char file[40];

	snprintf(file, sizeof(file), "%s.csv", format->name);
	for (size_t i = 0; i < format->column_count; i++) {
		table_str(out, file);
		table_str(out, format->columns[i].name);
		table_str(out, column_type_name(format->columns[i].type));
		table_str(out, format->columns[i].unit);
		table_str(out, format->columns[i].meaning);
		table_end_row(out);
	}
}

static void print_schema(struct table_writer *out)
{
	struct group_format groups;

	for (unsigned i = 0; i < TABLE_COUNT; i++)
		print_format(out, tables[i]->format);
	group_format_of_all(&groups);
	print_format(out, &groups.format);
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
	ok = out.kind->begin(out.context, &schema_format, err);
	if (ok) {
		print_schema(&out);
		ok = out.kind->end(out.context, err);
	}
	out.kind->discard(out.context);
	return ok;
}
