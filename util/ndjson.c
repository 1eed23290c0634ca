#include "util/ndjson.h"

#include "util/digits.h"
#include "util/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER_ROOM 64 /* bytes that any number needs */

static void put_bytes(struct csv *csv, const char *text, size_t length)
{
	for (size_t piece; length; text += piece, length -= piece) {
		piece = length < csv->size ? length : csv->size;
		memcpy(csv_room(csv, piece), text, piece);
		csv->used += piece;
	}
}

/* A text without control bytes, and in valid UTF-8, as a JSON string. */
static void put_string(struct csv *csv, const char *text, size_t length)
{
	put_bytes(csv, "\"", 1);
	while (length) {
		size_t plain = 0;

		while (plain < length && text[plain] != '"' && text[plain] != '\\')
			plain++;
		put_bytes(csv, text, plain);
		if (plain < length) {
			put_bytes(csv, "\\", 1);
			put_bytes(csv, text + plain++, 1);
		}
		text += plain;
		length -= plain;
	}
	put_bytes(csv, "\"", 1);
}

static void put_text(struct csv *csv, const char *text, size_t length)
{
	char *escaped;

	if (!length) { /* as in CSV */
		put_bytes(csv, "null", 4);
		return;
	}
	if (text_is_clean(text, length)) {
		put_string(csv, text, length);
		return;
	}
	escaped = malloc(4 * length + 1);
	if (!escaped) {
		csv->error = csv->error ? csv->error : ENOMEM;
		return;
	}
	put_string(csv, escaped, (size_t)(format_escaped(escaped, text, length) - escaped));
	free(escaped);
}

static void put_address(struct csv *csv, uint64_t address)
{
	char text[NUMBER_ROOM];

	put_string(csv, text, (size_t)(format_hex(text, address) - text));
}

/* JSON has no infinity, and nothing that is no number. */
static void put_double(struct csv *csv, double number, bool share)
{
	char text[400]; /* a double has at most 309 digits in front of the point */

	if (!isfinite(number))
		put_bytes(csv, "null", 4);
	else if (share)
		put_bytes(csv, text, (size_t)snprintf(text, sizeof(text), "%.4f", number));
	else
		put_bytes(csv, text, csv_format_decimal(text, number));
}

static void put_value(struct csv *csv, const struct value *value)
{
	char text[NUMBER_ROOM];

	switch (value->kind) {
	case CELL_NONE:
		put_bytes(csv, "null", 4);
		break;
	case CELL_TEXT:
		put_text(csv, value->text, value->length);
		break;
	case CELL_INTEGER:
	case CELL_TIME:
		if (value->negative)
			put_bytes(csv, "-", 1);
		put_bytes(csv, text, (size_t)(format_u64(text, value->number) - text));
		break;
	case CELL_ADDRESS:
		put_address(csv, value->number);
		break;
	case CELL_PERCENT:
		put_bytes(csv, text,
		          (size_t)(format_percent(text, value->number, value->whole, 4) - text));
		break;
	case CELL_DECIMAL:
	case CELL_SHARE:
		put_double(csv, value->decimal, value->kind == CELL_SHARE);
		break;
	}
}

static void ndjson_cell(void *context, const struct value *value)
{
	struct csv *csv = context;
	const char *name = csv->format->columns[csv->column].name;

	put_bytes(csv, csv->column++ ? "," : "{", 1);
	put_string(csv, name, strlen(name));
	put_bytes(csv, ":", 1);
	put_value(csv, value);
}

static void ndjson_end_row(void *context)
{
	struct csv *csv = context;

	put_bytes(csv, "}\n", 2);
	csv->column = 0;
	csv->rows++;
}

static bool ndjson_begin(void *context, const struct table_format *format, struct err *err)
{
	struct csv *csv = context;

	csv->lines_only = true;
	return csv_begin(csv, format, err);
}

static const struct table_writer_kind ndjson_kind = {
	.begin = ndjson_begin,
	.end = csv_end,
	.discard = csv_discard,
	.cell = ndjson_cell,
	.end_row = ndjson_end_row,
	.is_text = true,
};

struct table_writer ndjson_writer(struct csv *csv)
{
	return (struct table_writer){ .kind = &ndjson_kind, .context = csv };
}
