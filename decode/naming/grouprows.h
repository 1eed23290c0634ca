/*
 * The rows of the tables of --by, of lines.csv and addresses.csv: projections of the cells by any
 * keys.
 *
 * In:  cells, their groups, and the names of their places.
 * Out: rows in the order of the table: by event, then period (largest first), then the keys.
 *
 * There may be many millions of rows, of some 100,000 groups and as many places. So a row is a
 * number for what its keys say of the sample, one for what they say of the place, and a sum; and
 * rows that memory should not hold are in a temporary file.
 */
#ifndef READPERF_DECODE_NAMING_GROUPROWS_H
#define READPERF_DECODE_NAMING_GROUPROWS_H

#include "decode/naming/projection.h"

/*
 * Keys of a table that follow each other and are all of the sample, or all of the place. By these
 * keys alone, what rows say is ordered by rank.
 */
struct row_segment {
	bool of_place;
	uint32_t *ranks; /* by number in row_words */
};

/* All zeros is empty. */
struct group_rows {
	struct projection projection; /* without the sums */
	/* in the order of keys, if keys of samples and places alternate; otherwise there are none
	 */
	struct row_segment segments[KEY_COUNT];
	unsigned segment_count;
	struct sorter sorter;
};

/*
 * Makes the rows. The table must live as long as they do. False with err set; group_rows_release()
 * must be called in any case.
 */
bool group_rows_make(struct group_rows *rows, const struct group_table *table,
                     const struct group_source *source, struct err *err);
void group_rows_release(struct group_rows *rows);
/* Whether rows count branches, and not samples. */
static inline bool group_rows_are_branches(const struct group_rows *rows)
{
	return rows->projection.whole != NULL;
}

/* The period of the event's samples, or the number of its branches, of which rows are a share. */
uint64_t group_rows_whole(const struct group_rows *rows, const struct buildstat *stat,
                          uint32_t event);

struct group_row {
	uint64_t words[KEY_COUNT + 1]; /* of each key of the table, then the event */
	uint64_t period, samples;
	uint32_t binary; /* number: of the first place of the row, if it has any */
};

/* Reads rows in their order. */
struct group_cursor {
	const struct group_rows *rows; /* borrowed */
	struct sorter_cursor items;
	struct group_row row;
};

/* Any number of cursors may read. False with err set; group_cursor_close() in any case. */
bool group_cursor_open(struct group_cursor *cursor, const struct group_rows *rows, struct err *err);
void group_cursor_close(struct group_cursor *cursor);
/* The next row, which is valid until the next call; NULL: there is none, or err is set. */
const struct group_row *group_cursor_next(struct group_cursor *cursor, struct err *err);

/* The event of a row. */
static inline uint32_t group_row_event(const struct group_rows *rows, const struct group_row *row)
{
	return (uint32_t)row->words[rows->projection.table->key_count];
}

#endif
