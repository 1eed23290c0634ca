/* A handler of records: callbacks that the reader calls with decoded records, in order of time. */
#ifndef READPERF_PERFFILE_RECORD_HANDLER_H
#define READPERF_PERFFILE_RECORD_HANDLER_H

#include "perffile/record/decode.h"
#include "perffile/record/summary.h"

/*
 * The kernel records of a file are delivered in order of time; first come those without a time, in
 * file order. From a pipe, a record is delivered when it arrives if it has no time or if younger
 * ones have been delivered already. Each callback may be NULL; false with err set ends the reading.
 */
struct record_handler {
	void *context;
	/*
	 * Called once, before the first record with a time, unless the input is a pipe or
	 * any_order holds for all handlers: the times (ns) of the oldest and of the youngest SAMPLE
	 * record, damaged or not, without those of --off-cpu. UINT64_MAX and 0 if there are none.
	 * In a file that is read once (read_options.once) they are what the recorder noted.
	 * All events are known and named. No other thread reads the recording at that moment. False
	 * with err set ends the reading.
	 */
	bool (*times)(void *context, uint64_t first, uint64_t last, struct err *err);
	/*
	 * The handler takes SAMPLE records that lie between the same two other records in any
	 * order. This saves sorting nearly all records.
	 */
	bool any_sample_order;
	/*
	 * NULL; or, with any_sample_order, a flag that a callback may set: samples behind its
	 * record then come in order of time all the same. Borrowed.
	 */
	const bool *in_order;
	/*
	 * The handler takes all records in any order. If this holds for each handler that has
	 * record(), a file is read once, not twice.
	 */
	bool any_order;
	/* A kernel record. It, and everything it points to, is valid until the callback returns. */
	bool (*record)(void *context, const struct record *record, struct err *err);
	/*
	 * Up to SAMPLES_MOST complete SAMPLE records. NULL: record() receives them. In any case
	 * record() receives the samples that are damaged, have no time or no known event, hold
	 * values of counters or come from --off-cpu, and all samples if two events have their times
	 * at different offsets.
	 *
	 * struct sample holds the fixed fields. A handler that needs others (call chain, branches,
	 * registers, copy of the stack, raw data) calls sample_record(), which makes the struct
	 * record that record() would have received. So only handlers that need these fields pay for
	 * decoding them.
	 */
	bool (*samples)(void *context, const struct sample *samples, size_t count, struct err *err);
	/*
	 * A record of the tool (type 64 and up) other than FINISHED_ROUND, in file order; those of
	 * a file come before all records with a time. For a damaged one the callback sets damage,
	 * which becomes a warning, and returns true.
	 */
	bool (*tool)(void *context, const struct raw_record *record, struct err *damage,
	             struct err *err);
	/*
	 * The trace behind an AUXTRACE record, `size` bytes, in the first reading of a file that is
	 * read twice. Called if *takes_trace is set by then, which is borrowed; otherwise traces
	 * are skipped. Both may be NULL.
	 */
	bool (*trace)(void *context, const struct raw_record *record, const uint8_t *bytes,
	              size_t size, struct err *err);
	const bool *takes_trace;
};

#define SAMPLES_MOST 256

/* As `samples` of a handler: it takes none, so none are decoded for it one by one. */
static inline bool samples_skip(void *context, const struct sample *samples, size_t count,
                                struct err *err)
{
	(void)context;
	(void)samples;
	(void)count;
	(void)err;
	return true;
}

#endif
