/*
 * A table as its printer sees it. A column is one entry: its name, type, unit and meaning, and the
 * function that gives its value of a row. So a table is its columns and a function that walks its
 * rows, and a writer that takes typed values row by row. The kind of writer decides what they
 * become: CSV, a sheet of a workbook, and so on.
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

/* What a cell of a row holds. Texts are borrowed, and may hold any bytes: the writer escapes them.
 */
struct value {
	enum {
		CELL_NONE, /* unknown, or does not apply: an empty cell */
		CELL_TEXT,
		CELL_INTEGER,
		CELL_ADDRESS, /* also for other numbers that are shown in hex */
		CELL_TIME,    /* a moment in ns of the recording's clock */
		CELL_DECIMAL,
		CELL_PERCENT, /* 100 * number / whole; 0 if whole is 0 */
		CELL_SHARE /* a percentage that is not computed from two counts; may be negative */
	} kind;
	bool negative; /* of an integer: number is its size */
	union {
		uint64_t number;
		double decimal;
		const char *text; /* not terminated */
	};
	union {
		size_t length; /* of the text, bytes */
		uint64_t whole;
	};
};

static inline struct value value_none(void)
{
	return (struct value){ .kind = CELL_NONE };
}

static inline struct value value_text(const char *text, size_t length)
{
	return (struct value){ .kind = CELL_TEXT, .text = text, .length = length };
}

/* NULL: an empty cell */
static inline struct value value_str(const char *text)
{
	return text ? value_text(text, strlen(text)) : value_none();
}

static inline struct value value_u64(uint64_t number)
{
	return (struct value){ .kind = CELL_INTEGER, .number = number };
}

static inline struct value value_i64(int64_t number)
{
	return (struct value){ .kind = CELL_INTEGER,
		               .negative = number < 0,
		               .number = number < 0 ? -(uint64_t)number : (uint64_t)number };
}

static inline struct value value_address(uint64_t address)
{
	return (struct value){ .kind = CELL_ADDRESS, .number = address };
}

static inline struct value value_time(uint64_t ns)
{
	return (struct value){ .kind = CELL_TIME, .number = ns };
}

static inline struct value value_decimal(double decimal)
{
	return (struct value){ .kind = CELL_DECIMAL, .decimal = decimal };
}

static inline struct value value_percent(uint64_t part, uint64_t whole)
{
	return (struct value){ .kind = CELL_PERCENT, .number = part, .whole = whole };
}

static inline struct value value_share(double percent)
{
	return (struct value){ .kind = CELL_SHARE, .decimal = percent };
}

/* A value where it is known, and otherwise an empty cell. */
static inline struct value value_if(bool known, struct value value)
{
	return known ? value : value_none();
}

struct column {
	const char *name;
	enum column_type type;
	const char *unit, *meaning; /* unit: "" if it has none */
	unsigned place; /* position where people look at the table, from 1; 0: after those, in the
	                   order of the file */
	/*
	 * Its value in a row, which is a struct of the table's printer. NULL: the format's value_at
	 * gives it.
	 */
	struct value (*value)(const void *row);
};

/*
 * Defines a column's function: its value in a row is an expression of `row`, which points to a
 * struct of this type. Ends as a declaration does, so that a semicolon can follow.
 */
#define VALUE(row_struct, name, ...)                \
	static struct value name(const void *any)   \
	{                                           \
		const struct row_struct *row = any; \
                                                    \
		return __VA_ARGS__;                 \
	}                                           \
	struct value

struct table_format {
	const char *name; /* as --tables names it; the file is name.csv */
	const struct column *columns;
	size_t column_count;
	/* the value of columns that are made while the program runs, and have no function */
	struct value (*value_at)(const void *row, size_t column);
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
 * order, and end_row, and at last end. cell and end_row report no failure; end reports any that
 * occurred. If end is not called for a table that was begun, even where begin failed, discard must
 * be called; discard may also follow end.
 */
struct table_writer_kind {
	bool (*begin)(void *context, const struct table_format *format, struct err *err);
	bool (*end)(void *context, struct err *err);
	void (*discard)(void *context);
	void (*cell)(void *context, const struct value *value);
	void (*end_row)(void *context);
	bool is_text; /* the context is a struct csv */
};

struct table_writer {
	const struct table_writer_kind *kind;
	void *context;                     /* borrowed */
	const struct table_format *format; /* of the table that was begun; borrowed */
};

/* Begins a table; table_discard() must be called in any case. False with err set. */
static inline bool table_begin(struct table_writer *out, const struct table_format *format,
                               struct err *err)
{
	out->format = format;
	return out->kind->begin(out->context, format, err);
}

static inline bool table_end(struct table_writer *out, struct err *err)
{
	return out->kind->end(out->context, err);
}

static inline void table_discard(struct table_writer *out)
{
	out->kind->discard(out->context);
}

/* Writes the cells of the columns from the first one up to the last one, which is not written. */
void table_cells(struct table_writer *out, const void *row, size_t first, size_t last);

static inline void table_end_row(struct table_writer *out)
{
	out->kind->end_row(out->context);
}

/* Writes a row: the value of each column. */
static inline void table_row(struct table_writer *out, const void *row)
{
	table_cells(out, row, 0, out->format->column_count);
	table_end_row(out);
}

/* A row of a table with two columns, a key and its value. */
struct key_row {
	const char *key;
	struct value value;
};

/* The values of the two columns. */
struct value key_row_key(const void *row);
struct value key_row_value(const void *row);

static inline void table_key(struct table_writer *out, const char *key, struct value value)
{
	const struct key_row row = { key, value };

	table_row(out, &row);
}

#endif
