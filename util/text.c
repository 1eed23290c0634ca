#include "util/text.h"

#include "util/digits.h"

#include <stdlib.h>

size_t utf8_length(const uint8_t *p, size_t left)
{
	const size_t length = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint8_t low = 0x80, high = 0xbf; /* of the second byte */

	if (p[0] < 0x80)
		return 1;
	if (p[0] == 0xc2 || p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[0] < 0xc2 || p[0] > 0xf4 || left < length || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

/*
 * Eight bytes of the same value. Texts are examined by eight bytes: byte by byte, -t all of a C++
 * program takes 9 % more CPU time.
 */
#define EIGHT(byte) (0x0101010101010101u * (byte))

/* Nonzero if any of eight bytes is 0. */
static inline uint64_t any_zero(uint64_t word)
{
	return (word - EIGHT(1)) & ~word & EIGHT(0x80);
}

/* Nonzero if any of eight bytes is a control character, beyond ASCII or a backslash. */
static inline uint64_t any_unclean(uint64_t word)
{
	return (((word - EIGHT(0x20)) | (word + EIGHT(1)) | word) & EIGHT(0x80)) |
	       any_zero(word ^ EIGHT('\\'));
}

static inline uint64_t word_at(const char *text, size_t length)
{
	uint64_t word = EIGHT('a');

	memcpy(&word, text, length);
	return word;
}

bool text_is_clean(const char *text, size_t length)
{
	for (; length >= 8; text += 8, length -= 8)
		if (any_unclean(word_at(text, 8)))
			return false;
	return !any_unclean(word_at(text, length));
}

/*
 * Whether the byte at p has to be written as \xNN, as a backslash that could be taken for the start
 * of that. *length: of the character, if not.
 */
static bool must_escape(const uint8_t *p, size_t left, size_t *length)
{
	*length = utf8_length(p, left);
	return *length == 0 || p[0] < 0x20 || p[0] == 0x7f ||
	       (p[0] == '\\' && left >= 2 && p[1] == 'x');
}

bool text_turns_direction(const char *text, size_t left)
{
	const uint8_t last = left < 3 ? 0 : (uint8_t)text[2];

	return left >= 3 && text[0] == '\xe2' &&
	       ((text[1] == '\x80' && last >= 0xaa && last <= 0xae) ||
	        (text[1] == '\x81' && last >= 0xa6 && last <= 0xa9));
}

bool text_has_leftward(const char *text)
{
	for (const uint8_t *p = (const uint8_t *)text; *p; p++)
		if ((p[0] == 0xd6 && p[1] >= 0x90) || (p[0] >= 0xd7 && p[0] <= 0xdf) ||
		    (p[0] == 0xe0 && p[1] >= 0xa0 && p[1] <= 0xa3) ||
		    (p[0] == 0xef &&
		     ((p[1] == 0xac && p[2] >= 0x9d) || (p[1] >= 0xad && p[1] <= 0xb7) ||
		      (p[1] == 0xb9 && p[2] >= 0xb0) || (p[1] >= 0xba && p[1] <= 0xbb))) ||
		    (p[0] == 0xf0 && (p[1] == 0x90 || p[1] == 0x9e) && p[2] >= 0xa0))
			return true;
	return false;
}

/* must_escape(); shown: also for the first byte of a character that turns the direction of text. */
static bool must_hide(const uint8_t *p, size_t left, bool shown, size_t *length)
{
	return must_escape(p, left, length) ||
	       (shown && text_turns_direction((const char *)p, left));
}

static char *write_escaped(char *out, const char *text, size_t length, bool shown)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t character, next;

	if (text_is_clean(text, length)) {
		memcpy(out, text, length);
		return out + length;
	}
	for (size_t i = 0; i < length; i += character) {
		bool escape = must_hide(p + i, length - i, shown, &character);

		/* a backslash right in front of an escaped byte would make the escape ambiguous */
		if (!escape && p[i] == '\\' && i + 1 < length)
			escape = must_hide(p + i + 1, length - i - 1, shown, &next);
		if (escape) {
			character = character == 3 ? 3
			                           : 1; /* only those that turn text are valid */
			for (size_t k = i; k < i + character; k++)
				out = format_hex_byte(stpcpy(out, "\\x"), p[k]);
		} else {
			memcpy(out, p + i, character);
			out += character;
		}
	}
	return out;
}

char *format_escaped(char *out, const char *text, size_t length)
{
	return write_escaped(out, text, length, false);
}

char *format_shown(char *out, const char *text, size_t length)
{
	return write_escaped(out, text, length, true);
}

static char *copy_escaped(const char *text, bool shown)
{
	size_t length = strlen(text);
	char *escaped = malloc(4 * length + 1);

	if (escaped)
		*write_escaped(escaped, text, length, shown) = '\0';
	return escaped;
}

char *text_escaped(const char *text)
{
	return copy_escaped(text, false);
}

char *text_shown(const char *text)
{
	return copy_escaped(text, true);
}
