/*
 * What the file header and the records of the tool put into a session in the same way. For
 * header.c and session.c only.
 */
#ifndef READPERF_PERFFILE_SESSION_SESSIONWORK_H
#define READPERF_PERFFILE_SESSION_SESSIONWORK_H

#include "perffile/session/session.h"

/* A new event from its attr; ids follow. NULL with err set when memory is refused. */
struct event *session_add_event(struct session *session, struct cursor attr, struct err *err);
/* The ids of the newest event. c holds nothing else. False with err set when memory is refused. */
bool session_add_ids(struct session *session, struct cursor c, struct err *err);
/* c holds one entry: u64 config, text. False with err set when memory is refused. */
bool session_add_event_type(struct session *session, struct cursor c, struct err *err);
/* Says so if the feature is not known. offset: where the file names it. */
void session_warn_feature(struct session *session, unsigned number, uint64_t offset);

#endif
