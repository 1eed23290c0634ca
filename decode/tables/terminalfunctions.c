/* The most expensive functions of an event on a terminal. */
#include "decode/tables/terminaltables.h"

#include "util/digits.h"

#include <inttypes.h>
#include <stdlib.h>

#define NUMBERS_WIDTH 30 /* columns of the numbers, and of the spaces between names */
#define TOTAL_WIDTH 9u   /* columns of a total */
#define SAMPLES_WIDTH 9u /* columns of a number of samples */
/* narrower terminals have no samples where there are totals */
#define BOTH_LEAST 64

/* The last part of a path. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return *path == '/' && slash[1] ? slash + 1 : path;
}

struct event_rows {
	const struct buildstat *stat;
	const struct result_row *rows;
	size_t count, shown;
	uint64_t whole;
	bool clock;   /* periods are ns */
	bool total;   /* there are call chains: each function also has a share with all it calls */
	bool samples; /* there is room for their number */
};

/* The last part of a binary's path, or the whole path if another binary shown has the same one. */
static const char *binary_name(const struct event_rows *event, size_t row)
{
	const char *path = strings_get(event->stat->strings, event->rows[row].binary);
	const char *part = last_part(path);

	for (size_t i = 0; part != path && i < event->shown; i++)
		if (event->rows[i].binary != event->rows[row].binary &&
		    !strcmp(last_part(strings_get(event->stat->strings, event->rows[i].binary)),
		            part))
			return path;
	return part;
}

/* How the width that numbers leave is shared between the columns of names. */
struct name_widths {
	size_t function, binary;
};

/*
 * Each column gets what it needs if there is room; otherwise binaries get a third, or what
 * functions leave.
 */
static struct name_widths share_width(const struct event_rows *event, size_t room)
{
	struct name_widths widths = { strlen("function"), strlen("binary") };

	for (size_t i = 0; i < event->shown; i++) {
		size_t function = text_characters(
			strings_get(event->stat->strings, event->rows[i].function));
		size_t binary = text_characters(binary_name(event, i));

		widths.function = function > widths.function ? function : widths.function;
		widths.binary = binary > widths.binary ? binary : widths.binary;
	}
	if (widths.function + widths.binary <= room)
		return widths;
	if (widths.binary > room / 3)
		widths.binary = widths.function < room - room / 3 ? room - widths.function
		                                                  : room / 3;
	widths.function = room - widths.binary;
	return widths;
}

static void print_row(FILE *out, const struct terminal *terminal, const struct event_rows *event,
                      size_t number, const struct name_widths *widths)
{
	const struct result_row *row = &event->rows[number];
	char total[40], period[SHORT_NUMBER_SIZE], samples[SHORT_NUMBER_SIZE], *binary;

	*format_percent(total, row->total.period, event->whole, 2) = '\0';
	format_period(period, row->period, event->clock);
	short_count(samples, row->samples);
	print_share_of(out, terminal, row->period, event->whole);
	if (event->total)
		fprintf(out, "%*s%% ", (int)TOTAL_WIDTH - 2, total);
	fprintf(out, "%9s", period);
	if (event->samples)
		fprintf(out, "%*s", (int)SAMPLES_WIDTH, samples);
	fputs("  ", out);
	print_padded(out, strings_get(event->stat->strings, row->function), widths->function);
	binary = shortened(binary_name(event, number), widths->binary);
	fprintf(out, "  %s\n", binary ? binary : "");
	free(binary);
}

/*
 * "cpu-clock: 864 samples, 432.0 ms, 1 process"; of a selection, "cpu-clock: 26 of 864 samples,
 * 13.00 ms of 432.0 ms, 1 process"
 */
static void print_totals(FILE *out, const struct event_totals *total, bool clock)
{
	bool all = event_all_selected(total);
	char period[SHORT_NUMBER_SIZE];

	if (!all)
		fprintf(out, "%" PRIu64 " of ", total->selected_samples);
	fprintf(out, "%" PRIu64 " sample%s, %s", total->samples, total->samples == 1 ? "" : "s",
	        clock ? "" : "period ");
	if (!all) {
		format_period(period, total->selected_period, clock);
		fprintf(out, "%s of ", period);
	}
	format_period(period, total->period, clock);
	fprintf(out, "%s, %" PRIu64 " process%s", period, total->processes,
	        total->processes == 1 ? "" : "es");
}

/* The totals, the duration and what was lost; malloc'd, or NULL. */
static char *title_facts(const struct event_rows *event, const struct event_totals *total,
                         const struct read_summary *summary)
{
	char *facts = NULL;
	size_t size;
	FILE *text = open_memstream(&facts, &size);

	if (!text)
		return NULL;
	print_totals(text, total, event->clock);
	if (summary->first_time != TIME_NONE)
		fprintf(text, ", %.3f s", (double)(summary->last_time - summary->first_time) / 1e9);
	if (total->lost)
		fprintf(text, ", lost %" PRIu64, total->lost);
	else if (summary->lost_records && !summary->lost_samples)
		fprintf(text, ", lost %" PRIu64 " record%s in all", summary->lost_records,
		        summary->lost_records == 1 ? "" : "s");
	if (fclose(text) == 0)
		return facts;
	free(facts);
	return NULL;
}

/* The event and its facts, on one line or, if that is too narrow, on two. */
static void print_title(FILE *out, const struct terminal *terminal, const struct event_rows *event,
                        const struct event_totals *total, const struct read_summary *summary)
{
	static const size_t marks = 4; /* "# " and ": " */
	const char *name = buildstat_event_name(event->stat->session, event->rows->event);
	char *facts = title_facts(event, total, summary);
	char *label = shortened(name, terminal->columns - marks);
	char *fitting = facts ? shortened(facts, terminal->columns - marks) : NULL;

	if (label && fitting) {
		const size_t width = marks + text_characters(label) + text_characters(fitting);

		print_bold(out, terminal, "# %s:%s%s", label,
		           width > terminal->columns ? "\n#   " : " ", fitting);
	}
	free(facts);
	free(label);
	free(fitting);
}

static void print_event(FILE *out, const struct terminal *terminal, const struct event_rows *event,
                        bool in_results)
{
	const size_t numbers = NUMBERS_WIDTH + (event->total ? TOTAL_WIDTH : 0) -
	                       (event->samples ? 0 : SAMPLES_WIDTH);
	const struct name_widths widths = share_width(event, terminal->columns - numbers);

	fprintf(out, "%7s ", event->total ? "self" : "percent");
	if (event->total)
		fprintf(out, "%*s ", (int)TOTAL_WIDTH - 1, "total");
	fprintf(out, "%9s", event->clock ? "time" : "period");
	if (event->samples)
		fprintf(out, "%*s", (int)SAMPLES_WIDTH, "samples");
	fprintf(out, "  %-*s  %s\n", (int)widths.function, "function", "binary");
	for (size_t i = 0; i < event->shown; i++)
		print_row(out, terminal, event, i, &widths);
	if (event->count > event->shown)
		fprintf(out, "%7s %zu more: %suse --limit=0\n", "...", event->count - event->shown,
		        in_results ? "see results.csv, or " : "");
	fputs("\n", out);
}

void terminal_print_event(FILE *out, const struct terminal *terminal, const struct report *report,
                          const struct result_row *rows, size_t count, size_t limit,
                          bool in_results)
{
	const struct buildstat *stat = report->stat;
	const struct event_totals *total = buildstat_totals(stat, rows->event);
	struct event_rows event = { .stat = stat,
		                    .rows = rows,
		                    .count = count,
		                    .shown = limit && limit < count ? limit : count,
		                    .whole = total->period,
		                    .total = report->calls->count && report->calls->chains,
		                    .clock = is_clock(stat->session, rows->event) };

	event.samples = !event.total || terminal->columns >= BOTH_LEAST;
	print_title(out, terminal, &event, total, report->summary);
	print_event(out, terminal, &event, in_results);
}
