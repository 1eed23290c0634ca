#include "decode/select/pattern.h"

#include <string.h>

#define NEAR_LENGTH 64 /* longest name that is compared letter by letter */

/* The closing bracket for an opening one, or 0. */
static char closing_bracket(char c)
{
	switch (c) {
	case '<':
		return '>';
	case '(':
		return ')';
	case '[':
		return ']';
	case '{':
		return '}';
	default:
		return 0;
	}
}

/* The closing bracket of the one at text[0], or NULL. */
static const char *find_closing(const char *text)
{
	char open = *text, close = closing_bracket(open);
	size_t depth = 0;

	for (; *text; text++) {
		if (*text == open)
			depth++;
		else if (*text == close && --depth == 0)
			return text;
	}
	return NULL;
}

size_t pattern_value_length(const char *list)
{
	const char *p = list, *end;

	while (*p && *p != ',') {
		end = closing_bracket(*p) ? find_closing(p) : NULL;
		p = end ? end + 1 : p + 1;
	}
	return (size_t)(p - list);
}

/* The byte after the character at p, which is UTF-8 if it is valid. */
static const char *next_character(const char *p)
{
	p++;
	while (((uint8_t)*p & 0xc0) == 0x80)
		p++;
	return p;
}

/*
 * Whether c is in the class that starts with the '[' at *pattern; if so, moves *pattern behind it.
 */
static bool class_matches(const char **pattern, char c)
{
	const char *p = *pattern + 1;
	bool negated = *p == '!' || *p == '^', found = false;

	p += negated;
	for (const char *first = p; *p && (*p != ']' || p == first); p++) {
		uint8_t low = (uint8_t)*p, high = low;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = (uint8_t)p[2];
			p += 2;
		}
		found |= (uint8_t)c >= low && (uint8_t)c <= high;
	}
	if (!*p) /* without a closing bracket, '[' is an ordinary character */
		return c == *(*pattern)++;
	*pattern = p + 1;
	return found != negated;
}

/*
 * Backtracks only to the last star, which is enough. So the time is at most proportional to the
 * product of both lengths.
 */
static bool glob_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	for (;;) {
		const char *p = pattern;
		bool same = false;

		if (*p == '*') {
			star = pattern = p + 1;
			retry = name;
			continue;
		}
		if (!*name && !*p)
			return true;
		if (*name && *p == '?') {
			pattern = p + 1;
			name = next_character(name);
			continue;
		}
		if (*name && *p == '[')
			same = class_matches(&p, *name);
		else if (*name)
			same = *p++ == *name;
		if (same) {
			pattern = p;
			name++;
		} else if (star && *retry) {
			pattern = star;
			name = ++retry;
		} else {
			return false;
		}
	}
}

bool pattern_matches(const char *pattern, const char *name)
{
	return !strcmp(pattern, name) || glob_matches(pattern, name);
}

static char lower_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains_text(const char *text, const char *part)
{
	for (; *text; text++) {
		size_t i = 0;

		while (part[i] && lower_case(text[i]) == lower_case(part[i]))
			i++;
		if (!part[i])
			return true;
	}
	return false;
}

/* The number of insertions, deletions and changes of letters between two short texts. */
static uint32_t letters_changed(const char *a, const char *b)
{
	uint32_t row[NEAR_LENGTH + 1];
	size_t length = strlen(b);

	for (size_t i = 0; i <= length; i++)
		row[i] = (uint32_t)i;
	for (uint32_t k = 1; *a; a++, k++) {
		uint32_t before = row[0];

		row[0] = k;
		for (size_t i = 1; i <= length; i++) {
			uint32_t changed = before + (lower_case(*a) != lower_case(b[i - 1]));
			uint32_t least = row[i] < row[i - 1] ? row[i] + 1 : row[i - 1] + 1;

			before = row[i];
			row[i] = changed < least ? changed : least;
		}
	}
	return row[length];
}

uint32_t pattern_distance(const char *pattern, const char *name)
{
	char text[NEAR_LENGTH + 1];
	size_t length = 0;
	uint32_t changed;

	for (; *pattern && length < NEAR_LENGTH; pattern++)
		if (*pattern != '*' && *pattern != '?')
			text[length++] = *pattern;
	text[length] = '\0';
	if (length < 3 || strlen(name) < 2)
		return UINT32_MAX;
	if (contains_text(name, text) || contains_text(text, name))
		return 0;
	if (strlen(name) > NEAR_LENGTH)
		return UINT32_MAX;
	changed = letters_changed(text, name);
	return changed <= (length < 8 ? 2 : length / 4) ? changed : UINT32_MAX;
}
