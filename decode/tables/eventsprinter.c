/* events.csv: one row per event of the recording. */
#include "decode/tables/tables.h"
#include "perffile/session/features.h"
#include "util/nearest.h"

#include <inttypes.h>
#include <stdio.h>

#define BITS_SIZE 400 /* bytes; enough for the names of all bits */

static const char *const type_names[] = {
	"hardware", "software", "tracepoint", "hw-cache", "raw", "breakpoint",
};

/* By number of the bit. */
static const char *const sample_bits[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"WEIGHT",
	"DATA_SRC",
	"IDENTIFIER",
	"TRANSACTION",
	"REGS_INTR",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static void type_cell(struct table_writer *out, uint32_t type, const struct numbered_names *pmus)
{
	const char *pmu = numbered_names_find(pmus, type);

	if (type < ARRAY_SIZE(type_names))
		table_str(out, type_names[type]);
	else if (pmu)
		table_str(out, pmu);
	else
		table_u64(out, type);
}

static void sample_type_cell(struct table_writer *out, uint64_t sample_type)
{
	char text[BITS_SIZE] = "", number[20];
	uint64_t unknown = sample_type & ~(uint64_t)PERF_SAMPLE_KNOWN;

	for (unsigned bit = 0; bit < ARRAY_SIZE(sample_bits); bit++)
		if (sample_type >> bit & 1)
			list_name(text, sizeof(text), "|", sample_bits[bit]);
	snprintf(number, sizeof(number), "0x%" PRIx64, unknown);
	if (unknown)
		list_name(text, sizeof(text), "|", number);
	table_str(out, text);
}

static void end_with_totals(struct table_writer *out, const struct event_totals *totals)
{
	table_u64(out, totals->samples);
	table_u64(out, totals->period);
	table_u64(out, totals->lost);
	table_u64(out, totals->selected_samples);
	table_u64(out, totals->selected_period);
	table_end_row(out);
}

/* Prints the row of samples that belong to no event of a damaged recording, if there are any. */
static void print_unknown_event(struct table_writer *out, const struct report *report)
{
	const struct event_totals *totals = buildstat_totals(report->stat, EVENT_UNKNOWN);

	if (!totals->samples)
		return;
	table_str(out, buildstat_event_name(report->session, EVENT_UNKNOWN));
	/* type, config, period, frequency, sample_type and ids are those of an event */
	for (unsigned i = 0; i < 6; i++)
		table_empty(out);
	end_with_totals(out, totals);
}

static bool print_events(struct table_writer *out, const struct report *report, struct err *err)
{
	struct session *session = report->session;
	struct numbered_names pmus = { 0 };
	bool ok = features_pmus(session, &pmus, err);

	for (size_t i = 0; i < session->event_count && ok; i++) {
		const struct event *event = &session->events[i];
		bool frequency = attr_flag(&event->attr, PERF_FLAG_FREQ);

		table_str(out, event->name);
		type_cell(out, event->attr.type, &pmus);
		table_address(out, event->attr.config);
		table_u64_if(out, !frequency, event->attr.sample_period);
		table_u64_if(out, frequency, event->attr.sample_period);
		sample_type_cell(out, event->attr.sample_type);
		table_u64(out, event->id_count);
		end_with_totals(out, buildstat_totals(report->stat, i));
	}
	if (ok)
		print_unknown_event(out, report);
	numbered_names_release(&pmus);
	return ok;
}

static const struct column events_columns[] = {
	{ "event", COLUMN_TEXT, "", "as the recording names it", 1 },
	{ "type", COLUMN_TEXT, "", "kind of event, or number of its PMU", 7 },
	{ "config", COLUMN_ADDRESS, "", "the event's number within its type", 8 },
	{ "period", COLUMN_INTEGER, "events", "between samples, if fixed", 5 },
	{ "frequency", COLUMN_INTEGER, "Hz", "of samples, if that was asked for", 6 },
	{ "sample_type", COLUMN_TEXT, "", "what each sample holds", 10 },
	{ "ids", COLUMN_INTEGER, "", "how many ids it has, one per CPU and thread", 9 },
	{ "samples", COLUMN_INTEGER, "samples", "that were counted for it", 2 },
	{ "total_period", COLUMN_INTEGER, "events", "that these stand for", 3 },
	{ "lost", COLUMN_INTEGER, "samples", "that the recording says were lost", 4 },
	{ "selected_samples", COLUMN_INTEGER, "samples", "that options like --comm selected", 11 },
	{ "selected_period", COLUMN_INTEGER, "events", "that the selected ones stand for", 12 },
};

const struct table events_table = {
	.format = FORMAT_OF("events", events_columns),
	.needs = NEEDS_TALLY,
	.print = print_events,
};
