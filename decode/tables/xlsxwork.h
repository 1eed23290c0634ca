/* The state of writing a workbook, for xlsx.c and xlsxsummary.c only. */
#ifndef READPERF_DECODE_TABLES_XLSXWORK_H
#define READPERF_DECODE_TABLES_XLSXWORK_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"
#include "decode/tables/xlsxlibrary.h"

#define XLSX_COLUMNS_MOST 64
#define XLSX_SHEETS_MOST (TABLE_COUNT + GROUP_TABLES_MOST)

/* The first sheet of a table. */
struct xlsx_sheet {
	const char *table;
	lxw_worksheet *sheet;
	bool used; /* the table was written */
};

struct xlsx {
	struct xlsx_library library;
	lxw_workbook *book;
	lxw_worksheet *summary;
	struct xlsx_sheet sheets[XLSX_SHEETS_MOST];
	unsigned sheet_count;
	/*
	 * of headers above text and above numbers, and of cells; text is indented, so that it does
	 * not touch a number on its left
	 */
	lxw_format *head, *number_head, *title, *text, *count, *number, *share, *seconds;
	char *temp_dir;
	uint64_t start; /* ns */
	/* The current table. */
	const struct table_format *format;
	lxw_worksheet *sheet;
	lxw_row_t row;
	size_t column; /* index of the next cell, in the order of the file */
	/* of each column of the file: its column in the sheet */
	lxw_col_t place[XLSX_COLUMNS_MOST];
	size_t width[XLSX_COLUMNS_MOST]; /* characters, of each column of the sheet */
	int error;                       /* of the first failed call: an lxw_error; -1: memory */
};

struct xlsx_cell {
	lxw_worksheet *sheet;
	lxw_row_t row;
	lxw_col_t column;
	lxw_format *format;
};

/* Writes text with control bytes escaped, and cut to the limit of a cell. */
void xlsx_put_text(struct xlsx *xlsx, struct xlsx_cell cell, const char *text, size_t length);
/* Writes text that has no control bytes. */
void xlsx_put_clean(struct xlsx *xlsx, struct xlsx_cell cell, const char *text);
void xlsx_put_number(struct xlsx *xlsx, struct xlsx_cell cell, double value);
/* The sheet is printed in pages of its whole width, with its name and number below. */
void xlsx_set_pages(struct xlsx *xlsx, lxw_worksheet *sheet);
/* Writes the summary sheet. */
void xlsx_fill_summary(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                       const char *file);

#endif
