/*
 * Reads the samples that were kept, in order of time, each with the cell of its stack. Several
 * readers may read at the same time, each in a thread of its own.
 *
 * In:  the log of samples and that of cells (struct buildstat), after the last record.
 * Out: one sample after the other.
 */
#ifndef READPERF_DECODE_TALLY_SAMPLEREADER_H
#define READPERF_DECODE_TALLY_SAMPLEREADER_H

#include "decode/tally/buildstat.h"

struct sample_reader {
	const struct buildstat *stat; /* borrowed */
	struct sample_log log;        /* borrows its tasks */
	struct spool cells;
	uint64_t unstacked; /* number of samples before the first one with a cell */
	uint64_t number;    /* of the next sample */
};

/* After the last record, and before the first reader. False with err set. */
bool sample_readers_begin(struct buildstat *stat, struct err *err);

/* False with err set; sample_reader_close() must be called in any case. */
bool sample_reader_open(struct sample_reader *reader, const struct buildstat *stat,
                        struct err *err);
void sample_reader_close(struct sample_reader *reader);

static inline bool sample_reader_has_next(const struct sample_reader *reader)
{
	return reader->number < reader->log.count;
}

/*
 * The next sample, and the number of its cell in stat->stacks->cells; MAP_NONE: it has none.
 * sample->task is valid as long as the sample. False with err set.
 */
bool sample_reader_next(struct sample_reader *reader, struct logged_sample *sample, uint32_t *cell,
                        struct err *err);

#endif
