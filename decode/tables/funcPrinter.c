#include "decode/tables/funcPrinter.h"
#include "util/digits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTION_WIDTH 40 /* characters; longer names are not cut */
#define PATH_SHOWN 200    /* bytes; a message shows the end of a longer path */

static uint64_t whole_period(const struct buildstat *stat, uint32_t event)
{
	return event == EVENT_UNKNOWN ? stat->unknown.period : stat->totals[event].period;
}

static const char *text(const struct buildstat *stat, uint32_t string)
{
	return strings_get(stat->strings, string);
}

void results_print(struct csv *csv, const struct buildstat *stat, const struct results *results)
{
	for (size_t i = 0; i < results->row_count; i++) {
		const struct result_row *row = &results->rows[i];

		csv_u64(csv, row->period);
		csv_u64(csv, row->samples);
		csv_str(csv, text(stat, row->file));
		csv_str(csv, text(stat, row->function));
		csv_str(csv, text(stat, row->binary));
		csv_str(csv, buildstat_event_name(stat->session, row->event));
		csv_percent(csv, row->period, whole_period(stat, row->event));
		csv_str(csv, symbol_origin_name((enum symbol_origin)row->origin));
		csv_end(csv);
	}
}

static void print_line(struct csv *csv, uint32_t line)
{
	if (line)
		csv_u64(csv, line);
	else
		csv_empty(csv);
}

void lines_print(struct csv *csv, const struct buildstat *stat, const struct place_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct place_row *row = &rows->items[i];

		csv_u64(csv, row->period);
		csv_u64(csv, row->samples);
		csv_percent(csv, row->period, whole_period(stat, row->event));
		csv_str(csv, text(stat, row->file));
		print_line(csv, row->line);
		csv_str(csv, text(stat, row->function));
		csv_str(csv, text(stat, row->binary));
		csv_str(csv, buildstat_event_name(stat->session, row->event));
		csv_end(csv);
	}
}

void addresses_print(struct csv *csv, const struct buildstat *stat, const struct place_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct place_row *row = &rows->items[i];

		csv_u64(csv, row->period);
		csv_u64(csv, row->samples);
		csv_percent(csv, row->period, whole_period(stat, row->event));
		csv_hex(csv, row->addr);
		csv_str(csv, text(stat, row->function));
		csv_str(csv, text(stat, row->file));
		print_line(csv, row->line);
		csv_str(csv, text(stat, row->binary));
		csv_str(csv, buildstat_event_name(stat->session, row->event));
		csv_end(csv);
	}
}

/* How many characters UTF-8 text has. */
static int characters(const char *text, size_t length)
{
	int count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((uint8_t)text[i] & 0xc0) != 0x80;
	return count;
}

/*
 * Names come from the recorded machine: nothing in them may reach the terminal as it is. Returns how
 * many characters were printed.
 */
static int print_safe(FILE *out, const char *name)
{
	size_t length = strlen(name);
	char *escaped;
	int count;

	if (text_is_clean(name, length)) {
		fputs(name, out);
		return characters(name, length);
	}
	escaped = malloc(4 * length);
	if (!escaped)
		return 0;
	length = (size_t)(format_escaped(escaped, name, length) - escaped);
	fwrite(escaped, 1, length, out);
	count = characters(escaped, length);
	free(escaped);
	return count;
}

static void print_event_line(FILE *out, const struct buildstat *stat, uint32_t event,
                             const struct event_totals *total, const struct read_summary *summary)
{
	fputs("# ", out);
	print_safe(out, buildstat_event_name(stat->session, event));
	fprintf(out, ": %" PRIu64 " sample%s, period %" PRIu64 ", %" PRIu64 " process%s",
	        total->samples, total->samples == 1 ? "" : "s", total->period, total->processes,
	        total->processes == 1 ? "" : "es");
	if (summary->first_time != TIME_NONE)
		fprintf(out, ", %.3f s", (double)(summary->last_time - summary->first_time) / 1e9);
	/* LOST records say nothing of events, and count what LOST_SAMPLES count once more */
	if (total->lost)
		fprintf(out, ", lost %" PRIu64 " sample%s", total->lost,
		        total->lost == 1 ? "" : "s");
	else if (summary->lost_records && !summary->lost_samples)
		fprintf(out, ", lost %" PRIu64 " record%s in all", summary->lost_records,
		        summary->lost_records == 1 ? "" : "s");
	fputs("\n", out);
}

static void print_event(FILE *out, const struct buildstat *stat, const struct result_row *rows,
                        size_t count, size_t limit, bool in_results)
{
	uint64_t whole = whole_period(stat, rows->event);
	char percent[40];

	fprintf(out, "%9s %20s %12s  %-*s %s\n", "percent", "period", "samples", FUNCTION_WIDTH,
	        "function", "binary");
	for (size_t i = 0; i < count && (limit == 0 || i < limit); i++) {
		int width;

		/* two decimals are enough to read */
		*format_percent(percent, rows[i].period, whole, 2) = '\0';
		fprintf(out, "%8s%% %20" PRIu64 " %12" PRIu64 "  ", percent, rows[i].period,
		        rows[i].samples);
		width = print_safe(out, text(stat, rows[i].function));
		fprintf(out, "%*s ", width < FUNCTION_WIDTH ? FUNCTION_WIDTH - width : 0, "");
		print_safe(out, text(stat, rows[i].binary));
		fputs("\n", out);
	}
	if (limit && count > limit)
		fprintf(out, "%9s %zu more function%s: %suse --limit=0\n", "...", count - limit,
		        count - limit == 1 ? "" : "s", in_results ? "see results.csv, or " : "");
	fputs("\n", out);
}

void console_print(FILE *out, const struct buildstat *stat, const struct results *results,
                   const struct read_summary *summary, size_t limit, bool in_results)
{
	for (size_t i = 0, next; i < results->row_count; i = next) {
		uint32_t event = results->rows[i].event;

		for (next = i + 1; next < results->row_count; next++)
			if (results->rows[next].event != event)
				break;
		print_event_line(out, stat, event,
		                 event == EVENT_UNKNOWN ? &stat->unknown : &stat->totals[event],
		                 summary);
		print_event(out, stat, results->rows + i, next - i, limit, in_results);
	}
	if (results->row_count == 0)
		fputs("# no samples\n", out);
}

/* What the user could do about a reason, of a binary. */
static const char *advice(enum symbol_origin reason, const char *binary, bool debuginfod)
{
	const struct origin *origin = &origins[reason];

	if (*binary == '[' && origin->special_advice)
		return origin->special_advice;
	return debuginfod && origin->fetched_advice ? origin->fetched_advice : origin->advice;
}

/* Periods are the measure, but those of several events do not add up: then it is the samples. */
static uint64_t measure(bool by_period, uint64_t period, uint64_t samples)
{
	return by_period ? period : samples;
}

void unnamed_report(const struct results *results, const struct strings *strings,
                    const struct symbol_options *options, struct diag *diag)
{
	enum symbol_origin largest = ORIGIN_FIRST_REASON;
	char reasons[300] = "", percent[40];
	bool by_period = results->period && results->row_count &&
	                 results->rows[0].event == results->rows[results->row_count - 1].event;
	uint64_t whole = measure(by_period, results->period, results->samples), unnamed = 0,
		 most = 0;
	const char *worst;
	size_t used = 0, length, cut;

	for (size_t i = ORIGIN_FIRST_REASON; i < ORIGIN_COUNT; i++) {
		const struct unnamed *reason = &results->unnamed[i];
		uint64_t part = measure(by_period, reason->period, reason->samples);

		unnamed += part;
		if (part > most) {
			most = part;
			largest = (enum symbol_origin)i;
		}
		if (part == 0 || sizeof(reasons) - used < 60)
			continue;
		*format_percent(percent, part, whole, 2) = '\0';
		used += (size_t)snprintf(reasons + used, sizeof(reasons) - used, "%s%s %s %%",
		                         used ? ", " : "",
		                         symbol_origin_name((enum symbol_origin)i), percent);
	}
	*format_percent(percent, unnamed, whole, 2) = '\0';
	/* what is too little to be seen in a percentage is none to be told to do something about */
	if (strcmp(percent, "0.00") == 0)
		return;
	worst = strings_get(strings, results->unnamed[largest].worst);
	length = strlen(worst);
	cut = length > PATH_SHOWN ? length - PATH_SHOWN : 0;
	/* not in the middle of a character */
	while (cut && ((uint8_t)worst[cut] & 0xc0) == 0x80)
		cut++;
	diag_warn(diag, ERR_NO_OFFSET,
	          "%s %% of the %s no function name: %s; %s mostly in %s%s: %s", percent,
	          by_period ? "period has" : "samples have", reasons, symbol_origin_name(largest),
	          cut ? "..." : "", worst + cut, advice(largest, worst, options->files.debuginfod));
}
