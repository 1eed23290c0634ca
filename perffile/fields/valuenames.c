#include "perffile/fields/valuenames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Text that grows up to VALUE_TEXT_SIZE. */
struct value_text {
	char *out;
	size_t length;
};

static void put_part(struct value_text *text, const char *part)
{
	size_t length = strlen(part), room = VALUE_TEXT_SIZE - 1 - text->length;

	length = length < room ? length : room;
	memcpy(text->out + text->length, part, length);
	text->length += length;
}

static void put_hex(struct value_text *text, uint64_t value)
{
	char digits[20];

	snprintf(digits, sizeof(digits), "0x%" PRIx64, value);
	put_part(text, digits);
}

/* The bits of a number that a field of this width has. */
static uint64_t within(uint64_t value, uint8_t width)
{
	return width < 8 ? value & (((uint64_t)1 << 8 * width) - 1) : value;
}

static void put_flags(struct value_text *text, const struct expression *e, uint64_t value)
{
	bool first = true;

	for (size_t i = 0; i < e->item_count; i++) {
		const struct value_name *item = &e->items[i];

		if (!item->value || (value & item->value) != item->value)
			continue;
		if (!first)
			put_part(text, e->text);
		put_part(text, item->name);
		value &= ~item->value;
		first = false;
	}
	if (!value)
		return;
	if (!first)
		put_part(text, e->text);
	put_hex(text, value);
}

static void put_symbolic(struct value_text *text, const struct expression *e, uint64_t value,
                         uint8_t width)
{
	for (size_t i = 0; i < e->item_count; i++)
		if (within(e->items[i].value ^ value, width) == 0) {
			put_part(text, e->items[i].name);
			return;
		}
	put_hex(text, value);
}

static void put_expression(struct value_text *text, const struct expression *e, uint64_t value,
                           uint8_t width)
{
	while (e->kind == EXPR_CHOICE)
		e = expression_number(e->a, value) ? e->b : e->c;
	if (e->kind == EXPR_TEXT)
		put_part(text, e->text);
	else if (e->kind == EXPR_FLAGS)
		put_flags(text, e, within(expression_number(e->a, value), width));
	else if (e->kind == EXPR_SYMBOLIC)
		put_symbolic(text, e, within(expression_number(e->a, value), width), width);
}

static bool is_shown(const struct value_names *names, uint64_t decision)
{
	return !names->condition ||
	       (expression_number(names->condition, decision) != 0) == names->when;
}

size_t value_names_text(const struct value_names *names, uint64_t value, uint64_t decision,
                        char out[VALUE_TEXT_SIZE])
{
	struct value_text text = { out, 0 };
	const char *between = "";
	size_t last = 0; /* where the last of the texts starts */

	for (; names; names = names->next) {
		const size_t end = text.length;
		size_t start;

		if (!is_shown(names, decision))
			continue;
		put_part(&text, between);
		start = text.length;
		put_expression(&text, names->text, value, names->width);
		/* a print format may show a name twice, with other text between */
		if (text.length == start || (*between && end - last == text.length - start &&
		                             memcmp(out + last, out + start, end - last) == 0)) {
			text.length = end;
			continue;
		}
		last = start;
		between = names->between;
	}
	out[text.length] = '\0';
	return text.length;
}
