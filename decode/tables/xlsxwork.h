/* For xlsx.c and xlsxSummary.c alone: the workbook that is being written. */
#ifndef READPERF_DECODE_TABLES_XLSXWORK_H
#define READPERF_DECODE_TABLES_XLSXWORK_H

#include "decode/tables/tables.h"

#include <xlsxwriter.h>

#define XLSX_COLUMNS_MOST 64

struct xlsx {
	lxw_workbook *book;
	lxw_worksheet *summary, *sheets[TABLE_COUNT];
	bool used[TABLE_COUNT];
	lxw_format *head, *title, *count, *number, *share, *seconds;
	char *temp_dir;
	uint64_t start; /* ns */
	/* the table at work */
	const struct table_format *format;
	lxw_worksheet *sheet;
	unsigned part; /* of its sheets, from 1 */
	lxw_row_t row;
	size_t column;                      /* next cell, in the file's order */
	lxw_col_t place[XLSX_COLUMNS_MOST]; /* of each column of the file */
	size_t width[XLSX_COLUMNS_MOST];    /* characters, of each column of the sheet */
	int error; /* of the first call that failed: an lxw_error, or -1: memory */
};

/* Text as a cell: control bytes escaped, cut to what a cell can hold. */
void xlsx_put_text(struct xlsx *xlsx, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t column,
                   const char *text, size_t length, lxw_format *format);
/* Writes the summary sheet. */
void xlsx_fill_summary(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                       const char *file);

#endif
