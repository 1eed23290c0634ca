/*
 * What fills a session, wherever it comes from: the header of a file, or the records of the tool.
 * Attrs, ids and names enter; events that count from now on leave.
 */
#ifndef READPERF_PERFFILE_SESSION_SESSIONFILL_H
#define READPERF_PERFFILE_SESSION_SESSIONFILL_H

#include "perffile/session/session.h"

/* A new event from its attr; ids follow. NULL with err set when memory is refused. */
struct event *session_add_event(struct session *session, struct cursor attr, struct err *err);
/* The ids of the newest event. c holds nothing else. False with err set when memory is refused. */
bool session_add_ids(struct session *session, struct cursor c, struct err *err);
/* c holds one entry: u64 config, text. False with err set when memory is refused. */
bool session_add_event_type(struct session *session, struct cursor c, struct err *err);
/* Says so if the feature is not known. offset: where the file names it. */
void session_warn_feature(struct session *session, unsigned number, uint64_t offset);

/* The next event counts from here on: which shortcuts still hold for all of them. */
void session_activate(struct session *session);
/* Before the records are read a second time: forget again which attrs have been seen. */
void session_rewind(struct session *session);
/* In the second reading: one more HEADER_ATTR record, of size bytes, has passed. */
void session_next_attr(struct session *session, size_t size);

#endif
