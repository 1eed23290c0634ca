#define _GNU_SOURCE /* strcasestr() */
#include "decode/select/pattern.h"

#include "util/digits.h"
#include "util/nearest.h"

#include <ctype.h>
#include <string.h>

/* The closing bracket for an opening one, or 0. */
static char closing_bracket(char c)
{
	static const char opening[] = "<([{", closing[] = ">)]}";
	const char *at = c ? strchr(opening, c) : NULL;

	return at ? closing[at - opening] : 0;
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

/* Whether the first character of the name is as the pattern says; if so, moves both behind it. */
static bool character_matches(const char **pattern, const char **name)
{
	const char *p = *pattern, *n = *name;

	if (!*n)
		return false;
	if (*p == '?') {
		*pattern = p + 1;
		*name = next_character(n);
		return true;
	}
	if (*p == '[' ? !class_matches(&p, *n) : *p++ != *n)
		return false;
	*pattern = p;
	*name = n + 1;
	return true;
}

/*
 * Backtracks only to the last star, which is enough. So the time is at most proportional to the
 * product of both lengths.
 */
static bool glob_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*pattern || *name) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (!character_matches(&pattern, &name)) {
			if (!star || !*retry)
				return false;
			pattern = star;
			name = ++retry;
		}
	}
	return true;
}

/* Whether the pattern is the name as tables spell it, with \xNN for a control byte. */
static bool is_spelled(const char *pattern, const char *name)
{
	for (; *pattern && *name; name++) {
		bool coded = pattern[0] == '\\' && pattern[1] == 'x' &&
		             hex_digit(pattern[2]) >= 0 && hex_digit(pattern[3]) >= 0;
		int byte = coded ? hex_digit(pattern[2]) * 16 + hex_digit(pattern[3])
		                 : (uint8_t)*pattern;

		if (byte != (uint8_t)*name)
			return false;
		pattern += coded ? 4 : 1;
	}
	return *pattern == *name;
}

bool pattern_matches(const char *pattern, const char *name)
{
	return is_spelled(pattern, name) || !strcmp(pattern, name) || glob_matches(pattern, name);
}

uint32_t pattern_distance(const char *pattern, const char *name)
{
	char text[WORD_MOST + 1], lower[WORD_MOST];
	size_t length = 0, name_length = strlen(name), changed;

	for (; *pattern && length < WORD_MOST; pattern++)
		if (*pattern != '*' && *pattern != '?')
			text[length++] = (char)tolower((uint8_t)*pattern);
	text[length] = '\0';
	if (length < 3 || name_length < 2)
		return UINT32_MAX;
	if (strcasestr(name, text) || strcasestr(text, name))
		return 0;
	if (name_length > WORD_MOST)
		return UINT32_MAX;
	for (size_t i = 0; i < name_length; i++)
		lower[i] = (char)tolower((uint8_t)name[i]);
	changed = edit_distance(text, length, lower, name_length);
	return changed <= (length < 8 ? 2 : length / 4) ? (uint32_t)changed : UINT32_MAX;
}
