#include "perffile/fields/field.h"

#include "util/digits.h"

#include <string.h>

struct raw_data field_bytes(const struct field *field, const struct raw_data *raw)
{
	const struct raw_data none = { .swap = raw->swap };
	uint64_t start = field->offset, size = field->size;

	if (!raw->data || raw->size < start + size)
		return none;
	if (field->place != FIELD_HERE) {
		const uint32_t word = load_u32(raw->data + start, raw->swap);

		start = (word & 0xffff) + (field->place == FIELD_REL_LOC ? start + 4 : 0);
		size = word >> 16;
		if (raw->size < start + size)
			return none;
	}
	if (field->kind == FIELD_TEXT && size) {
		const uint8_t *end = memchr(raw->data + start, '\0', (size_t)size);

		size = end ? (uint64_t)(end - raw->data) - start : size;
	}
	return (struct raw_data){ raw->data + start, (size_t)size, raw->swap };
}

uint64_t field_decision(const struct field *field, const struct raw_data *raw)
{
	uint64_t value;

	return field->decider && field_number(field->decider, raw, &value) ? value : 0;
}

/* Text that is written up to a limit. */
struct limited {
	char *out;
	size_t length, size;
};

static void put_char(struct limited *text, char c)
{
	if (text->length < text->size)
		text->out[text->length++] = c;
}

static void put_hex_byte(struct limited *text, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	put_char(text, digits[byte >> 4]);
	put_char(text, digits[byte & 15]);
}

static void put_numbers(struct limited *text, const struct field *field,
                        const struct raw_data *bytes)
{
	const struct field element = { .kind = field->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED,
		                       .width = field->width };

	for (size_t at = 0; at + field->width <= bytes->size; at += field->width) {
		const struct raw_data number = { bytes->data + at, field->width, bytes->swap };
		char digits[24], *start = digits, *end;
		/* nearly always there is room for the digits where they belong */
		const bool direct = text->size - text->length > sizeof(digits);
		uint64_t value = 0;

		field_number(&element, &number, &value);
		if (at)
			put_char(text, ' ');
		if (direct)
			start = text->out + text->length;
		if (field->is_signed && value >> 63) {
			*start++ = '-';
			value = -value;
		}
		end = format_u64(start, value);
		if (direct) {
			text->length = (size_t)(end - text->out);
			continue;
		}
		for (const char *digit = digits; digit < end; digit++)
			put_char(text, *digit);
	}
}

/* The highest bits first, a comma between every 32 of them. */
static void put_bits(struct limited *text, const struct field *field, const struct raw_data *bytes)
{
	const uint8_t width = field->width ? field->width : 8;
	/* byte n of the bits, from the lowest, is byte n ^ mask of the array */
	const bool big = must_swap(true) == bytes->swap;
	const size_t mask = big ? width - 1u : 0;

	for (size_t n = bytes->size - bytes->size % width; n--;) {
		put_hex_byte(text, bytes->data[n ^ mask]);
		if (n && n % 4 == 0)
			put_char(text, ',');
	}
}

size_t field_print(const struct field *field, const struct raw_data *bytes, char *out, size_t size)
{
	struct limited text = { out, 0, size };

	if (!bytes->data)
		return 0;
	if (field->kind == FIELD_NUMBERS)
		put_numbers(&text, field, bytes);
	else if (field->kind == FIELD_BITS)
		put_bits(&text, field, bytes);
	else
		for (size_t i = 0; i < bytes->size; i++)
			put_hex_byte(&text, bytes->data[i]);
	return text.length;
}
