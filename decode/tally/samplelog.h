/*
 * Keeps every counted sample until its place has a name, for samples.csv. The samples are written
 * to an unnamed temporary file, 40 bytes each (128 with data addresses and the like), so memory
 * does not grow with the recording, and files and pipes are handled in the same way.
 *
 *   rows   | time ip addr nr period binary task | ... | ... task = LOG_MORE | logged_more | ...
 *   tasks  | pid tid cpu event comm mode ... | ...          each once, in memory
 *
 * In:  counted samples, in order of time, with their places.
 * Out: the same samples in the same order, after the last record.
 */
#ifndef READPERF_DECODE_TALLY_SAMPLELOG_H
#define READPERF_DECODE_TALLY_SAMPLELOG_H

#include "decode/tally/cgroups.h"
#include "decode/tally/placing.h"
#include "util/spool.h"
#include "util/tuples.h"

/* A task on a CPU, and what else many samples have in common. */
struct log_task {
	int32_t pid, tid, cpu;
	uint32_t event; /* number in the session, or EVENT_UNKNOWN */
	uint32_t comm;  /* string: name of the process at that time */
	uint8_t mode;   /* enum cpu_mode */
	bool has_tid, has_ip;
	bool zero; /* in the place of padding: tasks are compared byte by byte */
};

/* Instead of the number of a struct log_task: a struct logged_more follows. */
#define LOG_MORE UINT32_MAX
/*
 * So many tasks are kept, in 48 MB of memory. When they are that many, only samples of the kept
 * tasks that were used last refer to them; all others are written with a struct logged_more.
 */
#define LOG_TASKS_MOST 1048576
/*
 * Tasks used last, which are compared before others are looked up by their hash. Without them, the
 * thread that counts took 7 % more time (3 million samples, 58,000 tasks).
 */
#define LOG_RECENT 1024

/* Fields that few samples have, and those that are too large for a row. */
struct logged_more {
	uint64_t nr, period;
	struct log_task task;
	uint32_t cgroup; /* string, or STRING_NONE */
	uint64_t fields; /* PERF_SAMPLE_ bits that the event has of the following, and CGROUP */
	uint64_t data_address, weight, data_source, transaction;
};

struct logged_sample {
	uint64_t nr;   /* position in the recording */
	uint64_t time; /* ns, or TIME_NONE */
	uint64_t ip, period;
	uint64_t addr;               /* in the binary's address space */
	uint32_t binary;             /* number */
	uint32_t number;             /* of its task in log->tasks; LOG_MORE: `more` is set */
	const struct log_task *task; /* in log->tasks, or in `more` */
	struct logged_more more;
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
	struct tuples tasks;         /* struct log_task */
	uint32_t recent[LOG_RECENT]; /* numbers of tasks */
	uint64_t count;              /* of samples */
	uint64_t untimed;            /* number of those without a time */
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
 * Keeps a sample, of which all but number is set. has_more: it has fields in `more`. False with err
 * set; the same holds for all functions below.
 */
bool sample_log_add(struct sample_log *log, const struct logged_sample *sample, bool has_more,
                    struct err *err);
/* Keeps one event of a record, with its place and period. */
bool sample_log_record(struct sample_log *log, const struct record *record,
                       const struct placed *placed, uint32_t event, uint64_t period,
                       struct err *err);
/* Keeps complete samples. */
bool sample_log_samples(struct sample_log *log, const struct placed_samples *all, struct err *err);

/*
 * After the last sample, and spool_rewind() of its rows: reads the next of log->count samples.
 * sample->task is valid as long as the sample and the log.
 */
bool sample_log_next(struct sample_log *log, struct logged_sample *sample, struct err *err);

#endif
