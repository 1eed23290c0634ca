#include "decode/tables/recordings.h"

#include <stdlib.h>

static const struct column recordings_columns[RECORDINGS_COLUMNS] = {
	{ "recording", COLUMN_TEXT, "",
	  "its number, as in about.csv: its tables are in the folder recording=NUMBER; empty: it has none of its own",
	  1, NULL },
	{ "file", COLUMN_PATH, "", "the recording, as the user named it", 2, NULL },
	{ "host", COLUMN_TEXT, "", "name of the machine", 3, NULL },
	{ "os_release", COLUMN_TEXT, "", "of its kernel", 4, NULL },
	{ "arch", COLUMN_TEXT, "", "of the machine", 5, NULL },
	{ "cpu", COLUMN_TEXT, "", "model of its CPU", 6, NULL },
	{ "perf_version", COLUMN_TEXT, "", "of the perf that recorded it", 7, NULL },
	{ "cmdline", COLUMN_TEXT, "", "the command that recorded it", 8, NULL },
	{ "start", COLUMN_TIME, "ns", "time of its first sample or other record with a time", 9,
	  NULL },
	{ "duration", COLUMN_INTEGER, "ns", "from the first time to the last", 10, NULL },
	{ "samples", COLUMN_INTEGER, "", "of all events", 11, NULL },
	{ "lost", COLUMN_INTEGER, "", "samples that the recorder lost", 12, NULL },
	{ "unknown_percent", COLUMN_DECIMAL, "percent",
	  "of the samples: without a function name; empty: functions were not asked for", 13,
	  NULL },
	{ "status", COLUMN_INTEGER, "",
	  "0: clean, 1: failed, without tables, 3: damaged, 4: a rule of --fail-on was met", 14,
	  NULL },
	{ "message", COLUMN_TEXT, "", "what failed or is damaged", 15, NULL },
};

static struct value recordings_value(const void *any, size_t column)
{
	const struct recordings_row *row = any;
	const char *cell = row->cells[column];

	if (!*cell)
		return value_none();
	switch (recordings_columns[column].type) {
	case COLUMN_TIME:
		return value_time(strtoull(cell, NULL, 10));
	case COLUMN_INTEGER:
		return value_u64(strtoull(cell, NULL, 10));
	case COLUMN_DECIMAL:
		return value_share(strtod(cell, NULL));
	default:
		return value_str(cell);
	}
}

const struct table_format recordings_format = { .name = "recordings",
	                                        .columns = recordings_columns,
	                                        .column_count = RECORDINGS_COLUMNS,
	                                        .value_at = recordings_value };
