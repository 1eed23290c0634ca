/* Annotations of GitHub Actions: a regressed function is an error at its source line. */
#include "decode/exports/verdicttext.h"
#include "util/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Escapes as command.ts of actions/toolkit does; in a property, also the characters that separate
 * properties.
 */
static void print_value(FILE *out, const char *value, bool property)
{
	char *escaped = text_escaped(value);

	for (const char *text = escaped; text && *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ',')))
			fprintf(out, "%%%02X", c);
		else
			fputc(c, out);
	}
	free(escaped);
}

/*
 * The part of the path below the folder; NULL if it is not below it. A relative path is assumed to
 * be below it.
 */
static const char *path_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (!*path || strstr(path, "/../") || !strncmp(path, "../", 3))
		return NULL;
	if (*path != '/')
		return !strncmp(path, "./", 2) ? path + 2 : path;
	return !strncmp(path, folder, length) && path[length] == '/' ? path + length + 1 : NULL;
}

void annotations_print(FILE *out, const struct verdict_report *report, const char *folder)
{
	const struct comparison *comparison = report->comparison;

	for (size_t i = 0; i < comparison->own.count; i++) {
		const struct compare_row *row = &comparison->own.rows[i];
		const char *path = path_below(strings_get(comparison->strings, row->file), folder);

		if (row->is_total || !path ||
		    (row->verdict != VERDICT_REGRESSED && row->verdict != VERDICT_NEW))
			continue;
		fputs("::error file=", out);
		print_value(out, path, true);
		if (row->line)
			fprintf(out, ",line=%u", row->line);
		fputs("::", out);
		print_value(out, strings_get(comparison->strings, row->function), false);
		if (isinf(row->change))
			fputs(" is new", out);
		else
			fprintf(out, " costs %+.1f %% (95 %% interval %+.1f %% to %+.1f %%)",
			        row->change, row->low, row->high);
		fputs("\n", out);
	}
}
