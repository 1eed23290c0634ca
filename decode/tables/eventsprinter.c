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

struct event_row {
	const char *name;
	const struct event *event; /* NULL: the samples that belong to no event */
	const struct event_totals *totals;
	const struct numbered_names *pmus;
	char *bits; /* room for BITS_SIZE bytes */
};

static const struct event_row *event_row(const void *row)
{
	return row;
}

static struct value event_type(const void *row)
{
	const struct event *event = event_row(row)->event;
	const uint32_t type = event ? event->attr.type : 0;
	const char *pmu = numbered_names_find(event_row(row)->pmus, type);

	if (!event)
		return value_none();
	if (event->derived)
		return value_str(event->counted ? "spe" : "interval");
	if (type < ARRAY_SIZE(type_names))
		return value_str(type_names[type]);
	return pmu ? value_str(pmu) : value_u64(type);
}

/* The period, or the frequency, if the event has this one of the two. */
static struct value event_rate(const struct event *event, bool frequency)
{
	return value_if(event && !event->derived &&
	                        attr_flag(&event->attr, PERF_FLAG_FREQ) == frequency,
	                value_u64(event ? event->attr.sample_period : 0));
}

static struct value event_sample_type(const void *row)
{
	const struct event *event = event_row(row)->event;
	char *text = event_row(row)->bits, number[20];
	uint64_t unknown;

	if (!event || event->derived)
		return value_none();
	text[0] = '\0';
	for (unsigned bit = 0; bit < ARRAY_SIZE(sample_bits); bit++)
		if (event->attr.sample_type >> bit & 1)
			list_name(text, BITS_SIZE, "|", sample_bits[bit]);
	unknown = event->attr.sample_type & ~(uint64_t)PERF_SAMPLE_KNOWN;
	snprintf(number, sizeof(number), "0x%" PRIx64, unknown);
	if (unknown)
		list_name(text, BITS_SIZE, "|", number);
	return value_str(text);
}

VALUE(event_row, event_name, value_str(row->name));
VALUE(event_row, event_config,
      value_if(row->event && !row->event->derived,
               value_address(row->event ? row->event->attr.config : 0)));
VALUE(event_row, event_period, event_rate(row->event, false));
VALUE(event_row, event_frequency, event_rate(row->event, true));
VALUE(event_row, event_ids,
      value_if(row->event && !row->event->derived,
               value_u64(row->event ? row->event->id_count : 0)));
VALUE(event_row, event_samples, value_u64(row->totals->samples));
VALUE(event_row, event_total_period, value_u64(row->totals->period));
VALUE(event_row, event_lost, value_u64(row->totals->lost));
VALUE(event_row, event_selected_samples, value_u64(row->totals->selected_samples));
VALUE(event_row, event_selected_period, value_u64(row->totals->selected_period));

static bool print_events(struct table_writer *out, const struct report *report, struct err *err)
{
	struct session *session = report->session;
	struct numbered_names pmus = { 0 };
	char bits[BITS_SIZE];
	struct event_row row = { .pmus = &pmus, .bits = bits };
	bool ok = features_pmus(session, &pmus, err);

	for (size_t i = 0; i < session->event_count && ok; i++) {
		row.event = &session->events[i];
		row.name = row.event->name;
		row.totals = buildstat_totals(report->stat, i);
		table_row(out, &row);
	}
	/* samples of no event, of a damaged recording */
	row.event = NULL;
	row.name = buildstat_event_name(session, EVENT_UNKNOWN);
	row.totals = buildstat_totals(report->stat, EVENT_UNKNOWN);
	if (ok && row.totals->samples)
		table_row(out, &row);
	numbered_names_release(&pmus);
	return ok;
}

static const struct column events_columns[] = {
	{ "event", COLUMN_TEXT, "", "as the recording names it", 1, event_name },
	{ "type", COLUMN_TEXT, "", "kind of event, or number of its PMU", 7, event_type },
	{ "config", COLUMN_ADDRESS, "", "the event's number within its type", 8, event_config },
	{ "period", COLUMN_INTEGER, "events", "between samples, if fixed", 5, event_period },
	{ "frequency", COLUMN_INTEGER, "Hz", "of samples, if that was asked for", 6,
	  event_frequency },
	{ "sample_type", COLUMN_TEXT, "", "what each sample holds", 10, event_sample_type },
	{ "ids", COLUMN_INTEGER, "", "how many ids it has, one per CPU and thread", 9, event_ids },
	{ "samples", COLUMN_INTEGER, "samples", "that were counted for it", 2, event_samples },
	{ "total_period", COLUMN_INTEGER, "events", "that these stand for", 3, event_total_period },
	{ "lost", COLUMN_INTEGER, "samples", "that the recording says were lost", 4, event_lost },
	{ "selected_samples", COLUMN_INTEGER, "samples", "that options like --comm selected", 11,
	  event_selected_samples },
	{ "selected_period", COLUMN_INTEGER, "events", "that the selected ones stand for", 12,
	  event_selected_period },
};

const struct table events_table = {
	.format = FORMAT_OF("events", events_columns),
	.needs = NEEDS_TALLY,
	.print = print_events,
};
