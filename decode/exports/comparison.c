#include "decode/exports/comparison.h"

#include <math.h>
#include <string.h>

#define NAMES_AT 62 /* column where the function begins */

/* Prints at most room bytes of a text, with ".." in its middle where it is longer; 0: all of it. */
static void print_shortened(FILE *out, const char *text, size_t room)
{
	size_t length = strlen(text), front, back;

	if (!room || length <= room || room < 4) {
		fputs(text, out);
		return;
	}
	front = (room - 2) / 2;
	back = room - 2 - front;
	/* never inside of a character: bytes 10xxxxxx continue one */
	while (front && ((unsigned char)text[front] & 0xc0) == 0x80)
		front--;
	while (back && ((unsigned char)text[length - back] & 0xc0) == 0x80)
		back--;
	fprintf(out, "%.*s..%s", (int)front, text, text + length - back);
}

static void print_change(FILE *out, const struct compare_row *row)
{
	char interval[40] = "", p[16] = "";

	if (row->verdict == VERDICT_NOISE || row->verdict == VERDICT_SAME)
		fprintf(out, " %8s", "~");
	else if (isinf(row->change))
		fprintf(out, " %8s", "new");
	else
		fprintf(out, " %+6.1f %%", row->change);
	if (row->tested && row->samples[SIDE_BASE] && row->samples[SIDE_NEW])
		snprintf(interval, sizeof(interval), "%+.1f..%+.1f %%", row->low, row->high);
	if (row->tested)
		snprintf(p, sizeof(p), row->p_adjusted < 0.001 ? "<.001" : "%.3f", row->p_adjusted);
	fprintf(out, "  %18s %6s", interval, p);
}

static void print_row(FILE *out, const struct comparison *comparison, const struct compare_row *row,
                      bool clock, size_t width)
{
	const char *function = strings_get(comparison->strings, row->function);
	const char *binary = strrchr(strings_get(comparison->strings, row->binary), '/');
	const char *match = "";
	char base[32], now[32];
	size_t room = width > NAMES_AT + 20 ? width - NAMES_AT : 0, taken;

	binary = binary ? binary + 1 : strings_get(comparison->strings, row->binary);
	fprintf(out, "%10s %10s", format_cost(base, row->cost[SIDE_BASE], clock),
	        format_cost(now, row->cost[SIDE_NEW], clock));
	print_change(out, row);
	fprintf(out, " %-9s", verdict_names[row->verdict]);
	if (row->match != SIZE_MAX)
		match = strings_get(comparison->strings, comparison->own.rows[row->match].function);
	taken = *binary ? strlen(binary) + 3 : 0;
	fputs(" ", out);
	if (room && taken > room / 2)
		taken = 0;
	print_shortened(out, function, room ? room - taken : 0);
	if (!row->is_total && (taken || !room))
		fprintf(out, " (%s)", binary);
	if (*match && !room)
		fprintf(out, " <> %s", match);
	fputs("\n", out);
}

static void print_event(FILE *out, const struct verdict_report *report, uint32_t number,
                        size_t width)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_event *event = &comparison->events[number];
	const char *name = strings_get(comparison->strings, event->name);
	uint64_t shown = 0, hidden = 0;

	fprintf(out, "# %s: %u base run%s, %u new run%s\n", name, event->side_runs[SIDE_BASE],
	        event->side_runs[SIDE_BASE] == 1 ? "" : "s", event->side_runs[SIDE_NEW],
	        event->side_runs[SIDE_NEW] == 1 ? "" : "s");
	fprintf(out, "%10s %10s %8s  %18s %6s %-9s %s\n", "base", "new", "change", "95 % interval",
	        "p", "verdict", "function");
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->event != number || row->verdict == VERDICT_SMALL)
			continue;
		if (!row->is_total && report->limit && shown++ >= report->limit)
			hidden++;
		else
			print_row(out, comparison, row, event_is_clock(name), width);
	}
	if (hidden)
		fprintf(out, "  %llu more in diff.csv (-n 0 shows them)\n",
		        (unsigned long long)hidden);
}

void rules_print(FILE *out, const struct verdict_report *report)
{
	for (size_t i = 0; i < report->rules->count; i++) {
		const struct rule *rule = &report->rules->items[i];

		fprintf(out, "%s %s", rule->met ? "FAIL" : "ok  ", rule->text);
		if (rule->measured && isfinite(rule->worst))
			fprintf(out, ": %s %+.1f %s", strings_get(report->strings, rule->subject),
			        rule->worst, rule->points ? "pp" : "%");
		else if (rule->measured)
			fprintf(out, ": %s is new", strings_get(report->strings, rule->subject));
		fputs("\n", out);
	}
}

void comparison_print(FILE *out, const struct verdict_report *report, size_t width)
{
	for (uint32_t i = 0; i < report->comparison->event_count; i++)
		print_event(out, report, i, width);
	rules_print(out, report);
}
