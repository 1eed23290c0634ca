#define _GNU_SOURCE /* struct winsize */
#include "decode/tables/terminal.h"

#include "util/csv.h"
#include "util/digits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_LEAST 50 /* on narrower terminals lines are this wide */
#define COLUMNS_USUAL 80 /* if the terminal's width is not known */
#define COLUMNS_MOST 4096
#define HOT_PERCENT 5 /* coloured as perf does */

static const char bold[] = "\033[1m", red[] = "\033[31m", green[] = "\033[32m", plain[] = "\033[0m";

struct terminal terminal_of(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
	struct terminal terminal = { 0 };
	struct winsize size;

	if (isatty(fileno(out)) != 1)
		return terminal;
	terminal.columns = COLUMNS_USUAL;
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
		terminal.columns = size.ws_col;
	if (terminal.columns < COLUMNS_LEAST)
		terminal.columns = COLUMNS_LEAST;
	if (terminal.columns > COLUMNS_MOST)
		terminal.columns = COLUMNS_MOST;
	terminal.colour = !(no_color && *no_color) && kind && *kind && strcmp(kind, "dumb") != 0;
	return terminal;
}

/* value / unit with at least three digits; unit is a power of 1000. */
static void scaled(char text[SHORT_NUMBER_SIZE], uint64_t value, uint64_t unit, const char *name)
{
	double number = (double)value / (double)unit;

	snprintf(text, SHORT_NUMBER_SIZE, "%.*f %s",
	         number < 9.995    ? 2
	         : number < 999.95 ? 1
	                           : 0,
	         number, name);
}

void short_count(char text[SHORT_NUMBER_SIZE], uint64_t count)
{
	static const char *const names[] = { "k", "M", "G", "T", "P", "E" };
	uint64_t unit = 1000;
	size_t i = 0;

	if (count < 10000) {
		snprintf(text, SHORT_NUMBER_SIZE, "%" PRIu64, count);
		return;
	}
	while (i + 1 < ARRAY_SIZE(names) && count / unit >= 1000) {
		unit *= 1000;
		i++;
	}
	snprintf(text, SHORT_NUMBER_SIZE, "%.1f %s", (double)count / (double)unit, names[i]);
}

/* "1.204 s" for ns. */
static void short_time(char text[SHORT_NUMBER_SIZE], uint64_t ns)
{
	if (ns < 1000)
		snprintf(text, SHORT_NUMBER_SIZE, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		scaled(text, ns, 1000, "us");
	else if (ns < 1000000000)
		scaled(text, ns, 1000000, "ms");
	else
		snprintf(text, SHORT_NUMBER_SIZE, "%.3f s", (double)ns / 1e9);
}

static bool is_start(char byte)
{
	return ((uint8_t)byte & 0xc0) != 0x80;
}

size_t text_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += is_start(*text);
	return count;
}

/* The byte at which the character with this number starts. */
static const char *character_at(const char *name, size_t number)
{
	for (; *name; name++)
		if (is_start(*name) && number-- == 0)
			break;
	return name;
}

char *shortened(const char *name, size_t most)
{
	size_t count, front;
	char *clean = text_escaped(name), *text;
	const char *end, *rest;

	if (!clean)
		return NULL;
	count = text_characters(clean);
	if (count <= most || most < 4)
		return clean;
	/* the end of a name says more than its start: the function, the file */
	front = (most - 3) / 3;
	end = character_at(clean, front);
	rest = character_at(clean, count - (most - 3 - front));
	text = malloc((size_t)(end - clean) + 3 + strlen(rest) + 1);
	if (text)
		sprintf(text, "%.*s...%s", (int)(end - clean), clean, rest);
	free(clean);
	return text;
}

bool is_clock(const struct session *session, uint32_t number)
{
	return number < session->event_count && attr_is_clock(&session->events[number].attr);
}

void print_padded(FILE *out, const char *name, size_t width)
{
	char *text = shortened(name, width);
	size_t used = text ? text_characters(text) : 0;

	fprintf(out, "%s%*s", text ? text : "", used < width ? (int)(width - used) : 0, "");
	free(text);
}

void format_period(char text[SHORT_NUMBER_SIZE], uint64_t period, bool clock)
{
	if (clock)
		short_time(text, period);
	else
		short_count(text, period);
}

void print_share_of(FILE *out, const struct terminal *terminal, uint64_t period, uint64_t whole)
{
	const char *colour = "";
	char percent[40];

	*format_percent(percent, period, whole, 2) = '\0';
	if (terminal->colour && strtod(percent, NULL) >= HOT_PERCENT)
		colour = red;
	else if (terminal->colour && strtod(percent, NULL) >= 0.5)
		colour = green;
	fprintf(out, "%s%6s%%%s ", colour, percent, *colour ? plain : "");
}

void print_bold(FILE *out, const struct terminal *terminal, const char *format, ...)
{
	va_list arguments;

	fputs(terminal->colour ? bold : "", out);
	va_start(arguments, format);
	vfprintf(out, format, arguments);
	va_end(arguments);
	fprintf(out, "%s\n", terminal->colour ? plain : "");
}
