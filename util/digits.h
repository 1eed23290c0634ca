/*
 * Formats numbers by hand, because tables hold millions of them. Each function returns the end of
 * the text that it wrote; the text is not terminated.
 */
#ifndef READPERF_UTIL_DIGITS_H
#define READPERF_UTIL_DIGITS_H

#include "util/types.h"

#include <string.h>

/* Two digits for each number below 100. */
extern const char digit_pairs[200];

static inline char *format_2(char *out, uint32_t value)
{
	memcpy(out, digit_pairs + 2 * value, 2);
	return out + 2;
}

/* Exactly 4 and 8 digits of a number that has no more. */
static inline char *format_4(char *out, uint32_t value)
{
	return format_2(format_2(out, value / 100), value % 100);
}

static inline char *format_8(char *out, uint32_t value)
{
	return format_4(format_4(out, value / 10000), value % 10000);
}

char *format_u64(char *out, uint64_t value); /* at most 20 bytes */

/* The 8 hex digits of a word, all at once: each nibble is moved into its own byte. */
static inline void format_hex_8(char *out, uint32_t value)
{
	uint64_t v = value, letters;

	v = (v << 16 & 0x0000ffff00000000u) | (v & 0xffff);
	v = (v << 8 & 0x00ff000000ff0000u) | (v & 0x000000ff000000ffu);
	v = (v << 4 & 0x0f000f000f000f00u) | (v & 0x000f000f000f000fu);
	letters = (v + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	v += 0x3030303030303030u + letters * ('a' - '0' - 10);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(out, &v, sizeof(v));
}

/* The 16 hex digits of a number. */
static inline void format_hex_16(char *out, uint64_t value)
{
	format_hex_8(out, (uint32_t)(value >> 32));
	format_hex_8(out + 8, (uint32_t)value);
}

/* With 0x in front; always overwrites 18 bytes. */
static inline char *format_hex(char *out, uint64_t value)
{
	size_t digits = value ? (size_t)(67 - __builtin_clzll(value)) / 4 : 1;

	/*
	 * moves the digits to the front; what is left behind them is overwritten by the next cell
	 */
	memcpy(out, "0x", 2);
	format_hex_16(out + 2, value << (64 - 4 * digits));
	return out + 2 + digits;
}

/* 100 * part / whole, rounded; at most 32 bytes. decimals: 1 to 6 */
char *format_percent(char *out, uint64_t part, uint64_t whole, int decimals);

#endif
