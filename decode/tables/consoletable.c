#include "decode/tables/consoletable.h"

#include "util/digits.h"
#include "util/hash.h"
#include "util/path.h"
#include "util/strings.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN_NAME_WIDTH 40 /* characters; longer names are not cut, but shift what follows */
#define PLAIN_SHORT_WIDTH 14
#define NAME_LEAST 6  /* columns of a name on a terminal, however many names there are */
#define BOTH_LEAST 64 /* narrower terminals have no samples where there are totals */
#define NUMBERS_GAP 2 /* columns between numbers and names */

static const char bold[] = "\033[1m", plain[] = "\033[0m";

/* The columns that each part of a row takes; numbers with the space before them. */
struct layout {
	int share, total, period, samples; /* total, samples: 0 if they are not shown */
	int gap;                           /* between names */
	size_t names[KEY_COUNT];
};

static const char *if_coloured(const struct terminal *terminal, const char *colour)
{
	return terminal->colour ? colour : "";
}

void console_period(char text[SHORT_NUMBER_SIZE], const struct terminal *terminal, uint64_t period,
                    bool clock)
{
	if (!terminal->columns)
		snprintf(text, SHORT_NUMBER_SIZE, "%" PRIu64, period);
	else if (clock)
		short_time(text, period);
	else
		short_count(text, period);
}

/* Continues a line of `used` columns; facts: separated by commas, at which lines may end. */
static void print_facts(FILE *out, const char *facts, size_t used, size_t columns)
{
	for (size_t length; *facts; facts += length + strspn(facts + length, " ")) {
		length = strcspn(facts, ",");
		length += facts[length] == ',';
		if (used + 1 + length > columns)
			used = (size_t)fprintf(out, "\n#  ") - 1;
		used += (size_t)fprintf(out, " %.*s", (int)length, facts);
	}
}

void console_title(FILE *out, const struct terminal *terminal, const char *file, const char *name,
                   const char *facts)
{
	const size_t columns = terminal->columns ? terminal->columns : SIZE_MAX;
	const size_t marks = strlen("# :") + strlen(file);
	char *label = shortened(name, columns > 2 * marks ? columns - marks : marks);

	if (!label)
		return;
	fprintf(out, "%s# %s%s%s", if_coloured(terminal, bold), file, label, *facts ? ":" : "");
	print_facts(out, facts, marks + text_columns(label), columns);
	fprintf(out, "%s\n", if_coloured(terminal, plain));
	free(label);
}

/* A name in a number of columns, or in as many as it needs; a number is whole. Malloc'd, or NULL.
 */
static char *fitting_name(const struct console_column *column, const char *name, size_t width)
{
	if (column->number)
		return strdup(name);
	return column->binary ? shortened_binary(name, width) : shortened(name, width);
}

/* The columns of the widest name that is shown. */
static size_t widest_name(const struct console_table *table, unsigned column, size_t most)
{
	size_t widest = strlen(table->columns[column].title);

	for (size_t i = 0; i < table->shown; i++) {
		char *name = fitting_name(&table->columns[column], table->rows[i].names[column],
		                          most);
		size_t width = name ? text_columns(name) : 0;

		widest = width > widest ? width : widest;
		free(name);
	}
	return widest;
}

/* The column of names that gets less first, or NULL: binaries are shortened before others. */
static size_t *widest_column(const struct console_table *table, size_t *names)
{
	size_t *widest = NULL, most = 0;

	for (unsigned k = 0; k < table->column_count; k++) {
		const struct console_column *column = &table->columns[k];
		const size_t width = names[k] << column->binary, title = strlen(column->title);

		if (column->number || names[k] <= (title > NAME_LEAST ? title : NAME_LEAST) ||
		    width <= most)
			continue;
		widest = &names[k];
		most = width;
	}
	return widest;
}

/*
 * Gives each column of names what it needs. If there is too little room, the widest ones get less,
 * and binaries half as much as others. What names without their template arguments leave over goes
 * to the columns that are still shortened.
 */
static void share_room(const struct console_table *table, size_t *names, size_t room)
{
	size_t used = 0, *widest;

	for (unsigned k = 0; k < table->column_count; k++)
		used += names[k] = widest_name(table, k, SIZE_MAX);
	if (used <= room)
		return;
	for (; used > room && (widest = widest_column(table, names)); used--)
		--*widest;
	used = 0;
	for (unsigned k = 0; k < table->column_count; k++)
		used += names[k] = widest_name(table, k, names[k]);
	for (unsigned k = 0; k < table->column_count && used < room; k++) {
		used -= names[k];
		names[k] = widest_name(table, k, room - used);
		used += names[k];
	}
}

/* The last part of a path. */
static const char *last_part(const char *path)
{
	const char *base = path_base(path);

	return *path == '/' && *base ? base : path;
}

#define SEVERAL (MAP_NONE - 1) /* in place of a row: several binaries have that last part */

/* Leaves of each path only its last part, if no other binary has the same. */
static bool shorten_paths(const struct console_table *table, unsigned column, struct err *err)
{
	struct console_row *rows = table->rows;
	uint32_t *parts = vec_new(table->shown, sizeof(*parts), err), row;
	struct strings texts = { 0 };
	struct map row_of = { 0 }; /* last part -> the first row that has it, or SEVERAL */
	bool ok = parts && strings_init(&texts, err);

	for (size_t i = 0; ok && i < table->shown; i++) {
		parts[i] = strings_put_text(&texts, last_part(rows[i].names[column]), err);
		row = map_get(&row_of, parts[i]);
		if (row == MAP_NONE)
			ok = map_put(&row_of, parts[i], (uint32_t)i, err);
		else if (row != SEVERAL &&
		         strcmp(rows[row].names[column], rows[i].names[column]) != 0)
			ok = map_put(&row_of, parts[i], SEVERAL, err);
		ok = ok && err->code == ERR_NONE;
	}
	for (size_t i = 0; ok && i < table->shown; i++)
		if (map_get(&row_of, parts[i]) != SEVERAL)
			rows[i].names[column] = last_part(rows[i].names[column]);
	strings_release(&texts);
	map_release(&row_of);
	free(parts);
	return ok;
}

/*
 * Blanks in front of a column of names. A table of intervals has so many that numbers, which are
 * aligned to the right, get but one.
 */
static int gap_before(const struct console_table *table, const struct layout *layout,
                      unsigned column)
{
	if (table->terminal.columns && table->intervals && table->columns[column].number)
		return 1;
	return column ? layout->gap : NUMBERS_GAP;
}

/* What the widest number of samples takes on a terminal. */
static int samples_width(const struct console_table *table)
{
	size_t widest = strlen(table->intervals ? "count" : "samples");
	char text[SHORT_NUMBER_SIZE];

	for (size_t i = 0; i < table->shown; i++) {
		console_period(text, &table->terminal, table->rows[i].samples, false);
		widest = strlen(text) > widest ? strlen(text) : widest;
	}
	return (int)widest + 1;
}

static bool make_layout(struct layout *made, const struct console_table *table, struct err *err)
{
	const size_t columns = table->terminal.columns;
	size_t used;

	*made = (struct layout){ .share = 6, .total = 7, .period = 9, .samples = 9, .gap = 2 };
	if (!columns)
		*made = (struct layout){ 8, 8, 20, 13, 1, { PLAIN_NAME_WIDTH } };
	for (unsigned k = 0; !columns && table->intervals && k < table->column_count; k++)
		made->names[k] = PLAIN_SHORT_WIDTH;
	if (!table->total)
		made->total = 0;
	else if (columns && columns < BOTH_LEAST)
		made->samples = 0;
	if (!columns)
		return true;
	if (table->intervals)
		made->samples = samples_width(table);
	for (unsigned k = 0; k < table->column_count; k++)
		if (table->columns[k].binary && !shorten_paths(table, k, err))
			return false;
	used = (size_t)(made->share + 2 + (made->total ? made->total + 2 : 0) + made->period +
	                made->samples);
	for (unsigned k = 0; k < table->column_count; k++)
		used += (size_t)gap_before(table, made, k);
	share_room(table, made->names, columns > used ? columns - used : 0);
	return true;
}

/* The last name is not padded on its right. */
static void print_name(FILE *out, const struct console_table *table, const struct layout *layout,
                       unsigned column, const char *name)
{
	const size_t used = text_columns(name), width = layout->names[column];
	const int padding = used < width ? (int)(width - used) : 0;
	const bool last = column + 1 == table->column_count;

	fprintf(out, "%*s", gap_before(table, layout, column), "");
	if (table->columns[column].number)
		fprintf(out, "%*s%s", padding, "", name);
	else
		fprintf(out, "%s%*s", name, last ? 0 : padding, "");
}

static void print_header(FILE *out, const struct console_table *table, const struct layout *layout)
{
	const bool brief = table->terminal.columns != 0;

	fprintf(out, "%*s ", layout->share + 1, table->total ? "self" : "percent");
	if (layout->total)
		fprintf(out, "%*s ", layout->total + 1, "total");
	fprintf(out, "%*s", layout->period,
	        table->intervals        ? "total"
	        : table->clock && brief ? "time"
	                                : "period");
	if (layout->samples)
		fprintf(out, "%*s", layout->samples, table->intervals ? "count" : "samples");
	for (unsigned k = 0; k < table->column_count; k++)
		print_name(out, table, layout, k, table->columns[k].title);
	fputs("\n", out);
}

static void print_row(FILE *out, const struct console_table *table, const struct layout *layout,
                      const struct console_row *row)
{
	const bool brief = table->terminal.columns != 0;
	char text[SHORT_NUMBER_SIZE];

	print_share(out, row->period, table->whole, layout->share, table->terminal.colour);
	if (layout->total)
		print_share(out, row->total, table->whole, layout->total, false);
	console_period(text, &table->terminal, row->period, table->clock);
	fprintf(out, "%*s", layout->period, text);
	console_period(text, &table->terminal, row->samples, false);
	if (layout->samples)
		fprintf(out, "%*s", layout->samples, text);
	for (unsigned k = 0; k < table->column_count; k++) {
		char *name = fitting_name(&table->columns[k], row->names[k],
		                          brief ? layout->names[k] : SIZE_MAX);

		print_name(out, table, layout, k, name ? name : "");
		free(name);
	}
	fputs("\n", out);
}

bool console_table_print(FILE *out, const struct console_table *table, struct err *err)
{
	const size_t more = table->count - table->shown;
	struct layout layout;

	if (!make_layout(&layout, table, err))
		return false;
	print_header(out, table, &layout);
	for (size_t i = 0; i < table->shown; i++)
		print_row(out, table, &layout, &table->rows[i]);
	if (more) {
		fprintf(out, "%*s %zu more", layout.share + 1, "...", more);
		if (!table->terminal.columns)
			fprintf(out, " %s%s", table->noun, more == 1 ? "" : "s");
		fprintf(out, ": %s%s%suse --limit=0\n", *table->file ? "see " : "", table->file,
		        *table->file ? ".csv, or " : "");
	}
	fputs("\n", out);
	return true;
}
