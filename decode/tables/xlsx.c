#include "decode/tables/xlsx.h"

#ifdef HAVE_XLSXWRITER
#include "decode/tables/xlsxwork.h"
#include "util/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHEET_ROWS 1048576u
#define CELL_MOST 32767u            /* characters; the limit of a cell */
#define EXACT_MOST 999999999999999u /* a spreadsheet keeps 15 digits */
#define WIDTH_LEAST 8
#define WIDTH_MOST 60
#define NS_PER_SECOND 1e9

static void note_error(struct xlsx *xlsx, lxw_error error)
{
	if (error != LXW_NO_ERROR && !xlsx->error)
		xlsx->error = (int)error;
}

/* The order of sheets: tables with names first, then those without, and at last all records. */
static unsigned reading_rank(const struct table *table)
{
	if (table->streamed || table->with_others)
		return 2;
	return table->needs & NEEDS_NAMES ? 0 : 1;
}

static bool add_sheets(struct xlsx *xlsx, const struct table_set *set)
{
	xlsx->summary = xlsx->library.workbook_add_worksheet(xlsx->book, "Summary");
	for (unsigned rank = 0; rank <= 2; rank++)
		for (unsigned i = 0; i < TABLE_COUNT; i++)
			if (table_set_has(set, tables[i]) && !tables[i]->file &&
			    reading_rank(tables[i]) == rank)
				xlsx->sheets[i] = xlsx->library.workbook_add_worksheet(
					xlsx->book, tables[i]->format->name);
	return xlsx->summary != NULL;
}

static lxw_format *number_format(struct xlsx *xlsx, const char *format)
{
	lxw_format *made = xlsx->library.workbook_add_format(xlsx->book);

	if (made)
		xlsx->library.format_set_num_format(made, format);
	return made;
}

static void make_formats(struct xlsx *xlsx)
{
	xlsx->head = xlsx->library.workbook_add_format(xlsx->book);
	xlsx->title = xlsx->library.workbook_add_format(xlsx->book);
	if (xlsx->head) {
		xlsx->library.format_set_bold(xlsx->head);
		xlsx->library.format_set_bottom(xlsx->head, LXW_BORDER_THIN);
	}
	if (xlsx->title) {
		xlsx->library.format_set_bold(xlsx->title);
		xlsx->library.format_set_font_size(xlsx->title, 14);
	}
	xlsx->count = number_format(xlsx, "#,##0");
	xlsx->number = number_format(xlsx, "0");
	xlsx->share = number_format(xlsx, "0.00%");
	xlsx->seconds = number_format(xlsx, "0.000000000");
}

struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      struct err *err)
{
	struct xlsx *xlsx = calloc(1, sizeof(*xlsx));
	lxw_workbook_options options = { .constant_memory = LXW_TRUE };

	if (xlsx && !xlsx_library_open(&xlsx->library, err)) {
		xlsx_free(xlsx);
		return NULL;
	}
	if (xlsx && (xlsx->temp_dir = strdup(temp_dir))) {
		options.tmpdir = xlsx->temp_dir;
		xlsx->book = xlsx->library.workbook_new_opt(path, &options);
	}
	if (!xlsx || !xlsx->book || !add_sheets(xlsx, set)) {
		xlsx_free(xlsx);
		err_nomem(err, sizeof(*xlsx));
		return NULL;
	}
	make_formats(xlsx);
	return xlsx;
}

void xlsx_free(struct xlsx *xlsx)
{
	if (!xlsx)
		return;
	if (xlsx->book)
		xlsx->library.lxw_workbook_free(xlsx->book);
	xlsx_library_close(&xlsx->library);
	free(xlsx->temp_dir);
	free(xlsx);
}

void xlsx_start(void *context, uint64_t time)
{
	struct xlsx *xlsx = context;

	xlsx->start = time;
}

void xlsx_put_text(struct xlsx *xlsx, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t column,
                   const char *text, size_t length, lxw_format *format)
{
	char *clean = malloc(4 * length + 1);
	size_t size;

	if (!clean) {
		xlsx->error = -1;
		return;
	}
	size = (size_t)(format_escaped(clean, text, length) - clean);
	if (size > CELL_MOST) {
		size = CELL_MOST;
		/* not within a UTF-8 character */
		while (size && ((uint8_t)clean[size] & 0xc0) == 0x80)
			size--;
	}
	clean[size] = '\0';
	if (size)
		note_error(xlsx,
		           xlsx->library.worksheet_write_string(sheet, row, column, clean, format));
	free(clean);
}

/* Columns with a place first, then the others in order. */
static void place_columns(struct xlsx *xlsx)
{
	const struct table_format *format = xlsx->format;
	lxw_col_t next = 0;

	for (unsigned place = 1; place <= format->column_count; place++)
		for (size_t i = 0; i < format->column_count; i++)
			if (format->columns[i].place == place)
				xlsx->place[i] = next++;
	for (size_t i = 0; i < format->column_count; i++)
		if (!format->columns[i].place)
			xlsx->place[i] = next++;
}

static void begin_sheet(struct xlsx *xlsx, lxw_worksheet *sheet)
{
	const struct table_format *format = xlsx->format;

	xlsx->sheet = sheet;
	xlsx->row = 0;
	for (size_t i = 0; i < format->column_count; i++) {
		lxw_col_t at = xlsx->place[i];

		note_error(xlsx, xlsx->library.worksheet_write_string(
					 sheet, 0, at, format->columns[i].name, xlsx->head));
		xlsx->width[at] = strlen(format->columns[i].name) +
		                  3; /* including the arrow of the filter */
	}
	xlsx->library.worksheet_freeze_panes(sheet, 1, 0);
	xlsx->row = 1;
}

static void end_sheet(struct xlsx *xlsx)
{
	size_t columns = xlsx->format->column_count;

	xlsx->library.worksheet_autofilter(xlsx->sheet, 0, 0, xlsx->row > 1 ? xlsx->row - 1 : 1,
	                                   (lxw_col_t)(columns - 1));
	for (size_t i = 0; i < columns; i++) {
		size_t width = xlsx->width[i] + 1;

		if (width < WIDTH_LEAST)
			width = WIDTH_LEAST;
		xlsx->library.worksheet_set_column(
			xlsx->sheet, (lxw_col_t)i, (lxw_col_t)i,
			(double)(width < WIDTH_MOST ? width : WIDTH_MOST), NULL);
	}
}

static bool begin_table(void *context, const struct table_format *format, struct err *err)
{
	struct xlsx *xlsx = context;
	lxw_worksheet *sheet = xlsx->library.workbook_get_worksheet_by_name(xlsx->book,
	                                                                    format->name);

	assert(format->column_count <= XLSX_COLUMNS_MOST);
	if (!sheet)
		sheet = xlsx->library.workbook_add_worksheet(xlsx->book, format->name);
	if (!sheet)
		return err_set(err, ERR_IO, "--workbook: no sheet can be named %s", format->name);
	xlsx->format = format;
	xlsx->part = 1;
	xlsx->column = 0;
	place_columns(xlsx);
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		xlsx->used[i] |= xlsx->sheets[i] == sheet;
	begin_sheet(xlsx, sheet);
	return true;
}

static bool check_error(const struct xlsx *xlsx, struct err *err)
{
	if (xlsx->error == -1)
		return err_nomem(err, CELL_MOST);
	return !xlsx->error || err_set(err, ERR_IO, "--workbook: %s",
	                               xlsx->library.lxw_strerror((lxw_error)xlsx->error));
}

static bool end_table(void *context, struct err *err)
{
	struct xlsx *xlsx = context;

	end_sheet(xlsx);
	xlsx->format = NULL;
	return check_error(xlsx, err);
}

static void discard_table(void *context)
{
	struct xlsx *xlsx = context;

	xlsx->format = NULL;
}

/* Rows that do not fit continue in another sheet. */
static void next_sheet(struct xlsx *xlsx)
{
	lxw_worksheet *sheet;
	char name[LXW_SHEETNAME_MAX + 1];

	end_sheet(xlsx);
	snprintf(name, sizeof(name), "%.24s %u", xlsx->format->name, ++xlsx->part);
	sheet = xlsx->library.workbook_add_worksheet(xlsx->book, name);
	if (sheet)
		begin_sheet(xlsx, sheet);
	else
		note_error(xlsx, LXW_ERROR_MEMORY_MALLOC_FAILED);
}

/* The place of the next cell; characters: width of its text. */
static lxw_col_t next_cell(struct xlsx *xlsx, size_t characters)
{
	lxw_col_t at = xlsx->place[xlsx->column];

	assert(xlsx->column < xlsx->format->column_count);
	if (!xlsx->column && xlsx->row == SHEET_ROWS)
		next_sheet(xlsx);
	xlsx->column++;
	if (characters > xlsx->width[at])
		xlsx->width[at] = characters;
	return at;
}

static void put_number(struct xlsx *xlsx, double value, size_t characters, lxw_format *format)
{
	lxw_col_t at = next_cell(xlsx, characters);

	note_error(xlsx,
	           xlsx->library.worksheet_write_number(xlsx->sheet, xlsx->row, at, value, format));
}

static void text_cell(void *context, const char *text, size_t length)
{
	struct xlsx *xlsx = context;
	lxw_col_t at = next_cell(xlsx, length);

	xlsx_put_text(xlsx, xlsx->sheet, xlsx->row, at, text, length, NULL);
}

static void integer_cell(void *context, uint64_t size, bool negative)
{
	struct xlsx *xlsx = context;
	const struct column *column = &xlsx->format->columns[xlsx->column];
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%s%" PRIu64, negative ? "-" : "", size);

	if (size > EXACT_MOST)
		text_cell(xlsx, digits, (size_t)length);
	else
		put_number(xlsx, negative ? -(double)size : (double)size,
		           (size_t)(length + length / 3),
		           column->unit[0] ? xlsx->count : xlsx->number);
}

static void address_cell(void *context, uint64_t value)
{
	char digits[24];

	text_cell(context, digits, (size_t)snprintf(digits, sizeof(digits), "0x%" PRIx64, value));
}

static void time_cell(void *context, uint64_t ns)
{
	struct xlsx *xlsx = context;
	double since = ns >= xlsx->start ? (double)(ns - xlsx->start) : -(double)(xlsx->start - ns);

	put_number(xlsx, since / NS_PER_SECOND, 14, xlsx->seconds);
}

static void decimal_cell(void *context, double value)
{
	put_number(context, value, 12, NULL);
}

static void percent_cell(void *context, uint64_t part, uint64_t whole)
{
	struct xlsx *xlsx = context;

	put_number(xlsx, whole ? (double)part / (double)whole : 0, 8, xlsx->share);
}

static void empty_cell(void *context)
{
	next_cell(context, 0);
}

static void end_table_row(void *context)
{
	struct xlsx *xlsx = context;

	assert(xlsx->column == xlsx->format->column_count);
	xlsx->column = 0;
	xlsx->row++;
}

static const struct table_writer_kind xlsx_kind = {
	.begin = begin_table,
	.end = end_table,
	.discard = discard_table,
	.text = text_cell,
	.integer = integer_cell,
	.address = address_cell,
	.time = time_cell,
	.decimal = decimal_cell,
	.percent = percent_cell,
	.empty = empty_cell,
	.end_row = end_table_row,
};

struct table_writer xlsx_writer(struct xlsx *xlsx)
{
	return (struct table_writer){ &xlsx_kind, xlsx };
}

bool xlsx_finish(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                 const char *file, struct err *err)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (xlsx->sheets[i] && !xlsx->used[i])
			xlsx->library.worksheet_hide(xlsx->sheets[i]);
	xlsx_fill_summary(xlsx, report, diag, file);
	xlsx->library.worksheet_activate(xlsx->summary);
	if (!check_error(xlsx, err))
		return false;
	xlsx->error = (int)xlsx->library.workbook_close(xlsx->book);
	xlsx->book = NULL; /* workbook_close() has freed it, even if it failed */
	return check_error(xlsx, err);
}

#else

struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      struct err *err)
{
	(void)path, (void)temp_dir, (void)set;
	err_set(err, ERR_UNSUPPORTED,
	        "--workbook needs libxlsxwriter, which this build is without");
	return NULL;
}

void xlsx_free(struct xlsx *xlsx)
{
	(void)xlsx;
}

struct table_writer xlsx_writer(struct xlsx *xlsx)
{
	return (struct table_writer){ NULL, xlsx };
}

void xlsx_start(void *context, uint64_t time)
{
	(void)context, (void)time;
}

bool xlsx_finish(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                 const char *file, struct err *err)
{
	(void)xlsx, (void)report, (void)diag, (void)file, (void)err;
	return false;
}
#endif
