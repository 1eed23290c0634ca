/*
 * The reader: input to session to tree to the callbacks of struct record_handler.
 */
#ifndef READPERF_PERFFILE_PERFFILE_H
#define READPERF_PERFFILE_PERFFILE_H

#include "perffile/record/handler.h"

struct read_options {
	bool threaded; /* handlers may be called from a second thread too; each by one at a time */
	/* May be NULL: told now and then. done of total bytes (total 0: not known), records so far
	 */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void *context; /* of report */
};

/*
 * Reads the whole recording. session is open; handlers are called in their order for each record,
 * but with threads only among those with the same any_sample_order. options may be NULL. summary is
 * filled in any case; read_summary_release() it.
 */
bool perffile_read(struct input *input, struct session *session,
                   const struct record_handler *handlers, size_t handler_count,
                   const struct read_options *options, struct diag *diag,
                   struct read_summary *summary, struct err *err);

#endif
