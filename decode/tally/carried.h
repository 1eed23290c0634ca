/*
 * A stream that is counted slice by slice: what goes on from one slice to the next. All else is
 * counted anew in each slice, by a struct buildstat of its own. That nothing piles up in hours
 * depends on this file alone:
 *
 *   goes on                                   bounded by
 *   processes that run, threads, their names  what runs at that moment; CARRY_PROCESSES
 *   their mappings, the kernel's, binaries    what is mapped at that moment
 *   paths of control groups                   CARRIED_CGROUPS
 *   the last values of counters               CARRIED_VALUES
 *   texts                                     what the others refer to
 *
 * In:  the records of the stream other than samples, and samples that read counters.
 * Out: at the start of a slice, a buildstat that knows all this.
 */
#ifndef READPERF_DECODE_TALLY_CARRIED_H
#define READPERF_DECODE_TALLY_CARRIED_H

#include "decode/tally/buildstat.h"

/* Of more than these all are forgotten; those that are still used will be told of again or not. */
#define CARRIED_CGROUPS 20000
#define CARRIED_VALUES 1000000

struct carried {
	struct session *session; /* borrowed */
	struct strings strings;
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
	struct cgroups cgroups;
	struct read_values reads;
};

/* Its parts refer to each other, so it stays where it is. NULL with err set. */
struct carried *carried_new(struct session *session, struct err *err);
void carried_free(struct carried *carried); /* accepts NULL */
/*
 * Applies a record. Samples need not be passed, but those that read counters. False with err set
 * when memory is refused; the same holds for the functions below.
 */
bool carried_record(struct carried *carried, const struct record *record, struct err *err);
/* Replaces it by one without all that no later record can be about. */
bool carried_forget(struct carried **carried, struct err *err);
/*
 * Makes a buildstat, which has seen no record yet, know what goes on. It takes over `reads`, so
 * this can be called once: in the process of the slice.
 */
bool carried_give(struct carried *carried, struct buildstat *stat, struct err *err);

#endif
