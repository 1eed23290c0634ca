/*
 * Writes rows of samples.csv, of which there may be millions. Parts that many samples share (event,
 * process, thread and CPU; function and binary) are kept as text and copied, which halves the time
 * for printing them.
 */
#ifndef READPERF_DECODE_TABLES_SAMPLETEXT_H
#define READPERF_DECODE_TABLES_SAMPLETEXT_H

#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"
#include "util/arena.h"
#include "util/csv.h"

/* A piece of a row. */
struct sample_text {
	uint32_t length; /* 0: it is too long to be kept */
	char text[];
};

struct sample_texts {
	const struct buildstat *stat;    /* borrowed */
	const struct place_names *names; /* borrowed */
	struct sample_text **functions;  /* by number: ",FUNCTION,BINARY"; NULL: not made yet */
	/* by number in the log: ",EVENT,PID,TID,COMM,CPU,MODE"; NULL: not made yet */
	struct sample_text **tasks;
	struct arena arena; /* of those */
};

/* The contents of a row. */
struct sample_text_row {
	const struct logged_sample *sample;
	uint32_t function; /* number */
	uint32_t frame;    /* 0: none */
};

bool sample_texts_init(struct sample_texts *texts, const struct buildstat *stat,
                       const struct place_names *names, struct err *err);
void sample_texts_release(struct sample_texts *texts);
/* Has memory bring what a row with this function will need. */
static inline void sample_texts_prefetch(const struct sample_texts *texts, uint32_t function)
{
	if (texts->functions[function])
		__builtin_prefetch(texts->functions[function]);
}
/*
 * Writes the row of a sample without struct logged_more and without a line. False: it has to be
 * written cell by cell or, with err set, memory was refused.
 */
bool sample_texts_row(struct sample_texts *texts, struct csv *csv,
                      const struct sample_text_row *row, struct err *err);

#endif
