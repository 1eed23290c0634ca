/*
 * Reads build ids from the BUILD_ID feature or from records into the session. Format reference,
 * section 6.3.
 */
#ifndef READPERF_PERFFILE_SESSION_BUILDID_H
#define READPERF_PERFFILE_SESSION_BUILDID_H

#include "perffile/session/session.h"

/* Reads feature BUILD_ID into build_ids; those from records are there already. */
bool session_load_build_ids(struct session *session, struct err *err);

/*
 * Appends the build ids of a BUILD_ID section (format reference, 6.3), or of one HEADER_BUILD_ID
 * record with its header, to session->build_ids. If one of them turns out to have the layout of
 * perf before Linux 2.6.35, all have. If the section ends too early, or memory is refused, the
 * cursor's error is set, and the build ids before that are kept.
 */
void session_add_build_ids(struct session *session, struct cursor c);

#endif
