#include "decode/exports/escape.h"

#include "util/text.h"

#include <stdlib.h>
#include <string.h>

bool is_no_character(const char *text)
{
	return text_starts(text, "\xef\xbf\xbe") || text_starts(text, "\xef\xbf\xbf");
}

void print_escaped(FILE *out, enum text_format format, const char *name)
{
	static const char *const special[] = {
		[TEXT_JSON] = "\"\\",
		[TEXT_JSON_SHOWN] = "\"\\",
		/* within a code span of a table */
		[TEXT_MARKDOWN] = "|",
		[TEXT_XML] = "&<>\"'",
		[TEXT_HTML] = "&<>\"'",
		/* as command.ts of actions/toolkit does */
		[TEXT_COMMAND] = "%",
		[TEXT_PROPERTY] = "%:,",
	};
	const bool exact = format == TEXT_JSON || format == TEXT_XML || format == TEXT_PROPERTY;
	char *escaped = exact ? text_escaped(name) : text_shown(name);

	for (const char *text = escaped; text && *text; text++) {
		const unsigned char c = (unsigned char)*text;

		if (format == TEXT_XML && is_no_character(text)) {
			fputs("&#65533;", out);
			text += 2;
		} else if (!strchr(special[format], c)) {
			fputc(c, out);
		} else if (format <= TEXT_MARKDOWN) {
			fprintf(out, "\\%c", c);
		} else {
			fprintf(out, format >= TEXT_COMMAND ? "%%%02X" : "&#%u;", c);
		}
	}
	free(escaped);
}

void print_json_shown(FILE *out, const char *text)
{
	fputc('"', out);
	print_escaped(out, TEXT_JSON_SHOWN, text);
	fputc('"', out);
}

void print_json_string(FILE *out, const char *text)
{
	fputc('"', out);
	print_escaped(out, TEXT_JSON, text);
	fputc('"', out);
}
