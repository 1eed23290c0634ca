/* Writes the cells of a sheet, whatever they are of. */
#include "decode/tables/xlsx.h"

#ifdef HAVE_XLSXWRITER
#include "decode/tables/xlsxwork.h"
#include "util/text.h"

#include <stdlib.h>

#define CELL_MOST 32767u /* characters; the limit of a cell */

void xlsx_note_error(struct xlsx *xlsx, lxw_error error)
{
	if (error != LXW_NO_ERROR && !xlsx->error)
		xlsx->error = (int)error;
}

void xlsx_put_clean(struct xlsx *xlsx, struct xlsx_cell cell, const char *text)
{
	xlsx_note_error(xlsx, xlsx->library.worksheet_write_string(cell.sheet, cell.row,
	                                                           cell.column, text, cell.format));
}

void xlsx_put_text(struct xlsx *xlsx, struct xlsx_cell cell, const char *text, size_t length)
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
		xlsx_put_clean(xlsx, cell, clean);
	free(clean);
}

void xlsx_put_number(struct xlsx *xlsx, struct xlsx_cell cell, double value)
{
	xlsx_note_error(xlsx, xlsx->library.worksheet_write_number(
				      cell.sheet, cell.row, cell.column, value, cell.format));
}

void xlsx_set_pages(struct xlsx *xlsx, lxw_worksheet *sheet)
{
	xlsx->library.worksheet_set_landscape(sheet);
	xlsx->library.worksheet_fit_to_pages(sheet, 1, 0);
	xlsx_note_error(xlsx, xlsx->library.worksheet_set_footer(sheet, "&L&A&R&P / &N"));
}
#endif
