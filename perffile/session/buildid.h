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
 * Appends the build ids of a BUILD_ID section (format reference, 6.3) to session->build_ids; it may
 * have the layout of perf before Linux 2.6.35. offset: of data in the file. A section that ends too
 * early is a warning, and the build ids before that are kept.
 */
bool features_parse_build_ids(struct session *session, const uint8_t *data, size_t size,
                              uint64_t offset, struct err *err);
/* The same for one HEADER_BUILD_ID record, size bytes with its header. */
bool features_parse_build_id_record(struct session *session, const uint8_t *record, size_t size,
                                    uint64_t offset, struct err *err);

#endif
