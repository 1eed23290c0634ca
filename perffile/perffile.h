/*
 * The reader: input to session to tree to the callbacks of struct record_handler.
 */
#ifndef READPERF_PERFFILE_PERFFILE_H
#define READPERF_PERFFILE_PERFFILE_H

#include "perffile/sample.h"

/*
 * Somebody who wants the records. Kernel records come in time order; those without a time come
 * first, in file order. Each callback may be NULL; false with err set ends the reading.
 */
struct record_handler {
	void *context;
	/* A kernel record. It and what it points to live until the callback returns. */
	bool (*record)(void *context, const struct record *record, struct err *err);
	/* A record of the tool (type 64 and up), in file order, before all records with a time. */
	bool (*tool)(void *context, const struct raw_record *record, struct err *err);
};

#define RECORD_TYPES 128 /* types below are counted in a table, the others in a list */
#define OTHER_TYPES_MAX 256 /* of that list; what a corrupt file has beyond counts as the last */

struct record_count {
	uint32_t type;
	uint64_t count, bytes;
};

/* What was read, and what could not be. */
struct read_summary {
	struct record_count types[RECORD_TYPES];
	struct record_count *others; /* ascending type; malloc'd */
	size_t other_count, other_capacity;
	uint64_t records;        /* in all */
	uint64_t first_time, last_time; /* ns, of samples; TIME_NONE if there are none */
	uint64_t late;           /* delivered after younger ones (pipes only) */
	uint64_t damaged;        /* records too short for their type */
	uint64_t unknown_ids;    /* records whose id no event has */
	uint64_t lost_records, lost_samples; /* as LOST and LOST_SAMPLES tell */
	uint64_t auxtrace_bytes; /* instruction trace that was skipped */
	bool broken;             /* the recording is cut off or corrupt: exit status 3 */
	uint64_t window_most;    /* records that waited at the same time */
	uint64_t memory_most;    /* bytes of blocks that waited at the same time */
	double scan_seconds;     /* for -v */
};

struct read_options {
	bool threaded; /* the handlers may be called from a second thread, one record at a time */
	/* May be NULL: told now and then. done of total bytes (total 0: not known), records so far */
	void (*report)(void *context, uint64_t done, uint64_t total, uint64_t records);
	void *context; /* of report */
};

/*
 * Reads the whole recording. session is open; handlers are called in their order for each record.
 * options may be NULL. summary is filled in any case; read_summary_release() it.
 */
bool perffile_read(struct input *input, struct session *session,
                   const struct record_handler *handlers, size_t handler_count,
                   const struct read_options *options, struct diag *diag,
                   struct read_summary *summary, struct err *err);
void read_summary_release(struct read_summary *summary);

#endif
