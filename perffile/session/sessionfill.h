/*
 * Fills a session from the header of a file or from the records of the tool. In: attrs, ids and
 * names. Out: events.
 */
#ifndef READPERF_PERFFILE_SESSION_SESSIONFILL_H
#define READPERF_PERFFILE_SESSION_SESSIONFILL_H

#include "perffile/session/session.h"

/* These return NULL or false, with the cursor's error set, when memory is refused. */

/* Adds an event for an attr; its ids follow. */
struct event *session_add_event(struct session *session, struct cursor attr);
/* Adds the ids of the newest event; c has only these. */
bool session_add_ids(struct session *session, struct cursor c);
/* c holds one entry: u64 config, text. */
bool session_add_event_type(struct session *session, struct cursor c);
/* Warns if the feature is not known. offset: where the file names it. */
void session_warn_feature(struct session *session, unsigned number, uint64_t offset);

/* Makes the next event known to the record stream, and updates the shortcuts for all of them. */
void session_activate(struct session *session);
/* Before the second reading of the records: only the events of the header are active again. */
void session_rewind(struct session *session);
/* In the second reading: a HEADER_ATTR record of size bytes was passed. */
void session_next_attr(struct session *session, size_t size);

#endif
