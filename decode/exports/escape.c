#include "decode/exports/escape.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>

unsigned direction_byte(const char *text)
{
	unsigned char last = (unsigned char)(text[0] && text[1] ? text[2] : 0);

	if (text_starts(text, "\xe2\x80") && last >= 0xaa && last <= 0xae)
		return last;
	return text_starts(text, "\xe2\x81") && last >= 0xa6 && last <= 0xa9 ? last : 0;
}

bool is_no_character(const char *text)
{
	return text_starts(text, "\xef\xbf\xbe") || text_starts(text, "\xef\xbf\xbf");
}

void print_escaped(FILE *out, enum text_format format, const char *name)
{
	static const char *const special[] = {
		[TEXT_JSON] = "\"\\",
		/* within a code span of a table */
		[TEXT_MARKDOWN] = "|",
		[TEXT_XML] = "&<>\"'",
		[TEXT_HTML] = "&<>\"'",
		/* as command.ts of actions/toolkit does */
		[TEXT_COMMAND] = "%",
		[TEXT_PROPERTY] = "%:,",
	};
	char *escaped = text_escaped(name);

	for (const char *text = escaped; text && *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if ((format == TEXT_MARKDOWN || format == TEXT_HTML) && direction_byte(text)) {
			fprintf(out, "\\xe2\\x%02x\\x%02x", (unsigned char)text[1],
			        direction_byte(text));
			text += 2;
		} else if (format == TEXT_XML && is_no_character(text)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (!strchr(special[format], c)) {
			fputc(c, out);
		} else if (format == TEXT_JSON || format == TEXT_MARKDOWN) {
			fprintf(out, "\\%c", c);
		} else {
			fprintf(out, format >= TEXT_COMMAND ? "%%%02X" : "&#%u;", c);
		}
	}
	free(escaped);
}

void print_json_string(FILE *out, const char *text)
{
	fputc('"', out);
	print_escaped(out, TEXT_JSON, text);
	fputc('"', out);
}
