/*
 * The reader: passes the records of an input, in order, to the callbacks of struct record_handler.
 */
#ifndef READPERF_PERFFILE_PERFFILE_H
#define READPERF_PERFFILE_PERFFILE_H

#include "perffile/readoptions.h"
#include "perffile/record/handler.h"

/*
 * Reads the whole recording that the session was opened from. For each record the handlers are
 * called in their order; with threads, this holds only among handlers with the same
 * any_sample_order. options may be NULL. summary is filled even on failure; release it with
 * read_summary_release().
 */
bool perffile_read(struct session *session, const struct record_handler *handlers,
                   size_t handler_count, const struct read_options *options,
                   struct read_summary *summary, struct err *err);

#endif
