/* stat.csv: how many records of each type; and overview.csv, which perffile/overview makes. */
#include "decode/tables/tables.h"
#include "perffile/overview/overviewprinter.h"
#include "perffile/record/recordtypes.h"

#include <inttypes.h>
#include <stdio.h>

#define UNKNOWN_SIZE 32 /* bytes of "UNKNOWN_n" */

/* A type, and what was counted of it. */
struct stat_row {
	const struct record_count *count;
	char *unknown; /* room for the name of a type that has none */
};

static const struct stat_row *stat_row(const void *row)
{
	return row;
}

static struct value stat_record(const void *row)
{
	const uint32_t type = stat_row(row)->count->type;
	char *unknown = stat_row(row)->unknown;

	if (record_type_name(type))
		return value_str(record_type_name(type));
	snprintf(unknown, UNKNOWN_SIZE, "UNKNOWN_%" PRIu32, type);
	return value_str(unknown);
}

VALUE(stat_row, stat_count, value_u64(row->count->count));
VALUE(stat_row, stat_bytes, value_u64(row->count->bytes));

static void print_count(struct table_writer *out, const struct record_count *count)
{
	char unknown[UNKNOWN_SIZE];
	const struct stat_row row = { count, unknown };

	table_row(out, &row);
}

static bool print_stat(struct table_writer *out, const struct report *report, struct err *err)
{
	const struct read_summary *summary = report->summary;

	(void)err;
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (record_type_name(type))
			print_count(out, &summary->types[type]);
	for (uint32_t type = 0; type < RECORD_TYPES; type++)
		if (!record_type_name(type) && summary->types[type].count)
			print_count(out, &summary->types[type]);
	for (size_t i = 0; i < summary->other_count; i++)
		print_count(out, &summary->others[i]);
	return true;
}

static const struct column stat_columns[] = {
	{ "record", COLUMN_TEXT, "", "record type; UNKNOWN_n for one without a name", 1,
	  stat_record },
	{ "count", COLUMN_INTEGER, "records", "how many the recording holds", 2, stat_count },
	{ "bytes", COLUMN_INTEGER, "bytes", "their size, headers included", 3, stat_bytes },
};

const struct table stat_table = {
	.format = FORMAT_OF("stat", stat_columns),
	.by_default = true,
	.print = print_stat,
};

const struct table overview_table = {
	.format = &overview_format,
	.by_default = true,
};
