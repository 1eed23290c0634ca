/* Who gets the decoded records: a set of callbacks. */
#ifndef READPERF_PERFFILE_RECORD_HANDLER_H
#define READPERF_PERFFILE_RECORD_HANDLER_H

#include "perffile/record/decode.h"
#include "perffile/record/summary.h"

/*
 * Somebody who wants the records. Kernel records of a file come in time order; those without a time come
 * first, in file order. Those of a pipe do as far as they come in time: one that is late, or has no time,
 * comes when it comes. Each callback may be NULL; false with err set ends the reading.
 */
struct record_handler {
	void *context;
	/*
	 * The handler is content with the order of the other records: SAMPLE records that lie between
	 * the same two of these may come in any order. Spares it the sorting of nearly all records.
	 */
	bool any_sample_order;
	/* A kernel record. It and what it points to live until the callback returns. */
	bool (*record)(void *context, const struct record *record, struct err *err);
	/*
	 * SAMPLE records whose fields are all there, up to SAMPLES_MOST at a time. NULL: they come to
	 * record(). So do, in any case, samples that are damaged, have no time or no known event, hold values
	 * of counters or what happened off the CPU, and all samples where two events have their times at
	 * different places.
	 *
	 * struct sample holds the fixed fields. A handler that wants more of one (its call chain, branches,
	 * registers, copy of the stack, raw data) calls sample_record(), which makes of it the same struct
	 * record that record() would have been given. No other handler pays for that.
	 */
	bool (*samples)(void *context, const struct sample *samples, size_t count, struct err *err);
	/*
	 * A record of the tool (type 64 and up), but for FINISHED_ROUND, in file order; of a file, before all
	 * records with a time. One that is damaged sets damage, which is said, and returns true.
	 */
	bool (*tool)(void *context, const struct raw_record *record, struct err *damage,
	             struct err *err);
};

#define SAMPLES_MOST 256

#endif
