#include "decode/exports/flame.h"

#include "decode/tables/briefname.h"
#include "flame_js.h"
#include "util/digits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200.0     /* width of the part that needs no script, in pixels */
#define ROW 18           /* pixels; the same number is in flame.js */
#define TOP 64           /* pixels; the same number is in flame.js */
#define CHAR 7.25        /* pixels of a character */
#define STATIC_LEAST 1.5 /* pixels; narrower frames are drawn only by the script */
#define DEPTH_MOST 4096
#define TITLE_CHAR 8.5 /* width of a character in the title, in pixels */

enum flame_kind flame_kind_of_name(const char *function)
{
	return strstr(function, "::") ? FLAME_CPLUSPLUS : FLAME_USER;
}

/* Whether the character is U+FFFE or U+FFFF, which are valid UTF-8 but not allowed in XML. */
static bool is_no_character(const char *text)
{
	return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3);
}

/*
 * The columns of the character that starts with this byte: two from U+1000 on, which is too many
 * for some and too few for none; 0 if it is not the first byte of one. The same in flame.js.
 */
static size_t label_columns_of(char byte)
{
	const unsigned char c = (unsigned char)byte;

	return (c & 0xc0) == 0x80 ? 0 : c > 0xe0 ? 2 : 1;
}

static size_t label_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += label_columns_of(*text);
	return columns;
}

/* Prints so many columns of a text in XML. */
static void print_xml(FILE *out, const char *text, size_t left)
{
	for (; *text; text++) {
		const unsigned char c = (unsigned char)*text;
		const size_t columns = label_columns_of(*text);

		if (columns > left)
			break;
		left -= columns;
		if (is_no_character(text)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (c == '&' || c == '<' || c == '>' || c == '"')
			fprintf(out, "&#%u;", c);
		else
			fputc(c, out);
	}
}

/*
 * Prints a name in so many columns: without template arguments, then without namespaces, then
 * without its end, as flame.js does.
 */
static void print_label(FILE *out, const char *name, size_t most)
{
	char *brief = label_columns(name) > most ? without_arguments(name) : NULL;
	const char *text = brief ? brief : name, *inner;
	bool whole;

	while (!(whole = label_columns(text) <= most) && (inner = without_scope(text)))
		text = inner;
	print_xml(out, text, whole ? most : most - 2);
	fputs(whole ? "" : "..", out);
	free(brief);
}

/* How many characters at the start of the text are printed in a script as they are. */
static size_t plain_in_script(const char *text)
{
	const char *end = text;

	for (; *end; end++) {
		const unsigned char c = (unsigned char)*end;

		if (c == '"' || c == '\\' || c == ']' || c < ' ' || c == 0x7f ||
		    (c == 0xef && is_no_character(end)))
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
		if (is_no_character(text)) {
			fputs("\\ufffd", out);
			text += 3;
		} else {
			fprintf(out, "\\u%04x", (unsigned char)*text++);
		}
	}
}

static const char *static_colour(enum flame_kind kind)
{
	static const char *const colours[] = {
		[FLAME_USER] = "#f5a25a",   [FLAME_CPLUSPLUS] = "#f0cd5a",
		[FLAME_KERNEL] = "#7fb2e0", [FLAME_JIT] = "#86cf8b",
		[FLAME_INLINE] = "#7fd1c7", [FLAME_UNNAMED] = "#bdbdbd",
	};

	return colours[kind];
}

/* Red if it grew, blue if it shrank; flame.js does the same. */
static void print_colour(FILE *out, const struct flame_graph *graph,
                         const struct flame_frame *frame)
{
	double change = frame->period ? fabs((double)frame->delta / (double)frame->period) : 1;
	unsigned other = (unsigned)(225 - 140 * (change < 1 ? change : 1));

	if (!graph->differential)
		fputs(static_colour(graph->names[frame->name].kind), out);
	else if (frame->delta > 0)
		fprintf(out, "#ff%02x%02x", other, other);
	else if (frame->delta < 0)
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

static void print_rect(FILE *out, const struct flame_graph *graph, const struct flame_frame *frame,
                       double x, double width)
{
	const struct flame_name *name = &graph->names[frame->name];
	unsigned y = TOP + ROW * frame->depth;
	size_t room = (size_t)((width - 5) / CHAR);
	char percent[40];

	fputs("<g><title>", out);
	print_xml(out, name->function, SIZE_MAX);
	if (*name->binary) {
		fputs(" (", out);
		print_xml(out, name->binary, SIZE_MAX);
		fputs(")", out);
	}
	fputs("  ", out);
	print_amount(out, graph, frame->period);
	*format_percent(percent, frame->period, graph->frames->period, 2) = '\0';
	fprintf(out,
	        ", %" PRIu64 " samples, %s %%</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" "
	        "height=\"%u\" rx=\"1\" fill=\"",
	        frame->samples, percent, x, y, width > 0.7 ? width - 0.4 : 0.3, ROW - 1);
	print_colour(out, graph, frame);
	fputs("\"/>", out);
	if (width > 5 && room > 2) {
		fprintf(out, "<text x=\"%.1f\" y=\"%u\" fill=\"#000\">", x + 3, y + 13);
		print_label(out, name->function, room);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static unsigned depth_of(const struct flame_graph *graph)
{
	unsigned deepest = 0;

	for (size_t i = 0; i < graph->count; i++)
		if (graph->frames[i].depth > deepest)
			deepest = graph->frames[i].depth;
	return deepest < DEPTH_MOST ? deepest + 1 : DEPTH_MOST;
}

/*
 * Prints the frames that are wide enough, each to the right of its earlier siblings. next: zeros,
 * one for each depth that is drawn, plus one.
 */
static void print_shapes(FILE *out, const struct flame_graph *graph, double *next)
{
	double scale = graph->frames->period ? WIDTH / (double)graph->frames->period : 0;

	for (size_t i = 0; i < graph->count; i++) {
		const struct flame_frame *frame = &graph->frames[i];
		double x, width = (double)frame->period * scale;

		if (frame->depth >= DEPTH_MOST)
			continue;
		x = next[frame->depth];
		next[frame->depth] = x + width;
		next[frame->depth + 1] = x;
		if (width >= STATIC_LEAST)
			print_rect(out, graph, frame, x, width);
	}
}

/* Prints the meaning of the colours in the graph, after the title. */
static void print_legend(FILE *out, const struct flame_graph *graph)
{
	static const char *const words[] = {
		[FLAME_USER] = "C and others", [FLAME_CPLUSPLUS] = "C++",
		[FLAME_KERNEL] = "kernel",     [FLAME_JIT] = "JIT",
		[FLAME_INLINE] = "inlined",    [FLAME_UNNAMED] = "no name",
	};
	double x = 8 + TITLE_CHAR * (double)strlen(graph->title) + 32;
	bool used[sizeof(words) / sizeof(*words)] = { false };

	for (size_t i = 1; i < graph->count; i++)
		used[graph->names[graph->frames[i].name].kind] = true;
	fputs("<g id=\"legend\">", out);
	for (size_t kind = 0; kind < sizeof(words) / sizeof(*words) && !graph->differential;
	     kind++) {
		if (!used[kind])
			continue;
		fprintf(out,
		        "<rect x=\"%.1f\" y=\"8\" width=\"11\" height=\"11\" rx=\"1\" fill=\"%s\"/>"
		        "<text class=\"l\" x=\"%.1f\" y=\"18\" fill=\"#222\">%s</text>",
		        x, static_colour((enum flame_kind)kind), x + 15, words[kind]);
		x += 15 + CHAR * (double)strlen(words[kind]) + 16;
	}
	fputs("</g>\n", out);
}

static void print_head(FILE *out, const struct flame_graph *graph)
{
	unsigned height = TOP + ROW * depth_of(graph) + 8;

	fprintf(out,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n"
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
	        "viewBox=\"0 0 %.0f %u\" preserveAspectRatio=\"xMinYMin\" font-family=\"monospace\" "
	        "font-size=\"12\" tabindex=\"0\">\n<title>",
	        WIDTH, height, WIDTH, height);
	print_xml(out, graph->title, SIZE_MAX);
	fprintf(out,
	        "</title>\n"
	        "<style>.f{cursor:pointer;scroll-margin-top:%dpx}.b{cursor:pointer;text-decoration:underline}"
	        ".l{fill:#222}#plot text{pointer-events:none}"
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
	print_xml(out, graph->title, SIZE_MAX);
	fputs("</text>\n", out);
	print_legend(out, graph);
	fputs("<g id=\"tools\" visibility=\"hidden\" fill=\"#06c\">"
	      "<text id=\"reset\" class=\"b l\" x=\"8\" y=\"36\">Reset (Esc)</text>"
	      "<text id=\"search\" class=\"b l\" x=\"110\" y=\"36\">Search (/)</text>"
	      "<text id=\"invert\" class=\"b l\" x=\"206\" y=\"36\">Invert (i)</text>"
	      "<text id=\"match\" class=\"l\" x=\"302\" y=\"36\"></text></g>\n"
	      "<text id=\"status\" class=\"l\" x=\"8\" y=\"54\" fill=\"#222\"></text></g>\n",
	      out);
}

/* The period of the samples if all have the same; otherwise 0. */
static uint64_t common_period(const struct flame_graph *graph)
{
	uint64_t period = 0;

	for (size_t i = 0; i < graph->count; i++) {
		const struct flame_frame *frame = &graph->frames[i];

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

static void print_columns(FILE *out, const struct flame_graph *graph)
{
	uint64_t period = common_period(graph);

	fputs("var N=[", out);
	for (size_t i = 0; i < graph->name_count; i++) {
		fputs(i ? ",\n\"" : "\"", out);
		print_script_text(out, graph->names[i].function);
		fputs("\\t", out);
		print_script_text(out, graph->names[i].binary);
		fprintf(out, "\\t%d\"", (int)graph->names[i].kind);
	}
	fputs("],\nD=[", out);
	for (size_t i = 0; i < graph->count; i++)
		print_number(out, i, graph->frames[i].depth);
	fputs("],\nI=[", out);
	for (size_t i = 0; i < graph->count; i++)
		print_number(out, i, graph->frames[i].name);
	fputs("],\nV=[", out);
	for (size_t i = 0; i < graph->count; i++)
		print_number(out, i, graph->frames[i].period);
	if (period) {
		fprintf(out, "],\nS=%" PRIu64, period);
	} else {
		fputs("],\nS=[", out);
		for (size_t i = 0; i < graph->count; i++)
			print_number(out, i, graph->frames[i].samples);
		fputs("]", out);
	}
	fputs(graph->differential ? ",\nE=[" : ",\nE=null", out);
	for (size_t i = 0; graph->differential && i < graph->count; i++)
		fprintf(out, i ? ",%" PRId64 : "%" PRId64, graph->frames[i].delta);
	fprintf(out, "%s,\nU=\"%s\";\n", graph->differential ? "]" : "", graph->clock ? "ns" : "");
}

bool flame_print(FILE *out, const struct flame_graph *graph, struct err *err)
{
	size_t depths = depth_of(graph) + 1;
	double *next = calloc(depths, sizeof(*next));

	if (!next)
		return err_nomem(err, depths * sizeof(*next));
	print_head(out, graph);
	fputs("<g id=\"plot\">\n", out);
	if (graph->count)
		print_shapes(out, graph, next);
	free(next);
	fputs("</g>\n", out);
	print_tools(out, graph);
	if (graph->count) {
		fputs("<script><![CDATA[\n", out);
		print_columns(out, graph);
		for (size_t i = 0; flame_script[i]; i++)
			fputs(flame_script[i], out);
		fputs("]]></script>\n", out);
	}
	fputs("</svg>\n", out);
	return true;
}
