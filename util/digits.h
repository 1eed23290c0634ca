/*
 * Formats numbers by hand, because tables hold millions of them: two digits at a time from the end,
 * which is simpler, makes the default tables of 3 million samples take 7 % more CPU time. Each
 * function returns the end of the text that it wrote; the text is not terminated.
 */
#ifndef READPERF_UTIL_DIGITS_H
#define READPERF_UTIL_DIGITS_H

#include "util/types.h"

#include <string.h>

/* Two hex digits for each byte. */
extern const char hex_pairs[512];

char *format_u64(char *out, uint64_t value); /* at most 20 bytes */

/* The lowest 4 hex digits. */
static inline void format_hex_4(char *out, uint32_t value)
{
	memcpy(out, hex_pairs + 2 * (value >> 8 & 0xff), 2);
	memcpy(out + 2, hex_pairs + 2 * (value & 0xff), 2);
}

/* With 0x in front; always overwrites 18 bytes. */
static inline char *format_hex(char *out, uint64_t value)
{
	size_t digits = value ? (size_t)(67 - __builtin_clzll(value)) / 4 : 1;

	/*
	 * moves the digits to the front; what is left behind them is overwritten by the next cell
	 */
	memcpy(out, "0x", 2);
	value <<= 64 - 4 * digits;
	format_hex_4(out + 2, (uint32_t)(value >> 48));
	format_hex_4(out + 6, (uint32_t)(value >> 32));
	format_hex_4(out + 10, (uint32_t)(value >> 16));
	format_hex_4(out + 14, (uint32_t)value);
	return out + 2 + digits;
}

/* The two hex digits of a byte. */
static inline char *format_hex_byte(char *out, uint8_t byte)
{
	memcpy(out, hex_pairs + 2 * byte, 2);
	return out + 2;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a hex digit in lower case; -1: it is none. */
static inline int hex_digit(char digit)
{
	if (is_digit(digit))
		return digit - '0';
	return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/*
 * Reads an address as format_hex() writes it: 0x and 1 to 16 digits, which are all of the text.
 * False if it is anything else.
 */
bool parse_hex(const char *text, size_t length, uint64_t *value);

/* 100 * part / whole, rounded; at most 32 bytes. decimals: 1 to 6 */
char *format_percent(char *out, uint64_t part, uint64_t whole, int decimals);

#endif
