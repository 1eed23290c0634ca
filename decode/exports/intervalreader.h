/*
 * Reads the intervals that are samples of their events, in the order of their begins, as
 * samplereader.h reads those that were recorded: each with its node in the tree of functions.
 * Several readers may read at the same time, each in a thread of its own.
 */
#ifndef READPERF_DECODE_EXPORTS_INTERVALREADER_H
#define READPERF_DECODE_EXPORTS_INTERVALREADER_H

#include "decode/tables/tables.h"
#include "decode/tally/intervalstat.h"

/* All zeros is a closed one, without rows. */
struct interval_reader {
	const struct report *report; /* borrowed */
	struct interval_rows rows;
	/* the current one */
	const struct interval_row *row; /* NULL: there are no more */
	uint32_t what;                  /* string */
	uint32_t cell;                  /* of its stack */
	uint32_t node;                  /* of its innermost function */
};

/* How many there are at most. */
uint64_t interval_reader_count(const struct report *report);
/*
 * Goes to the first one, and to the next one. False with err set; interval_reader_close() in any
 * case.
 */
bool interval_reader_open(struct interval_reader *reader, const struct report *report,
                          struct err *err);
bool interval_reader_next(struct interval_reader *reader, struct err *err);
void interval_reader_close(struct interval_reader *reader);
/* Whether --function selects the current one. */
static inline bool interval_reader_is_selected(const struct interval_reader *reader)
{
	return reader->report->stat->stacks->cells.items[reader->cell].samples != 0;
}

#endif
