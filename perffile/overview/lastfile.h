/*
 * Whether a directory of perf record --threads lacks its last files. The recorder numbers the files
 * of its threads from 0, but says nowhere how many there are. Without other options, each CPU has a
 * thread. Recorders that do not store their options (perf 7.2 stores its name alone) leave unknown
 * how many threads there were: then only a directory without any of their files lacks one.
 *
 * In:  the features and ids of a directory.
 * Out: a warning that names the files, and the recording counts as broken.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_LASTFILE_H
#define READPERF_PERFFILE_OVERVIEW_LASTFILE_H

#include "perffile/record/summary.h"
#include "perffile/session/session.h"

/* After the last record. False with err set when memory or the system refuses. */
bool last_file_check(struct session *session, struct read_summary *summary, struct diag *diag,
                     struct err *err);

#endif
