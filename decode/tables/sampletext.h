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

/* ",FUNCTION,BINARY" */
struct function_text {
	uint32_t length; /* 0: it is too long to be kept */
	char text[];
};

/* ",EVENT,PID,TID,COMM,CPU,MODE" */
struct task_text {
	uint32_t task;   /* number in the log + 1; 0: none */
	uint32_t length; /* 0: it is too long to be kept */
	char text[248];
};

/* Of so many tasks the text is kept; few take turns at any time. */
#define TASK_TEXTS 2048

struct sample_texts {
	const struct buildstat *stat;     /* borrowed */
	const struct place_names *names;  /* borrowed */
	struct function_text **functions; /* by number; NULL: not made yet */
	struct task_text *tasks;          /* by number in the log % TASK_TEXTS */
	struct arena arena;               /* of the texts of functions */
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
