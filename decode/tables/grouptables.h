/* The tables of --by: the keys of each table, and how it is written. */
#ifndef READPERF_DECODE_TABLES_GROUPTABLES_H
#define READPERF_DECODE_TABLES_GROUPTABLES_H

#include "decode/naming/grouprows.h"
#include "util/table.h"

struct report;

#define GROUP_TABLES_MOST 32
#define GROUP_NAME_SIZE 64 /* bytes of a table's name, with the NUL */

struct group_tables {
	struct group_table items[GROUP_TABLES_MOST];
	char names[GROUP_TABLES_MOST][GROUP_NAME_SIZE];
	unsigned count;
	struct time_side slice; /* width of a slice of time; 0: the default */
};

/* The columns in --schema: each key is a column if it is asked for. */
extern const struct table_format groups_format;

/* What one of the tables looks like. Its columns are in the struct itself, so do not copy it. */
struct group_format {
	struct table_format format;
	struct column columns[KEY_COUNT + 4];
};

void group_format_init(struct group_format *format, const struct group_table *table);

/* Adds the table for --by=[NAME=]KEY,... False with err set if that is invalid. */
bool group_tables_add(struct group_tables *tables, const char *text, struct err *err);
/* The names of all keys: "pid", "tid", ... The callback for nearest_name(). */
const char *group_key_at(const void *context, size_t index);
/* The keys of all tables, one bit each. */
unsigned group_tables_keys(const struct group_tables *tables);
/* The width of a slice. */
struct time_side group_tables_slice(const struct group_tables *tables);
/*
 * Makes the rows of all tables, for the report; rows: GROUP_TABLES_MOST of them, all zeros. Texts
 * are added to the strings of the recording. False with err set when memory is refused.
 */
bool group_tables_make(const struct group_tables *tables, struct group_rows *rows,
                       struct report *report, struct err *err);
/* Writes all of them. False with err set. */
bool group_tables_write(const struct group_tables *tables, const struct report *report,
                        struct table_writer *out, struct err *err);

#endif
