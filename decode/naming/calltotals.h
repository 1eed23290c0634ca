/*
 * How many samples have a function anywhere in their stack: the total columns of results.csv. And
 * how stacks ended: chains.csv.
 *
 * In:  the cells of stacks (struct stackstat), and the names of places.
 * Out: the totals of each function, and of each way to end.
 *
 * This needs the tree of stacks, but not that of functions (calltree.h), which only tables of
 * stacks need.
 */
#ifndef READPERF_DECODE_NAMING_CALLTOTALS_H
#define READPERF_DECODE_NAMING_CALLTOTALS_H

#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"

struct call_count {
	uint64_t samples, period;
};

static inline void call_count_add(struct call_count *to, const struct call_count *more)
{
	to->samples += more->samples;
	to->period += more->period;
}

/* The index of an event, which may be EVENT_UNKNOWN: that one comes after all others. */
static inline size_t call_event_of(const struct session *session, uint32_t event)
{
	return event < session->event_count ? event : session->event_count;
}

struct call_totals {
	bool chains;        /* an event has call chains */
	size_t event_count; /* events of the session, plus one for samples of an unknown event */
	/*
	 * Of function f and event e, at [f * event_count + e]; each sample counts once, even if the
	 * function calls itself. Functions that are alike have their sum at the first of them.
	 * NULL: stacks were not counted.
	 */
	struct call_count *functions;
	struct call_count *ends; /* of event e and enum stack_end, at [e * STACK_ENDS + end] */
};

/* How stacks ended, in the words of chains.csv. */
extern const char *const chain_end_words[STACK_ENDS];

/* All zeros: stacks were not counted; this frees everything. */
void call_totals_release(struct call_totals *totals);
/* False with err set when memory is refused. */
bool call_totals_make(struct call_totals *totals, const struct buildstat *stat,
                      const struct place_names *names, struct err *err);

#endif
