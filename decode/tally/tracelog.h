/*
 * Keeps the raw data of every counted sample of a tracepoint until names are known, for the tables
 * of -t trace. It is written to an unnamed temporary file, so memory does not grow with the
 * recording.
 *
 * In:  counted samples, in order of time.
 * Out: those with raw data, in the same order, after the last record.
 */
#ifndef READPERF_DECODE_TALLY_TRACELOG_H
#define READPERF_DECODE_TALLY_TRACELOG_H

#include "decode/tally/placing.h"
#include "decode/tally/pointedcode.h"
#include "perffile/fields/formats.h"
#include "util/spool.h"

#define TRACE_FUNCTIONS_MOST 64 /* fields of a format with functions; kernels have up to 2 */

/*
 * A sample in the file. The numbers of the functions that its fields point to follow (struct
 * pointed_code), and its raw data; both with zeros up to a multiple of 8 bytes.
 */
struct traced_sample {
	uint64_t nr;     /* position in the recording */
	uint64_t time;   /* ns, or TIME_NONE */
	uint64_t number; /* among all counted samples, from 0 */
	uint64_t addr;   /* of its place: in the address space of the binary */
	uint32_t binary;
	uint32_t event; /* number in the session */
	uint32_t comm;  /* string: name of the process at that time */
	int32_t pid, tid, cpu;
	uint32_t has_tid; /* 0 or 1 */
	uint32_t raw_size;
	uint32_t function_count;
	uint32_t unused;
};

/* Takes a sample at once; raw is valid until it returns. */
typedef bool trace_taker(void *context, const struct traced_sample *sample,
                         const struct raw_data *raw, struct err *err);

struct trace_log {
	/* NULL; or what takes samples whose fields point to no functions, which then are not kept
	 */
	trace_taker *take;
	void *taker;
	struct session *session;      /* borrowed */
	struct pointed_code *pointed; /* borrowed */
	struct formats formats;
	struct spool rows;
	uint64_t count;   /* of all counted samples */
	uint64_t traced;  /* of those with raw data */
	uint64_t kept;    /* of these: those in rows */
	uint64_t shorter; /* of these: they end before their last field does */
	/* of the sample that was read last: of each field with is_function, in their order;
	   MAP_NONE: the field is 0, or the raw data end before it */
	uint32_t functions[TRACE_FUNCTIONS_MOST];
};

/*
 * dir: the folder for the temporary file. False with err set; trace_log_close() must be called in
 * any case.
 */
bool trace_log_open(struct trace_log *log, struct session *session, struct pointed_code *pointed,
                    const char *dir, struct err *err);
void trace_log_close(struct trace_log *log);

static inline bool trace_log_is_open(const struct trace_log *log)
{
	return log->rows.open;
}

/* Whether the samples of an event have raw data that are shown. */
bool trace_log_has(const struct session *session, uint32_t event);

/* Keeps complete samples, with their places. False with err set; so for the functions below. */
bool trace_log_samples(struct trace_log *log, const struct placed_samples *all, struct err *err);
/* Keeps one event of a record; damaged records have no raw data, but are counted. */
bool trace_log_record(struct trace_log *log, const struct record *record,
                      const struct placed *placed, uint32_t event, struct err *err);

/*
 * After the last sample, and spool_rewind() of the rows: reads the next of log->kept samples, and
 * sets log->functions. raw is valid until the next call.
 */
bool trace_log_next(struct trace_log *log, struct traced_sample *sample, struct raw_data *raw,
                    struct err *err);

#endif
