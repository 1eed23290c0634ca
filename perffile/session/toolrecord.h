/*
 * Reads what the records of the tool say about the recording into the session. Format reference,
 * section 5.
 */
#ifndef READPERF_PERFFILE_SESSION_TOOLRECORD_H
#define READPERF_PERFFILE_SESSION_TOOLRECORD_H

#include "perffile/session/session.h"

/*
 * Handles a record of the tool (type 64 and up): attrs, ids, names, features, build ids. Unknown
 * ones are ignored. record: the whole record; offset: of it in the file. A damaged record is a
 * warning and changes nothing. False with err set when memory is refused.
 */
bool session_record(struct session *session, const uint8_t *record, size_t size, uint64_t offset,
                    struct err *err);

/*
 * Whether a HEADER_TRACING_DATA record has its data inside; perf's data follows the record. size:
 * of the record in bytes, at least that of its header.
 */
bool session_holds_tracing(const struct session *session, const uint8_t *record, size_t size);

#endif
