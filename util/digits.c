#include "util/digits.h"

/* Two digits for each number below 100. */
static const char digit_pairs[200] = { "00010203040506070809101112131415161718192021222324"
	                               "25262728293031323334353637383940414243444546474849"
	                               "50515253545556575859606162636465666768697071727374"
	                               "75767778798081828384858687888990919293949596979899" };

const char hex_pairs[512] = { "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	                      "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
	                      "404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
	                      "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
	                      "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
	                      "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
	                      "c0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedf"
	                      "e0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff" };

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

/* The digits of a number below 10000. */
static inline char *format_4_most(char *out, uint32_t value)
{
	if (value >= 100) {
		out = value >= 1000 ? format_2(out, value / 100)
		                    : (*out = (char)('0' + value / 100), out + 1);
		return format_2(out, value % 100);
	}
	if (value >= 10)
		return format_2(out, value);
	*out = (char)('0' + value);
	return out + 1;
}

/* The digits of a number below 10^8. */
static inline char *format_8_most(char *out, uint32_t value)
{
	uint32_t low = value % 10000;

	if (value < 10000)
		return format_4_most(out, value);
	out = format_2(format_4_most(out, value / 10000), low / 100);
	return format_2(out, low % 100);
}

char *format_u64(char *out, uint64_t value)
{
	const uint64_t unit = 100000000;

	if (value < unit)
		return format_8_most(out, (uint32_t)value);
	if (value < unit * unit) {
		out = format_8_most(out, (uint32_t)(value / unit));
		return format_8(out, (uint32_t)(value % unit));
	}
	out = format_8_most(out, (uint32_t)(value / unit / unit));
	value %= unit * unit;
	out = format_8(out, (uint32_t)(value / unit));
	return format_8(out, (uint32_t)(value % unit));
}

bool parse_hex(const char *text, size_t length, uint64_t *value)
{
	*value = 0;
	if (length < 3 || length > 2 + 16 || text[0] != '0' || text[1] != 'x')
		return false;
	for (size_t i = 2; i < length; i++) {
		int digit = hex_digit(text[i]);

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint64_t)digit;
	}
	return true;
}

char *format_percent(char *out, uint64_t part, uint64_t whole, int decimals)
{
	uint64_t scale = 1, units;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	/* drops low bits that do not show in the decimals, so that the product fits */
	while (part > UINT64_MAX / (200 * scale) || whole > UINT64_MAX / 2) {
		part >>= 1;
		whole >>= 1;
	}
	units = whole ? (part * 100 * scale + whole / 2) / whole : 0;
	out = format_u64(out, units / scale);
	*out++ = '.';
	for (uint64_t digit = scale / 10; digit; digit /= 10)
		*out++ = (char)('0' + units / digit % 10);
	return out;
}
