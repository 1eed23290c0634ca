/*
 * Tables as RFC 4180 text, formatted by hand into large buffers. Each call writes one cell; commas,
 * quotes and line ends are written here. A row with another number of cells than the header is a
 * bug and fails an assertion.
 */
#ifndef READPERF_UTIL_CSV_H
#define READPERF_UTIL_CSV_H

#include "util/errhandler.h"

struct csv {
	int fd;                /* borrowed */
	struct packer *packer; /* borrowed; NULL: the table is not packed */
	const char *name;      /* for messages; borrowed */
	bool two_threads; /* csv_use_two_threads() was called, and a second thread could start */
	struct background_writer *background; /* that thread; NULL: not started */
	char *buffer, *spare;     /* spare: what that thread writes; NULL: not started */
	size_t used, size;        /* bytes */
	unsigned columns, column; /* columns: of the header; column: the next one to write */
	uint64_t rows;            /* complete rows, with the header */
	uint64_t written;         /* bytes given to fd */
	bool spreadsheet;         /* written for spreadsheets: see csv_open() */
	int error;                /* errno of the first failed write */
};

#define SPREADSHEET_ROWS 1048576u /* that a sheet can have */

/*
 * columns: how many each row has; the first row that is written is the header.
 * spreadsheet: the file starts with a UTF-8 mark; text that a spreadsheet would take for a formula,
 * and numbers of more than 15 digits, get an apostrophe in front.
 * False with err set when memory is refused; csv_release() must be called in any case.
 */
bool csv_open(struct csv *csv, int fd, const char *name, unsigned columns, bool spreadsheet,
              struct err *err);
void csv_release(struct csv *csv);
/* From now on, what is written goes through the packer, which is borrowed; NULL: to fd. */
void csv_pack(struct csv *csv, struct packer *packer);
/*
 * From now on, a second thread may write, and pack, one buffer while the caller fills another one.
 * It is started when the first buffer is full.
 */
void csv_use_two_threads(struct csv *csv);
/*
 * Writes what is buffered. Call it once at the end; a packed table ends with it. False with err set
 * if this or any earlier write failed.
 */
bool csv_flush(struct csv *csv, struct err *err);

/* Whether a text needs neither quotes nor escapes. */
bool text_is_plain(const char *text, size_t length);
/* Texts of more bytes are not asked about, but written in the way that is right for any. */
#define PLAIN_MOST 4096

/* Each writes one cell. Text is escaped and quoted where it has to be. */
void csv_text(struct csv *csv, const char *text, size_t length);
void csv_u64(struct csv *csv, uint64_t value);
void csv_i64(struct csv *csv, int64_t value);
void csv_hex(struct csv *csv, uint64_t value);  /* 0x… */
void csv_double(struct csv *csv, double value); /* shortest form that reads back the same */
/* 100 * part / whole with 4 decimals, rounded; 0.0000 if whole is 0. */
void csv_percent(struct csv *csv, uint64_t part, uint64_t whole);
void csv_empty(struct csv *csv);
void csv_end(struct csv *csv); /* ends the row */

/* Empties the buffer; csv->error is set if that fails. */
void csv_write(struct csv *csv);

/*
 * Returns room for so many bytes at the end of the table. For tables of millions of rows: the
 * caller writes whole rows there, with their commas and line ends, and then calls csv_rows_end().
 * Not for spreadsheets, since the marks that they need are not added.
 */
static inline char *csv_room(struct csv *csv, size_t room)
{
	if (csv->size - csv->used < room)
		csv_write(csv);
	return csv->buffer + csv->used;
}

static inline void csv_rows_end(struct csv *csv, char *end, size_t rows)
{
	csv->rows += rows;
	csv->used = (size_t)(end - csv->buffer);
}

/*
 * Makes a cell for such a row from text, escaped and quoted; malloc'd, NULL when memory is refused.
 */
char *csv_cell(const char *text, size_t *length);

/*
 * Writes text with control bytes and invalid UTF-8 as \xNN, because names come from the recorded
 * machine and may be hostile. A backslash in front of such an escape is written as \x5c. Returns
 * the end of what was written; out needs room for 4 * length bytes.
 */
char *format_escaped(char *out, const char *text, size_t length);
/* A copy of a text as format_escaped() writes it: malloc'd; NULL when memory is refused. */
char *text_escaped(const char *text);
/* Whether format_escaped() would change anything. */
bool text_is_clean(const char *text, size_t length);

#endif
