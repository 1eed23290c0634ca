/*
 * Records that the tool made in, what they say about the recording into the session. Format
 * reference, section 5.
 */
#ifndef READPERF_PERFFILE_SESSION_TOOLRECORD_H
#define READPERF_PERFFILE_SESSION_TOOLRECORD_H

#include "perffile/session/session.h"

/*
 * Takes in a record that the tool made (type 64 and up): attrs, ids, names, features, build ids.
 * What it does not know is ignored. record: the whole record; offset: of it in the file.
 * A damaged record is a warning and changes nothing. False with err set when memory is refused.
 */
bool session_record(struct session *session, const uint8_t *record, size_t size, uint64_t offset,
                    struct err *err);

/*
 * Whether a HEADER_TRACING_DATA record of size bytes, at least its header, has its data inside.
 * perf's lies behind the record.
 */
bool session_holds_tracing(const struct session *session, const uint8_t *record, size_t size);

#endif
