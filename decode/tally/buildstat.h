/*
 * Replays the records: keeps track of processes and their mappings, and counts the samples. A
 * record_handler; format reference, section 8.
 */
#ifndef READPERF_DECODE_TALLY_BUILDSTAT_H
#define READPERF_DECODE_TALLY_BUILDSTAT_H

#include "decode/tally/alike.h"
#include "decode/tally/branchstat.h"
#include "decode/tally/cgroups.h"
#include "decode/tally/funcstat.h"
#include "decode/machine/mapping.h"
#include "decode/tally/memorystat.h"
#include "decode/tally/parallel.h"
#include "decode/tally/placing.h"
#include "decode/tally/pointedcode.h"
#include "decode/tally/readvalues.h"
#include "decode/tally/runtimecode.h"
#include "decode/tally/samplelog.h"
#include "decode/tally/stackstat.h"
#include "decode/tally/choice.h"
#include "decode/tally/tracelog.h"
#include "perffile/record/handler.h"

/* What the records say about one event. */
struct event_totals {
	uint64_t samples, period; /* period: sum over all its samples, selected or not */
	uint64_t selected_samples, selected_period; /* set by buildstat_finish() */
	/* lost samples, from LOST_SAMPLES records; not those that a filter dropped */
	uint64_t lost;
	uint64_t processes; /* number of processes with selected samples of it; set by
	                       buildstat_finish() */
	/* these periods are modulo 2^64, as in damaged recordings */
	bool wrapped, selected_wrapped;
};

/* Whether its selected samples are all that it has, as they are without a selection. */
static inline bool event_all_selected(const struct event_totals *total)
{
	return total->selected_samples == total->samples && total->selected_period == total->period;
}

struct buildstat {
	struct session *session; /* borrowed */
	struct strings *strings; /* borrowed */
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
	struct cells cells;     /* with groups; without, after buildstat_finish() */
	struct group_sums sums; /* what they had of each group, if they have any */
	struct sums process_sums;
	struct run_time_code code;
	struct places places;  /* of the cells; set by settle_places() */
	bool counts_branches;  /* set it before the first record */
	bool counts_nothing;   /* the same: no table has counted samples, nor places of them */
	bool counts_no_places; /* the same: no table has places of samples */
	bool skips_samples;    /* the same: only intervals are counted, not recorded samples */
	bool groups_branches;  /* they are counted in the groups of their samples; the same */
	struct branchstat branches;
	bool counts_memory; /* the same */
	struct memorystat memory;
	struct sample_log log; /* all counted samples, if buildstat_keep_samples() was called */
	struct pointed_code pointed; /* what fields of tracepoints point to */
	struct trace_log trace; /* those of tracepoints, if buildstat_keep_trace() was called */
	const struct stack_options *stack_options; /* borrowed; NULL: stacks are not counted */
	/* owned; NULL: no event has call chains, or stacks are not counted */
	struct stackstat *stacks;
	size_t chains_asked; /* number of events that were asked whether they have call chains */
	struct sample *weighted;     /* owned: samples with another period; NULL: no --weight */
	struct alike_samples *alike; /* owned; NULL: nothing is asked of fields, or too much else */
	bool chosen;                 /* buildstat_choose() was called */
	struct choice choice;        /* which samples count, and in which group */
	struct cgroups cgroups;
	struct event_totals *totals; /* by event + 1; first those of no known event, always there */
	size_t total_count, total_room;
	struct read_values reads; /* of samples that read counters */
	struct parallel parallel; /* if the number of threads that run is asked for */
	bool in_order; /* set it before the first record: samples are counted in order of time */
	bool guessed_period; /* an event has only a frequency, so its samples count 1 each */
};

/*
 * If they are set before the first record, stacks are counted too (stack_options), and jitdump
 * files are read (code.files).
 */
bool buildstat_init(struct buildstat *stat, struct session *session, struct strings *strings,
                    struct err *err);
/*
 * Before the first record: counts only some samples, or counts them in groups. False with err set
 * when memory is refused.
 */
bool buildstat_choose(struct buildstat *stat, const struct choice_options *options,
                      struct err *err);
/*
 * Call it before the first record: keeps every sample, for samples.csv, in a temporary file in this
 * folder. False with err set.
 */
bool buildstat_keep_samples(struct buildstat *stat, const char *dir, struct err *err);
/* The same of the raw data of tracepoints, for the tables of -t trace. */
bool buildstat_keep_trace(struct buildstat *stat, const char *dir, struct err *err);
void buildstat_release(struct buildstat *stat);
/* The handler to be passed to perffile_read(); what it does with a record is in counting.c. */
struct record_handler buildstat_handler(struct buildstat *stat);
/* After the last record: adds the build ids that are not in mappings. */
bool buildstat_finish(struct buildstat *stat, struct err *err);
/*
 * After settle_places(): removes the cells of all places that are not to be kept; keep: by place.
 * Requires KEY_PROCESS. False with err set when memory is refused.
 */
bool buildstat_keep(struct buildstat *stat, const bool *keep, struct err *err);
/* Whether functions are selected, which is done when places have names. */
static inline bool buildstat_selects_functions(const struct buildstat *stat)
{
	return stat->chosen && stat->choice.selection.request->fields[SELECT_FUNCTION].count;
}
/* Whether a function with this name (a string) is, or all are. False also with err set. */
static inline bool buildstat_function_passes(struct buildstat *stat, uint32_t name, struct err *err)
{
	return !buildstat_selects_functions(stat) ||
	       selection_function_passes(&stat->choice.selection, name, err);
}
/* What selects them; NULL: all are selected. */
static inline struct selection *buildstat_functions(struct buildstat *stat)
{
	return buildstat_selects_functions(stat) ? &stat->choice.selection : NULL;
}
/*
 * For what counts samples besides records: the totals of an event, in a pipe attrs may still
 * follow; NULL with err set.
 */
struct event_totals *buildstat_total(struct buildstat *stat, uint32_t event, struct err *err);
/*
 * Whether stacks are counted, which begins when the first event with call chains is known. Also
 * false, with err set, when memory is refused.
 */
bool buildstat_counts_stacks(struct buildstat *stat, struct err *err);
/*
 * Whether samples are counted at their places at once. If stacks are counted, the cells of places
 * are made at the end, from the cells of stacks. If no table has places (counting them takes 12 %
 * of the instructions of -q -t trace), never.
 */
static inline bool buildstat_counts_places(const struct buildstat *stat)
{
	return !stat->counts_no_places && (!stat->stacks || !stat->stacks->makes_cells);
}
/*
 * Counts samples of one process and event in a group, as many as have a sum of periods below 2^64,
 * at their places and in process_sums. Returns how many, 0 with err set.
 */
size_t buildstat_count(struct buildstat *stat, const struct placed_samples *all, uint32_t group,
                       struct err *err);
/*
 * Asks the fields of a sample: sets its keys. False: it is not selected, or err is set. record: of
 * the sample; NULL: it was passed to samples().
 */
bool buildstat_ask_fields(struct buildstat *stat, const struct sample *sample,
                          const struct record *record, struct counted_sample *counted,
                          struct err *err);
/* The period of a sample of an event: the weight that was asked for, if it has that. */
uint64_t buildstat_weigh(struct buildstat *stat, uint32_t event, uint64_t period,
                         const struct raw_data *raw, struct err *err);
/* Whether an event was recorded with call chains. */
bool buildstat_has_chains(const struct buildstat *stat);
/* The name of an event as tables print it; "[unknown]" for EVENT_UNKNOWN and above. */
const char *buildstat_event_name(const struct session *session, uint32_t event);
/* Whether its periods are ns: it is a clock, or made of intervals. */
bool buildstat_event_is_clock(const struct session *session, uint32_t event);

/* The totals of an event of the session; with EVENT_UNKNOWN, of samples of no known event. */
static inline const struct event_totals *buildstat_totals(const struct buildstat *stat,
                                                          size_t event)
{
	return &stat->totals[event < stat->total_count - 1 ? event + 1 : 0];
}

#endif
