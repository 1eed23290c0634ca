#include "decode/tables/xlsx.h"

#ifdef HAVE_XLSXWRITER
#include "decode/tables/xlsxwork.h"
#include "util/clock.h"
#include "util/csv.h"
#include "util/memory.h"
#include "util/sharedlibrary.h"
#include "util/spool.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXACT_MOST 999999999999999u /* a spreadsheet keeps 15 digits */
#define WIDTH_LEAST 8
#define WIDTH_MOST 60
#define DATE_OF_ALL 315532800     /* s since 1970: 1980-01-01, as in the zip archive */
#define PACKING_ROOM (256 * 1024) /* bytes: most that packing adds to the rows of a sheet */

/*
 * More bytes than libxlsxwriter 1.1.4 takes for a sheet (0.2 MB), for the charts, and for packing
 * all (0.4). When memory is refused it may crash, or name another reason.
 */
#define LIBRARY_ROOM ((size_t)1 << 20)

static bool open_library(struct xlsx_library *library, struct err *err)
{
	bool found;

	library->handle = dlopen("libxlsxwriter.so." LXW_SOVERSION, RTLD_LAZY | RTLD_LOCAL);
	found = library->handle != NULL;
#define XLSX_FIND(name) found = found && shared_function(library->handle, #name, &library->name);
	XLSX_FUNCTIONS(XLSX_FIND)
#undef XLSX_FIND
	return found ||
	       err_set(err, ERR_UNSUPPORTED, "--workbook needs libxlsxwriter: %s", dlerror());
}

/* The order of sheets: tables with names first, then those without, and at last all records. */
static unsigned reading_rank(const struct table *table)
{
	if (!table->print || table == &about_table)
		return 2;
	return table->needs & NEEDS_NAMES ? 0 : 1;
}

/* No two sheets may have names that differ in case alone, and Excel reserves "history". */
static bool is_taken(const struct xlsx *xlsx, const char *name)
{
	return xlsx->library.workbook_get_worksheet_by_name(xlsx->book, name) ||
	       !strcmp(name, "history");
}

/* Adds a sheet: "overview", or "overview 2" if that is taken. NULL: memory is refused. */
static lxw_worksheet *add_sheet(struct xlsx *xlsx, const char *table)
{
	char name[LXW_SHEETNAME_MAX + 1];
	lxw_worksheet *sheet = NULL;
	struct err refused = { 0 }; /* check_error() reports it */

	snprintf(name, sizeof(name), "%s", table);
	for (unsigned i = 2; is_taken(xlsx, name); i++)
		snprintf(name, sizeof(name), "%.20s %u", table, i);
	if (memory_has(LIBRARY_ROOM, &refused))
		sheet = xlsx->library.workbook_add_worksheet(xlsx->book, name);
	if (!sheet)
		xlsx->error = -1;
	return sheet;
}

static void add_table(struct xlsx *xlsx, const char *table)
{
	xlsx->sheets[xlsx->sheet_count++] = (struct xlsx_sheet){ table, add_sheet(xlsx, table),
		                                                 false };
}

static bool add_sheets(struct xlsx *xlsx, const struct table_set *set,
                       const struct group_tables *groups)
{
	xlsx->summary = add_sheet(xlsx, "Summary");
	for (unsigned i = 0; i < groups->count; i++)
		add_table(xlsx, groups->items[i].name);
	for (unsigned rank = 0; rank <= 2; rank++)
		for (unsigned i = 0; i < TABLE_COUNT; i++)
			if (table_set_has(set, tables[i]) && !tables[i]->file &&
			    !tables[i]->several && reading_rank(tables[i]) == rank)
				add_table(xlsx, tables[i]->format->name);
	return !xlsx->error;
}

static lxw_format *number_format(struct xlsx *xlsx, const char *format)
{
	lxw_format *made = xlsx->library.workbook_add_format(xlsx->book);

	if (made)
		xlsx->library.format_set_num_format(made, format);
	return made;
}

/*
 * align: the side of the cell where the text stands, and from which it is indented. head: the
 * format is for a header row.
 */
static lxw_format *text_format(struct xlsx *xlsx, enum lxw_format_alignments align, uint8_t indent,
                               bool head)
{
	lxw_format *made = xlsx->library.workbook_add_format(xlsx->book);

	if (made) {
		xlsx->library.format_set_align(made, (uint8_t)align);
		xlsx->library.format_set_indent(made, indent);
	}
	if (made && head) {
		xlsx->library.format_set_bold(made);
		xlsx->library.format_set_bottom(made, LXW_BORDER_THIN);
	}
	return made;
}

static void make_formats(struct xlsx *xlsx)
{
	xlsx->head = text_format(xlsx, LXW_ALIGN_LEFT, 1, true);
	/* the arrow of the filter is on the right */
	xlsx->number_head = text_format(xlsx, LXW_ALIGN_RIGHT, 2, true);
	xlsx->title = xlsx->library.workbook_add_format(xlsx->book);
	if (xlsx->title) {
		xlsx->library.format_set_bold(xlsx->title);
		xlsx->library.format_set_font_size(xlsx->title, 14);
	}
	xlsx->text = text_format(xlsx, LXW_ALIGN_LEFT, 1, false);
	xlsx->count = number_format(xlsx, "#,##0");
	xlsx->number = number_format(xlsx, "0");
	xlsx->milliseconds = number_format(xlsx, "#,##0.000 \"ms\"");
	xlsx->share = number_format(xlsx, "0.00%");
	xlsx->seconds = number_format(xlsx, "0.000000000");
}

struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      const struct group_tables *groups, struct err *err)
{
	struct xlsx *xlsx = calloc(1, sizeof(*xlsx));
	lxw_workbook_options options = { .constant_memory = LXW_TRUE };
	/* not the time of the run: the same input gives the same bytes */
	lxw_doc_properties properties = { .created = DATE_OF_ALL };

	if (xlsx && !open_library(&xlsx->library, err)) {
		xlsx_free(xlsx);
		return NULL;
	}
	if (xlsx && (xlsx->temp_dir = strdup(temp_dir))) {
		options.tmpdir = xlsx->temp_dir;
		xlsx->book = xlsx->library.workbook_new_opt(path, &options);
	}
	if (!xlsx || !xlsx->book || !add_sheets(xlsx, set, groups)) {
		xlsx_free(xlsx);
		err_nomem(err, LIBRARY_ROOM);
		return NULL;
	}
	xlsx_note_error(xlsx, xlsx->library.workbook_set_properties(xlsx->book, &properties));
	make_formats(xlsx);
	return xlsx;
}

void xlsx_free(struct xlsx *xlsx)
{
	if (!xlsx)
		return;
	if (xlsx->book)
		xlsx->library.lxw_workbook_free(xlsx->book);
	if (xlsx->library.handle)
		dlclose(xlsx->library.handle);
	free(xlsx->temp_dir);
	free(xlsx);
}

void xlsx_start(void *context, uint64_t time)
{
	struct xlsx *xlsx = context;

	xlsx->start = time;
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

static bool is_number(enum column_type type)
{
	return type == COLUMN_INTEGER || type == COLUMN_UNSIGNED || type == COLUMN_TIME ||
	       type == COLUMN_DECIMAL;
}

static void begin_sheet(struct xlsx *xlsx, lxw_worksheet *sheet)
{
	const struct table_format *format = xlsx->format;

	xlsx->sheet = sheet;
	for (size_t i = 0; i < format->column_count; i++) {
		const struct column *column = &format->columns[i];
		const struct xlsx_cell cell = { sheet, 0, xlsx->place[i],
			                        is_number(column->type) ? xlsx->number_head
			                                                : xlsx->head };

		xlsx_put_clean(xlsx, cell, column->name);
		/* including the arrow of the filter */
		xlsx->width[cell.column] = strlen(column->name) + 3;
	}
	xlsx_set_pages(xlsx, sheet);
	xlsx_note_error(xlsx, xlsx->library.worksheet_repeat_rows(sheet, 0, 0));
	xlsx->library.worksheet_freeze_panes(sheet, 1, 0);
	xlsx->row = 1;
}

static void end_sheet(struct xlsx *xlsx)
{
	size_t columns = xlsx->format->column_count;

	xlsx->library.worksheet_autofilter(xlsx->sheet, 0, 0, xlsx->row > 1 ? xlsx->row - 1 : 1,
	                                   (lxw_col_t)(columns - 1));
	for (lxw_col_t i = 0; i < columns; i++) {
		const double width = (double)xlsx->width[i] + 1;

		xlsx->library.worksheet_set_column(
			xlsx->sheet, i, i, fmin(fmax(width, WIDTH_LEAST), WIDTH_MOST), NULL);
	}
}

static bool check_error(const struct xlsx *xlsx, struct err *err)
{
	if (xlsx->error == -1)
		return err_nomem(err, LIBRARY_ROOM);
	return !xlsx->error || err_set(err, ERR_IO, "--workbook: %s",
	                               xlsx->library.lxw_strerror((lxw_error)xlsx->error));
}

static bool begin_table(void *context, const struct table_format *format, struct err *err)
{
	struct xlsx *xlsx = context;
	unsigned i = 0;

	assert(format->column_count <= XLSX_COLUMNS_MOST);
	while (i < xlsx->sheet_count && strcmp(xlsx->sheets[i].table, format->name) != 0)
		i++;
	if (i == XLSX_SHEETS_MOST)
		return err_set(err, ERR_UNSUPPORTED,
		               "--workbook: expected at most %d tables of tracepoints",
		               XLSX_TRACES_MOST);
	if (i == xlsx->sheet_count) {
		/* one of several, whose name lives only as long as it is written */
		add_table(xlsx, format->name);
		xlsx->sheets[i].table = "";
		if (!check_error(xlsx, err))
			return false;
	}
	xlsx->sheets[i].used = true;
	xlsx->format = format;
	xlsx->column = 0;
	place_columns(xlsx);
	begin_sheet(xlsx, xlsx->sheets[i].sheet);
	return true;
}

static bool end_table(void *context, struct err *err)
{
	end_sheet(context);
	return check_error(context, err);
}

static void discard_table(void *context)
{
	(void)context;
}

/* Rows that do not fit continue in another sheet. */
static void next_sheet(struct xlsx *xlsx)
{
	lxw_worksheet *sheet;

	end_sheet(xlsx);
	sheet = add_sheet(xlsx, xlsx->format->name);
	if (sheet)
		begin_sheet(xlsx, sheet);
}

/* The next cell; characters: width of its text. */
static struct xlsx_cell next_cell(struct xlsx *xlsx, size_t characters, lxw_format *format)
{
	lxw_col_t at = xlsx->place[xlsx->column];

	assert(xlsx->column < xlsx->format->column_count);
	if (!xlsx->column && xlsx->row == SPREADSHEET_ROWS)
		next_sheet(xlsx);
	xlsx->column++;
	if (characters > xlsx->width[at])
		xlsx->width[at] = characters;
	return (struct xlsx_cell){ xlsx->sheet, xlsx->row, at, format };
}

static void put_number(struct xlsx *xlsx, double value, size_t characters, lxw_format *format)
{
	xlsx_put_number(xlsx, next_cell(xlsx, characters, format), value);
}

static void text_cell(struct xlsx *xlsx, const char *text, size_t length)
{
	xlsx_put_text(xlsx, next_cell(xlsx, length + 1, xlsx->text), text, length);
}

static void integer_cell(struct xlsx *xlsx, const struct value *value)
{
	const struct column *column = &xlsx->format->columns[xlsx->column];
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%s%" PRIu64, value->negative ? "-" : "",
	                      value->number);

	if (value->number > EXACT_MOST)
		text_cell(xlsx, digits, (size_t)length);
	else
		put_number(xlsx, value->negative ? -(double)value->number : (double)value->number,
		           (size_t)(length + length / 3),
		           column->unit[0] ? xlsx->count : xlsx->number);
}

static void address_cell(struct xlsx *xlsx, uint64_t value)
{
	char digits[24];

	text_cell(xlsx, digits, (size_t)snprintf(digits, sizeof(digits), "0x%" PRIx64, value));
}

static void time_cell(struct xlsx *xlsx, uint64_t ns)
{
	double since = ns >= xlsx->start ? (double)(ns - xlsx->start) : -(double)(xlsx->start - ns);

	put_number(xlsx, since / NS_PER_SECOND, 14, xlsx->seconds);
}

static void put_cell(void *context, const struct value *value)
{
	struct xlsx *xlsx = context;

	switch (value->kind) {
	case CELL_NONE:
		next_cell(xlsx, 0, NULL);
		break;
	case CELL_TEXT:
		text_cell(xlsx, value->text, value->length);
		break;
	case CELL_INTEGER:
		integer_cell(xlsx, value);
		break;
	case CELL_TIME:
		time_cell(xlsx, value->number);
		break;
	case CELL_ADDRESS:
		address_cell(xlsx, value->number);
		break;
	case CELL_DECIMAL:
		put_number(xlsx, value->decimal, 12, NULL);
		break;
	case CELL_PERCENT:
		put_number(xlsx, value->whole ? (double)value->number / (double)value->whole : 0, 8,
		           xlsx->share);
		break;
	case CELL_SHARE:
		put_number(xlsx, value->decimal / 100, 8, xlsx->share);
		break;
	}
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
	.cell = put_cell,
	.end_row = end_table_row,
};

struct table_writer xlsx_writer(struct xlsx *xlsx)
{
	return (struct table_writer){ .kind = &xlsx_kind, .context = xlsx };
}

/*
 * libxlsxwriter does not notice when a temporary file cannot be written: rows would be missing. It
 * has one for each sheet, and makes another for each while it packs them.
 */
static bool check_temp_files(const struct xlsx *xlsx, struct err *err)
{
	const lxw_worksheet *sheet;
	off_t largest = 0;
	int fd, failed;

	LXW_FOREACH_WORKSHEET(sheet, xlsx->book)
	{
		FILE *rows = sheet->optimize_tmpfile;

		if (fflush(rows) != 0)
			return err_errno(err, "--workbook: cannot write a temporary file");
		if (ferror(rows)) /* some write before: its reason is gone */
			return err_set(err, ERR_IO, "--workbook: cannot write a temporary file");
		if (ftello(rows) > largest)
			largest = ftello(rows);
	}
	fd = temp_file_open(xlsx->temp_dir, err);
	if (fd < 0)
		return false;
	failed = posix_fallocate(fd, 0, largest + PACKING_ROOM);
	close(fd);
	errno = failed;
	return !failed || err_errno(err, "--workbook: cannot write a temporary file");
}

/* Writes the file. The library's own messages would be a second report of what fails. */
static bool close_book(struct xlsx *xlsx, struct err *err)
{
	const int kept = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int number;

	fflush(stderr);
	if (kept >= 0 && null >= 0)
		dup2(null, STDERR_FILENO);
	errno = 0;
	xlsx->error = (int)xlsx->library.workbook_close(xlsx->book);
	number = errno;
	xlsx->book = NULL; /* workbook_close() has freed it, even if it failed */
	if (kept >= 0)
		dup2(kept, STDERR_FILENO);
	close(kept);
	close(null);
	errno = number;
	if (xlsx->error == LXW_ERROR_ZIP_FILE_OPERATION && number)
		return err_errno(err, "--workbook: cannot write");
	return check_error(xlsx, err);
}

bool xlsx_finish(struct xlsx *xlsx, const struct report *report, const struct diag *diag,
                 const char *file, struct err *err)
{
	if (!memory_has(LIBRARY_ROOM, err))
		return false;
	for (unsigned i = 0; i < xlsx->sheet_count; i++)
		if (!xlsx->sheets[i].used)
			xlsx->library.worksheet_hide(xlsx->sheets[i].sheet);
	xlsx_fill_summary(xlsx, report, diag, file);
	xlsx->library.worksheet_activate(xlsx->summary);
	return check_error(xlsx, err) && check_temp_files(xlsx, err) &&
	       memory_has(LIBRARY_ROOM, err) && close_book(xlsx, err);
}

#else

struct xlsx *xlsx_new(const char *path, const char *temp_dir, const struct table_set *set,
                      const struct group_tables *groups, struct err *err)
{
	(void)path, (void)temp_dir, (void)set, (void)groups;
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
	return (struct table_writer){ .context = xlsx };
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
