/* Names of events. Format reference, section 2.7; the model of derived names is perf's own. */
#ifndef READPERF_PERFFILE_SESSION_EVENTNAME_H
#define READPERF_PERFFILE_SESSION_EVENTNAME_H

#include "perffile/session/session.h"

/*
 * The name that follows from an attr: "cycles:u", "L1-dcache-load-misses", "raw 0x1c2",
 * "mem:0x1000:rw", "cpu_core/cycles/:ppp", "intel_pt/config=0x300e601/". pmu: the name of its PMU,
 * i.e. of the dynamic type or, for hardware events, of the type in the upper half of config; or
 * NULL. NULL with err set when memory is refused. The text is in the arena.
 */
const char *event_name_derive(const struct event_attr *attr, const char *pmu, struct arena *arena,
                              struct err *err);

/*
 * Names each event that is not named: as EVENT_DESC or simpleperf's META_INFO say, else as tracing
 * data, PMU_MAPPINGS and the attr say, else as the old table of event types says where nothing
 * better is known and it does not contradict the attr. False with err set when memory or the
 * system refuses.
 */
bool session_names_fill(struct session *session, struct err *err);

/*
 * Every row of a sample has its event's name: bytes that are kept of one, so that a large name does
 * not make tables many times as large as the recording. Says so where it cuts.
 */
#define EVENT_NAME_MOST 1024
size_t event_name_length(const struct session *session, size_t length);

#endif
