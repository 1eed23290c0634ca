#define _GNU_SOURCE /* struct winsize, wcwidth() */
#include "decode/tables/terminal.h"

#include "decode/tables/briefname.h"
#include "util/digits.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define COLUMNS_LEAST 50 /* on narrower terminals lines are this wide */
#define COLUMNS_USUAL 80 /* if the terminal's width is not known */
#define COLUMNS_MOST 4096
#define HOT_PERCENT 5
#define WARM_PERCENT 0.5

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
static void format_scaled(char text[SHORT_NUMBER_SIZE], uint64_t value, uint64_t unit,
                          const char *name)
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

void short_time(char text[SHORT_NUMBER_SIZE], uint64_t ns)
{
	if (ns < 1000)
		snprintf(text, SHORT_NUMBER_SIZE, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		format_scaled(text, ns, 1000, "us");
	else if (ns < 1000000000)
		format_scaled(text, ns, 1000000, "ms");
	else
		snprintf(text, SHORT_NUMBER_SIZE, "%.3f s", (double)ns / 1e9);
}

void print_share(FILE *out, uint64_t part, uint64_t whole, int width, bool coloured)
{
	const char *colour = "";
	char percent[40];

	*format_percent(percent, part, whole, 2) = '\0';
	if (coloured && strtod(percent, NULL) >= HOT_PERCENT)
		colour = "\033[31m";
	else if (coloured && strtod(percent, NULL) >= WARM_PERCENT)
		colour = "\033[32m";
	fprintf(out, "%s%*s%%%s ", colour, width, percent, *colour ? "\033[0m" : "");
}

/* Returns the end of the character at the start of a UTF-8 text, and the columns that it takes. */
static const char *character_end(const char *text, size_t *columns)
{
	const uint8_t first = (uint8_t)*text++;
	uint32_t character = first < 0xc0 ? first : first < 0xe0 ? first & 0x1f : first & 0x0f;
	int width;

	for (; ((uint8_t)*text & 0xc0) == 0x80; text++)
		character = character << 6 | ((uint8_t)*text & 0x3f);
	width = wcwidth((wchar_t)character);
	/* what the C library does not know is most likely one column wide */
	*columns = width < 0 ? 1 : (size_t)width;
	return text;
}

size_t text_columns(const char *text)
{
	size_t count = 0, columns;

	for (; *text; count += columns)
		text = character_end(text, &columns);
	return count;
}

/*
 * Returns a copy of at most `most` columns: the first `front` columns of the text, "...", and the
 * end of the text. A combining mark stays with the character that it belongs to. NULL if memory is
 * refused.
 */
static char *without_middle(const char *text, size_t most, size_t front)
{
	const size_t whole = text_columns(text), back = most - strlen("...") - front;
	const char *end = text, *rest = text, *next;
	size_t used = 0, columns; /* used: columns before the start of the rest */
	char *made;

	for (; *rest; rest = next, used += columns) {
		next = character_end(rest, &columns);
		if (columns && used >= whole - back)
			break;
		if (used + columns <= front)
			end = next;
	}
	/* dots of the text beside the cut are dropped, so that "..." does not become "......" */
	for (; end > text && end[-1] == '.'; end--)
		;
	rest += strspn(rest, ".");
	made = malloc((size_t)(end - text) + strlen("...") + strlen(rest) + 1);

	if (made)
		sprintf(made, "%.*s...%s", (int)(end - text), text, rest);
	return made;
}

static char *fitting_name(const char *name, size_t most, size_t front)
{
	char *clean = text_shown(name), *brief, *text;

	if (!clean || text_columns(clean) <= most || most < 4)
		return clean;
	brief = without_arguments(clean);
	free(clean);
	if (!brief || text_columns(brief) <= most)
		return brief;
	text = without_middle(brief, most, front);
	free(brief);
	return text;
}

char *shortened(const char *name, size_t most)
{
	/* the end of a function's name, or of a path, says more than its start */
	return fitting_name(name, most, (most - 3) / 3);
}

char *shortened_binary(const char *name, size_t most)
{
	return fitting_name(name, most, (most - 3) * 2 / 3);
}
