/* For unit tests: a hand-made recording, read by the real reader into a struct buildstat. */
#ifndef READPERF_TESTS_REPLAY_H
#define READPERF_TESTS_REPLAY_H

#include "decode/tally/buildstat.h"
#include "tests/unit/recording.h"

struct replay {
	struct image image;
	struct opened opened;
	struct strings strings;
	struct buildstat stat;
	const struct choice_options *choice; /* NULL: all samples count */
	const struct file_options *files;    /* NULL: jitdump files are not read */
	const struct stack_options *stacks;  /* NULL: stacks are not counted */
};

static inline void replay_begin(struct replay *replay, const struct test_attr *attrs, size_t count)
{
	memset(replay, 0, sizeof(*replay));
	image_init(&replay->image, false);
	file_begin(&replay->image, attrs, count, 104);
}

static inline bool replay_run(struct replay *replay)
{
	struct opened *opened = &replay->opened;
	struct record_handler handler;

	file_end(&replay->image);
	if (!opened_file(opened, &replay->image) || !strings_init(&replay->strings, &opened->err) ||
	    !buildstat_init(&replay->stat, &opened->session, &replay->strings, &opened->err) ||
	    (replay->choice && !buildstat_choose(&replay->stat, replay->choice, &opened->err)))
		return false;
	replay->stat.code.files = replay->files;
	replay->stat.stack_options = replay->stacks;
	handler = buildstat_handler(&replay->stat);
	opened->read = true;
	return perffile_read(&opened->session, &handler, 1, NULL, &opened->summary, &opened->err) &&
	       buildstat_finish(&replay->stat, &opened->err);
}

/* The same, and then the cells settled, as replay_samples() wants it. */
static inline bool replay_counted(struct replay *replay)
{
	return replay_run(replay) &&
	       settle_places(&replay->stat.cells,
	                     replay->stat.sums.wanted ? &replay->stat.sums : NULL, NULL, &replay->stat.places,
	                     &replay->opened.err);
}

static inline void replay_end(struct replay *replay)
{
	buildstat_release(&replay->stat);
	strings_release(&replay->strings);
	opened_close(&replay->opened);
	image_release(&replay->image);
}

/* The n-th process with this pid, in order of appearance, or NULL. */
static inline const struct process *replay_process(const struct replay *replay, int32_t pid, size_t n)
{
	for (size_t i = 0; i < replay->stat.processes.count; i++)
		if (replay->stat.processes.items[i].pid == pid && n-- == 0)
			return &replay->stat.processes.items[i];
	return NULL;
}

/* Samples and period of an event in a binary of this name at this address of its own. */
static inline uint64_t replay_samples(const struct replay *replay, uint32_t event, const char *name,
                                      uint64_t addr, uint64_t *period)
{
	const struct cells *cells = &replay->stat.cells;
	uint64_t samples = 0;

	*period = 0;
	for (size_t i = 0; i < cells->count; i++) {
		const struct cell *cell = &cells->items[i];
		const struct cell_kind *kind = cells_kind_at(cells, cell->kind);

		if (replay->stat.places.addrs[cell->key] == addr && kind->event == event &&
		    !strcmp(strings_get(&replay->strings,
		                        replay->stat.binaries.items[kind->binary].name), name)) {
			samples += cell->samples;
			*period += cell->period;
		}
	}
	return samples;
}

#endif
