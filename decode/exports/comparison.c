/* The result on the console, in a form like benchstat's. */
#include "decode/exports/trendtext.h"
#include "decode/exports/verdicttext.h"
#include "decode/tables/terminal.h"
#include "util/path.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL_FROM 100 /* columns; narrower terminals have no room for the interval */
#define NAMES_AT 48       /* column where the function begins, without the interval */
#define NAMES_BEHIND 68   /* the same with the interval */
#define NAMES_LEAST 12    /* minimum width of the name, in columns */

static const char bold[] = "\033[1m", red[] = "\033[31m", green[] = "\033[32m", plain[] = "\033[0m";

/* Higher cost is red, lower cost is green, and the rest has no colour. */
static const char *colour_of(const struct terminal *terminal, enum verdict verdict)
{
	if (!terminal->colour)
		return "";
	if (verdict == VERDICT_REGRESSED || verdict == VERDICT_NEW)
		return red;
	return verdict == VERDICT_IMPROVED || verdict == VERDICT_GONE ? green : "";
}

static void print_change(FILE *out, const struct compare_row *row)
{
	if (row->verdict == VERDICT_NOISE || row->verdict == VERDICT_SAME)
		fprintf(out, " %8s", "~");
	else if (isinf(row->change))
		fprintf(out, " %8s", "new");
	else
		fprintf(out, " %+6.1f %%", row->change);
}

static void print_test(FILE *out, const struct compare_row *row, bool shows)
{
	char interval[40] = "", p[16] = "";

	if (row->tested && row->samples[SIDE_BASE] && row->samples[SIDE_NEW])
		snprintf(interval, sizeof(interval), "%+.1f..%+.1f %%", row->low, row->high);
	if (row->tested)
		snprintf(p, sizeof(p), row->p_adjusted < 0.001 ? "<.001" : "%.3f", row->p_adjusted);
	if (shows)
		fprintf(out, "  %18s", interval);
	fprintf(out, " %6s", p);
}

/* Prints a text in at most so many columns. Returns how many it took. */
static size_t print_fitting(FILE *out, const char *text, size_t room)
{
	char *fitting = shortened(text, room);
	size_t used = fitting ? text_columns(fitting) : 0;

	fputs(fitting ? fitting : "", out);
	free(fitting);
	return used;
}

/* "function (binary) <> match": behind the function only what fits into the room. */
static void print_names(FILE *out, const struct comparison *comparison,
                        const struct compare_row *row, size_t room)
{
	const char *function = strings_get(comparison->strings, row->function);
	const char *path = strings_get(comparison->strings, row->binary);
	const bool moved = row->match != STRING_NONE;
	char *binary = text_shown(path_base(path));
	char *match = text_shown(moved ? strings_get(comparison->strings, row->match) : "");
	size_t used = print_fitting(out, function, room);

	if (binary && !row->is_total && used + 3 + text_columns(binary) <= room) {
		fprintf(out, " (%s)", binary);
		used += 3 + text_columns(binary);
	}
	if (match && *match && used + 4 + text_columns(match) <= room)
		fprintf(out, " <> %s", match);
	fputs("\n", out);
	free(binary);
	free(match);
}

static void print_compared_row(FILE *out, const struct comparison *comparison,
                               const struct compare_row *row, const struct terminal *terminal)
{
	const char *colour = colour_of(terminal, row->verdict), *end = *colour ? plain : "";
	const bool interval = terminal->columns >= INTERVAL_FROM;
	const size_t at = interval ? NAMES_BEHIND : NAMES_AT;
	char base[32], now[32];

	fprintf(out, "%10s %10s%s", format_row_cost(base, comparison, row, SIDE_BASE),
	        format_row_cost(now, comparison, row, SIDE_NEW), colour);
	print_change(out, row);
	fputs(end, out);
	print_test(out, row, interval);
	fprintf(out, " %s%-9s%s ", colour, verdict_names[row->verdict], end);
	print_names(out, comparison, row,
	            terminal->columns < at + NAMES_LEAST ? NAMES_LEAST : terminal->columns - at);
}

static void print_title(FILE *out, const struct compare_event *event, const char *name,
                        const struct terminal *terminal)
{
	char runs[80] = ": no samples";
	size_t used;

	if (compare_event_has_samples(event))
		snprintf(runs, sizeof(runs), ": %u base run%s, %u new run%s",
		         event->side_runs[SIDE_BASE], event->side_runs[SIDE_BASE] == 1 ? "" : "s",
		         event->side_runs[SIDE_NEW], event->side_runs[SIDE_NEW] == 1 ? "" : "s");
	used = strlen("# ") + strlen(runs);
	fprintf(out, "%s# ", terminal->colour ? bold : "");
	print_fitting(out, name, terminal->columns > used ? terminal->columns - used : SIZE_MAX);
	fprintf(out, "%s%s\n", runs, terminal->colour ? plain : "");
}

static void print_compared_event(FILE *out, const struct verdict_report *report, uint32_t number,
                                 const struct terminal *terminal)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_event *event = &comparison->events[number];
	const char *name = strings_get(comparison->strings, event->name);
	uint64_t functions = 0;

	print_title(out, event, name, terminal);
	if (!compare_event_has_samples(event))
		return;
	fprintf(out, "%10s %10s %8s", "base", "new", "change");
	if (terminal->columns >= INTERVAL_FROM)
		fprintf(out, "  %18s", "95 % interval");
	fprintf(out, " %6s %-9s %s\n", "p", "verdict", "function");
	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];

		if (row->event != number || row->verdict == VERDICT_SMALL)
			continue;
		if (row->is_total || functions++ < report->limit)
			print_compared_row(out, comparison, row, terminal);
	}
	if (functions > report->limit)
		fprintf(out, "    ... %" PRIu64 " more: %suse --limit=0\n",
		        functions - report->limit, report->table ? "see diff.csv, or " : "");
}

static void print_rule(FILE *out, const struct verdict_report *report, const struct rule *rule)
{
	char worst[WORST_SIZE];

	fputs(rule_is_met(rule) ? "FAIL " : rule_gap(rule) ? "skip " : "ok   ", out);
	print_fitting(out, rule->text, SIZE_MAX);
	fputs(": ", out);
	if (rule_gap(rule)) {
		fputs(rule_gap(rule), out);
	} else {
		print_fitting(out, strings_get(report->strings, rule->subject), SIZE_MAX);
		fprintf(out, " %s", format_worst(worst, rule));
	}
	fputs("\n", out);
}

void verdict_print(FILE *out, const struct verdict_report *report)
{
	struct terminal terminal = terminal_of(out);

	if (!terminal.columns)
		terminal.columns = SIZE_MAX; /* everything fits */
	if (report->trend)
		trend_text_print(out, report);
	for (uint32_t i = 0;
	     !report->trend && report->comparison && i < report->comparison->event_count; i++)
		if (!report->comparison->events[i].excluded)
			print_compared_event(out, report, i, &terminal);
	for (size_t i = 0; i < report->rules->count; i++)
		print_rule(out, report, &report->rules->items[i]);
}
