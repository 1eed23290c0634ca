/*
 * The reader: passes the records of an input, in order, to the callbacks of struct record_handler.
 */
#ifndef READPERF_PERFFILE_PERFFILE_H
#define READPERF_PERFFILE_PERFFILE_H

#include "perffile/record/handler.h"

struct read_options {
	bool threaded; /* handlers may also be called from a second thread, but each from one thread
	                  at a time */
	/*
	 * May be NULL. Called now and then: done of total bytes (total 0: not known), records so
	 * far.
	 */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void *context; /* of report */
	bool sorted;   /* its records are in order of time, so hardly any has to wait,
	                  and FINISHED_ROUND records are not necessary */
	/*
	 * A file may be read once, in the order that its FINISHED_ROUND records tell, if it has
	 * SAMPLE_TIME: its values are what times() of handlers gets, and no traces are passed on.
	 * LOST_SAMPLES records without a time come when they are read. If that order does not hold,
	 * the reading fails with ERR_ORDER, and the caller has to begin anew without this.
	 */
	bool once;
	/*
	 * NULL, or a time in ns that a handler may change: from a pipe, records up to it are passed
	 * on as soon as they are complete, however few wait. The clock may then also be set back,
	 * and handlers may fork processes, which read nothing. Borrowed.
	 */
	const uint64_t *due;
};

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
