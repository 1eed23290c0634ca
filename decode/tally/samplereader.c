#include "decode/tally/samplereader.h"

bool sample_readers_begin(struct buildstat *stat, struct err *err)
{
	return (!sample_log_is_open(&stat->log) || spool_rewind(&stat->log.rows, err)) &&
	       (!stat->stacks || !stat->stacks->log.open || spool_rewind(&stat->stacks->log, err));
}

bool sample_reader_open(struct sample_reader *reader, const struct buildstat *stat, struct err *err)
{
	const struct stackstat *stacks = stat->stacks;

	/* not its spool, which another thread may read at the same time */
	*reader = (struct sample_reader){ .stat = stat,
		                          .log = { .world = stat->log.world,
		                                   .rows = { .fd = -1 },
		                                   .tasks = stat->log.tasks,
		                                   .count = stat->log.count,
		                                   .untimed = stat->log.untimed } };
	reader->unstacked = stat->log.count;
	if (!spool_reader(&reader->log.rows, &stat->log.rows, err))
		return false;
	if (!stacks || !stacks->log.open)
		return true;
	reader->unstacked -= spool_size(&stacks->log) / sizeof(uint32_t);
	return spool_reader(&reader->cells, &stacks->log, err);
}

void sample_reader_close(struct sample_reader *reader)
{
	spool_close(&reader->log.rows);
	spool_close(&reader->cells);
}

bool sample_reader_next(struct sample_reader *reader, struct logged_sample *sample, uint32_t *cell,
                        struct err *err)
{
	const uint32_t *taken;

	*cell = MAP_NONE;
	if (!sample_log_next(&reader->log, sample, err))
		return false;
	if (reader->number++ < reader->unstacked)
		return true;
	taken = spool_take(&reader->cells, sizeof(*taken), err);
	if (taken)
		*cell = *taken;
	return taken != NULL;
}
