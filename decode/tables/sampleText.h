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

#define WHO_TEXTS 256u
#define WHO_MOST 200 /* bytes; rows with longer names are not made here */

struct sample_texts {
	const struct buildstat *stat;    /* borrowed */
	const struct place_names *names; /* borrowed */
	struct place_text **functions;   /* by number; NULL: not made yet */
	struct arena arena;              /* of those */
	struct who_text {
		int32_t pid, tid, cpu;
		uint32_t event, comm;
		uint8_t mode;
		bool has_tid;
		uint8_t length;      /* 0: the slot is free */
		char text[WHO_MOST]; /* ",EVENT,PID,TID,COMM,CPU,MODE" */
	} who[WHO_TEXTS];
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
