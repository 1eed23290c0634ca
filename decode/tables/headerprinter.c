/*
 * header.csv: what the recording says about itself and its machine. Keys that `perf report
 * --header-only -I` prints, too, have the same words and values. A key may come several times, for
 * example once for each socket, cache or node.
 */
#include "decode/tables/tables.h"

#include "perffile/facts/facts.h"
#include "perffile/session/features.h"
#include "util/clock.h"
#include "util/nearest.h"

#include <inttypes.h>
#include <stdio.h>

static const char *layout_of_file(const struct session *session)
{
	if (session->pipe)
		return "pipe";
	return session->input && session->input->directory ? "directory" : "file";
}

static void file_rows(struct table_writer *out, const struct session *session)
{
	table_key(out, "file layout", value_str(layout_of_file(session)));
	table_key(out, "format version", value_u64((uint64_t)session->version));
	table_key(out, "byte order",
	          value_str(session->big_endian ? "big endian" : "little endian"));
	if (session->pipe)
		return;
	table_key(out, "data offset", value_u64(session->data_offset));
	/* as the file says, unless its recorder was killed */
	table_key(out, "data size", value_u64(session->killed ? 0 : session->data_size));
}

static void features_row(struct table_writer *out, const struct session *session)
{
	char text[PERF_FEATURE_BITS * 24] = "", number[16]; /* each name has less than 24 bytes */

	for (unsigned i = 0; i < PERF_FEATURE_BITS; i++) {
		if (!session->features[i].present)
			continue;
		snprintf(number, sizeof(number), "%u", i);
		list_name(text, sizeof(text), " ", feature_name(i) ? feature_name(i) : number);
	}
	table_key(out, "features", value_str(text));
}

static void clock_row(struct table_writer *out, const struct session *session)
{
	const struct event_attr *attr = session->event_count ? &session->events[0].attr : NULL;

	if (!attr)
		return;
	table_key(out, "clock of times",
	          value_str(attr_flag(attr, PERF_FLAG_USE_CLOCKID)
	                            ? clock_name((uint32_t)attr->clockid)
	                            : "perf (the kernel's scheduler clock)"));
}

/* `now` is a time of a clock that read clock->clock_time at clock->wall_time. */
static void wall_clock_row(struct table_writer *out, const struct clock_data *clock, uint64_t now)
{
	char date[32], text[48];
	uint64_t wall = now +
	                (clock->wall_time -
	                 clock->clock_time); /* modulo 2^64, so the difference may be negative */

	format_utc(date, wall / NS_PER_SECOND, 'T');
	snprintf(text, sizeof(text), "%s.%09" PRIu64 "Z", date, wall % NS_PER_SECOND);
	table_key(out, "wall clock of first sample", value_str(text));
}

static bool time_rows(struct table_writer *out, struct session *session,
                      const struct read_summary *summary, struct err *err)
{
	struct clock_data clock;

	if (!features_clock_data(session, &clock, err))
		return false;
	if (summary->first_time == TIME_NONE)
		return true;
	table_key(out, "first sample, ns", value_u64(summary->first_time));
	table_key(out, "last sample, ns", value_u64(summary->last_time));
	table_key(out, "from first to last sample, ns",
	          value_u64(summary->last_time - summary->first_time));
	/* perf stat writes the feature without any clock data */
	if (clock.present && clock.wall_time)
		wall_clock_row(out, &clock, summary->first_time);
	return true;
}

static void summary_rows(struct table_writer *out, const struct read_summary *summary)
{
	table_key(out, "records", value_u64(summary->records));
	table_key(out, "lost records", value_u64(summary->lost_records));
	table_key(out, "lost samples", value_u64(summary->lost_samples));
	table_key(out, "damaged records", value_u64(summary->damaged));
	table_key(out, "records of unknown events", value_u64(summary->unknown_ids));
	table_key(out, "records out of order", value_u64(summary->late));
	table_key(out, "skipped trace, bytes", value_u64(summary->auxtrace_bytes));
	table_key(out, "complete", value_str(summary->broken ? "no" : "yes"));
}

static bool print_header(struct table_writer *out, const struct report *report, struct err *err)
{
	struct session *session = report->session;
	const struct facts *facts = report->facts;

	file_rows(out, session);
	features_row(out, session);
	for (size_t i = 0; i < facts->count; i++)
		table_key(out, facts->items[i].key, value_str(facts->items[i].value));
	clock_row(out, session);
	table_key(out, "events", value_u64(session_recorded_events(session)));
	if (!time_rows(out, session, report->summary, err))
		return false;
	summary_rows(out, report->summary);
	return true;
}

static const struct column header_columns[] = {
	{ "key", COLUMN_TEXT, "", "what the value is", 1, key_row_key },
	{ "value", COLUMN_TEXT, "", "what the recording says", 2, key_row_value },
};

const struct table header_table = {
	.format = FORMAT_OF("header", header_columns),
	.print = print_header,
};
