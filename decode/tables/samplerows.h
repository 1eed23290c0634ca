/*
 * Writes rows of samples.csv, of which there may be millions. Texts that many rows share (event,
 * process, thread and CPU; function and binary) are kept as they were written for the first of
 * them and copied for the others, which halves the time for printing.
 */
#ifndef READPERF_DECODE_TABLES_SAMPLEROWS_H
#define READPERF_DECODE_TABLES_SAMPLEROWS_H

#include "decode/tables/tables.h"
#include "util/arena.h"
#include "util/csv.h"

/* ",FUNCTION,BINARY" */
struct function_text {
	uint32_t length;
	char text[];
};

/* ",EVENT,PID,TID,COMM,CPU,MODE" */
struct task_text {
	uint32_t task; /* number in the log + 1; 0: none */
	uint32_t length;
	char text[248];
};

/* How many tasks have their text kept; seldom do more of them have samples by turns. */
#define TASK_TEXTS 2048

struct sample_rows {
	struct table_writer *out; /* borrowed, as what follows */
	struct csv *csv;          /* that it writes to; NULL: no texts are kept */
	const struct report *report;
	struct function_text **functions; /* by number; NULL: none is kept */
	struct task_text *tasks;          /* by number in the log % TASK_TEXTS */
	struct arena arena;               /* of the texts of functions */
};

/* A place, and all that most rows need of it. */
struct sample_place {
	uint64_t addr;
	uint32_t binary;          /* UINT32_MAX: no place */
	uint32_t place, function; /* numbers */
	bool has_line;            /* it has a source file or a line */
};

/* What a row says. */
struct sample_row {
	struct logged_sample sample;
	const struct sample_place *place; /* at first where to look for it */
	uint32_t frame;                   /* the innermost; 0: none */
};

/* False with err set when memory is refused; sample_rows_release() must be called in any case. */
bool sample_rows_init(struct sample_rows *rows, struct table_writer *out,
                      const struct report *report, struct err *err);
void sample_rows_release(struct sample_rows *rows);
/* Prefetches what a row with this function will need. */
static inline void sample_rows_prefetch(const struct sample_rows *rows, uint32_t function)
{
	if (rows->functions[function])
		__builtin_prefetch(rows->functions[function]);
}
/* False with err set when memory is refused. */
bool sample_rows_write(struct sample_rows *rows, const struct sample_row *row, struct err *err);

#endif
