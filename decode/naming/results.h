/*
 * The rows of results.csv, lines.csv and addresses.csv, collected one sampled address at a time. Texts
 * are numbers of strings that whoever adds them has.
 */
#ifndef READPERF_DECODE_NAMING_RESULTS_H
#define READPERF_DECODE_NAMING_RESULTS_H

#include "decode/symbols/symbols.h"

/* A row of results.csv. */
struct result_row {
	uint64_t period, samples;
	uint32_t event, binary, function, file; /* event: of the session; others: strings */
	uint8_t origin;                         /* enum symbol_origin */
};

/* A row of lines.csv or addresses.csv. */
struct place_row {
	uint64_t period, samples;
	uint64_t addr; /* link-time virtual address; 0 in a row of a line */
	uint32_t event, binary, function, file, line;
};

/* What has no name, for one reason. */
struct unnamed {
	uint64_t samples, period; /* periods of several events do not add up: see results */
	uint32_t worst;           /* string: the binary with most of them */
	uint64_t worst_samples;
};

/* Finds rows by what they are about. */
struct row_index {
	uint32_t *slots; /* row + 1; 0: free */
	size_t capacity; /* a power of two, or 0 */
	uint64_t seed;
};

struct place_rows {
	struct place_row *items;
	size_t count, capacity;
	struct row_index index; /* while rows are added */
};

struct results {
	struct result_row *rows; /* after results_sort(): by event, the most expensive first */
	size_t row_count, row_capacity;
	struct place_rows lines, addresses; /* in the same order */
	struct unnamed unnamed[ORIGIN_COUNT];
	uint64_t samples, period;   /* in all */
	size_t binaries;            /* that were looked at */
	size_t functions, distinct; /* symbols asked for, addresses */
	struct row_index index;     /* of rows, while they are added */
	size_t last_row; /* added to last: the addresses of a function come one after the other */
};

void results_init(struct results *results);
void results_release(struct results *results);
/* Adds to the row of the same event, binary, function and file. False with err set when memory is refused. */
bool results_add(struct results *results, const struct result_row *added, struct err *err);
/* The same of a line, or address, in a function: code may come to an address more than once. */
bool results_add_place(struct place_rows *places, const struct place_row *added, struct err *err);
/* Puts all rows in the order of the tables; no more can be added. strings: what the rows' numbers are of. */
bool results_sort(struct results *results, const struct strings *strings, struct err *err);

#endif
