/*
 * A writer of tables (util/table.h) that makes a file of each: RFC 4180 text, formatted by hand
 * into a large buffer. A row with another number of cells than the header is a bug and fails an
 * assertion; of rows that are made as text, the first one.
 *
 * For spreadsheets, the file starts with a UTF-8 mark; text that a spreadsheet would take for a
 * formula, and numbers of more than 15 digits, get an apostrophe in front; and no file has more
 * rows than a sheet can have: the rest goes to NAME-2.csv and so on.
 */
#ifndef READPERF_UTIL_CSV_H
#define READPERF_UTIL_CSV_H

#include "util/table.h"

#include <pthread.h>
#include <semaphore.h>

#define SPREADSHEET_ROWS 1048576u /* that a sheet can have */

struct csv {
	struct table_files files;
	bool spreadsheet;
	bool lines_only; /* the rows are in other lines than CSV: there is no header row */
	/*
	 * A second thread may write, and pack, a full buffer while the caller fills another one:
	 *
	 *   caller    | fills a | fills b  | waits for a, fills a | ...
	 *   thread    |         | writes a | writes b             | ...
	 *
	 * Printing samples.csv of 3 million samples takes 0.24 s instead of 0.29 s of wall time on
	 * an idle machine of two CPUs, and 1.44 s instead of 1.73 s with a load of six (medians of
	 * nine). May be changed between tables.
	 */
	bool two_threads;
	/* the table that was begun last */
	const struct table_format *format;
	unsigned file_number;  /* of its current file, from 1 */
	char name[80];         /* of that file, for messages */
	int fd;                /* borrowed */
	struct packer *packer; /* borrowed; NULL: the table is not packed */
	pthread_t thread;      /* the second one */
	bool has_thread;
	sem_t given, free;    /* the spare buffer: is to be written; has been written */
	char *buffer, *spare; /* spare: NULL until it is needed */
	size_t spare_used;    /* bytes; 0: the thread is to end */
	int spare_error;      /* errno of the thread's first failed write */
	size_t used, size;    /* bytes; size may be set before the first table */
	size_t column;        /* the next one to write */
	uint64_t rows;        /* complete rows of the file, with the header */
	bool counted;         /* the cells of a row that was made as text were */
	uint64_t written;     /* bytes given to fd */
	int error;            /* errno of the first failed write */
	struct err err;       /* error of opening a further file */
};

/* files is copied; its context must outlive the writer. */
void csv_init(struct csv *csv, const struct table_files *files, bool spreadsheet);
/* A writer to csv, which must outlive it. */
struct table_writer csv_writer(struct csv *csv);
/*
 * For rows that are made as text (csv_room()) because there may be millions; NULL: the writer is
 * not CSV.
 */
struct csv *csv_of_writer(const struct table_writer *out);
/*
 * Makes csv one that writes in the same way as the writer's, for a table that is written at the
 * same time; a writer with this context and the same kind goes with it. False: the writer is not
 * one of text.
 */
bool csv_beside(const struct table_writer *out, struct csv *csv);
/*
 * Writes what is buffered, as the end of a table does; a packed table ends with it. False with err
 * set if anything has failed so far.
 */
bool csv_flush(struct csv *csv, struct err *err);

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

/* Counts the cells of the last row, which ends there: an assertion. */
void csv_count_cells(struct csv *csv, const char *end);

static inline void csv_rows_end(struct csv *csv, char *end, size_t rows)
{
	if (rows && !csv->counted)
		csv_count_cells(csv, end);
	csv->rows += rows;
	csv->used = (size_t)(end - csv->buffer);
}

/* The parts of the writer that another format of lines shares: struct table_writer_kind. */
bool csv_begin(void *context, const struct table_format *format, struct err *err);
bool csv_end(void *context, struct err *err);
void csv_discard(void *context);

#define CSV_DECIMAL_SIZE 40 /* bytes */

/* Writes the number in the shortest form that reads back the same. Returns its length. */
size_t csv_format_decimal(char text[CSV_DECIMAL_SIZE], double value);

#define CSV_CELL_MOST(length) (4 * (length) + 3)

/*
 * Writes a cell for such a row, escaped and quoted. Returns its end; out needs room for
 * CSV_CELL_MOST(length) bytes.
 */
char *csv_cell(char *out, const char *text, size_t length);

#endif
