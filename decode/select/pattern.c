#define _GNU_SOURCE /* strcasestr() */
#include "decode/select/pattern.h"

#include "util/digits.h"
#include "util/nearest.h"
#include "util/text.h"

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

/* What a byte that is in no valid character counts as: no character has this code. */
#define LONE_BYTE 0xdc00u
#define CHARACTER_MOST 4 /* bytes */

/* The code of the character that starts with these bytes; *length: how many of them it has. */
static uint32_t decode_character(const uint8_t *bytes, size_t count, size_t *length)
{
	uint32_t code;

	*length = count ? utf8_length(bytes, count) : 0;
	if (*length == 0) {
		*length = 1;
		return LONE_BYTE + bytes[0];
	}
	code = *length == 1 ? bytes[0] : bytes[0] & (0x7fu >> *length);
	for (size_t i = 1; i < *length; i++)
		code = code << 6 | (bytes[i] & 0x3f);
	return code;
}

/* Reads the byte that \xNN at p stands for; NULL: there is none. Else returns what follows. */
static const char *read_code(const char *p, uint8_t *byte)
{
	if (p[0] != '\\' || p[1] != 'x' || hex_digit(p[2]) < 0 || hex_digit(p[3]) < 0)
		return NULL;
	*byte = (uint8_t)(hex_digit(p[2]) * 16 + hex_digit(p[3]));
	return p + 4;
}

/*
 * Reads the character at *p, which is not the end of the text, and moves *p behind it. coded: \xNN
 * is a byte, as tables spell those that are no characters to print.
 */
static uint32_t next_character(const char **p, bool coded)
{
	uint8_t bytes[CHARACTER_MOST];
	size_t count = 0, length;
	const char *at = *p, *next;
	uint32_t code;

	while (coded && count < sizeof(bytes) && (next = read_code(at, &bytes[count]))) {
		count++;
		at = next;
	}
	if (count) {
		code = decode_character(bytes, count, &length);
		*p += 4 * length;
		return code;
	}
	while (count < sizeof(bytes) && at[count]) {
		bytes[count] = (uint8_t)at[count];
		count++;
	}
	code = decode_character(bytes, count, &length);
	*p += length;
	return code;
}

/*
 * Whether c is in the class that starts with the '[' at *pattern; if so, moves *pattern behind it.
 */
static bool class_matches(const char **pattern, uint32_t c, bool coded)
{
	const char *p = *pattern + 1;
	bool negated = *p == '!' || *p == '^', found = false;

	p += negated;
	for (const char *first = p; *p && (*p != ']' || p == first);) {
		const uint32_t low = next_character(&p, coded);
		uint32_t high = low;

		if (p[0] == '-' && p[1] && p[1] != ']') {
			p++;
			high = next_character(&p, coded);
		}
		found |= c >= low && c <= high;
	}
	if (!*p) { /* without a closing bracket, '[' is an ordinary character */
		(*pattern)++;
		return c == '[';
	}
	*pattern = p + 1;
	return found != negated;
}

/* Whether the first character of the name is as the pattern says; if so, moves both behind it. */
static bool character_matches(const char **pattern, const char **name, bool coded)
{
	const char *p = *pattern, *n = *name;
	uint32_t c;

	if (!*n || !*p)
		return false;
	c = next_character(&n, false);
	if (*p == '?')
		p++;
	else if (*p == '[' ? !class_matches(&p, c, coded) : next_character(&p, coded) != c)
		return false;
	*pattern = p;
	*name = n;
	return true;
}

/*
 * Backtracks only to the last star, which is enough. So the time is at most proportional to the
 * product of both lengths.
 */
static bool glob_matches(const char *pattern, const char *name, bool coded)
{
	const char *star = NULL, *retry = NULL;

	while (*pattern || *name) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = name;
		} else if (!character_matches(&pattern, &name, coded)) {
			if (!star || !*retry)
				return false;
			pattern = star;
			next_character(&retry, false);
			name = retry;
		}
	}
	return true;
}

/* Whether the pattern is the name as tables spell it, with \xNN for a control byte. */
static bool is_spelled(const char *pattern, const char *name)
{
	for (; *pattern && *name; name++) {
		uint8_t byte;
		const char *next = read_code(pattern, &byte);

		if ((next ? byte : (uint8_t)*pattern) != (uint8_t)*name)
			return false;
		pattern = next ? next : pattern + 1;
	}
	return *pattern == *name;
}

bool pattern_matches(const char *pattern, const char *name)
{
	return is_spelled(pattern, name) || !strcmp(pattern, name) ||
	       glob_matches(pattern, name, false) ||
	       (strstr(pattern, "\\x") && glob_matches(pattern, name, true));
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
