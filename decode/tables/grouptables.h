/* The tables of --by: the keys of each table, and how it is written. */
#ifndef READPERF_DECODE_TABLES_GROUPTABLES_H
#define READPERF_DECODE_TABLES_GROUPTABLES_H

#include "decode/naming/grouprows.h"
#include "util/table.h"

struct report;

#define GROUP_TABLES_MOST 32

struct group_tables {
	struct group_table items[GROUP_TABLES_MOST];
	unsigned count;
	struct time_side slice;      /* width of a slice of time */
	struct field_request fields; /* its keys are those of the tables */
	/* the keys of latency.csv: --by=latency=KEY,..., else `what` */
	struct group_table latency;
};

#define GROUP_SLICE_DEFAULT             \
	{                               \
		TIME_SECONDS, 100000000 \
	}

/* What one of the tables looks like. Its columns are in the struct itself, so do not copy it. */
struct group_format {
	struct table_format format;
	struct column columns[KEY_COUNT + 4];
};

void group_format_init(struct group_format *format, const struct group_table *table);
/* The same for a table of all keys, as in --schema. */
void group_format_of_all(struct group_format *format);

/* Adds the table for --by=[NAME=]KEY,... False with err set if that is invalid. */
bool group_tables_add(struct group_tables *tables, const char *text, struct err *err);
/* The names of all keys: "pid", "tid", ... The callback for nearest_name(). */
const char *group_key_at(const void *context, size_t index);
/* The keys of latency.csv. */
const struct group_table *group_tables_latency(const struct group_tables *tables);
/* The keys of all tables but latency.csv, one bit each. */
unsigned group_tables_keys(const struct group_tables *tables);
/* Whether any of them, or latency.csv, has slices of time. */
bool group_tables_have_slices(const struct group_tables *tables);
/*
 * Makes the rows of report->by; rows: GROUP_TABLES_MOST of them, all zeros. Texts
 * are added to the strings of the recording. False with err set when memory is refused.
 */
bool group_tables_make(struct report *report, struct group_rows *rows, struct err *err);
/* Writes all of them. False with err set. */
bool group_tables_write(const struct report *report, struct table_writer *out, struct err *err);

#endif
