/*
 * The reader: input to session to tree to the callbacks of struct record_handler.
 */
#ifndef READPERF_PERFFILE_PERFFILE_H
#define READPERF_PERFFILE_PERFFILE_H

#include "perffile/summary.h"

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
	 * SAMPLE records that are whole and plain, up to SAMPLES_MOST at a time; all others come to
	 * record(). NULL: these do too.
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

struct read_options {
	bool threaded; /* handlers may be called from a second thread too; each by one at a time */
	/* May be NULL: told now and then. done of total bytes (total 0: not known), records so far */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void *context; /* of report */
};

/*
 * Reads the whole recording. session is open; handlers are called in their order for each record, but
 * with threads only among those with the same any_sample_order. options may be NULL. summary is filled
 * in any case; read_summary_release() it.
 */
bool perffile_read(struct input *input, struct session *session,
                   const struct record_handler *handlers, size_t handler_count,
                   const struct read_options *options, struct diag *diag,
                   struct read_summary *summary, struct err *err);

#endif
