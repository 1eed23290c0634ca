#include "decode/exports/headline.h"

#include "decode/compare/comparison.h"
#include "decode/tables/eventfile.h"
#include "perffile/facts/facts.h"
#include "perffile/session/features.h"
#include "util/clock.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BETWEEN " \xc2\xb7 " /* a dot */

const char *headline_event(const struct report *report, size_t event)
{
	if (!report->comparison && !buildstat_totals(report->stat, event)->samples)
		return "no samples";
	return report_event_name(report, event);
}

char *headline_title(const struct report *report, size_t event, const char *more, struct err *err)
{
	const char *name = headline_event(report, event);
	const char *title = report->title ? report->title : "";
	const size_t size = strlen(title) + strlen(name) + strlen(more) + sizeof(": ");
	char *text = malloc(size), *clean = NULL;

	if (text) {
		snprintf(text, size, "%s%s%s%s", title, *title ? ": " : "", name, more);
		clean = text_escaped(text);
	}
	free(text);
	if (!clean)
		err_nomem(err, size);
	return clean;
}

/* Prints a part of the line, after those before it. */
static void begin_part(FILE *out)
{
	if (ftell(out) > 0)
		fputs(BETWEEN, out);
}

static void print_fact(FILE *out, const struct report *report, unsigned feature)
{
	const char *value = facts_value(report->facts, feature);
	char *clean = value ? text_escaped(value) : NULL;

	if (clean && *clean) {
		begin_part(out);
		fputs(clean, out);
	}
	free(clean);
}

/* The time of the first sample, if the recording says how its clock relates to the calendar. */
static void print_date(FILE *out, const struct report *report, struct err *err)
{
	const uint64_t first = report->summary->first_time;
	struct clock_data clock;
	char date[32];

	if (!features_clock_data(report->session, &clock, err) || !clock.present ||
	    first == TIME_NONE)
		return;
	format_utc(date, (clock.wall_time + (first - clock.clock_time)) / NS_PER_SECOND, ' ');
	begin_part(out);
	fprintf(out, "%s UTC", date);
}

static void print_count(FILE *out, uint64_t count, const char *what)
{
	begin_part(out);
	fprintf(out, "%" PRIu64 " %s%s", count, what, count == 1 ? "" : "s");
}

static void print_recording(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct event_totals *totals = buildstat_totals(report->stat, event);

	print_fact(out, report, PERF_FEATURE_HOSTNAME);
	print_fact(out, report, PERF_FEATURE_CMDLINE);
	print_date(out, report, err);
	print_count(out, totals->selected_samples, "sample");
	if (totals->selected_samples != totals->samples)
		fprintf(out, " of %" PRIu64, totals->samples);
	if (totals->lost)
		fprintf(out, BETWEEN "%" PRIu64 " lost", totals->lost);
	else if (report->summary->lost_records && !report->summary->lost_samples)
		fprintf(out, BETWEEN "%" PRIu64 " records lost", report->summary->lost_records);
}

static void print_runs(FILE *out, const struct comparison *comparison, size_t event)
{
	const struct compare_event *compared = &comparison->events[event];

	print_count(out, compared->side_runs[SIDE_BASE], "base run");
	print_count(out, compared->side_runs[SIDE_NEW], "new run");
}

char *headline_summary(const struct report *report, size_t event, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		if (report->comparison)
			print_runs(out, report->comparison, event);
		else
			print_recording(out, report, event, err);
		if (fclose(out) == 0 && text && !err->code)
			return text;
	}
	free(text);
	if (!err->code)
		err_nomem(err, BUFSIZ);
	return NULL;
}
