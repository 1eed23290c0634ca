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
#define _GNU_SOURCE /* qsort_r() */
#include "decode/exports/headline.h"
#include "decode/exports/svgtext.h"
#include "decode/exports/threadlist.h"
#include "decode/machine/cpumode.h"
#include "decode/tables/eventfile.h"
#include "decode/tally/samplereader.h"
#include "util/csv.h"
#include "util/digits.h"
#include "util/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 40 /* rows of threads; the others share one */
#define CPUS_MOST 16    /* the same of CPUs */
#define LEFT 260        /* pixels: where time begins */
#define PLOT 928        /* pixels of all time */
#define WIDTH (LEFT + PLOT + 12)
#define TOP 84 /* pixels above the first row */
#define ROW 16
#define BAR 13         /* height of what is drawn in a row */
#define CHAR 6.7       /* width of a character of 11 pixels */
#define TITLE_CHAR 9.1 /* the same of 15 pixels */
#define TEXT_CHAR 7.3  /* the same of 12 pixels */
#define COLUMNS_MOST 232
#define COLUMNS_LEAST 29
#define SAMPLES_A_COLUMN 6 /* of the busiest row, or else chance draws stripes */
#define SHADES 5
#define TICKS_MOST 10
#define NS_PER_SECOND 1e9

enum { IN_USER, ELSEWHERE, HUES };

/* Colours on white, from little to much; on black they are the other way round. */
static const char *const colours[HUES][SHADES] = {
	{ "#fcd7ae", "#fbb877", "#f09440", "#cf6a15", "#923f00" },
	{ "#c3dbf1", "#98c2e4", "#64a1d1", "#2c73b4", "#0b437a" },
};
static const char *const dark_colours[HUES][SHADES] = {
	{ "#4a3320", "#7d4e20", "#b56c1e", "#e58f30", "#ffc078" },
	{ "#20374e", "#28567f", "#3979b3", "#61a4de", "#a9d4fb" },
};

/* Threads, or CPUs, which are "threads" of process 0. */
struct lanes {
	struct thread_list list;
	uint32_t *order; /* of those that have rows; the most expensive first */
	size_t shown;
	uint32_t *row_of; /* by number: its row; that behind all others is for the rest */
	size_t rows;      /* with that of the rest, if there is one */
};

struct cell_costs {
	uint64_t period[HUES];
};

struct timeline {
	const struct report *report;
	size_t event;
	FILE *out;
	bool clock;
	uint64_t first, last;    /* ns, of the samples; first: TIME_NONE: none has a time */
	uint64_t untimed, timed; /* numbers of samples */
	struct lanes threads, cpus;
	size_t columns;
	struct cell_costs *cells; /* [row * columns + column], CPUs first */
	double full;              /* the period of a cell that has the last shade */
	unsigned y;               /* pixels: where the next row begins */
	struct err *err;
};

static bool is_timed(const struct logged_sample *sample)
{
	return sample->time < TIME_OFF_CPU;
}

/* Calls take for each sample of the event that is selected. */
static bool for_each_sample(struct timeline *timeline,
                            bool (*take)(struct timeline *timeline,
                                         const struct logged_sample *sample))
{
	const struct report *report = timeline->report;
	struct sample_reader reader;
	struct logged_sample sample;
	uint32_t cell;
	bool ok = sample_reader_open(&reader, report->stat, timeline->err);

	while (ok && sample_reader_has_next(&reader)) {
		ok = sample_reader_next(&reader, &sample, &cell, timeline->err);
		if (!ok || call_event_of(report->session, sample.task->event) != timeline->event ||
		    (cell != MAP_NONE && !report->stat->stacks->cells.items[cell].samples))
			continue;
		ok = take(timeline, &sample);
	}
	sample_reader_close(&reader);
	return ok;
}

/* The CPU of a sample as a thread; false: it is not known. */
static bool cpu_as_thread(const struct logged_sample *sample, struct log_task *task)
{
	*task = *sample->task;
	task->pid = 0;
	task->tid = task->cpu;
	task->has_tid = true;
	return task->cpu >= 0;
}

static bool count_sample(struct timeline *timeline, const struct logged_sample *sample)
{
	struct log_task task;
	struct logged_sample on_cpu = *sample;

	if (!is_timed(sample)) {
		timeline->untimed++;
		return true;
	}
	timeline->timed++;
	timeline->first = u64_min(timeline->first, sample->time);
	timeline->last = u64_max(timeline->last, sample->time);
	if (thread_list_count(&timeline->threads.list, sample, timeline->err) == MAP_NONE)
		return false;
	on_cpu.task = &task;
	return !cpu_as_thread(sample, &task) ||
	       thread_list_count(&timeline->cpus.list, &on_cpu, timeline->err) != MAP_NONE;
}

static int compare_busiest(const void *first, const void *second, void *context)
{
	const struct thread_list *list = context;
	const struct listed_thread *a = &list->items[*(const uint32_t *)first];
	const struct listed_thread *b = &list->items[*(const uint32_t *)second];

	if (a->period != b->period)
		return a->period > b->period ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int compare_numbers(const void *first, const void *second, void *context)
{
	const struct thread_list *list = context;
	const int32_t a = list->items[*(const uint32_t *)first].tid;
	const int32_t b = list->items[*(const uint32_t *)second].tid;

	return (a > b) - (a < b);
}

/*
 * Puts threads of one process together, where the first of them is; the order of processes, and of
 * threads in each, stays.
 */
static void group_processes(struct lanes *lanes)
{
	const struct listed_thread *items = lanes->list.items;

	for (size_t first = 0; first < lanes->shown;) {
		size_t end = first + 1;

		for (size_t i = end; i < lanes->shown; i++) {
			const uint32_t moved = lanes->order[i];

			if (items[moved].pid != items[lanes->order[first]].pid)
				continue;
			memmove(&lanes->order[end + 1], &lanes->order[end],
			        (i - end) * sizeof(moved));
			lanes->order[end++] = moved;
		}
		first = end;
	}
}

/* Chooses which have a row of their own. */
static bool choose_lanes(struct lanes *lanes, size_t most, bool are_cpus, struct err *err)
{
	const size_t count = lanes->list.count;

	lanes->order = vec_new(count, sizeof(*lanes->order), err);
	lanes->row_of = vec_new(count, sizeof(*lanes->row_of), err);
	if (!lanes->order || !lanes->row_of)
		return false;
	for (uint32_t i = 0; i < count; i++)
		lanes->order[i] = i;
	if (count)
		qsort_r(lanes->order, count, sizeof(*lanes->order), compare_busiest, &lanes->list);
	lanes->shown = count <= most ? count : most;
	lanes->rows = lanes->shown + (lanes->shown < count);
	if (are_cpus && count)
		qsort_r(lanes->order, lanes->shown, sizeof(*lanes->order), compare_numbers,
		        &lanes->list);
	if (!are_cpus)
		group_processes(lanes);
	for (size_t i = 0; i < count; i++)
		lanes->row_of[lanes->order[i]] = (uint32_t)(i < lanes->shown ? i : lanes->shown);
	return true;
}

/* As many columns as the samples of the busiest thread fill. */
static size_t choose_columns(const struct timeline *timeline)
{
	uint64_t most = 0;
	size_t columns = COLUMNS_MOST;

	for (size_t i = 0; i < timeline->threads.list.count; i++)
		most = u64_max(most, timeline->threads.list.items[i].samples);
	while (columns > COLUMNS_LEAST && most / columns < SAMPLES_A_COLUMN)
		columns /= 2;
	return columns;
}

static size_t column_of(const struct timeline *timeline, uint64_t time)
{
	const double length = (double)(timeline->last - timeline->first) + 1;
	const double share = (double)(time - timeline->first) / length;

	/* of more than 2^53 ns, as damaged times can be apart, one less is rounded to the whole */
	return share < 1 ? (size_t)(share * (double)timeline->columns) : timeline->columns - 1;
}

static void add_cost(struct timeline *timeline, size_t row, const struct logged_sample *sample)
{
	const enum cpu_mode mode = (enum cpu_mode)sample->task->mode;
	const int hue = mode == MODE_USER || mode == MODE_GUEST_USER ? IN_USER : ELSEWHERE;
	const size_t column = column_of(timeline, sample->time);

	timeline->cells[row * timeline->columns + column].period[hue] += sample->period;
}

static bool draw_sample(struct timeline *timeline, const struct logged_sample *sample)
{
	const struct log_task *task = sample->task;
	const struct lanes *threads = &timeline->threads, *cpus = &timeline->cpus;
	struct log_task cpu;

	if (!is_timed(sample))
		return true;
	add_cost(timeline,
	         cpus->rows + threads->row_of[thread_list_find(&threads->list,
	                                                       task->has_tid ? task->pid : -1,
	                                                       task->has_tid ? task->tid : -1)],
	         sample);
	if (cpu_as_thread(sample, &cpu))
		add_cost(timeline, cpus->row_of[thread_list_find(&cpus->list, cpu.pid, cpu.tid)],
		         sample);
	return true;
}

static double cost_of(const struct cell_costs *cell)
{
	return (double)cell->period[IN_USER] + (double)cell->period[ELSEWHERE];
}

/* A busy thread, or the highest cell of a row that is not of several. */
static double full_cost(const struct timeline *timeline)
{
	const size_t cpus = timeline->cpus.shown, threads = timeline->threads.shown;
	double most = 0;

	if (timeline->clock && timeline->last > timeline->first)
		return (double)(timeline->last - timeline->first) / (double)timeline->columns;
	for (size_t row = 0; row < timeline->cpus.rows + threads; row++)
		for (size_t i = 0;
		     (row < cpus || row >= timeline->cpus.rows) && i < timeline->columns; i++)
			most = fmax(most, cost_of(&timeline->cells[row * timeline->columns + i]));
	return most > 0 ? most : 1;
}

static bool fill_cells(struct timeline *timeline)
{
	if (!choose_lanes(&timeline->threads, THREADS_MOST, false, timeline->err) ||
	    !choose_lanes(&timeline->cpus, CPUS_MOST, true, timeline->err))
		return false;
	timeline->columns = choose_columns(timeline);
	timeline->cells = vec_new((timeline->threads.rows + timeline->cpus.rows) *
	                                  timeline->columns,
	                          sizeof(*timeline->cells), timeline->err);
	if (!timeline->cells || !for_each_sample(timeline, draw_sample))
		return false;
	timeline->full = full_cost(timeline);
	return true;
}

/* The shade of a cell from 0 on, and its hue: that of the greater part. -1: it is empty. */
static int shade_of(const struct timeline *timeline, const struct cell_costs *cell, int *hue)
{
	const double cost = cost_of(cell);
	const int shade = (int)(cost / timeline->full * SHADES);

	*hue = cell->period[IN_USER] >= cell->period[ELSEWHERE] ? IN_USER : ELSEWHERE;
	if (cost <= 0)
		return -1;
	return cost >= timeline->full || shade >= SHADES ? SHADES - 1 : shade;
}

/* Draws the cells of one colour in a row, those side by side as one. */
static void draw_colour(const struct timeline *timeline, const struct cell_costs *cells, int hue,
                        int shade)
{
	const unsigned wide = (unsigned)(PLOT / timeline->columns);
	bool any = false;

	for (size_t i = 0; i < timeline->columns; i++) {
		const size_t start = i;
		int found;

		while (i < timeline->columns && shade_of(timeline, &cells[i], &found) == shade &&
		       found == hue)
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
	if (timeline->clock)
		fprintf(out, "%.6f s", period / NS_PER_SECOND);
	else
		fprintf(out, "%.0f", period);
}

/* The percentage of the event that is drawn. */
static double share_of(const struct timeline *timeline, double period)
{
	double all = 0;

	for (size_t i = 0; i < timeline->threads.list.count; i++)
		all += (double)timeline->threads.list.items[i].period;
	return all > 0 ? 100 * period / all : 0;
}

/* Draws a row: its name, its cells, and what a pointer on it shows. */
static void draw_row(struct timeline *timeline, size_t row, const char *name, unsigned indent)
{
	const struct cell_costs *cells = &timeline->cells[row * timeline->columns];
	double user = 0, all = 0, share;
	FILE *out = timeline->out;

	for (size_t i = 0; i < timeline->columns; i++) {
		user += (double)cells[i].period[IN_USER];
		all += cost_of(&cells[i]);
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
	for (int hue = 0; hue < HUES; hue++)
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

static void draw_rest(struct timeline *timeline, const struct lanes *lanes, size_t row,
                      const char *what)
{
	char text[80];

	if (lanes->shown == lanes->list.count)
		return;
	snprintf(text, sizeof(text), "%zu other %s", lanes->list.count - lanes->shown, what);
	draw_row(timeline, row, text, 0);
}

static void draw_cpus(struct timeline *timeline)
{
	const struct lanes *cpus = &timeline->cpus;
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
		snprintf(text, size, number < 0 ? "%s" : "%s %" PRId32, name, number);
		clean = text_escaped(text);
	}
	free(text);
	if (!clean)
		err_nomem(timeline->err, size);
	return clean;
}

static bool is_process_of(const struct lanes *threads, size_t i, size_t other)
{
	return other < threads->shown && threads->list.items[threads->order[i]].pid ==
	                                         threads->list.items[threads->order[other]].pid;
}

/* Draws a thread; above the first of several of a process, the name of that. */
static bool draw_thread(struct timeline *timeline, size_t i)
{
	const struct lanes *threads = &timeline->threads;
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
		draw_row(timeline, timeline->cpus.rows + i, name, several ? 10 : 0);
	free(process);
	free(name);
	return !timeline->err->code;
}

static bool draw_threads(struct timeline *timeline)
{
	const struct lanes *threads = &timeline->threads;
	bool ok = true;

	if (threads->shown && timeline->cpus.shown)
		draw_head(timeline, "Threads");
	for (size_t i = 0; ok && i < threads->shown; i++)
		ok = draw_thread(timeline, i);
	draw_rest(timeline, threads, timeline->cpus.rows + threads->shown, "threads");
	return ok;
}

/* The heights of all heads and rows in pixels. */
static unsigned rows_height(const struct timeline *timeline)
{
	const struct lanes *threads = &timeline->threads;
	size_t heads = timeline->cpus.shown ? 2 : 0;

	for (size_t i = 0; i < threads->shown; i++)
		heads += (!i || !is_process_of(threads, i, i - 1)) &&
		         is_process_of(threads, i, i + 1);
	return (unsigned)((threads->rows + timeline->cpus.rows) * ROW + heads * (ROW + 4));
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
	const double seconds = (double)(timeline->last - timeline->first) / NS_PER_SECOND;
	const double from = (double)(timeline->first - u64_min(zero, timeline->first)) /
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
	for (int hue = 0; hue < HUES; hue++)
		for (int shade = 0; shade < SHADES; shade++)
			fprintf(out, ".%c%d{stroke:%s}", hue == IN_USER ? 'u' : 'k', shade,
			        dark_colours[hue][shade]);
	fputs("}</style>\n", out);
}

/* Says what the colours mean, to the right of the title. */
static void draw_legend(FILE *out)
{
	static const char *const names[HUES] = { "user code", "kernel and other" };
	int x = WIDTH - 388;

	for (int hue = 0; hue < HUES; hue++) {
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
	        "left to right in %zu slices; the more time was spent in one, the %s. Orange: "
	        "mostly user code; blue: mostly the kernel.</desc>\n",
	        timeline->threads.shown, timeline->threads.list.count,
	        timeline->cpus.shown ? ", and CPUs" : "", timeline->columns, "stronger its colour");
}

static void print_scale(const struct timeline *timeline)
{
	FILE *out = timeline->out;

	fprintf(out, "<text class=\"less\" x=\"8\" y=\"%d\">", TOP - 8);
	if (timeline->first == TIME_NONE)
		fputs("no sample has a time", out);
	else if (timeline->last > timeline->first)
		fprintf(out, "a column: %.4g ms",
		        (double)(timeline->last - timeline->first) / (double)timeline->columns /
		                1e6);
	if (timeline->first != TIME_NONE && timeline->untimed)
		fprintf(out, "; %" PRIu64 " samples without a time", timeline->untimed);
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
	if (timeline->timed)
		draw_axis(timeline, bottom);
	timeline->y = TOP;
	draw_cpus(timeline);
	ok = draw_threads(timeline);
	fputs("</g>\n</svg>\n", out);
	return ok;
}

static void lanes_release(struct lanes *lanes)
{
	thread_list_release(&lanes->list);
	free(lanes->order);
	free(lanes->row_of);
}

static bool write_timeline(FILE *out, const struct report *report, size_t event, struct err *err)
{
	struct timeline timeline = { .report = report,
		                     .event = event,
		                     .out = out,
		                     .clock = report_event_is_clock(report, event),
		                     .first = TIME_NONE,
		                     .err = err };
	char *title = headline_title(report, event, " by time", err);
	char *summary = headline_summary(report, event, err);
	bool ok = title && summary && for_each_sample(&timeline, count_sample) &&
	          fill_cells(&timeline) && draw(&timeline, title, summary);

	free(title);
	free(summary);
	lanes_release(&timeline.threads);
	lanes_release(&timeline.cpus);
	free(timeline.cells);
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
