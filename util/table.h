/*
 * A table as its printer sees it: columns with their types, and a writer that takes typed cells row
 * by row. The kind of writer decides what they become: CSV, a sheet of a workbook, and so on.
 */
#ifndef READPERF_UTIL_TABLE_H
#define READPERF_UTIL_TABLE_H

#include "util/errhandler.h"

#include <string.h>

enum column_type {
	COLUMN_TEXT,
	COLUMN_PATH,
	COLUMN_INTEGER,  /* fits into 63 bits, and a sign */
	COLUMN_UNSIGNED, /* an integer that may need 64 bits */
	COLUMN_TIME,     /* ns of the recording's clock: a moment, not a duration */
	COLUMN_ADDRESS,  /* also for other numbers that are shown in hex */
	COLUMN_DECIMAL
};

struct column {
	const char *name;
	enum column_type type;
	const char *unit, *meaning; /* unit: "" if it has none */
	unsigned place; /* position where people look at the table, from 1; 0: after those, in the
	                   order of the file */
};

struct table_format {
	const char *name; /* as --tables names it; the file is name.csv */
	const struct column *columns;
	size_t column_count;
};

#define TABLE_FORMAT(table_name, table_columns)                   \
	{                                                         \
		.name = (table_name), .columns = (table_columns), \
		.column_count = ARRAY_SIZE(table_columns)         \
	}

struct packer;

/*
 * Opens the files of tables. Returns a descriptor that the owner of the context keeps, or -1 with
 * err set. Sets *packer, which is NULL before, if the file is to be packed: see outputs_open().
 */
struct table_files {
	void *context;
	int (*open)(void *context, const char *name, struct packer **packer, struct err *err);
};

/*
 * How a kind of writer handles a table: begin, then for each row one cell per column, in their
 * order, and end_row, and at last end. The cell functions report no failure; end reports any that
 * occurred. If end is not called for a table that was begun, even where begin failed, discard must
 * be called; discard may also follow end.
 */
struct table_writer_kind {
	bool (*begin)(void *context, const struct table_format *format, struct err *err);
	bool (*end)(void *context, struct err *err);
	void (*discard)(void *context);
	void (*text)(void *context, const char *text, size_t length);
	void (*integer)(void *context, uint64_t size, bool negative);
	void (*address)(void *context, uint64_t value);
	void (*time)(void *context, uint64_t ns);
	void (*decimal)(void *context, double value);
	void (*percent)(void *context, uint64_t part, uint64_t whole);
	void (*share)(void *context, double percent);
	void (*empty)(void *context);
	void (*end_row)(void *context);
};

struct table_writer {
	const struct table_writer_kind *kind;
	void *context; /* borrowed */
};

/* Each writes one cell. Text may hold any bytes; the writer escapes them. */
static inline void table_text(struct table_writer *out, const char *text, size_t length)
{
	out->kind->text(out->context, text, length);
}

/* NULL: an empty cell */
static inline void table_str(struct table_writer *out, const char *text)
{
	if (text)
		out->kind->text(out->context, text, strlen(text));
	else
		out->kind->empty(out->context);
}

static inline void table_u64(struct table_writer *out, uint64_t value)
{
	out->kind->integer(out->context, value, false);
}

static inline void table_i64(struct table_writer *out, int64_t value)
{
	out->kind->integer(out->context, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

static inline void table_address(struct table_writer *out, uint64_t value)
{
	out->kind->address(out->context, value);
}

/* A moment in ns of the recording's clock. */
static inline void table_time(struct table_writer *out, uint64_t ns)
{
	out->kind->time(out->context, ns);
}

static inline void table_decimal(struct table_writer *out, double value)
{
	out->kind->decimal(out->context, value);
}

/* 100 * part / whole; 0 if whole is 0. */
static inline void table_percent(struct table_writer *out, uint64_t part, uint64_t whole)
{
	out->kind->percent(out->context, part, whole);
}

/* A percentage that is not computed from two counts; may be negative. */
static inline void table_share(struct table_writer *out, double percent)
{
	out->kind->share(out->context, percent);
}

static inline void table_empty(struct table_writer *out)
{
	out->kind->empty(out->context);
}

/* The same where a value is known, and otherwise an empty cell. */
static inline void table_u64_if(struct table_writer *out, bool known, uint64_t value)
{
	if (known)
		table_u64(out, value);
	else
		table_empty(out);
}

static inline void table_i64_if(struct table_writer *out, bool known, int64_t value)
{
	if (known)
		table_i64(out, value);
	else
		table_empty(out);
}

static inline void table_address_if(struct table_writer *out, bool known, uint64_t value)
{
	if (known)
		table_address(out, value);
	else
		table_empty(out);
}

static inline void table_time_if(struct table_writer *out, bool known, uint64_t ns)
{
	if (known)
		table_time(out, ns);
	else
		table_empty(out);
}

static inline void table_end_row(struct table_writer *out)
{
	out->kind->end_row(out->context);
}

/* Rows of tables with two columns, a key and its value. */
static inline void table_text_row(struct table_writer *out, const char *key, const char *value)
{
	table_str(out, key);
	table_str(out, value);
	table_end_row(out);
}

static inline void table_number_row(struct table_writer *out, const char *key, uint64_t value)
{
	table_str(out, key);
	table_u64(out, value);
	table_end_row(out);
}

#endif
