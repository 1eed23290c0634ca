/*
 * Keeps every counted sample until its place has a name, for samples.csv. The samples are written
 * to an unnamed temporary file, 72 bytes each (120 with data addresses and the like), so memory
 * does not grow with the recording, and files and pipes are handled in the same way.
 *
 * In:  counted samples, in order of time, with their places.
 * Out: the same samples in the same order, after the last record.
 */
#ifndef READPERF_DECODE_TALLY_SAMPLELOG_H
#define READPERF_DECODE_TALLY_SAMPLELOG_H

#include "decode/tally/cgroups.h"
#include "decode/tally/choice.h"
#include "decode/tally/placing.h"
#include "util/spool.h"

struct logged_sample {
	uint64_t nr;   /* position in the recording */
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t ip, period;
	uint64_t addr; /* in the binary's address space */
	int32_t pid, tid, cpu;
	uint32_t event;  /* number in the session, or EVENT_UNKNOWN */
	uint32_t comm;   /* string: name of the process at that time */
	uint32_t binary; /* number */
	uint8_t mode;    /* enum cpu_mode */
	bool has_tid, has_ip;
	bool timed;    /* it is a timed sample of buildstat.h; these are in the same order */
	bool has_more; /* a struct logged_more follows */
};

/* Fields that few samples have. */
struct logged_more {
	uint64_t fields; /* PERF_SAMPLE_ bits of the event */
	uint64_t data_address, weight, data_source, transaction;
	uint32_t cgroup; /* string, or STRING_NONE */
};

/* A sample that was read; valid until the next one is read. */
struct read_sample {
	const struct logged_sample *row;
	const struct logged_more *more; /* NULL: it has none of these fields */
};

/* What it borrows. */
struct log_world {
	const struct session *session;
	const struct mappings *mappings;
	const struct cgroups *cgroups;
};

struct sample_log {
	struct log_world world;
	struct spool rows;
	struct logged_sample last; /* the sample read last, if it has more fields */
	uint64_t count;            /* of samples */
	uint64_t untimed;          /* number of those without a time */
};

/*
 * dir: the folder for the temporary file. False with err set; sample_log_close() must be called in
 * any case.
 */
bool sample_log_open(struct sample_log *log, const struct log_world *world, const char *dir,
                     struct err *err);
void sample_log_close(struct sample_log *log);

static inline bool sample_log_is_open(const struct sample_log *log)
{
	return log->rows.open;
}

/*
 * Keeps a sample. more: NULL if it has none of these fields. False with err set; the same holds for
 * all functions below.
 */
bool sample_log_add(struct sample_log *log, const struct logged_sample *row,
                    const struct logged_more *more, struct err *err);
/* Keeps one event of a record, with its place and period. */
bool sample_log_record(struct sample_log *log, const struct counted_sample *sample,
                       const struct record *record, struct err *err);
/* Keeps complete samples. */
bool sample_log_samples(struct sample_log *log, const struct sample *samples,
                        const struct placed *placed, size_t count, struct err *err);

/* After the last sample: starts reading, as often as necessary. */
bool sample_log_rewind(struct sample_log *log, struct err *err);
/* Reads the next of log->count samples. */
bool sample_log_next(struct sample_log *log, struct read_sample *sample, struct err *err);

#endif
