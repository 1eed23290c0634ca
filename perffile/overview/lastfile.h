/*
 * Whether a directory of perf record --threads lacks its last files. The recorder numbers the files
 * of its threads from 0, but says nowhere how many there are. Without other options, each CPU has a
 * thread.
 *
 * In:  the features and ids of a directory; where its command line is not recorded, the CPUs of the
 * records.
 * Out: a warning that names the files, and the recording counts as broken.
 */
#ifndef READPERF_PERFFILE_OVERVIEW_LASTFILE_H
#define READPERF_PERFFILE_OVERVIEW_LASTFILE_H

#include "perffile/record/handler.h"

#define LAST_FILE_CPUS 4096 /* records of further CPUs are not told apart */

struct last_file {
	size_t found;                     /* files of threads */
	size_t expected;                  /* the same, or more if there should be more */
	bool needs_cpus;                  /* the handler is necessary to be sure */
	uint8_t recorded[LAST_FILE_CPUS]; /* by CPU: it has a record */
};

/* After the input was opened. False with err set when memory or the system refuses. */
bool last_file_init(struct last_file *last, struct session *session, struct err *err);
/* last must outlive the handler. */
struct record_handler last_file_handler(struct last_file *last);
/* After the last record. */
void last_file_check(const struct last_file *last, struct read_summary *summary, struct diag *diag);

#endif
