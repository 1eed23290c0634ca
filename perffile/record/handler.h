/* A handler of records: callbacks that the reader calls with decoded records, in time order. */
#ifndef READPERF_PERFFILE_RECORD_HANDLER_H
#define READPERF_PERFFILE_RECORD_HANDLER_H

#include "perffile/record/decode.h"
#include "perffile/record/summary.h"

/*
 * Kernel records of a file are delivered in time order; those without a time come first, in file
 * order. In a pipe a record that arrives after younger ones were delivered, or has no time, is
 * delivered when it arrives. Each callback may be NULL; false with err set ends the reading.
 */
struct record_handler {
	void *context;
	/*
	 * SAMPLE records that lie between the same two other records may be delivered in any order.
	 * This saves the sorting of nearly all records.
	 */
	bool any_sample_order;
	/*
	 * The handler is content with any order of all records. Where each handler that has
	 * record() is, a file is read once, not twice.
	 */
	bool any_order;
	/* A kernel record. It and what it points to live until the callback returns. */
	bool (*record)(void *context, const struct record *record, struct err *err);
	/*
	 * SAMPLE records whose fields are all there, up to SAMPLES_MOST at a time. NULL: they come
	 * to record(). So do, in any case, samples that are damaged, have no time or no known
	 * event, hold values of counters or what happened off the CPU, and all samples where two
	 * events have their times at different places.
	 *
	 * struct sample holds the fixed fields. A handler that wants more of one (its call chain,
	 * branches, registers, copy of the stack, raw data) calls sample_record(), which makes of
	 * it the same struct record that record() would have been given. No other handler pays for
	 * that.
	 */
	bool (*samples)(void *context, const struct sample *samples, size_t count, struct err *err);
	/*
	 * A record of the tool (type 64 and up), but for FINISHED_ROUND, in file order; of a file,
	 * before all records with a time. For one that is damaged the callback sets damage, which
	 * becomes a warning, and returns true.
	 */
	bool (*tool)(void *context, const struct raw_record *record, struct err *damage,
	             struct err *err);
};

#define SAMPLES_MOST 256

#endif
