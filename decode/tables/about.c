#include "decode/tables/about.h"

#include "decode/tables/version.h"

static bool print_about(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct about *about = report->about;

	(void)err;
	table_key(out, "readperf", value_str(READPERF_VERSION));
	table_key(out, "schema", value_u64(SCHEMA_NUMBER));
	table_key(out, "recording", value_str(about->recording));
	table_key(out, "file", value_str(about->file));
	table_key(out, "options", value_str(about->options));
	table_key(out, "tables", value_str(about->tables));
	table_key(out, "status", value_u64((uint64_t)about->status));
	return true;
}

static const struct column about_columns[] = {
	{ "key", COLUMN_TEXT, "", "readperf, schema, recording, file, options, tables or status", 1,
	  key_row_key },
	{ "value", COLUMN_TEXT, "", "of the run that wrote the tables beside it", 2,
	  key_row_value },
};

const struct table about_table = {
	.format = FORMAT_OF("about", about_columns),
	.print = print_about,
};
