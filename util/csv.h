/*
 * Tables: RFC 4180 text, formatted by hand into large buffers. A cell is written by one call; the
 * commas, the quotes and the line ends are csv's business, and a row of another width than the
 * header is a bug that an assertion catches.
 */
#ifndef READPERF_UTIL_CSV_H
#define READPERF_UTIL_CSV_H

#include "util/errhandler.h"

struct csv {
	int fd;           /* borrowed */
	const char *name; /* for messages; borrowed */
	char *buffer;
	size_t used, size;        /* bytes */
	unsigned columns, column; /* of the header; next to write */
	uint64_t rows;            /* complete ones, with the header */
	uint64_t written;         /* bytes given to fd */
	uint64_t reserved;        /* the file's blocks reach up to here, in bytes; 0: to its end;
	                             UINT64_MAX: that        cannot be asked for */
	bool spreadsheet;         /* as spreadsheets want it: see csv_open() */
	int error;                /* errno of the first failed write */
};

/*
 * header: the column names, comma-separated, as the first line prints them.
 * spreadsheet: starts with a UTF-8 mark, and writes text that a spreadsheet would take for a
 * formula and numbers of more than 15 digits with an apostrophe in front. False with err set when
 * memory is refused; csv_release() is due in any case.
 */
bool csv_open(struct csv *csv, int fd, const char *name, const char *header, bool spreadsheet,
              struct err *err);
void csv_release(struct csv *csv);
/*
 * Writes what is buffered; who opened the table calls it last. False with err set if this or any
 * earlier write failed.
 */
bool csv_flush(struct csv *csv, struct err *err);

/* One cell each. Text is escaped and quoted as far as needed. */
void csv_text(struct csv *csv, const char *text, size_t length);
void csv_str(struct csv *csv, const char *text); /* NULL: an empty cell */
/* Text that is known to need neither. */
void csv_plain(struct csv *csv, const char *text, size_t length);
bool text_is_plain(const char *text, size_t length);
#define PLAIN_MOST 4096 /* bytes of a text that is looked at for the quickest way */
void csv_u64(struct csv *csv, uint64_t value);
void csv_i64(struct csv *csv, int64_t value);
void csv_hex(struct csv *csv, uint64_t value);  /* 0x… */
void csv_double(struct csv *csv, double value); /* shortest form that reads back the same */
/* 100 * part / whole with 4 decimals, rounded; 0.0000 of nothing. */
void csv_percent(struct csv *csv, uint64_t part, uint64_t whole);
void csv_empty(struct csv *csv);
void csv_end(struct csv *csv); /* of the row */

/* Empties the buffer; csv->error tells of a failure. */
void csv_write(struct csv *csv);

/*
 * Room for so many bytes at the table's end. For rows by the million, who writes whole ones there
 * tells csv_rows_end() of it; commas and line ends are then the caller's. Not for spreadsheets,
 * whose marks it does not know.
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

/* Text as a cell of such a row, escaped and quoted; malloc'd, NULL when memory is refused. */
char *csv_cell(const char *text, size_t *length);

/*
 * Names come from the recorded machine and may be hostile: writes text with control bytes and
 * invalid UTF-8 as \xNN, and a backslash that precedes such a text as \x5c. Returns the end.
 * out has room for 4 * length bytes.
 */
char *format_escaped(char *out, const char *text, size_t length);
/* Whether format_escaped() would change anything. */
bool text_is_clean(const char *text, size_t length);

#endif
