/* Texts: their beginnings, ends and words, and how those from recorded machines are printed. */
#ifndef READPERF_UTIL_TEXT_H
#define READPERF_UTIL_TEXT_H

#include "util/types.h"

#include <string.h>

static inline bool text_starts(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* What follows the start; NULL: the text starts otherwise. */
static inline const char *text_after(const char *text, const char *start)
{
	return text_starts(text, start) ? text + strlen(start) : NULL;
}

/* Whether the text ends so, and has something before that end. */
static inline bool text_ends(const char *text, const char *end)
{
	const size_t length = strlen(text), size = strlen(end);

	return length > size && memcmp(text + length - size, end, size) == 0;
}

/* Whether so many bytes, which need no NUL behind them, are this word. */
static inline bool text_is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Characters of the identifiers of C, whatever the locale is. */
static inline bool begins_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_of_identifier(char c)
{
	return begins_identifier(c) || (c >= '0' && c <= '9');
}

/*
 * Length of the valid UTF-8 sequence at p, of which there are `left` bytes, at least one; 0: there
 * is none. Control characters of two bytes are refused.
 */
size_t utf8_length(const uint8_t *p, size_t left);

/*
 * Writes text with control bytes and invalid UTF-8 as \xNN, because names come from the recorded
 * machine and may be hostile. A backslash in front of such an escape is written as \x5c. Returns
 * the end of what was written; out needs room for 4 * length bytes.
 */
char *format_escaped(char *out, const char *text, size_t length);
/*
 * The same for what people look at: also the bytes of characters that turn the direction of the
 * text behind them, which would be that of our numbers. Tables for programs have these as they are.
 */
char *format_shown(char *out, const char *text, size_t length);
/* A copy of a text as format_escaped() or format_shown() writes it: malloc'd; NULL when memory is
 * refused. */
char *text_escaped(const char *text);
char *text_shown(const char *text);
/* Whether the text starts with such a character: U+202A to U+202E, U+2066 to U+2069. */
bool text_turns_direction(const char *text, size_t left);
/*
 * Whether the text has letters that are written from right to left: U+0590 to U+08FF, U+FB1D to
 * U+FDFF, U+FE70 to U+FEFF, U+10800 to U+10FFF, U+1E800 to U+1EFFF. A number behind the last of
 * them is shown to the left of it, unless U+200E stands between the two.
 */
bool text_has_leftward(const char *text);
/* Whether format_escaped() would change anything. */
bool text_is_clean(const char *text, size_t length);

#endif
