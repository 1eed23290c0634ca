/*
 * Feature sections: what a recording says about its machine and about itself. Format reference,
 * section 6.
 *
 * Only the damaged feature is dropped, with one warning that names it and the place; the recording
 * then counts as damaged. So the functions here return false, with err set, only when memory or the
 * system refuses. What they return is in the session's arena.
 */
#ifndef READPERF_PERFFILE_SESSION_FEATURES_H
#define READPERF_PERFFILE_SESSION_FEATURES_H

#include "perffile/session/session.h"

/* "HOSTNAME" etc., or NULL for a number that is not known. */
const char *feature_name(unsigned number);

/* Warns if the feature is not known. offset: where the file names it. */
void feature_warn_unknown(struct session *session, unsigned number, uint64_t offset);

/*
 * Sets c to the bytes of a feature that is known, which are loaded when first used; failures of
 * reading them will go to *broken, which is emptied first. False if the recording does not have the
 * feature or if it cannot be read.
 */
bool feature_open(struct session *session, unsigned number, struct cursor *c, struct err *broken);
/*
 * Must follow feature_open(), whatever that returned. The first damage of each feature is reported
 * here and nowhere else. False, with err set, if memory or the system refused something.
 */
bool feature_finish(struct session *session, unsigned number, const struct err *broken,
                    struct err *err);

/* A string of the common encoding, in the arena; "" with the cursor's error set. */
const char *feature_str(struct cursor *c, struct arena *arena);
/*
 * A feature that is a single string (HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC, CPUID); NULL if
 * it is missing, damaged or empty. It reports no damage, because other threads call it, too:
 * facts_fill() does.
 */
const char *feature_text(struct session *session, unsigned number);
/*
 * Loads those that handlers ask for, perhaps in the second thread, which may not use the arena:
 * HOSTNAME, OSRELEASE, ARCH.
 */
void features_load_texts(struct session *session);

struct event_desc {
	const char *name;
	bool has_id;
	uint64_t first_id;
};

struct event_group {
	const char *name; /* "" for one without a name */
	uint32_t leader;  /* number of an event of the session */
	uint32_t members; /* including the leader; the others are the events that follow it */
};

/* CLOCK_DATA: two clocks, read at the same moment. */
struct clock_data {
	bool present;
	uint32_t clockid;
	uint64_t wall_time, clock_time; /* ns */
};

/*
 * Decode PMU_MAPPINGS, EVENT_DESC, GROUP_DESC and CLOCK_DATA; the result is empty if the recording
 * does not have the feature, or if it is damaged. pmus: names by type of attr; empty before, for
 * numbered_names_release() in any case.
 */
bool features_pmus(struct session *session, struct numbered_names *pmus, struct err *err);
bool features_event_desc(struct session *session, struct event_desc **descs, size_t *count,
                         struct err *err);
/* Ordered by leader; all members are events of the session. */
bool features_groups(struct session *session, struct event_group **groups, size_t *count,
                     struct err *err);
bool features_clock_data(struct session *session, struct clock_data *clock, struct err *err);
/*
 * NRCPUS: the CPUs of the machine, and those that were online; 0 if they are not there. False with
 * err set.
 */
bool features_cpus(struct session *session, uint32_t *available, uint32_t *online, struct err *err);
/*
 * SAMPLE_TIME: the times (ns) of the first and of the last sample, as the recorder saw them. False
 * if they are not there; it reports no damage, because facts_fill() does.
 */
bool features_sample_times(struct session *session, uint64_t *first, uint64_t *last);

/*
 * Sets the leader of each event, and branch_counters of those that record them, or that are in a
 * group with one that does.
 */
bool features_mark_groups(struct session *session, struct err *err);

#endif
