#include "decode/exports/svgtext.h"

#include "decode/exports/escape.h"
#include "decode/tables/briefname.h"
#include "util/text.h"

#include <stdlib.h>

bool svg_is_replaced(const char *text)
{
	return is_no_character(text) || text_turns_direction(text, strnlen(text, 3));
}

/* The columns of the character that starts with this byte; 0 if it is not the first byte of one. */
static size_t columns_of(char byte)
{
	const unsigned char c = (unsigned char)byte;

	return (c & 0xc0) == 0x80 ? 0 : c > 0xe0 ? 2 : 1;
}

/*
 * The columns of a text: two for a character from U+1000 on, which is too many for some and too few
 * for none. The same in flame.js.
 */
static size_t columns_of_text(const char *text)
{
	size_t columns = 0;

	for (; *text && *text != '\t'; text++)
		columns += columns_of(*text);
	return columns;
}

void svg_print(FILE *out, const char *text, size_t columns)
{
	for (; *text && *text != '\t'; text++) {
		const unsigned char c = (unsigned char)*text;

		if (columns_of(*text) > columns)
			break;
		columns -= columns_of(*text);
		if (svg_is_replaced(text)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (c == '&' || c == '<' || c == '>' || c == '"') {
			fprintf(out, "&#%u;", c);
		} else {
			fputc(c, out);
		}
	}
}

void svg_print_cut(FILE *out, const char *text, size_t columns)
{
	const bool whole = columns_of_text(text) <= columns;

	svg_print(out, text, whole ? columns : columns > 2 ? columns - 2 : 0);
	fputs(whole ? "" : "..", out);
}

void svg_print_function(FILE *out, const char *name, size_t columns)
{
	char *brief = columns_of_text(name) > columns ? without_arguments(name) : NULL;
	const char *text = brief ? brief : name, *inner;

	while (columns_of_text(text) > columns && (inner = without_scope(text)))
		text = inner;
	svg_print_cut(out, text, columns);
	free(brief);
}
