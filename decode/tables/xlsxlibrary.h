/*
 * libxlsxwriter, loaded only when a workbook is written: few runs do that, and it brings libcrypto
 * with it. A run without it takes 3 ms instead of 4.5, and 2 MB less memory.
 */
#ifndef READPERF_DECODE_TABLES_XLSXLIBRARY_H
#define READPERF_DECODE_TABLES_XLSXLIBRARY_H

#include "util/errhandler.h"

#include <xlsxwriter.h>

/* The functions of the library that are used. */
#define XLSX_FUNCTIONS(FUNCTION)                 \
	FUNCTION(chart_add_series)               \
	FUNCTION(chart_axis_set_interval_unit)   \
	FUNCTION(chart_axis_set_num_format)      \
	FUNCTION(chart_axis_set_reverse)         \
	FUNCTION(chart_legend_set_position)      \
	FUNCTION(chart_series_set_categories)    \
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

/* False with err set if the library, or a function in it, is not there. */
bool xlsx_library_open(struct xlsx_library *library, struct err *err);
void xlsx_library_close(struct xlsx_library *library);

#endif
