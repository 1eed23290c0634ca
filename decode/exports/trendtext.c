#include "decode/exports/trendtext.h"

#include "decode/tables/terminal.h"
#include "util/path.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BARS_NARROW 16 /* characters of a sparkline on terminals narrower than WIDE_FROM */
#define WIDE_FROM 100  /* columns */
#define SINCE_MOST 14  /* columns of a version's name on a terminal */
#define NAMES_LEAST 12 /* minimum width of the function's name, in columns */

static const char bold[] = "\033[1m", red[] = "\033[31m", green[] = "\033[32m", plain[] = "\033[0m";

/* How the tables of a trend are laid out. */
struct trend_layout {
	struct terminal terminal;
	size_t bars;  /* characters of a sparkline */
	size_t since; /* columns of a version's name */
	size_t names; /* columns that are left for the function */
};

/* A version's name in at most so many columns: malloc'd; NULL when memory is refused. */
static char *short_label(const struct trend *trend, uint32_t version, size_t most)
{
	size_t length;
	const char *label = version_label(trend, version, &length);
	char *text = strndup(label, length), *fitting = text ? shortened(text, most) : NULL;

	free(text);
	return fitting;
}

/* Prints a version's name; filled up with blanks to so many columns. */
static void print_label(FILE *out, const struct trend *trend, uint32_t version, size_t most,
                        size_t width)
{
	char *label = short_label(trend, version, most);
	const size_t used = label ? text_columns(label) : 0;

	fprintf(out, "%s%*s", label ? label : "", used < width ? (int)(width - used) : 0, "");
	free(label);
}

/* The widest name of a version at which something changed. */
static size_t widest_label(const struct trend *trend, size_t most)
{
	size_t widest = strlen("since");

	for (size_t i = 0; i < trend->step_count; i++) {
		char *label = short_label(trend, trend->steps[i].version, most);
		const size_t columns = label ? text_columns(label) : 0;

		widest = columns > widest ? columns : widest;
		free(label);
	}
	return widest;
}

static struct trend_layout layout_of(FILE *out, const struct trend *trend)
{
	struct trend_layout layout = { .terminal = terminal_of(out) };
	const size_t versions = trend->history.version_count;
	const bool fits = layout.terminal.columns == 0;
	size_t used;

	layout.bars = fits || layout.terminal.columns >= WIDE_FROM ? SPARKLINE_MOST : BARS_NARROW;
	layout.bars = versions < layout.bars ? versions : layout.bars;
	layout.since = widest_label(trend, fits ? SIZE_MAX : SINCE_MOST);
	used = strlen("1234567890 +123.4 % 123.4 %  ") + layout.bars + 1 + layout.since + 1;
	layout.names = fits ? SIZE_MAX
	               : layout.terminal.columns < used + NAMES_LEAST
	                       ? NAMES_LEAST
	                       : layout.terminal.columns - used;
	return layout;
}

/* Higher cost is red, lower cost is green, and the rest has no colour. */
static const char *colour_of(const struct trend_layout *layout, enum verdict verdict)
{
	if (!layout->terminal.colour)
		return "";
	if (verdict == VERDICT_REGRESSED || verdict == VERDICT_NEW)
		return red;
	return verdict == VERDICT_IMPROVED || verdict == VERDICT_GONE ? green : "";
}

/* A cost of a trend; of --scale=share "52.31 %". */
static const char *format_trend_cost(char text[32], const struct trend *trend,
                                     const struct compare_row *row, double cost)
{
	const struct comparison *comparison = &trend->comparison;

	if (comparison->options.scale != SCALE_SHARE)
		return format_cost(text, cost, comparison->events[row->event].is_time);
	snprintf(text, 32, "%.2f %%", cost);
	return text;
}

static void print_change(FILE *out, const struct trend_layout *layout,
                         const struct trend_step *step)
{
	char text[32] = "";

	if (step && (step->verdict == VERDICT_NEW || !isfinite(step->change)))
		snprintf(text, sizeof(text), "new");
	else if (step && step->verdict == VERDICT_GONE)
		snprintf(text, sizeof(text), "gone");
	else if (step)
		snprintf(text, sizeof(text), "%+.1f %%", step->change);
	fprintf(out, " %s%8s%s", step ? colour_of(layout, step->verdict) : "", text,
	        step && *colour_of(layout, step->verdict) ? plain : "");
}

static void print_visible(FILE *out, double detectable)
{
	char text[32] = "-";

	if (isfinite(detectable))
		snprintf(text, sizeof(text), detectable < 999 ? "%.1f %%" : ">999 %%", detectable);
	fprintf(out, " %7s", text);
}

/* "function (binary) <> match": behind the function only what fits. */
static void print_names(FILE *out, const struct trend *trend, const struct compare_row *row,
                        uint32_t match, size_t room)
{
	const struct strings *strings = trend->comparison.strings;
	char *name = shortened(strings_get(strings, row->function), room);
	char *binary = text_shown(path_base(strings_get(strings, row->binary)));
	char *other = text_shown(match == STRING_NONE ? "" : strings_get(strings, match));
	size_t used = name ? text_columns(name) : 0;

	fputs(name ? name : "", out);
	if (binary && !row->is_total && used + 3 + text_columns(binary) <= room) {
		fprintf(out, " (%s)", binary);
		used += 3 + text_columns(binary);
	}
	if (other && *other && used + 4 + text_columns(other) <= room)
		fprintf(out, " <> %s", other);
	fputs("\n", out);
	free(name);
	free(binary);
	free(other);
}

/* A line for a row with its last step, and one for each earlier step. */
static void print_trend_row(FILE *out, const struct trend *trend, const struct trend_layout *layout,
                            size_t number)
{
	const struct compare_row *row = &trend->comparison.own.rows[number];
	const struct trend_row *more = &trend->rows[number];
	const struct trend_step *steps = trend->steps + more->first_step;
	const struct trend_step *last = more->step_count ? &steps[more->step_count - 1] : NULL;
	char cost[32], bars[SPARKLINE_SIZE];

	sparkline(bars, trend, row, layout->bars);
	fprintf(out, "%10s", format_trend_cost(cost, trend, row, row->cost[SIDE_NEW]));
	print_change(out, layout, last);
	print_visible(out, more->detectable);
	fprintf(out, " %s ", bars);
	if (last)
		print_label(out, trend, last->version, layout->since, layout->since);
	else
		fprintf(out, "%*s", (int)layout->since, "");
	fputs(" ", out);
	print_names(out, trend, row, row->match, layout->names);
	for (size_t i = more->step_count; i > 1; i--) {
		const struct trend_step *step = &steps[i - 2];

		fprintf(out, "%10s", format_trend_cost(cost, trend, row, step->cost[SIDE_NEW]));
		print_change(out, layout, step);
		fprintf(out, " %7s %*s ", "", (int)layout->bars, "");
		print_label(out, trend, step->version, layout->since, layout->since);
		fputs(" \"\n", out);
	}
}

static void print_title(FILE *out, const struct trend *trend, const struct trend_layout *layout,
                        uint32_t number)
{
	const struct event_runs *list = &trend->event_runs[number];
	const struct comparison *comparison = &trend->comparison;
	char *name = shortened(strings_get(comparison->strings, comparison->events[number].name),
	                       layout->terminal.columns ? layout->terminal.columns / 2 : SIZE_MAX);

	fprintf(out, "%s# %s: %u version%s, %u run%s%s\n", layout->terminal.colour ? bold : "",
	        name ? name : "", list->version_count, list->version_count == 1 ? "" : "s",
	        list->run_count, list->run_count == 1 ? "" : "s",
	        layout->terminal.colour ? plain : "");
	free(name);
}

static void print_trend_event(FILE *out, const struct verdict_report *report,
                              const struct trend_layout *layout, uint32_t number)
{
	const struct trend *trend = report->trend;
	struct err err = { 0 };
	size_t count, functions = 0, shown = 0;
	size_t *rows = trend_rows_to_show(trend, number, &count, &err);

	print_title(out, trend, layout, number);
	if (trend->event_runs[number].run_count)
		fprintf(out, "%10s %8s %7s %-*s %-*s %s\n", "cost", "change", "visible",
		        (int)layout->bars, layout->bars >= 4 ? "runs" : "", (int)layout->since,
		        "since", "function");
	for (size_t i = 0; rows && trend->event_runs[number].run_count && i < count; i++) {
		functions += !trend->comparison.own.rows[rows[i]].is_total;
		if (functions > report->limit)
			continue;
		shown = functions;
		print_trend_row(out, trend, layout, rows[i]);
	}
	if (functions > shown)
		fprintf(out, "    ... %zu more: %suse --limit=0\n", functions - shown,
		        report->table ? "see series.csv, or " : "");
	free(rows);
}

void trend_text_print(FILE *out, const struct verdict_report *report)
{
	const struct trend_layout layout = layout_of(out, report->trend);

	for (uint32_t i = 0; i < report->trend->comparison.event_count; i++)
		if (!report->trend->comparison.events[i].excluded)
			print_trend_event(out, report, &layout, i);
}
