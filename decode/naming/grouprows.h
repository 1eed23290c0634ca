/*
 * The rows of the tables of --by, of lines.csv and addresses.csv: projections of the cells by any
 * keys.
 *
 * In:  cells, their groups, and the names of their places.
 * Out: rows in the order of the table: by event, then period (largest first), then the keys.
 */
#ifndef READPERF_DECODE_NAMING_GROUPROWS_H
#define READPERF_DECODE_NAMING_GROUPROWS_H

#include "decode/naming/calltree.h"
#include "decode/naming/placenames.h"
#include "decode/naming/rows.h"
#include "decode/tally/buildstat.h"
#include "util/table.h"
#include "util/tuples.h"

#define GROUP_NAME_SIZE 64 /* bytes of a table's name, with the NUL */

/* One table of --by. */
struct group_table {
	char name[GROUP_NAME_SIZE]; /* name of its file, without .csv */
	enum group_key keys[KEY_COUNT];
	const char *names[KEY_COUNT]; /* of the keys in --by and the header; borrowed */
	unsigned key_count;
	bool by_samples; /* rows of the same period are in the order of their samples */
};

/*
 * The tables lines and addresses. Keys: the binary, with addresses the address, and then the source
 * file, the line and the function.
 */
extern const struct group_table line_table, address_table;

/* What rows are made of. */
struct group_source {
	const struct buildstat *stat;
	const struct place_names *names; /* not used by a table whose keys are all of the sample */
	const struct call_tree *calls;   /* of the same names; NULL: callers are unknown */
};

struct group_rows {
	struct tuples words; /* of each row: a word for each key of the table, then the event */
	struct group_sum {
		uint64_t period, samples;
		uint32_t binary; /* number: of the first place of the row, if it has any */
	} * sums;
	struct group_row {
		const uint64_t *words;
		const struct group_sum *sum;
	} * order; /* the rows in the order of the table */
	size_t sum_count, sum_capacity;
};

/* Its column in tables of --by; the name, which is the key's in --by, is NULL for internal use. */
const struct column *group_key_column(enum group_key key);
/* KEY_COUNT if there is no key with that name. */
enum group_key group_key_find(const char *name, size_t length);
/* Whether its words are strings. */
bool group_key_is_text(enum group_key key);
/* Whether a word stands for an empty cell. */
bool group_word_is_empty(enum group_key key, uint64_t word);

/* The keys of a table, one bit each. */
unsigned group_table_keys(const struct group_table *table);

/*
 * All zeros is empty. False with err set when memory is refused; group_rows_release() must be
 * called in any case.
 */
bool group_rows_make(struct group_rows *rows, const struct group_table *table,
                     const struct group_source *source, struct err *err);
void group_rows_release(struct group_rows *rows);

#endif
