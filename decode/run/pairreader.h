/*
 * Reads the tables of two runs at the same time. Each of both threads has strings of its own; what
 * it has read gets the strings of the caller afterwards, in the order of the runs, so that the
 * result does not depend on threads.
 */
#ifndef READPERF_DECODE_RUN_PAIRREADER_H
#define READPERF_DECODE_RUN_PAIRREADER_H

#include "decode/compare/run.h"

struct pair_reader {
	struct strings *strings; /* borrowed; of the caller */
	struct pair_side {
		struct strings strings;
		struct run_names names;
		uint32_t
			*known; /* the caller's string for each of these plus 1; 0: not known yet */
		size_t known_count, known_capacity;
		struct adopted_names *adopted; /* by number of names */
		size_t adopted_count, adopted_capacity;
	} sides[2];
};

/* False with err set; pair_reader_release() must be called in any case. */
bool pair_reader_init(struct pair_reader *reader, struct strings *strings, struct err *err);
void pair_reader_release(struct pair_reader *reader);
/*
 * Fills empty runs from folders of tables; folders[1] may be NULL. A run that cannot be read has
 * its error set.
 */
void pair_reader_read(struct pair_reader *reader, const char *const folders[2],
                      struct compare_run runs[2], struct err errs[2]);

#endif
