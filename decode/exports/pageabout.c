#include "decode/exports/pageabout.h"

#include "decode/compare/comparison.h"
#include "decode/exports/escape.h"
#include "decode/tables/about.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/version.h"

#include <inttypes.h>

static void print_event(FILE *out, const struct report *report, uint32_t event)
{
	const uint32_t number = event < report->session->event_count ? event : EVENT_UNKNOWN;
	const struct event_totals *totals = buildstat_totals(report->stat, number);

	fputs(event ? ",{\"name\":" : "{\"name\":", out);
	print_json_string(out, buildstat_event_name(report->session, number));
	fprintf(out,
	        ",\"interval\":%s,\"clock\":%s,\"samples\":%" PRIu64 ",\"period\":%" PRIu64
	        ",\"lost\":%" PRIu64 "}",
	        number != EVENT_UNKNOWN && report->session->events[number].derived ? "true"
	                                                                           : "false",
	        report_event_is_clock(report, number) ? "true" : "false", totals->samples,
	        totals->period, totals->lost);
}

static void print_compared_about(FILE *out, const struct report *report,
                                 const struct page_samples *samples)
{
	const struct comparison *comparison = report->comparison;

	fprintf(out,
	        "{\"readperf\":\"" READPERF_VERSION
	        "\",\"chains\":%s,\"share\":%s,\"timed\":false,\"first\":\"0\",\"duration\":0,\"unit\":1,"
	        "\"sliced\":true,\"rows\":%zu,\"untimed\":%zu,\"events\":[",
	        report_has_chains(report) ? "true" : "false",
	        comparison->options.scale == SCALE_SHARE ? "true" : "false", samples->count,
	        samples->untimed);
	for (uint32_t i = 0; i < comparison->event_count; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		print_json_string(out, report_event_name(report, i));
		fprintf(out, ",\"clock\":%s}", report_event_is_clock(report, i) ? "true" : "false");
	}
	fputs("]}\n", out);
}

static void print_about(FILE *out, const struct report *report, const struct page_samples *samples)
{
	const struct read_summary *summary = report->summary;
	const bool timed = summary->first_time != TIME_NONE;

	fputs("{\"readperf\":\"" READPERF_VERSION "\",\"file\":", out);
	print_json_string(out, report->about->file);
	fprintf(out,
	        ",\"recording\":\"%s\",\"chains\":%s,\"timed\":%s,\"first\":\"%" PRIu64
	        "\",\"duration\":%" PRIu64 ",\"unit\":%" PRIu64
	        ",\"sliced\":%s,\"rows\":%zu,\"untimed\":%zu,\"events\":[",
	        report->about->recording, report->totals->chains ? "true" : "false",
	        timed ? "true" : "false", samples->first,
	        timed ? summary->last_time - summary->first_time : 0, samples->unit,
	        samples->sliced ? "true" : "false", samples->count, samples->untimed);
	for (uint32_t i = 0; i <= report->session->event_count; i++)
		print_event(out, report, i);
	fputs("]}\n", out);
}

void page_about_print(FILE *out, const struct report *report, const struct page_samples *samples)
{
	if (report->comparison)
		print_compared_about(out, report, samples);
	else
		print_about(out, report, samples);
}
