/*
 * Reads a table as csv.h writes it, also for spreadsheets: RFC 4180 text with a header row. Cells
 * are the texts that were written: \xNN becomes the byte that it stands for. The text is not
 * trusted: rows may have any number of cells, and quotes may be missing.
 */
#ifndef READPERF_UTIL_CSVREAD_H
#define READPERF_UTIL_CSVREAD_H

#include "util/errhandler.h"

#define CSV_COLUMNS_MOST 64 /* cells of a row that are kept; any further ones are dropped */

struct csv_cell {
	char *text; /* without quotes; NUL-terminated; may hold any other byte */
	size_t length;
};

/* A table in memory, and the row that was read last. */
struct csv_table {
	char *text; /* owned; cells point into it */
	size_t size, pos;
	bool spreadsheet; /* it was written for spreadsheets: see csv.h */
	const char *name; /* for messages; borrowed */
	uint64_t line;    /* of the row read last, from 1 */
	struct csv_cell header[CSV_COLUMNS_MOST], cells[CSV_COLUMNS_MOST];
	size_t columns, width; /* columns: cells of the header; width: cells of the row */
};

/*
 * Takes over size bytes of text, which is malloc'd with room for one more byte, and reads the
 * header row. A UTF-8 mark in front of it is skipped. False with err set if there is no header row;
 * csv_table_close() must be called in any case.
 */
bool csv_table_open(struct csv_table *table, char *text, size_t size, const char *name,
                    struct err *err);
void csv_table_close(struct csv_table *table);
/* The number of the column with this name; SIZE_MAX if the table has none. */
size_t csv_table_column(const struct csv_table *table, const char *name);
/* Reads the next row into cells; false at the end. Empty lines are skipped. */
bool csv_table_next(struct csv_table *table);

/* The text of a cell of the row; "" where the row or the table has no such column. */
static inline const char *csv_table_text(const struct csv_table *table, size_t column)
{
	return column < table->width ? table->cells[column].text : "";
}

static inline size_t csv_table_length(const struct csv_table *table, size_t column)
{
	return column < table->width ? table->cells[column].length : 0;
}

/*
 * The cell as a decimal number; an apostrophe in front of it, as in tables for spreadsheets, is
 * allowed. An empty cell is 0. False with err set if it is no number or needs more than 64 bits.
 */
bool csv_table_u64(const struct csv_table *table, size_t column, uint64_t *value, struct err *err);

#endif
