/* How perffile_read() reads. */
#ifndef READPERF_PERFFILE_READOPTIONS_H
#define READPERF_PERFFILE_READOPTIONS_H

#include "util/types.h"

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

#endif
