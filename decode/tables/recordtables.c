/* stat.csv: how many records of each type; and overview.csv, which perffile/overview makes. */
#include "decode/tables/tables.h"
#include "perffile/overview/overviewprinter.h"
#include "perffile/record/recordtypes.h"

#include <inttypes.h>
#include <stdio.h>

static void print_count(struct table_writer *out, const struct record_count *count)
{
	char name[32];

	snprintf(name, sizeof(name), "UNKNOWN_%" PRIu32, count->type);
	table_str(out, record_type_name(count->type) ? record_type_name(count->type) : name);
	table_u64(out, count->count);
	table_u64(out, count->bytes);
	table_end_row(out);
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
	{ "record", COLUMN_TEXT, "", "record type; UNKNOWN_n for one without a name", 1 },
	{ "count", COLUMN_INTEGER, "records", "how many the recording holds", 2 },
	{ "bytes", COLUMN_INTEGER, "bytes", "their size, headers included", 3 },
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
