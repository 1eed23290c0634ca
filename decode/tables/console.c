#include "decode/tables/console.h"

#include "decode/tables/terminaltables.h"
#include "util/csv.h"
#include "util/digits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_WIDTH 40 /* characters; longer names are not cut, but shift the columns */

/*
 * Prints a name with escapes, because it comes from the recorded machine and may be hostile to the
 * terminal. Returns how many characters were printed.
 */
static int print_safe(FILE *out, const char *name)
{
	char *escaped = text_escaped(name);
	int count = escaped ? (int)text_characters(escaped) : 0;

	fputs(escaped ? escaped : "", out);
	free(escaped);
	return count;
}

/* The samples or the period of an event: "869", or "26 of 869" if not all are selected. */
static void print_amount(FILE *out, uint64_t selected, uint64_t whole, bool all)
{
	if (!all)
		fprintf(out, "%" PRIu64 " of ", selected);
	fprintf(out, "%" PRIu64, whole);
}

static void print_event_line(FILE *out, const struct buildstat *stat, uint32_t event,
                             const struct read_summary *summary)
{
	const struct event_totals *total = buildstat_totals(stat, event);
	bool all = event_all_selected(total);

	fputs("# ", out);
	print_safe(out, buildstat_event_name(stat->session, event));
	fputs(": ", out);
	print_amount(out, total->selected_samples, total->samples, all);
	fprintf(out, " sample%s, period ", total->samples == 1 ? "" : "s");
	print_amount(out, total->selected_period, total->period, all);
	fprintf(out, ", %" PRIu64 " process%s", total->processes,
	        total->processes == 1 ? "" : "es");
	if (summary->first_time != TIME_NONE)
		fprintf(out, ", %.3f s", (double)(summary->last_time - summary->first_time) / 1e9);
	/* LOST records do not name an event, and count the samples of LOST_SAMPLES records again */
	if (total->lost)
		fprintf(out, ", lost %" PRIu64 " sample%s", total->lost,
		        total->lost == 1 ? "" : "s");
	else if (summary->lost_records && !summary->lost_samples)
		fprintf(out, ", lost %" PRIu64 " record%s in all", summary->lost_records,
		        summary->lost_records == 1 ? "" : "s");
	fputs("\n", out);
}

/* Prints a share of an event's period with two decimals. */
static void print_share(FILE *out, uint64_t period, uint64_t whole)
{
	char percent[40];

	*format_percent(percent, period, whole, 2) = '\0';
	fprintf(out, "%8s%% ", percent);
}

/* total: there are call chains, so each function has a total share, too. */
static void print_event(FILE *out, const struct buildstat *stat, const struct result_row *rows,
                        size_t count, size_t limit, bool in_results, bool total)
{
	uint64_t whole = buildstat_totals(stat, rows->event)->period;

	fprintf(out, "%9s", total ? "self" : "percent");
	if (total)
		fprintf(out, " %9s", "total");
	fprintf(out, " %20s %12s  %-*s %s\n", "period", "samples", FUNCTION_WIDTH, "function",
	        "binary");
	for (size_t i = 0; i < count && (limit == 0 || i < limit); i++) {
		int width;

		print_share(out, rows[i].period, whole);
		if (total)
			print_share(out, rows[i].total.period, whole);
		fprintf(out, "%20" PRIu64 " %12" PRIu64 "  ", rows[i].period, rows[i].samples);
		width = print_safe(out, strings_get(stat->strings, rows[i].function));
		fprintf(out, "%*s ", width < FUNCTION_WIDTH ? FUNCTION_WIDTH - width : 0, "");
		print_safe(out, strings_get(stat->strings, rows[i].binary));
		fputs("\n", out);
	}
	if (limit && count > limit)
		fprintf(out, "%9s %zu more function%s: %suse --limit=0\n", "...", count - limit,
		        count - limit == 1 ? "" : "s", in_results ? "see results.csv, or " : "");
	fputs("\n", out);
}

bool console_print(FILE *out, const struct report *report, const struct group_tables *groups,
                   size_t limit, bool in_results, struct err *err)
{
	const struct buildstat *stat = report->stat;
	const struct results *results = report->results;
	const struct terminal terminal = terminal_of(out);

	for (size_t i = 0, next; i < results->row_count; i = next) {
		const struct result_row *rows = &results->rows[i];

		for (next = i + 1; next < results->row_count; next++)
			if (results->rows[next].event != rows->event)
				break;
		if (terminal.columns) {
			terminal_print_event(out, &terminal, report, rows, next - i, limit,
			                     in_results);
			continue;
		}
		print_event_line(out, stat, rows->event, report->summary);
		print_event(out, stat, rows, next - i, limit, in_results,
		            report->calls->count && report->calls->chains);
	}
	if (results->row_count == 0)
		fputs("# no samples\n", out);
	return !terminal.columns ||
	       terminal_print_groups(out, &terminal, report, groups, limit, err);
}
