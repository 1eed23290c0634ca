/* The state of writing a workbook, for xlsx.c and xlsxsummary.c only. */
#ifndef READPERF_DECODE_TABLES_XLSXWORK_H
#define READPERF_DECODE_TABLES_XLSXWORK_H

#include "decode/tables/tables.h"
#include "decode/tables/xlsxlibrary.h"

#define XLSX_COLUMNS_MOST 64

struct xlsx {
	struct xlsx_library library;
	lxw_workbook *book;
	lxw_worksheet *summary, *sheets[TABLE_COUNT];
	bool used[TABLE_COUNT];
	lxw_format *head, *title, *count, *number, *share, *seconds;
	char *temp_dir;
	uint64_t start; /* ns */
	/* The current table. */
	const struct table_format *format;
	lxw_worksheet *sheet;
	unsigned part; /* number of its current sheet, from 1 */
	lxw_row_t row;
	size_t column; /* index of the next cell, in the order of the file */
	/* of each column of the file: its column in the sheet */
	lxw_col_t place[XLSX_COLUMNS_MOST];
	size_t width[XLSX_COLUMNS_MOST]; /* characters, of each column of the sheet */
	int error;                       /* of the first failed call: an lxw_error; -1: memory */
};

/* Writes text to a cell, with control bytes escaped, and cut to the limit of a cell. */
void xlsx_put_text(struct xlsx *xlsx, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t column,
                   const char *text, size_t length, lxw_format *format);
/* Writes the summary sheet. */
void xlsx_fill_summary(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                       const char *file);

#endif
