/*
 * trend.svg: a panel for each function, with a dot for each run, a line for the mean of each
 * segment, and a mark where its cost changed. It loads nothing, and needs no script.
 */
#include "decode/exports/headline.h"
#include "decode/exports/svgtext.h"
#include "decode/exports/trendtext.h"
#include "decode/tables/eventfile.h"
#include "decode/tables/terminal.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PANELS_MOST 40 /* functions, those that changed first */
#define WIDTH 1000.0
#define LEFT 300.0     /* x where the versions begin */
#define RIGHT 980.0    /* and where they end */
#define TOP 76.0       /* y of the first panel */
#define PANEL 70.0     /* its height */
#define INSIDE 44.0    /* height of what is drawn in it */
#define NAME_MOST 40   /* characters of a function's name */
#define TITLE_CHAR 9.1 /* pixels of a character of the title */

/* A panel while it is drawn. */
struct panel {
	FILE *out;
	const struct trend *trend;
	const struct compare_row *row;
	const struct trend_row *more;
	double top;  /* y */
	double most; /* the cost at the top */
	struct err *err;
};

static double x_of(const struct panel *panel, double version)
{
	const double count = (double)panel->trend->history.version_count;

	return LEFT + (RIGHT - LEFT) * (count > 0 ? version / count : 0);
}

static double y_of(const struct panel *panel, double cost)
{
	return panel->top + INSIDE * (1 - cost / panel->most);
}

/* Prints a text whose control bytes are escaped, which is freed; NULL: memory was refused. */
static void print_clean(FILE *out, char *text, struct err *err)
{
	if (text)
		svg_print(out, text, SIZE_MAX);
	else
		err_nomem(err, NAME_MOST);
	free(text);
}

static void print_name(FILE *out, const char *name, struct err *err)
{
	print_clean(out, shortened(name, NAME_MOST), err);
}

static void print_version(FILE *out, const struct trend *trend, uint32_t version, struct err *err)
{
	size_t length;
	const char *label = version_label(trend, version, &length);
	char *text = strndup(label, length);

	if (text)
		print_name(out, text, err);
	else
		err_nomem(err, length);
	free(text);
}

static double cost_in(const struct panel *panel, uint32_t run)
{
	const struct compare_event *event = &panel->trend->comparison.events[panel->row->event];

	return (double)panel->row->seen[run].period * event->runs[run].scale;
}

/* The runs of a version stand side by side. */
static void draw_runs(const struct panel *panel)
{
	const struct event_runs *list = &panel->trend->event_runs[panel->row->event];

	fputs("<path class=\"runs\" d=\"", panel->out);
	for (uint32_t version = 0; version < list->version_count; version++) {
		const uint32_t first = list->first_run[version],
			       count = list->first_run[version + 1] - first;

		for (uint32_t i = 0; i < count; i++)
			fprintf(panel->out, "M%.1f %.1fh0",
			        x_of(panel, list->versions[version] + (i + 1.0) / (count + 1.0)),
			        y_of(panel, cost_in(panel, list->runs[first + i])));
	}
	fputs("\"/>\n", panel->out);
}

static void draw_mean(const struct panel *panel, double from, double to, double cost)
{
	fprintf(panel->out, "<path class=\"mean\" d=\"M%.1f %.1fH%.1f\"/>\n", x_of(panel, from),
	        y_of(panel, cost), x_of(panel, to));
}

static void draw_step(const struct panel *panel, const struct trend_step *step)
{
	const double x = x_of(panel, step->version);
	const bool late = x > (LEFT + RIGHT) / 2;
	char change[40] = "new";

	if (step->verdict == VERDICT_GONE)
		snprintf(change, sizeof(change), "gone");
	else if (isfinite(step->change))
		snprintf(change, sizeof(change), "%+.1f %%", step->change);
	fprintf(panel->out, "<g class=\"%s\"><path class=\"step\" d=\"M%.1f %.1fV%.1f\"/>",
	        verdict_names[step->verdict], x, panel->top - 15, panel->top + INSIDE);
	fprintf(panel->out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x + (late ? -4 : 4), panel->top - 6,
	        late ? " text-anchor=\"end\"" : "");
	print_version(panel->out, panel->trend, step->version, panel->err);
	fprintf(panel->out, ": %s</text><title>", change);
	print_version(panel->out, panel->trend, step->version, panel->err);
	fprintf(panel->out, ": %s, %s", verdict_names[step->verdict], change);
	if (step->samples[SIDE_BASE] && step->samples[SIDE_NEW])
		fprintf(panel->out, " (%+.1f %% to %+.1f %%)", step->low, step->high);
	fputs("</title></g>\n", panel->out);
}

static void draw_segments(const struct panel *panel)
{
	const struct trend_step *steps = panel->trend->steps + panel->more->first_step;
	const size_t count = panel->more->step_count;
	double from = 0;

	for (size_t i = 0; i < count; i++) {
		draw_mean(panel, from, steps[i].version, steps[i].cost[SIDE_BASE]);
		from = steps[i].version;
		draw_step(panel, &steps[i]);
	}
	draw_mean(panel, from, (double)panel->trend->history.version_count,
	          panel->row->cost[SIDE_NEW]);
}

static double highest_cost(const struct panel *panel)
{
	const struct event_runs *list = &panel->trend->event_runs[panel->row->event];
	double highest = 0;

	for (uint32_t i = 0; i < list->run_count; i++)
		highest = fmax(highest, cost_in(panel, list->runs[i]));
	return highest > 0 ? highest : 1;
}

static void draw_panel(const struct panel *panel)
{
	const struct strings *strings = panel->trend->comparison.strings;
	const char *function = strings_get(strings, panel->row->function);
	char cost[32];

	fprintf(panel->out,
	        "<path class=\"zero\" d=\"M%.1f %.1fH%.1f\"/>\n<text x=\"12\" y=\"%.1f\">", LEFT,
	        panel->top + INSIDE, RIGHT, panel->top + INSIDE / 2);
	print_name(panel->out, function, panel->err);
	fputs("<title>", panel->out);
	print_clean(panel->out, text_escaped(function), panel->err);
	fputs(panel->row->is_total ? "" : " in ", panel->out);
	print_clean(panel->out, text_escaped(strings_get(strings, panel->row->binary)), panel->err);
	fprintf(panel->out, "</title></text>\n<text class=\"less\" x=\"12\" y=\"%.1f\">%s",
	        panel->top + INSIDE / 2 + 15,
	        format_row_cost(cost, &panel->trend->comparison, panel->row, SIDE_NEW));
	if (isfinite(panel->more->detectable))
		fprintf(panel->out, ", from %.1f %% visible", panel->more->detectable);
	fputs("</text>\n", panel->out);
	draw_runs(panel);
	draw_segments(panel);
}

/* Prints the title, cut to the width, and as the picture's own title. */
static void print_title(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct event_runs *list = &report->trend->event_runs[event];
	char more[64], *title;

	snprintf(more, sizeof(more), ": %" PRIu32 " versions, %" PRIu32 " runs",
	         list->version_count, list->run_count);
	title = headline_title(report, event, more, err);
	if (!title)
		return;
	fputs("<title>", out);
	svg_print(out, title, SIZE_MAX);
	fputs("</title>\n<text class=\"title\" x=\"12\" y=\"24\">", out);
	svg_print_cut(out, title, (size_t)((WIDTH - 24) / TITLE_CHAR));
	fputs("</text>\n", out);
	free(title);
}

static void print_head(FILE *out, const struct report *report, size_t event, size_t panels,
                       struct err *err)
{
	const struct trend *trend = report->trend;
	const uint32_t versions = (uint32_t)trend->history.version_count;
	const double height = TOP + PANEL * (double)panels + 20;

	fprintf(out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
	        "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
	        WIDTH, height, WIDTH, height);
	fputs("<style>\nsvg{font:12px sans-serif;background:#fff}text{fill:#222}.less{fill:#666}\n"
	      ".title{font-size:15px;font-weight:bold}path{fill:none}\n"
	      ".runs{stroke:#4a78b0;stroke-width:4;stroke-linecap:round;stroke-opacity:.8}\n"
	      ".mean{stroke:#222;stroke-width:1.5}.zero{stroke:#bbb}.step{stroke:#777;"
	      "stroke-dasharray:3 2}\n"
	      ".regressed .step,.new .step{stroke:#c2410c}.regressed text,.new text{fill:#c2410c}\n"
	      ".improved .step,.gone .step{stroke:#1d65a6}.improved text,.gone text{fill:#1d65a6}\n"
	      "@media(prefers-color-scheme:dark){svg{background:#1b1b1f}text,.title{fill:#ddd}"
	      ".less{fill:#a8a8a8}.runs{stroke:#7fb2e0}.regressed .step,.new .step{stroke:#ff9a62}"
	      ".regressed text,.new text{fill:#ff9a62}.improved .step,.gone .step{stroke:#7cc0ff}"
	      ".improved text,.gone text{fill:#7cc0ff}"
	      ".mean{stroke:#ddd}.zero{stroke:#555}}\n</style>\n",
	      out);
	print_title(out, report, event, err);
	if (!versions)
		return;
	fprintf(out, "<text class=\"less\" x=\"%.1f\" y=\"44\">", LEFT);
	print_version(out, trend, 0, err);
	fprintf(out, "</text>\n<text class=\"less\" x=\"%.1f\" y=\"44\" text-anchor=\"end\">",
	        RIGHT);
	print_version(out, trend, versions - 1, err);
	fputs("</text>\n", out);
}

static bool write_picture(FILE *out, const struct report *report, size_t event, struct err *err)
{
	const struct trend *trend = report->trend;
	size_t count;
	size_t *rows = trend_rows_to_show(trend, (uint32_t)event, &count, err);

	if (!rows)
		return false;
	count = count < PANELS_MOST ? count : PANELS_MOST;
	print_head(out, report, event, count, err);
	for (size_t i = 0; i < count; i++) {
		struct panel panel = { .out = out,
			               .trend = trend,
			               .row = &trend->comparison.own.rows[rows[i]],
			               .more = &trend->rows[rows[i]],
			               .top = TOP + PANEL * (double)i,
			               .err = err };

		panel.most = highest_cost(&panel);
		draw_panel(&panel);
	}
	fputs("</svg>\n", out);
	free(rows);
	return !err->code;
}

const struct table trendlines_table = {
	.format = FORMAT_OF_FILE("trendlines"),
	.file = "trend.svg",
	.content =
		"with --trend: the costs of functions in all versions as a picture; written with trend.csv",
	.scope = SCOPE_TREND,
	.write_event = write_picture,
};
