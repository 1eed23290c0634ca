#include "perffile/fields/format.h"

#include "perffile/fields/integertype.h"
#include "perffile/fields/printformat.h"
#include "util/digits.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_MOST 256 /* of a format; kernels have up to 50 */
#define NAME_MOST 255   /* bytes of a field's name */
#define RAW_MOST 65536  /* bytes: no record is longer */

/* A part of a line. */
struct part {
	const char *at;
	size_t length;
};

static struct part trim(struct part part)
{
	while (part.length && (part.at[0] == ' ' || part.at[0] == '\t')) {
		part.at++;
		part.length--;
	}
	while (part.length && (part.at[part.length - 1] == ' ' || part.at[part.length - 1] == '\t'))
		part.length--;
	return part;
}

static bool starts_with(struct part part, const char *word)
{
	size_t length = strlen(word);

	return part.length >= length && memcmp(part.at, word, length) == 0;
}

static bool contains(struct part part, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i + length <= part.length; i++)
		if (memcmp(part.at + i, word, length) == 0)
			return true;
	return false;
}

/* Takes the part up to a semicolon. False: there is none. */
static bool take_part(struct part *line, struct part *out)
{
	const char *end = memchr(line->at, ';', line->length);

	if (!end)
		return false;
	*out = trim((struct part){ line->at, (size_t)(end - line->at) });
	line->length -= (size_t)(end - line->at) + 1;
	line->at = end + 1;
	return true;
}

/* KEY and a decimal number, such as "offset:8". False: it is something else, or greater than most.
 */
static bool read_number(struct part part, const char *key, uint32_t most, uint32_t *number)
{
	size_t at = strlen(key);

	if (!starts_with(part, key) || at == part.length)
		return false;
	for (*number = 0; at < part.length; at++) {
		if (!is_digit(part.at[at]))
			return false;
		*number = *number * 10 + (uint32_t)(part.at[at] - '0');
		if (*number > most)
			return false;
	}
	return true;
}

/* The words of a declaration, such as "const char * name" and "char comm[16]". */
struct declaration {
	struct part type, name;
	bool is_array, is_pointer;
	uint32_t length; /* of an array; 0: it is not told */
};

/* Removes "[N]" at the end of a part. */
static bool take_brackets(struct part *part, struct declaration *declaration)
{
	size_t open = part->length;

	if (!part->length || part->at[part->length - 1] != ']')
		return false;
	while (open && part->at[open - 1] != '[')
		open--;
	if (!open)
		return false;
	declaration->is_array = true;
	read_number((struct part){ part->at + open, part->length - open - 1 }, "", RAW_MOST,
	            &declaration->length);
	part->length = open - 1;
	*part = trim(*part);
	return true;
}

static bool read_declaration(struct part text, struct declaration *out)
{
	size_t start;

	*out = (struct declaration){ .is_array = false };
	while (take_brackets(&text, out))
		;
	start = text.length;
	while (start && is_of_identifier(text.at[start - 1]))
		start--;
	out->name = (struct part){ text.at + start, text.length - start };
	out->type = trim((struct part){ text.at, start });
	while (take_brackets(&out->type, out)) /* "__data_loc char[] name" */
		;
	out->is_pointer = out->type.length && out->type.at[out->type.length - 1] == '*';
	return out->name.length && out->name.length <= NAME_MOST && out->type.length;
}

static bool is_char(struct part type)
{
	while (starts_with(type, "const "))
		type = trim((struct part){ type.at + 6, type.length - 6 });
	return type.length == 4 && starts_with(type, "char");
}

/* The size, bytes, if an integer has it; else 0. */
static uint32_t integer_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8 ? size : 0;
}

/* The kind of a field by its declaration. sign: what the format says, or -1. */
static void set_kind(struct field *field, const struct declaration *declaration, int sign,
                     uint8_t long_size)
{
	const bool inside = field->place == FIELD_HERE;
	bool type_signed = true;
	uint8_t width = declaration->is_pointer
	                        ? long_size
	                        : integer_width(declaration->type.at, declaration->type.length,
	                                        long_size, &type_signed);

	field->is_signed = !declaration->is_pointer && (sign >= 0 ? sign > 0 : type_signed);
	if (!declaration->is_array && inside) {
		field->width = (uint8_t)field->size;
		field->kind = !integer_size(field->size) ? FIELD_BYTES
		              : declaration->is_pointer  ? FIELD_HEX
		              : field->is_signed         ? FIELD_SIGNED
		                                         : FIELD_UNSIGNED;
		return;
	}
	if (is_char(declaration->type)) {
		field->kind = FIELD_TEXT;
		return;
	}
	if (contains(declaration->type, "cpumask") || contains(declaration->type, "bitmask")) {
		field->kind = FIELD_BITS;
		field->width = long_size;
		return;
	}
	if (inside && declaration->length && field->size % declaration->length == 0)
		width = (uint8_t)integer_size(field->size / declaration->length);
	/* the sign of an array that lies elsewhere is that of its u32 */
	if (!inside)
		field->is_signed = type_signed && !declaration->is_pointer;
	field->width = width;
	field->kind = width ? FIELD_NUMBERS : FIELD_BYTES;
}

/*
 * Reads a line of a field, behind "field:". False, with err set only when memory is refused: it
 * makes no sense.
 */
static bool read_field(struct field *field, struct part line, uint8_t long_size,
                       struct arena *arena, struct err *err)
{
	static const char data_loc[] = "__data_loc ", rel_loc[] = "__rel_loc ";
	struct declaration declaration;
	struct part text, offset, size, sign;
	uint32_t is_signed;
	int told = -1;

	if (!take_part(&line, &text) || !take_part(&line, &offset) || !take_part(&line, &size))
		return false;
	if (take_part(&line, &sign) && read_number(sign, "signed:", 1, &is_signed))
		told = (int)is_signed;
	*field = (struct field){ .place = FIELD_HERE };
	if (!read_number(offset, "offset:", RAW_MOST, &field->offset) ||
	    !read_number(size, "size:", RAW_MOST, &field->size))
		return false;
	if (starts_with(text, data_loc)) {
		field->place = FIELD_DATA_LOC;
		text.at += sizeof(data_loc) - 1;
		text.length -= sizeof(data_loc) - 1;
	} else if (starts_with(text, rel_loc)) {
		field->place = FIELD_REL_LOC;
		text.at += sizeof(rel_loc) - 1;
		text.length -= sizeof(rel_loc) - 1;
	}
	if (!read_declaration(text, &declaration))
		return false;
	if (field->place != FIELD_HERE && field->size < 4)
		return false;
	set_kind(field, &declaration, told, long_size);
	field->name = arena_text(arena, declaration.name.at, declaration.name.length, err);
	return field->name != NULL;
}

/* What is known while the lines are read. */
struct format_work {
	struct field *fields; /* malloc'd */
	size_t count, capacity, common_count, left_out;
	bool common_ended; /* the empty line behind the common fields */
};

static bool read_line(struct format_work *work, struct part line, uint8_t long_size,
                      struct arena *arena, struct err *err)
{
	static const char key[] = "field:";
	struct field field;

	line = trim(line);
	if (!line.length && work->count) {
		work->common_ended = true;
		return true;
	}
	if (!starts_with(line, key))
		return true;
	line.at += sizeof(key) - 1;
	line.length -= sizeof(key) - 1;
	if (work->count == FIELDS_MOST || !read_field(&field, line, long_size, arena, err)) {
		work->left_out++;
		return err->code == ERR_NONE;
	}
	if (!work->common_ended && text_starts(field.name, "common_"))
		work->common_count = work->count + 1;
	return vec_append(&work->fields, &work->count, &work->capacity, &field, sizeof(field), err);
}

bool format_parse(struct format *format, const char *text, uint8_t long_size, struct arena *arena,
                  struct err *err)
{
	static const char print_key[] = "print fmt:";
	const char *print = strstr(text, print_key);
	const char *end = print ? print : text + strlen(text);
	struct format_work work = { .fields = NULL };
	struct field *fields = NULL;
	bool ok = true;

	*format = (struct format){ .long_size = long_size };
	while (ok && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		if (!stop)
			stop = end;
		ok = read_line(&work, (struct part){ text, (size_t)(stop - text) }, long_size,
		               arena, err);
		text = stop + 1;
	}
	if (ok && work.count) {
		fields = arena_alloc(arena, work.count * sizeof(*fields), err);
		ok = fields != NULL;
		if (ok)
			memcpy(fields, work.fields, work.count * sizeof(*fields));
	}
	free(work.fields);
	if (ok && print && fields)
		ok = print_format_apply(print + sizeof(print_key) - 1, fields, work.count,
		                        long_size, arena, err);
	if (!ok)
		return false;
	format->fields = fields;
	format->count = work.count;
	format->common_count = work.common_count;
	format->left_out = work.left_out;
	for (size_t i = 0; i < work.count; i++) {
		format->function_count += fields[i].is_function;
		format->has_locations |= fields[i].place != FIELD_HERE;
		format->end = u64_max(format->end, (uint64_t)fields[i].offset + fields[i].size);
	}
	return true;
}

const struct field *format_find(const struct format *format, const char *name)
{
	for (size_t i = 0; i < format->count; i++)
		if (strcmp(format->fields[i].name, name) == 0)
			return &format->fields[i];
	return NULL;
}
