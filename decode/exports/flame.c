#include "decode/exports/flame.h"

#include "decode/exports/svgtext.h"
#include "flame_js.h"
#include "util/digits.h"
#include "util/vec.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200.0     /* width of the part that needs no script, in pixels */
#define ROW 18           /* pixels; the same number is in flame.js */
#define TOP 98           /* pixels; the same number is in flame.js */
#define CHAR 7.25        /* pixels of a character */
#define STATIC_LEAST 1.5 /* pixels; narrower frames are drawn only by the script */
#define DEPTH_MOST 4096
#define TITLE_CHAR 8.5 /* width of a character in the title, in pixels */

static const struct label_node *frame_at(const struct flame_graph *graph, size_t number)
{
	return number ? &graph->tree.nodes[graph->tree.order[number - 1]] : &graph->all;
}

static const char *label_of(const struct flame_graph *graph, const struct label_node *frame)
{
	return strings_get(&graph->tree.labels, frame->label);
}

static enum flame_kind kind_of_label(const char *label)
{
	return (enum flame_kind)(strrchr(label, '\t')[1] - '0');
}

/* How many characters at the start of the text are printed in a script as they are. */
static size_t plain_in_script(const char *text)
{
	const char *end = text;

	for (; *end; end++) {
		const unsigned char c = (unsigned char)*end;

		if (c == '"' || c == '\\' || c == ']' || c < ' ' || c == 0x7f ||
		    svg_is_replaced(end))
			break;
	}
	return (size_t)(end - text);
}

/* Prints text in a JavaScript string inside of CDATA, which "]]>" would end. */
static void print_script_text(FILE *out, const char *text)
{
	for (;;) {
		const size_t plain = plain_in_script(text);

		fwrite(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		if (svg_is_replaced(text)) {
			fputs("\\ufffd", out);
			text += 3;
		} else if (*text == '\t') {
			fputs("\\t", out);
			text++;
		} else {
			fprintf(out, "\\u%04x", (unsigned char)*text++);
		}
	}
}

/* Colours of the plain shapes, and what they mean. */
static const struct {
	const char *colour, *meaning;
} kinds[FLAME_KINDS] = {
	[FLAME_USER] = { "#f5a25a", "C and others" }, [FLAME_CPLUSPLUS] = { "#f0cd5a", "C++" },
	[FLAME_KERNEL] = { "#7fb2e0", "kernel" },     [FLAME_JIT] = { "#86cf8b", "JIT" },
	[FLAME_INLINE] = { "#7fd1c7", "inlined" },    [FLAME_UNNAMED] = { "#bdbdbd", "no name" },
	[FLAME_STATE] = { "#c3a6e3", "not running" },
};

/* Red if it grew, blue if it shrank; flame.js does the same. */
static void print_colour(FILE *out, const struct flame_graph *graph, const char *label,
                         const struct label_node *frame)
{
	const int64_t delta = (int64_t)(frame->period - frame->base);
	double change = frame->period ? fabs((double)delta / (double)frame->period) : 1;
	unsigned other = (unsigned)(225 - 140 * (change < 1 ? change : 1));

	if (!graph->differential)
		fputs(kinds[kind_of_label(label)].colour, out);
	else if (delta > 0)
		fprintf(out, "#ff%02x%02x", other, other);
	else if (delta < 0)
		fprintf(out, "#%02x%02xff", other, other);
	else
		fputs("#dddddd", out);
}

static void print_amount(FILE *out, const struct flame_graph *graph, uint64_t period)
{
	if (graph->clock)
		fprintf(out, "%.6f s", (double)period / 1e9);
	else
		fprintf(out, "%" PRIu64, period);
}

static bool print_rect(FILE *out, const struct flame_graph *graph, const struct label_node *frame,
                       double x, double width, struct err *err)
{
	const char *label = label_of(graph, frame), *binary = strchr(label, '\t') + 1;
	const unsigned y = TOP + ROW * frame->depth;
	const size_t room = (size_t)((width - 5) / CHAR);
	char *function = strndup(label, (size_t)(binary - label) - 1), percent[40];

	if (!function)
		return err_nomem(err, strlen(label));
	fputs("<g><title>", out);
	svg_print(out, function, SIZE_MAX);
	if (*binary != '\t') {
		fputs(" (", out);
		svg_print(out, binary, SIZE_MAX);
		fputs(")", out);
	}
	fputs("  ", out);
	print_amount(out, graph, frame->period);
	*format_percent(percent, frame->period, graph->all.period, 2) = '\0';
	fprintf(out,
	        ", %" PRIu64 " samples, %s %%</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" "
	        "height=\"%u\" rx=\"1\" fill=\"",
	        frame->samples, percent, x, y, width > 0.7 ? width - 0.4 : 0.3, ROW - 1);
	print_colour(out, graph, label, frame);
	fputs("\"/>", out);
	if (width > 5 && room > 2) {
		fprintf(out, "<text x=\"%.1f\" y=\"%u\" fill=\"#000\">", x + 3, y + 13);
		svg_print_function(out, function, room);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
	free(function);
	return true;
}

/* How many depths are drawn. */
static unsigned count_depths(const struct flame_graph *graph)
{
	unsigned deepest = 0;

	for (size_t i = 0; i <= graph->tree.count; i++)
		if (frame_at(graph, i)->depth > deepest)
			deepest = frame_at(graph, i)->depth;
	return deepest < DEPTH_MOST ? deepest + 1 : DEPTH_MOST;
}

/* Prints the frames that are wide enough, each to the right of its earlier siblings. */
static bool print_shapes(FILE *out, const struct flame_graph *graph, struct err *err)
{
	const double scale = graph->all.period ? WIDTH / (double)graph->all.period : 0;
	const size_t depths = count_depths(graph) + 1;
	double *next = vec_new(depths, sizeof(*next), err);
	bool ok = next;

	for (size_t i = 0; ok && i <= graph->tree.count; i++) {
		const struct label_node *frame = frame_at(graph, i);
		const unsigned depth = frame->depth;
		double x, width = (double)frame->period * scale;

		if (depth >= DEPTH_MOST)
			continue;
		x = next[depth];
		next[depth] = x + width;
		next[depth + 1] = x;
		ok = width < STATIC_LEAST || print_rect(out, graph, frame, x, width, err);
	}
	free(next);
	return ok;
}

/* Prints the meaning of the colours in the graph. */
static void print_legend(FILE *out, const struct flame_graph *graph)
{
	double x = 8;
	bool used[FLAME_KINDS] = { false };

	for (size_t i = 1; i <= graph->tree.count; i++)
		used[kind_of_label(label_of(graph, frame_at(graph, i)))] = true;
	fputs("<g id=\"legend\">", out);
	for (size_t kind = 0; kind < FLAME_KINDS && !graph->differential; kind++) {
		if (!used[kind])
			continue;
		fprintf(out,
		        "<rect x=\"%.1f\" y=\"42\" width=\"11\" height=\"11\" rx=\"1\" fill=\"%s\"/>"
		        "<text class=\"l\" x=\"%.1f\" y=\"52\" fill=\"#222\">%s</text>",
		        x, kinds[kind].colour, x + 15, kinds[kind].meaning);
		x += 15 + CHAR * (double)strlen(kinds[kind].meaning) + 16;
	}
	fputs("</g>\n", out);
}

static void print_head(FILE *out, const struct flame_graph *graph)
{
	unsigned height = TOP + ROW * count_depths(graph) + 8;

	fprintf(out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
	        "viewBox=\"0 0 %.0f %u\" preserveAspectRatio=\"xMinYMin\" font-family=\"monospace\" "
	        "font-size=\"12\" tabindex=\"0\">\n<title>",
	        WIDTH, height, WIDTH, height);
	svg_print(out, graph->title, SIZE_MAX);
	fprintf(out,
	        "</title>\n"
	        "<style>.f{cursor:pointer;scroll-margin-top:%dpx}.b{cursor:pointer;text-decoration:underline}"
	        ".l{fill:#222}#plot{stroke-width:2}#plot text{pointer-events:none}"
	        "@media (prefers-color-scheme:dark){svg{background:#1b1c20}.back{fill:#1b1c20}.l{fill:#e4e4e4}}</style>\n"
	        "<rect id=\"back\" class=\"back\" width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	        TOP);
}

/* Prints what is above the frames; the script keeps it there while the page is scrolled. */
static void print_tools(FILE *out, const struct flame_graph *graph)
{
	fprintf(out,
	        "<g id=\"head\"><rect class=\"back\" width=\"100%%\" height=\"%d\" fill=\"#fff\"/>\n"
	        "<text class=\"l\" x=\"8\" y=\"18\" font-size=\"14\" fill=\"#222\">",
	        TOP - 1);
	svg_print_cut(out, graph->title, (size_t)((WIDTH - 16) / TITLE_CHAR));
	fputs("</text>\n<text class=\"l\" x=\"8\" y=\"34\" fill=\"#222\"><title>", out);
	svg_print(out, graph->summary, SIZE_MAX);
	fputs("</title>", out);
	svg_print_cut(out, graph->summary, (size_t)((WIDTH - 16) / CHAR));
	fputs("</text>\n", out);
	print_legend(out, graph);
	fputs("<g id=\"tools\" visibility=\"hidden\" fill=\"#06c\">"
	      "<text id=\"reset\" class=\"b l\" x=\"8\" y=\"70\">Reset (Esc)</text>"
	      "<text id=\"search\" class=\"b l\" x=\"110\" y=\"70\">Search (/)</text>"
	      "<text id=\"invert\" class=\"b l\" x=\"206\" y=\"70\">Invert (i)</text>"
	      "<text id=\"match\" class=\"l\" x=\"302\" y=\"70\"></text></g>\n"
	      "<text id=\"status\" class=\"l\" x=\"8\" y=\"88\" fill=\"#222\"></text></g>\n",
	      out);
}

/* The period of the samples if all have the same; otherwise 0. */
static uint64_t common_period(const struct flame_graph *graph)
{
	uint64_t period = 0;

	for (size_t i = 0; i <= graph->tree.count; i++) {
		const struct label_node *frame = frame_at(graph, i);

		if (!period && frame->samples)
			period = frame->period / frame->samples;
		if (!period || frame->period != period * frame->samples)
			return 0;
	}
	return period;
}

/* Prints number i of a list. There are so many that fprintf() takes half of the time here. */
static void print_number(FILE *out, size_t i, uint64_t number)
{
	char text[24], *end = text;

	if (i)
		*end++ = ',';
	end = format_u64(end, number);
	fwrite(text, 1, (size_t)(end - text), out);
}

/*
 * Prints each name once and numbers them in the order of the frames that have them: numbers of
 * labels are not the same in every run. numbers: by label, from 1; zeros at first.
 */
static void print_names(FILE *out, const struct flame_graph *graph, uint32_t *numbers)
{
	uint32_t count = 0;

	fputs("var N=[\"", out);
	for (size_t i = 0; i <= graph->tree.count; i++) {
		const struct label_node *frame = frame_at(graph, i);

		if (numbers[frame->label])
			continue;
		numbers[frame->label] = ++count;
		fputs(i ? "\",\n\"" : "", out);
		print_script_text(out, label_of(graph, frame));
	}
	fputs("\"],\n", out);
}

static void print_columns(FILE *out, const struct flame_graph *graph, const uint32_t *numbers)
{
	const uint64_t period = common_period(graph);
	const size_t count = graph->tree.count + 1;

	fputs("D=[", out);
	for (size_t i = 0; i < count; i++)
		print_number(out, i, frame_at(graph, i)->depth);
	fputs("],\nI=[", out);
	for (size_t i = 0; i < count; i++)
		print_number(out, i, numbers[frame_at(graph, i)->label] - 1);
	fputs("],\nV=[", out);
	for (size_t i = 0; i < count; i++)
		print_number(out, i, frame_at(graph, i)->period);
	if (period) {
		fprintf(out, "],\nS=%" PRIu64, period);
	} else {
		fputs("],\nS=[", out);
		for (size_t i = 0; i < count; i++)
			print_number(out, i, frame_at(graph, i)->samples);
		fputs("]", out);
	}
	fputs(graph->differential ? ",\nE=[" : ",\nE=null", out);
	for (size_t i = 0; graph->differential && i < count; i++)
		fprintf(out, i ? ",%" PRId64 : "%" PRId64,
		        (int64_t)(frame_at(graph, i)->period - frame_at(graph, i)->base));
	fprintf(out, "%s,\nU=\"%s\";\n", graph->differential ? "]" : "", graph->clock ? "ns" : "");
}

bool flame_print_still(FILE *out, const struct flame_graph *graph, struct err *err)
{
	const unsigned height = ROW * count_depths(graph) + 1;
	bool ok;

	fprintf(out,
	        "<svg width=\"%.0f\" height=\"%u\" viewBox=\"0 %d %.0f %u\" "
	        "font-family=\"monospace\" font-size=\"12\" role=\"img\">\n<title>",
	        WIDTH, height, TOP, WIDTH, height);
	svg_print(out, graph->title, SIZE_MAX);
	fputs("</title>\n", out);
	ok = print_shapes(out, graph, err);
	fputs("</svg>\n", out);
	return ok;
}

bool flame_print(FILE *out, const struct flame_graph *graph, struct err *err)
{
	uint32_t *numbers = vec_new(graph->tree.labels.count, sizeof(*numbers), err);
	bool ok = numbers;

	if (ok) {
		print_head(out, graph);
		fputs("<g id=\"plot\">\n", out);
		ok = print_shapes(out, graph, err);
		fputs("</g>\n", out);
		print_tools(out, graph);
		fputs("<script><![CDATA[\n", out);
		print_names(out, graph, numbers);
		print_columns(out, graph, numbers);
		for (size_t i = 0; flame_script[i]; i++)
			fputs(flame_script[i], out);
		fputs("]]></script>\n</svg>\n", out);
	}
	free(numbers);
	return ok;
}
