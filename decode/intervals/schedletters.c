#include "decode/intervals/schedletters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FIELD "REC->prev_state"
#define DEPTH_MOST 16 /* parentheses within each other */

/* Text that is left to read. */
struct text {
	const char *at, *end;
};

static void skip_blanks(struct text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

static bool take(struct text *text, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(text);
	if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
		return false;
	text->at += length;
	return true;
}

/* Moves behind the next occurrence of a word. */
static bool find(struct text *text, const char *word)
{
	for (; text->at < text->end; text->at++) {
		const char *start = text->at;

		if (take(text, word))
			return true;
		text->at = start;
	}
	return false;
}

static int digit_of(char c, unsigned base)
{
	int digit = c >= '0' && c <= '9'   ? c - '0'
	            : c >= 'a' && c <= 'f' ? c - 'a' + 10
	            : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                                   : -1;

	return digit < (int)base ? digit : -1;
}

static bool take_number(struct text *text, uint64_t *value)
{
	const char *start;
	unsigned base = take(text, "0x") ? 16 : 10;

	*value = 0;
	for (start = text->at; text->at < text->end && digit_of(*text->at, base) >= 0; text->at++)
		*value = *value * base + (unsigned)digit_of(*text->at, base);
	if (text->at == start)
		return false;
	while (text->at < text->end && strchr("uUlL", *text->at))
		text->at++;
	return true;
}

static bool take_or(struct text *text, uint64_t *value, unsigned depth);

static bool take_primary(struct text *text, uint64_t *value, unsigned depth)
{
	if (!take(text, "("))
		return take_number(text, value);
	return depth < DEPTH_MOST && take_or(text, value, depth + 1) && take(text, ")");
}

static bool take_sum(struct text *text, uint64_t *value, unsigned depth)
{
	uint64_t next;

	if (!take_primary(text, value, depth))
		return false;
	for (;;) {
		if (take(text, "+")) {
			if (!take_primary(text, &next, depth))
				return false;
			*value += next;
		} else if (take(text, "-")) {
			if (!take_primary(text, &next, depth))
				return false;
			*value -= next;
		} else {
			return true;
		}
	}
}

static bool take_shift(struct text *text, uint64_t *value, unsigned depth)
{
	uint64_t next;

	if (!take_sum(text, value, depth))
		return false;
	while (take(text, "<<")) {
		if (!take_sum(text, &next, depth) || next > 63)
			return false;
		*value <<= next;
	}
	return true;
}

/* A constant expression of numbers, |, <<, + and -, with the precedence that they have in C. */
static bool take_or(struct text *text, uint64_t *value, unsigned depth)
{
	uint64_t next;

	if (!take_shift(text, value, depth))
		return false;
	while (take(text, "|")) {
		if (!take_shift(text, &next, depth))
			return false;
		*value |= next;
	}
	return true;
}

/* { 0x01, "S" } */
static bool take_letter(struct text *text, struct sched_letter *letter)
{
	const char *quote;
	size_t length;

	if (!take(text, "{") || !take_or(text, &letter->bits, 0) || !take(text, ",") ||
	    !take(text, "\""))
		return false;
	quote = memchr(text->at, '"', (size_t)(text->end - text->at));
	length = quote ? (size_t)(quote - text->at) : SCHED_LETTER_SIZE;
	if (length >= SCHED_LETTER_SIZE)
		return false;
	memset(letter->name, 0, SCHED_LETTER_SIZE);
	memcpy(letter->name, text->at, length);
	text->at += length + 1;
	return take(text, "}");
}

static void read_letters(struct sched_letters *letters, struct text text)
{
	struct sched_letter letter;

	if (!find(&text, "__print_flags(") || !find(&text, "\"|\""))
		return;
	while (letters->count < SCHED_LETTERS_MOST && take(&text, ",") &&
	       take_letter(&text, &letter))
		if (letter.bits)
			letters->items[letters->count++] = letter;
}

static void read_plus(struct sched_letters *letters, struct text text)
{
	while (find(&text, FIELD)) {
		struct text each = text;
		uint64_t value;

		if (take(&each, "&") && take_primary(&each, &value, 0) && take(&each, "?") &&
		    take(&each, "\"+\""))
			letters->plus = value;
	}
}

static void use_todays(struct sched_letters *letters)
{
	static const char names[] = "SDTtXZPI";

	letters->count = 0;
	for (size_t i = 0; i < sizeof(names) - 1; i++)
		letters->items[letters->count++] = (struct sched_letter){ (uint64_t)1 << i,
			                                                  { names[i] } };
	letters->plus = (uint64_t)1 << (sizeof(names) - 1);
}

void sched_letters_read(struct sched_letters *letters, const char *format, size_t size)
{
	letters->count = 0;
	letters->plus = 0;
	if (format) {
		read_letters(letters, (struct text){ format, format + size });
		read_plus(letters, (struct text){ format, format + size });
	}
	if (!letters->count)
		use_todays(letters);
}

/* The state that the letters mean; of several, D counts first. */
static enum sched_state state_of(const char *text)
{
	return text[0] == '0'         ? SCHED_UNKNOWN /* no letter */
	       : strpbrk(text, "+")   ? SCHED_WAITING
	       : strpbrk(text, "D")   ? SCHED_BLOCKED
	       : strpbrk(text, "SIN") ? SCHED_SLEEPING
	       : strpbrk(text, "KW")  ? SCHED_BLOCKED
	       : strpbrk(text, "TtP") ? SCHED_STOPPED
	       : strpbrk(text, "XZx") ? SCHED_UNKNOWN
	       : strpbrk(text, "R")   ? SCHED_WAITING
	                              : SCHED_UNKNOWN;
}

bool sched_letters_leave(const struct sched_letters *letters, uint64_t number,
                         struct sched_leave *leave, struct arena *arena, struct err *err)
{
	char text[SCHED_LETTERS_MOST * SCHED_LETTER_SIZE + 3] = "";
	size_t used = 0;

	for (size_t i = 0; i < letters->count; i++) {
		size_t length = strlen(letters->items[i].name);

		if ((number & letters->items[i].bits) != letters->items[i].bits)
			continue;
		if (used)
			text[used++] = '|';
		memcpy(text + used, letters->items[i].name, length);
		used += length;
	}
	if (!used && number & ~letters->plus)
		used = (size_t)snprintf(text, sizeof(text), "0x%" PRIx64, number);
	else if (!used)
		text[used++] = 'R';
	if (number & letters->plus)
		text[used++] = '+';
	text[used] = '\0';
	leave->state = state_of(text);
	leave->ends = text[0] != '0' && leave->state == SCHED_UNKNOWN && strpbrk(text, "XZx");
	leave->letters = arena_text(arena, text, used, err);
	return leave->letters != NULL;
}
