/*
 * Replays the records: processes and what they have mapped, and where each sample fell. A
 * record_handler; format reference, section 8.
 */
#ifndef READPERF_DECODE_TALLY_BUILDSTAT_H
#define READPERF_DECODE_TALLY_BUILDSTAT_H

#include "decode/tally/cgroups.h"
#include "decode/tally/funcstat.h"
#include "decode/machine/mapping.h"
#include "decode/tally/placing.h"
#include "decode/tally/readvalues.h"
#include "decode/tally/samplelog.h"
#include "decode/tally/stackstat.h"
#include "decode/tally/choice.h"
#include "perffile/record/handler.h"

/* What the records say about one event. */
struct event_totals {
	uint64_t samples, period; /* period: of all its samples, selected or not */
	uint64_t selected_samples, selected_period; /* known after buildstat_finish() */
	uint64_t lost; /* samples, of LOST_SAMPLES records; what a filter dropped was not lost */
	uint64_t processes; /* that have selected samples of it; known then, too */
};

/*
 * A sample in the code of a process that writes a jitdump file: which code that was depends on the
 * time.
 */
struct timed_sample {
	uint64_t time, addr, period;
	uint32_t event, group, binary;
	uint32_t dump;   /* string: the path of the file */
	uint32_t number; /* of the timed sample, in the order of the recording */
};

struct buildstat {
	struct session *session; /* borrowed */
	struct strings *strings; /* borrowed */
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
	struct cells cells;
	struct places places;       /* of the cells, after cells_settle() */
	struct timed_sample *timed; /* not in the cells yet: see jit_times_place() */
	size_t timed_count, timed_capacity;
	struct sample_log log; /* every counted sample, if buildstat_keep_samples() was called, */
	struct place *moved;   /* and by number of a timed one: where it is */
	const struct stack_options *stack_options; /* borrowed; NULL: stacks are not counted */
	size_t chains_asked; /* events that are known to have no call chains */
	struct stackstat
		*stacks; /* owned; NULL: no event has call chains, or they are not counted */
	bool no_stacks;  /* there are call chains, but samples wait for the time of the last one */
	bool chosen;     /* buildstat_choose() was called: */
	struct choice choice; /* which samples count, and in which group */
	struct cgroups cgroups;
	struct placing placing;
	uint32_t damaged;            /* binary */
	struct event_totals *totals; /* per event of the session */
	size_t total_count;
	struct event_totals unknown; /* samples whose event is not known */
	struct read_values reads;    /* of samples that read counters */
	bool guessed_period;         /* a frequency had to stand in for a period */
};

/* Stacks are counted too, if stack_options is set before the first record. */
bool buildstat_init(struct buildstat *stat, struct session *session, struct strings *strings,
                    struct err *err);
/*
 * Before the first record: has only some samples counted, or in groups. False with err set when
 * memory is refused.
 */
bool buildstat_choose(struct buildstat *stat, const struct choice_options *options,
                      struct err *err);
/*
 * Before the first record: has every sample kept, for samples.csv, in a temporary file in this
 * folder. False with err set.
 */
bool buildstat_keep_samples(struct buildstat *stat, const char *dir, struct err *err);
void buildstat_release(struct buildstat *stat);
/* The handler to give to perffile_read(). */
struct record_handler buildstat_handler(struct buildstat *stat);
/* After the last record: build ids that the recording tells apart from its maps. */
bool buildstat_finish(struct buildstat *stat, struct err *err);
/*
 * After cells_settle(): takes out the cells of all other places; keep: by place. Wants KEY_PROCESS.
 * False with err set when memory is refused.
 */
bool buildstat_keep(struct buildstat *stat, const bool *keep, struct err *err);
/* After cells_settle(): the number of the place where the samples of a cell were. */
static inline uint32_t buildstat_place(const struct buildstat *stat, const struct cell *cell)
{
	(void)stat;
	return (uint32_t)cell->key;
}
/* Whether an event was recorded with call chains. */
bool buildstat_has_chains(const struct buildstat *stat);
/* The name of an event as tables print it; EVENT_UNKNOWN and beyond: "[unknown]". */
const char *buildstat_event_name(const struct session *session, uint32_t event);

#endif
