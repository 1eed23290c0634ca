/*
 * Feature sections: what a recording says about its machine and itself. Format reference,
 * section 6.
 *
 * A feature whose bytes make no sense is dropped alone, with a warning that names it and the place.
 * So all functions here that return bool fail, with err set, only when memory or the system
 * refuses. What they hand out lives in the session's arena.
 */
#ifndef READPERF_PERFFILE_SESSION_FEATURES_H
#define READPERF_PERFFILE_SESSION_FEATURES_H

#include "perffile/session/featurename.h"
#include "perffile/session/session.h"

/*
 * Sets c over a feature's bytes; a failure of its reads will go to *broken, which is emptied first.
 * False if the recording does not have the feature or if it cannot be read.
 */
bool feature_open(struct session *session, unsigned number, struct cursor *c, struct err *broken);
/*
 * What follows feature_open(), whatever that returned. True if *broken is empty. Else *failed tells
 * a refusal by the system, which is copied to err, from damage, which becomes a warning.
 */
bool feature_finish(struct session *session, const struct err *broken, bool *failed,
                    struct err *err);

/* A string of the common encoding, NUL-terminated; NULL with the cursor's error set. */
const char *feature_str(struct cursor *c, struct arena *arena);
/* The next text of META_INFO, a list of NUL-terminated keys and values: *length bytes. */
const char *feature_item(struct cursor *c, size_t *length);
/* Whether count entries of at least size bytes are there; if not, the cursor's error is set. */
bool feature_fits(struct cursor *c, uint64_t count, size_t size);

struct pmu_name {
	uint32_t type; /* of attrs */
	const char *name;
};

struct event_desc {
	uint32_t type;
	uint64_t config;
	const char *name;
	bool has_id;
	uint64_t first_id;
};

struct event_group {
	const char *name; /* "" for one without a name */
	uint32_t leader;  /* number of an event of the session */
	uint32_t members; /* with the leader; the events that follow it */
};

/* CLOCK_DATA: two clocks, read at the same moment. */
struct clock_data {
	bool present;
	uint32_t clockid;
	uint64_t wall_time, clock_time; /* ns */
};

/* PMU_MAPPINGS, EVENT_DESC, GROUP_DESC, CLOCK_DATA; none where the recording does not have it. */
bool features_pmus(struct session *session, struct pmu_name **pmus, size_t *count, struct err *err);
bool features_event_desc(struct session *session, struct event_desc **descs, size_t *count,
                         struct err *err);
/* In the order of their leaders; their members are events of the session. */
bool features_groups(struct session *session, struct event_group **groups, size_t *count,
                     struct err *err);
bool features_clock_data(struct session *session, struct clock_data *clock, struct err *err);

/* Fills branch_counters of all events: set if the event or one of its group records them. */
bool features_mark_branch_counters(struct session *session, struct err *err);

#endif
