/* The state of writing a workbook, for xlsx.c and xlsxsummary.c only. */
#ifndef READPERF_DECODE_TABLES_XLSXWORK_H
#define READPERF_DECODE_TABLES_XLSXWORK_H

#include "decode/tables/grouptables.h"
#include "decode/tables/tables.h"

#include <xlsxwriter.h>

#define XLSX_COLUMNS_MOST TRACE_COLUMNS_MOST
#define XLSX_TRACES_MOST 200 /* tables of tracepoints */
#define XLSX_SHEETS_MOST (TABLE_COUNT + GROUP_TABLES_MOST + XLSX_TRACES_MOST)

/*
 * The functions of libxlsxwriter that are used. It is loaded only when a workbook is written: few
 * runs do that, and it brings libcrypto with it. A run without it takes 3 ms instead of 4.5, and 2
 * MB less memory.
 */
#define XLSX_FUNCTIONS(FUNCTION)                 \
	FUNCTION(chart_add_series)               \
	FUNCTION(chart_axis_set_interval_unit)   \
	FUNCTION(chart_axis_set_num_format)      \
	FUNCTION(chart_axis_set_reverse)         \
	FUNCTION(chart_legend_set_position)      \
	FUNCTION(chart_series_set_categories)    \
	FUNCTION(chart_series_set_name)          \
	FUNCTION(chart_series_set_values)        \
	FUNCTION(chart_set_series_gap)           \
	FUNCTION(chart_title_set_name)           \
	FUNCTION(format_set_align)               \
	FUNCTION(format_set_bold)                \
	FUNCTION(format_set_bottom)              \
	FUNCTION(format_set_font_size)           \
	FUNCTION(format_set_indent)              \
	FUNCTION(format_set_num_format)          \
	FUNCTION(lxw_strerror)                   \
	FUNCTION(lxw_workbook_free)              \
	FUNCTION(workbook_add_chart)             \
	FUNCTION(workbook_add_format)            \
	FUNCTION(workbook_add_worksheet)         \
	FUNCTION(workbook_close)                 \
	FUNCTION(workbook_get_worksheet_by_name) \
	FUNCTION(workbook_new_opt)               \
	FUNCTION(workbook_set_properties)        \
	FUNCTION(worksheet_activate)             \
	FUNCTION(worksheet_autofilter)           \
	FUNCTION(worksheet_fit_to_pages)         \
	FUNCTION(worksheet_freeze_panes)         \
	FUNCTION(worksheet_hide)                 \
	FUNCTION(worksheet_insert_chart_opt)     \
	FUNCTION(worksheet_repeat_rows)          \
	FUNCTION(worksheet_set_column)           \
	FUNCTION(worksheet_set_footer)           \
	FUNCTION(worksheet_set_landscape)        \
	FUNCTION(worksheet_write_number)         \
	FUNCTION(worksheet_write_string)

struct xlsx_library {
	void *handle;
#define XLSX_POINTER(name) __typeof__(name) *name;
	XLSX_FUNCTIONS(XLSX_POINTER)
#undef XLSX_POINTER
};

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
	lxw_format *head, *number_head, *title, *text, *count, *number, *milliseconds, *share,
		*seconds;
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

/* Keeps the first error of a call of the library. */
void xlsx_note_error(struct xlsx *xlsx, lxw_error error);
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
