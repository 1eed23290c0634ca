/*
 * The columns of a table that only its files know, from their header rows: those of a tracepoint
 * have its fields, those of --by and latency.csv the keys that were asked for.
 */
#ifndef READPERF_DECODE_RUN_FILEFORMAT_H
#define READPERF_DECODE_RUN_FILEFORMAT_H

#include "decode/tables/grouptables.h"
#include "decode/tables/latencyformat.h"
#include "util/csvread.h"

/* All zeros before it is read. It points into itself, so do not copy it. */
struct file_format {
	const struct table_format *format; /* NULL: the file is none of these tables */
	/* room for the format: of a tracepoint, of --by or of latency.csv */
	struct {
		struct table_format format;
		struct column columns[CSV_COLUMNS_MOST];
	} trace;
	struct group_format group;
	struct latency_format latency;
	struct group_table keys;
	struct csv_table csv; /* the header row, which names of columns point to */
	char *name, *path;    /* of the table and of its first file; owned */
};

/* Whether a file or a table with the name is one of a tracepoint. */
bool file_format_is_trace(const char *name);

/*
 * Reads the header row of a file, which may be packed; name, of length bytes, is that of its table.
 * False with err set if it cannot be read. file_format_release() must be called in any case.
 */
bool file_format_read(struct file_format *format, const char *path, const char *name, size_t length,
                      struct err *err);
void file_format_release(struct file_format *format);

/*
 * Sets *same to whether another file has the same columns; of tables of --by and latency.csv, an
 * older readperf may have written fewer behind them. False with err set if it cannot be read.
 */
bool file_format_compare(const struct file_format *format, const char *path, bool *same,
                         struct err *err);

#endif
