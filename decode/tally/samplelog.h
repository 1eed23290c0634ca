/*
 * Keeps every counted sample until places have names: samples.csv has a row for each. They go to
 * an unnamed temporary file, 72 bytes each (120 with data addresses and the like), so that memory
 * does not grow with the recording, and files and pipes are read in the same way.
 *
 * In:  counted samples, in the order of their time, with the place where each fell.
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
	uint32_t comm;   /* string: of the process, then */
	uint32_t binary; /* number */
	uint8_t mode;    /* enum cpu_mode */
	bool has_tid, has_ip;
	bool timed;    /* it is one of the timed samples of buildstat.h, in their order */
	bool has_more; /* a struct logged_more follows */
};

/* What few samples have. */
struct logged_more {
	uint64_t fields; /* PERF_SAMPLE_ bits of what the event's samples have */
	uint64_t data_address, weight, data_source, transaction;
	uint32_t cgroup; /* string, or STRING_NONE */
};

/* One that was read; both stay until the next is. */
struct read_sample {
	const struct logged_sample *row;
	const struct logged_more *more; /* NULL: it has nothing of that */
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
	struct logged_sample last; /* that was read, if it had more */
	uint64_t count;            /* of samples */
	uint64_t untimed;          /* of them, those without a time */
};

/* dir: for the temporary file. False with err set; sample_log_close() in any case. */
bool sample_log_open(struct sample_log *log, const struct log_world *world, const char *dir,
                     struct err *err);
void sample_log_close(struct sample_log *log);

static inline bool sample_log_is_open(const struct sample_log *log)
{
	return log->rows.open;
}

/* Keeps one. more: NULL: it has nothing of that. False with err set, as all that follow. */
bool sample_log_add(struct sample_log *log, const struct logged_sample *row,
                    const struct logged_more *more, struct err *err);
/* Keeps what a record says of one event: where and how much. */
bool sample_log_record(struct sample_log *log, const struct held_sample *sample,
                       const struct record *record, struct err *err);
/* Keeps samples that are whole. */
bool sample_log_samples(struct sample_log *log, const struct sample *samples,
                        const struct placed *placed, size_t count, struct err *err);

/* After the last sample: starts reading, which can be done several times. */
bool sample_log_rewind(struct sample_log *log, struct err *err);
/* The next of log->count samples. */
bool sample_log_next(struct sample_log *log, struct read_sample *sample, struct err *err);

#endif
