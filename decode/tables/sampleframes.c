#include "decode/tables/sampleframes.h"

#include <stdlib.h>

bool sample_frames_init(struct sample_frames *frames, const struct report *report, uint64_t count,
                        struct err *err)
{
	const struct buildstat *stat = report->stat;
	const struct call_tree *calls = report->calls;

	*frames = (struct sample_frames){ .report = report };
	/* numbers of frames exist only if calltree.csv is written, too */
	if (!stat->stacks || !stat->stacks->log.open || !calls->node_of_cell)
		return true;
	frames->unstacked = count - spool_size(&stat->stacks->log) / sizeof(uint32_t);
	frames->frames = call_tree_frames(calls, stat->strings, NULL, NULL, err);
	return frames->frames != NULL;
}

void sample_frames_release(struct sample_frames *frames)
{
	free(frames->frames);
}

bool sample_frames_rewind(struct sample_frames *frames, struct err *err)
{
	frames->number = 0;
	return !frames->frames || spool_rewind(&frames->report->stat->stacks->log, err);
}

bool sample_frames_next(struct sample_frames *frames, uint32_t *frame, struct err *err)
{
	const uint32_t *cell;
	uint32_t node;

	*frame = 0;
	if (frames->number++ < frames->unstacked || !frames->frames)
		return true;
	cell = spool_take(&frames->report->stat->stacks->log, sizeof(*cell), err);
	if (!cell)
		return false;
	node = *cell == MAP_NONE ? CALL_NODE_NONE : frames->report->calls->node_of_cell[*cell];
	if (node != CALL_NODE_NONE)
		*frame = frames->frames[node];
	return true;
}
