/*
 * timeline.svg: when each thread, and each CPU, ran, as a picture that needs no script and loads
 * nothing.
 *
 *   samples -> the busiest threads and CPUs; the others are one row each
 *           -> a cell for each row and slice of time: its period, in user code and elsewhere
 *
 * A cell is the darker the more time was spent there: of a clock, as a share of the slice; of
 * another event, of the cell that has most.
 */
#include "decode/exports/headline.h"
#include "decode/exports/svgtext.h"
#include "decode/exports/timelinecells.h"
#include "decode/tables/eventfile.h"
#include "util/clock.h"
#include "util/digits.h"
#include "util/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 260 /* pixels: where time begins */
#define PLOT 928 /* pixels of all time */
#define WIDTH (LEFT + PLOT + 12)
#define TOP 84 /* pixels above the first row */
#define ROW 16
#define BAR 13         /* height of what is drawn in a row */
#define CHAR 6.7       /* width of a character of 11 pixels */
#define TITLE_CHAR 9.1 /* the same of 15 pixels */
#define TEXT_CHAR 7.3  /* the same of 12 pixels */
#define SHADES 5
#define TICKS_MOST 10

/* Colours on white, from little to much; on black they are the other way round. */
static const char *const colours[CELL_PARTS][SHADES] = {
	{ "#fcd7ae", "#fbb877", "#f09440", "#cf6a15", "#923f00" },
	{ "#c3dbf1", "#98c2e4", "#64a1d1", "#2c73b4", "#0b437a" },
};
static const char *const dark_colours[CELL_PARTS][SHADES] = {
	{ "#4a3320", "#7d4e20", "#b56c1e", "#e58f30", "#ffc078" },
	{ "#20374e", "#28567f", "#3979b3", "#61a4de", "#a9d4fb" },
};

struct timeline {
	const struct report *report;
	struct timeline_cells cells;
	FILE *out;
	unsigned y; /* pixels: where the next row begins */
	struct err *err;
};

/* The shade of a cell from 0 on, and its hue: that of the greater part. -1: it is empty. */
static int shade_of(const struct timeline *timeline, const struct timeline_cell *cell, int *hue)
{
	const double cost = timeline_cell_cost(cell);
	const int shade = (int)(cost / timeline->cells.full * SHADES);

	*hue = cell->period[IN_USER] >= cell->period[ELSEWHERE] ? IN_USER : ELSEWHERE;
	if (cost <= 0)
		return -1;
	return cost >= timeline->cells.full || shade >= SHADES ? SHADES - 1 : shade;
}

/* Draws the cells of one colour in a row, those side by side as one. */
static void draw_colour(const struct timeline *timeline, const struct timeline_cell *cells, int hue,
                        int shade)
{
	const unsigned wide = (unsigned)(PLOT / timeline->cells.columns);
	bool any = false;

	for (size_t i = 0; i < timeline->cells.columns; i++) {
		const size_t start = i;
		int found;

		while (i < timeline->cells.columns &&
		       shade_of(timeline, &cells[i], &found) == shade && found == hue)
			i++;
		if (i == start)
			continue;
		if (!any)
			fprintf(timeline->out, "<path class=\"%c%d\" stroke=\"%s\" d=\"",
			        hue == IN_USER ? 'u' : 'k', shade, colours[hue][shade]);
		any = true;
		fprintf(timeline->out, "M%u %.1fh%u", LEFT + wide * (unsigned)start,
		        timeline->y + BAR / 2.0, wide * (unsigned)(i - start));
	}
	if (any)
		fputs("\"/>", timeline->out);
}

static void print_amount(FILE *out, const struct timeline *timeline, double period)
{
	if (timeline->cells.clock)
		fprintf(out, "%.6f s", period / NS_PER_SECOND);
	else
		fprintf(out, "%.0f", period);
}

/* The percentage of the event that is drawn. */
static double share_of(const struct timeline *timeline, double period)
{
	double all = 0;

	for (size_t i = 0; i < timeline->cells.threads.list.count; i++)
		all += (double)timeline->cells.threads.list.items[i].period;
	return all > 0 ? 100 * period / all : 0;
}

/* Draws a row: its name, its cells, and what a pointer on it shows. */
static void draw_row(struct timeline *timeline, size_t row, const char *name, unsigned indent)
{
	const struct timeline_cell *cells = &timeline->cells.items[row * timeline->cells.columns];
	double user = 0, all = 0, share;
	FILE *out = timeline->out;

	for (size_t i = 0; i < timeline->cells.columns; i++) {
		user += (double)cells[i].period[IN_USER];
		all += timeline_cell_cost(&cells[i]);
	}
	share = share_of(timeline, all);
	fputs("<g><title>", out);
	svg_print(out, name, SIZE_MAX);
	fputs(": ", out);
	print_amount(out, timeline, all);
	fprintf(out, ", %.2f %%; %.1f %% of it in user code</title>", share,
	        all > 0 ? 100 * user / all : 0);
	fprintf(out, "<path class=\"row\" stroke=\"#f2f2f2\" d=\"M%d %.1fh%d\"/>", LEFT,
	        timeline->y + BAR / 2.0, PLOT);
	fprintf(out, "<text x=\"%u\" y=\"%u\">", 8 + indent, timeline->y + 11);
	svg_print_cut(out, name, (size_t)((LEFT - 60 - indent) / CHAR));
	fprintf(out,
	        "</text><text class=\"less\" x=\"%d\" y=\"%u\" text-anchor=\"end\">%.1f %%</text>",
	        LEFT - 6, timeline->y + 11, share);
	for (int hue = 0; hue < CELL_PARTS; hue++)
		for (int shade = 0; shade < SHADES; shade++)
			draw_colour(timeline, cells, hue, shade);
	fputs("</g>\n", out);
	timeline->y += ROW;
}

static void draw_head(struct timeline *timeline, const char *text)
{
	timeline->y += 4;
	fprintf(timeline->out, "<text class=\"head\" font-weight=\"bold\" x=\"8\" y=\"%u\">",
	        timeline->y + 11);
	svg_print_cut(timeline->out, text, (size_t)((LEFT - 20) / CHAR));
	fputs("</text>\n", timeline->out);
	timeline->y += ROW;
}

static void draw_rest(struct timeline *timeline, const struct timeline_rows *rows, size_t row,
                      const char *what)
{
	char text[80];

	if (rows->shown == rows->list.count)
		return;
	snprintf(text, sizeof(text), "%zu other %s", rows->list.count - rows->shown, what);
	draw_row(timeline, row, text, 0);
}

static void draw_cpus(struct timeline *timeline)
{
	const struct timeline_rows *cpus = &timeline->cells.cpus;
	char text[40];

	if (!cpus->shown)
		return;
	draw_head(timeline, "CPUs");
	for (size_t i = 0; i < cpus->shown; i++) {
		snprintf(text, sizeof(text), "CPU %" PRId32, cpus->list.items[cpus->order[i]].tid);
		draw_row(timeline, i, text, 0);
	}
	draw_rest(timeline, cpus, cpus->shown, "CPUs");
}

/* "NAME 1234", malloc'd and without control bytes; NULL with err set. */
static char *named_number(const struct timeline *timeline, const char *name, int32_t number)
{
	const size_t size = strlen(name) + 16;
	char *text = malloc(size), *clean = NULL;

	if (text) {
		snprintf(text, size, number < 0 ? "%s" : "%s%s %" PRId32, name,
		         text_has_leftward(name) ? "\xe2\x80\x8e" : "", number);
		clean = text_escaped(text);
	}
	free(text);
	if (!clean)
		err_nomem(timeline->err, size);
	return clean;
}

static bool is_process_of(const struct timeline_rows *threads, size_t i, size_t other)
{
	return other < threads->shown && threads->list.items[threads->order[i]].pid ==
	                                         threads->list.items[threads->order[other]].pid;
}

/* Draws a thread; above the first of several of a process, the name of that. */
static bool draw_thread(struct timeline *timeline, size_t i)
{
	const struct timeline_rows *threads = &timeline->cells.threads;
	const struct listed_thread *thread = &threads->list.items[threads->order[i]];
	const bool first = !i || !is_process_of(threads, i, i - 1);
	const bool several = !first || is_process_of(threads, i, i + 1);
	char *process = named_number(timeline, listed_process_name(timeline->report, thread),
	                             thread->pid);
	char *name = named_number(timeline, listed_thread_name(timeline->report, thread),
	                          thread->tid);

	if (process && name && first && several)
		draw_head(timeline, process);
	if (process && name)
		draw_row(timeline, timeline->cells.cpus.count + i, name, several ? 10 : 0);
	free(process);
	free(name);
	return !timeline->err->code;
}

static bool draw_threads(struct timeline *timeline)
{
	const struct timeline_rows *threads = &timeline->cells.threads;
	bool ok = true;

	if (threads->shown && timeline->cells.cpus.shown)
		draw_head(timeline, "Threads");
	for (size_t i = 0; ok && i < threads->shown; i++)
		ok = draw_thread(timeline, i);
	draw_rest(timeline, threads, timeline->cells.cpus.count + threads->shown, "threads");
	return ok;
}

/* The heights of all heads and rows in pixels. */
static unsigned rows_height(const struct timeline *timeline)
{
	const struct timeline_rows *threads = &timeline->cells.threads;
	size_t heads = timeline->cells.cpus.shown ? 2 : 0;

	for (size_t i = 0; i < threads->shown; i++)
		heads += (!i || !is_process_of(threads, i, i - 1)) &&
		         is_process_of(threads, i, i + 1);
	return (unsigned)((threads->count + timeline->cells.cpus.count) * ROW + heads * (ROW + 4));
}

/* 1, 2 or 5 times a power of ten: seconds between two ticks. */
static double tick_step(double seconds)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double power = pow(10, floor(log10(seconds / TICKS_MOST)));

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (seconds / (steps[i] * power) <= TICKS_MOST)
			return steps[i] * power;
	return seconds;
}

/* Draws the times, in seconds after the recording's first sample as --time has them. */
static void draw_axis(const struct timeline *timeline, unsigned bottom)
{
	const uint64_t zero = timeline->report->summary->first_time;
	const double seconds = (double)(timeline->cells.last - timeline->cells.first) /
	                       NS_PER_SECOND;
	const double from = (double)(timeline->cells.first - u64_min(zero, timeline->cells.first)) /
	                    NS_PER_SECOND;
	FILE *out = timeline->out;
	double step;
	int decimals;

	if (seconds <= 0)
		return;
	step = tick_step(seconds);
	decimals = step < 1 ? (int)-floor(log10(step) + 1e-9) : 0;
	for (double i = fmax(0, ceil(from / step - 1e-9)); i * step <= from + seconds; i++) {
		const double x = LEFT + (i * step - from) / seconds * PLOT;
		const bool late = x > LEFT + PLOT - 30;

		fprintf(out,
		        "<path class=\"tick\" stroke=\"#ccc\" d=\"M%.1f %dV%u\"/><text class=\"less\" "
		        "x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%.*f s</text>\n",
		        x, TOP - 4, bottom, x, TOP - 8, late ? "end" : "middle", decimals,
		        i * step + 0.0);
	}
}

static void print_style(FILE *out)
{
	fputs("<style>text{fill:#222}.less{fill:#666}.title{font-weight:bold}path{stroke-width:13}"
	      ".tick{stroke-width:1}.row{stroke:#f2f2f2}",
	      out);
	fputs("@media(prefers-color-scheme:dark){.back{fill:#1b1c20}text{fill:#e4e4e4}"
	      ".less{fill:#a8a8a8}.row{stroke:#26272c}.tick{stroke:#44464e}",
	      out);
	for (int hue = 0; hue < CELL_PARTS; hue++)
		for (int shade = 0; shade < SHADES; shade++)
			fprintf(out, ".%c%d{stroke:%s}", hue == IN_USER ? 'u' : 'k', shade,
			        dark_colours[hue][shade]);
	fputs("}</style>\n", out);
}

/* Says what the colours mean, to the right of the title. */
static void draw_legend(FILE *out)
{
	static const char *const names[CELL_PARTS] = { "user code", "kernel and other" };
	int x = WIDTH - 388;

	for (int hue = 0; hue < CELL_PARTS; hue++) {
		for (int shade = 0; shade < SHADES; shade++)
			fprintf(out, "<path class=\"%c%d\" stroke=\"%s\" d=\"M%d 19.5h12\"/>",
			        hue == IN_USER ? 'u' : 'k', shade, colours[hue][shade],
			        x + 12 * shade);
		fprintf(out, "<text x=\"%d\" y=\"23\">%s</text>\n", x + 66, names[hue]);
		x += 66 + 84;
	}
	fprintf(out,
	        "<text class=\"less\" x=\"%d\" y=\"23\" text-anchor=\"end\">less to more</text>\n",
	        WIDTH - 394);
}

/* What the picture shows, for those who do not see it. */
static void print_description(const struct timeline *timeline)
{
	FILE *out = timeline->out;

	fprintf(out,
	        "<desc>%zu of %zu threads%s, the busiest, from top to bottom by process; time from "
	        "left to right in %zu slices; the more time was spent in one, the stronger its colour. "
	        "Orange: mostly user code; blue: mostly the kernel.</desc>\n",
	        timeline->cells.threads.shown, timeline->cells.threads.list.count,
	        timeline->cells.cpus.shown ? ", and CPUs" : "", timeline->cells.columns);
}

/* A time with four digits, or more if it is seconds. */
static void print_width(FILE *out, double ns)
{
	if (ns >= 1e12)
		fprintf(out, "%.0f s", ns / 1e9);
	else if (ns >= 1e9)
		fprintf(out, "%.4g s", ns / 1e9);
	else
		fprintf(out, "%.4g %s", ns >= 1e6 ? ns / 1e6 : ns / 1e3, ns >= 1e6 ? "ms" : "us");
}

static void print_scale(const struct timeline *timeline)
{
	FILE *out = timeline->out;

	fprintf(out, "<text class=\"less\" x=\"8\" y=\"%d\">", TOP - 8);
	if (timeline->cells.first == TIME_NONE)
		fputs("no sample has a time", out);
	else if (timeline->cells.last > timeline->cells.first) {
		fputs("a column: ", out);
		print_width(out, (double)(timeline->cells.last - timeline->cells.first) /
		                         (double)timeline->cells.columns);
	}
	if (timeline->cells.first != TIME_NONE && timeline->cells.untimed)
		fprintf(out, "; %" PRIu64 " samples without a time", timeline->cells.untimed);
	fputs("</text>\n", out);
}

static bool draw(struct timeline *timeline, const char *title, const char *summary)
{
	const unsigned bottom = TOP + rows_height(timeline), height = bottom + 10;
	FILE *out = timeline->out;
	bool ok;

	fprintf(out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d "
	        "%u\" role=\"img\" aria-labelledby=\"t d\" font-family=\"sans-serif\" "
	        "font-size=\"11\" fill=\"none\" stroke-width=\"%d\">\n<title id=\"t\">",
	        WIDTH, height, WIDTH, height, BAR);
	svg_print(out, title, SIZE_MAX);
	fputs("</title>\n", out);
	print_description(timeline);
	print_style(out);
	fputs("<rect class=\"back\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<g fill=\"#222\">\n"
	      "<text class=\"title\" font-size=\"15\" x=\"8\" y=\"24\">",
	      out);
	svg_print_cut(out, title, (size_t)((WIDTH - 480) / TITLE_CHAR));
	fputs("</text>\n<text font-size=\"12\" x=\"8\" y=\"46\">", out);
	svg_print_cut(out, summary, (size_t)((WIDTH - 20) / TEXT_CHAR));
	fputs("</text>\n", out);
	draw_legend(out);
	print_scale(timeline);
	if (timeline->cells.timed)
		draw_axis(timeline, bottom);
	timeline->y = TOP;
	draw_cpus(timeline);
	ok = draw_threads(timeline);
	fputs("</g>\n</svg>\n", out);
	return ok;
}

static bool write_timeline(FILE *out, const struct report *report, size_t event, struct err *err)
{
	struct timeline timeline = { .report = report, .out = out, .err = err };
	char *title = headline_title(report, event, " by time", err);
	char *summary = headline_summary(report, event, err);
	bool ok = title && summary && timeline_cells_fill(&timeline.cells, report, event, err) &&
	          draw(&timeline, title, summary);

	free(title);
	free(summary);
	timeline_cells_release(&timeline.cells);
	return ok;
}

const struct table timeline_table = {
	.format = FORMAT_OF_FILE("timeline"),
	.file = "timeline.svg",
	.content = "when threads and CPUs ran, as a picture; of further events timeline-EVENT.svg",
	.needs = NEEDS_NAMES | NEEDS_STACKS | NEEDS_EVERY_STACK | NEEDS_SAMPLES |
	         NEEDS_THREAD_NAMES,
	.can_fill = report_has_places,
	.write_event = write_timeline,
};
