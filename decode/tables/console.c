#include "decode/tables/console.h"

#include "decode/tables/consolegroups.h"
#include "decode/tables/consoletable.h"

#include <inttypes.h>
#include <stdlib.h>

/* The functions of one event. */
struct event_rows {
	const struct report *report;
	const struct result_row *rows;
	size_t count;
};

static struct console_numbers numbers_of_function(const void *context, size_t row)
{
	const struct event_rows *event = context;
	const struct result_row *result = &event->rows[row];

	return (struct console_numbers){ result->period, result->samples, result->total.period };
}

static const char *name_of_function(const void *context, size_t row, unsigned column,
                                    char room[CONSOLE_TEXT_SIZE])
{
	const struct event_rows *event = context;
	const struct result_row *result = &event->rows[row];

	(void)room;
	return strings_get(event->report->stat->strings,
	                   column ? result->binary : result->function);
}

/* "869 samples", or "26 of 869 samples" if not all are selected. */
static void print_samples(FILE *out, const struct event_totals *total)
{
	if (!event_all_selected(total))
		fprintf(out, "%" PRIu64 " of ", total->selected_samples);
	fprintf(out, "%" PRIu64 " sample%s", total->samples, total->samples == 1 ? "" : "s");
}

static void print_period(FILE *out, const struct event_totals *total,
                         const struct terminal *terminal, bool clock)
{
	char text[SHORT_NUMBER_SIZE];

	if (!terminal->columns || !clock)
		fputs("period ", out);
	if (!event_all_selected(total)) {
		console_period(text, terminal, total->selected_period, clock);
		fprintf(out, "%s of ", text);
	}
	console_period(text, terminal, total->period, clock);
	fputs(text, out);
}

/*
 * "864 samples, period 432000000, 1 process, 0.432 s, lost 3 samples"; malloc'd, NULL when memory
 * is refused.
 */
static char *facts_of_event(const struct event_totals *total, const struct read_summary *summary,
                            const struct terminal *terminal, bool clock)
{
	char *facts = NULL;
	size_t size;
	FILE *out = open_memstream(&facts, &size);

	if (!out)
		return NULL;
	print_samples(out, total);
	fputs(", ", out);
	print_period(out, total, terminal, clock);
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
	if (fclose(out) == 0)
		return facts;
	free(facts);
	return NULL;
}

static bool print_event(FILE *out, const struct terminal *terminal, const struct event_rows *event,
                        size_t limit, bool in_results, struct err *err)
{
	const struct buildstat *stat = event->report->stat;
	const struct event_totals *total = buildstat_totals(stat, event->rows->event);
	const struct call_tree *calls = event->report->calls;
	const struct console_table table = {
		.terminal = *terminal,
		.columns = { { "function", false, false }, { "binary", false, true } },
		.column_count = 2,
		.count = event->count,
		.shown = limit && limit < event->count ? limit : event->count,
		.noun = "function",
		.file = in_results ? "results" : "",
		.whole = total->period,
		.clock = buildstat_event_is_clock(stat->session, event->rows->event),
		.total = calls->count && calls->chains,
		.rows = event,
		.numbers = numbers_of_function,
		.name = name_of_function,
	};
	char *facts = facts_of_event(total, event->report->summary, terminal, table.clock);

	console_title(out, terminal, "", buildstat_event_name(stat->session, event->rows->event),
	              facts ? facts : "");
	free(facts);
	return console_table_print(out, &table, err);
}

bool console_print(FILE *out, const struct report *report, size_t limit, bool in_results,
                   struct err *err)
{
	const struct results *results = report->results;
	const struct terminal terminal = terminal_of(out);
	bool ok = true;

	for (size_t i = 0; ok && i < results->row_count;) {
		struct event_rows event = { report, &results->rows[i], 0 };

		while (i < results->row_count && results->rows[i].event == event.rows->event) {
			event.count++;
			i++;
		}
		ok = print_event(out, &terminal, &event, limit, in_results, err);
	}
	if (results->row_count == 0)
		fputs("# no samples\n", out);
	return ok &&
	       (!terminal.columns || console_print_groups(out, &terminal, report, limit, err));
}
