/*
 * Reads a table as csv.h writes it: RFC 4180 text with a header row. The text may be anybody's: a
 * row may have any width, and quotes may be missing.
 */
#ifndef READPERF_UTIL_CSVREAD_H
#define READPERF_UTIL_CSVREAD_H

#include "util/errhandler.h"

#define CSV_COLUMNS_MOST 64 /* cells of a row that are kept; further ones are dropped */

struct csv_cell {
	const char *text; /* without quotes; NUL-terminated; may hold any other byte */
	size_t length;
};

/* A table in memory and the row that was read last. */
struct csv_table {
	char *text; /* owned; cells point into it */
	size_t size, pos;
	const char *name; /* for messages; borrowed */
	uint64_t line;    /* of the row read last, from 1 */
	struct csv_cell header[CSV_COLUMNS_MOST], cells[CSV_COLUMNS_MOST];
	size_t columns, width; /* cells of the header, of the row */
};

/*
 * Takes over size bytes of text, malloc'd with room for one more, and reads the header row; a UTF-8
 * mark in front of it is skipped. False with err set if there is none; csv_table_close() in any
 * case.
 */
bool csv_table_open(struct csv_table *table, char *text, size_t size, const char *name,
                    struct err *err);
void csv_table_close(struct csv_table *table);
/* The number of a column; SIZE_MAX if the table has none of that name. */
size_t csv_table_column(const struct csv_table *table, const char *name);
/* Reads the next row into cells; false at the end. Empty lines are passed over. */
bool csv_table_next(struct csv_table *table);

/* The text of a cell of the row; "" where the row or the table has no such column. */
static inline const char *csv_table_text(const struct csv_table *table, size_t column)
{
	return column < table->width ? table->cells[column].text : "";
}

/*
 * The cell as a decimal number; an apostrophe in front of it (tables for spreadsheets) is allowed.
 * False with err set if it is none or exceeds 64 bits; an empty cell is 0.
 */
bool csv_table_u64(const struct csv_table *table, size_t column, uint64_t *value, struct err *err);

#endif
