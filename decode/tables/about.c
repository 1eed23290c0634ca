#include "decode/tables/about.h"

#include "decode/tables/version.h"
#include "util/clock.h"

#include <stdio.h>
#include <time.h>

bool slice_time_text(const struct slice_times *slice, uint64_t time, char text[32])
{
	const uint64_t wall = time + slice->to_wall;
	const time_t seconds = (time_t)(wall / NS_PER_SECOND);
	char day[24];
	struct tm utc;

	if (!slice->has_wall || !gmtime_r(&seconds, &utc) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &utc))
		return false;
	snprintf(text, 32, "%s.%03uZ", day,
	         (unsigned)(wall % NS_PER_SECOND / (NS_PER_SECOND / 1000)));
	return true;
}

static void print_slice(struct table_writer *out, const struct slice_times *slice)
{
	char text[32];

	table_key(out, "start", value_u64(slice->start));
	table_key(out, "end", value_u64(slice->end));
	if (slice_time_text(slice, slice->start, text))
		table_key(out, "start_utc", value_str(text));
	if (slice_time_text(slice, slice->end, text))
		table_key(out, "end_utc", value_str(text));
}

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
	if (about->slice)
		print_slice(out, about->slice);
	return true;
}

static const struct column about_columns[] = {
	{ "key", COLUMN_TEXT, "",
	  "readperf, schema, recording, file, options, tables, status; of a slice of --every also start, end, start_utc, end_utc",
	  1, key_row_key },
	{ "value", COLUMN_TEXT, "", "of the run that wrote the tables beside it", 2,
	  key_row_value },
};

const struct table about_table = {
	.format = FORMAT_OF("about", about_columns),
	.print = print_about,
};
