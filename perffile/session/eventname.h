/* Names of events. Format reference, section 2.7; names are derived as perf derives them. */
#ifndef READPERF_PERFFILE_SESSION_EVENTNAME_H
#define READPERF_PERFFILE_SESSION_EVENTNAME_H

#include "perffile/session/session.h"

/*
 * The name that an attr stands for: "cycles:u", "L1-dcache-load-misses", "raw 0x1c2",
 * "mem:0x1000:rw", "cpu_core/cycles/:ppp", "intel_pt/config=0x300e601/". pmu: the name of the PMU
 * of the dynamic type or, for hardware events, of the type in the upper half of config; or NULL.
 * NULL with err set when memory is refused. The text is in the arena.
 */
const char *event_name_derive(const struct event_attr *attr, const char *pmu, struct arena *arena,
                              struct err *err);

/*
 * Names each event that has no name yet: from EVENT_DESC or simpleperf's META_INFO; otherwise from
 * tracing data, PMU_MAPPINGS and the attr; otherwise from the old table of event types, if that
 * does not contradict the attr. False with err set when memory or the system refuses.
 */
bool session_names_fill(struct session *session, struct err *err);

/*
 * Bytes of an event's name that are kept. Every row of a sample has this name, so a long one would
 * make the tables many times as large as the recording. A warning says when a name is cut.
 */
#define EVENT_NAME_MOST 1024
size_t event_name_length(const struct session *session, size_t length);

#endif
