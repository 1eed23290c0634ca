/*
 * The rows of lines.csv and addresses.csv: projections of the cells by line, or by address.
 *
 * In:  cells, and the names of their places.
 * Out: rows in the order of the tables. Texts are numbers of the recording's strings.
 */
#ifndef READPERF_DECODE_NAMING_PLACEROWS_H
#define READPERF_DECODE_NAMING_PLACEROWS_H

#include "decode/naming/placenames.h"
#include "decode/naming/rows.h"
#include "decode/tally/buildstat.h"
#include "util/hash.h"

struct place_row {
	uint64_t period, samples;
	uint64_t addr; /* link-time virtual address; 0 if the row is a line */
	uint32_t event, binary, function, file, line; /* event: of the session; others: strings */
	uint32_t build; /* the first binary of that name, which gives the row its build id */
};

struct place_rows {
	struct place_row *items;
	size_t count, capacity;
	struct hash_index index; /* while rows are added */
	uint64_t seed;
};

/*
 * by_address: one row per address instead of per line. False with err set when memory is refused.
 */
bool place_rows_make(struct place_rows *rows, const struct buildstat *stat,
                     const struct place_names *names, bool by_address, struct err *err);
/* All zeros is empty. */
void place_rows_release(struct place_rows *rows);

#endif
