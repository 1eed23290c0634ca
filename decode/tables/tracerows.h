/*
 * The tables of tracepoints, each with the fields of its own. All of them are open at once, so that
 * rows are written in the order of the samples, while records are read or afterwards.
 *
 *   nr,time,cpu,pid,tid,comm,frame,<the fields in the order of the format>
 *
 * A field whose values the print format names is followed by FIELD_text, one that it shows as a
 * function by FIELD_function.
 *
 * In:  samples with their raw data (decode/tally/tracelog.h).
 * Out: a table for each tracepoint.
 */
#ifndef READPERF_DECODE_TABLES_TRACEROWS_H
#define READPERF_DECODE_TABLES_TRACEROWS_H

#include "decode/tally/buildstat.h"
#include "util/table.h"

#define TRACE_OWN_COLUMNS 7

extern const struct column trace_own_columns[TRACE_OWN_COLUMNS];

struct trace_table;
struct trace_task;

struct trace_rows {
	struct buildstat *stat;  /* borrowed */
	struct table_writer out; /* the tables are written by writers of its kind */
	struct trace_table **tables;
	size_t count, capacity;
	uint32_t *table_of; /* by event: number of its table, from 1; 0: none yet */
	size_t event_count, event_capacity;
	struct trace_task *tasks; /* those that were written last */
	char *text;               /* for one cell */
	struct arena arena;
};

/* What a row is made of. */
struct trace_row {
	const struct traced_sample *sample;
	struct raw_data raw;
	const uint32_t *functions; /* as in struct trace_log; not used where no field has one */
	uint32_t frame;            /* 0: none */
};

/*
 * stat: its formats must be open. False with err set, as all functions below; trace_rows_release()
 * must be called in any case.
 */
bool trace_rows_init(struct trace_rows *rows, struct buildstat *stat,
                     const struct table_writer *out, struct err *err);
void trace_rows_release(struct trace_rows *rows);
/* Writes a row into the table of its event. */
bool trace_rows_put(struct trace_rows *rows, const struct trace_row *row, struct err *err);
/* The same for trace_log: a sample without functions and frames. context: struct trace_rows. */
bool trace_rows_take(void *context, const struct traced_sample *sample, const struct raw_data *raw,
                     struct err *err);
/* Begins the table of an event unless it was; for one that may have no row. */
bool trace_rows_begin(struct trace_rows *rows, uint32_t event, struct err *err);
/* Completes all tables that were begun. */
bool trace_rows_end(struct trace_rows *rows, struct err *err);
/* Whether an event has a table, after the last record: some of its samples are selected. */
bool trace_rows_has(const struct buildstat *stat, uint32_t event);
/* The number of an event's table; UINT32_MAX with err set. */
uint32_t trace_rows_table(struct trace_rows *rows, uint32_t event, struct err *err);
/* Its columns; valid as long as the rows. */
const struct table_format *trace_rows_format(const struct trace_rows *rows, uint32_t table);

#endif
