/* What was read of a recording, and what could not be: the counts of stat.csv, and the findings. */
#ifndef READPERF_PERFFILE_RECORD_SUMMARY_H
#define READPERF_PERFFILE_RECORD_SUMMARY_H

#include "perffile/record/sample.h"

#define RECORD_TYPES 128    /* types below are counted in a table, the others in a list */
#define OTHER_TYPES_MAX 256 /* of that list; what a corrupt file has beyond counts as the last */

struct record_count {
	uint32_t type;
	uint64_t count, bytes;
};

struct read_summary {
	struct record_count types[RECORD_TYPES];
	struct record_count *others; /* ascending type; malloc'd */
	size_t other_count, other_capacity;
	uint64_t records;                    /* in all */
	uint64_t first_time, last_time;      /* ns, of samples; TIME_NONE if there are none */
	uint64_t late;                       /* delivered after younger ones (pipes only) */
	uint64_t damaged;                    /* records too short for their type */
	uint64_t unknown_ids;                /* records whose id no event has */
	uint64_t lost_records, lost_samples; /* as LOST and LOST_SAMPLES tell */
	uint64_t auxtrace_bytes;             /* instruction trace that was skipped */
	bool broken;          /* the recording is cut off or corrupt: exit status 3 */
	uint64_t window_most; /* records that waited at the same time */
	uint64_t memory_most; /* bytes of blocks that waited at the same time */
	double scan_seconds;  /* for -v */
};

void summary_init(struct read_summary *summary);
void read_summary_release(struct read_summary *summary);

/* Counts one record, as it comes out of the file. False with err set when memory is refused. */
bool summary_count(struct read_summary *summary, const struct raw_record *raw, struct diag *diag,
                   struct err *err);
/* Counts so many SAMPLE records. */
void summary_count_samples(struct read_summary *summary, uint64_t count, uint64_t bytes);
/* Counts those that somebody else has counted by type. */
void summary_add(struct read_summary *summary, const struct record_count types[RECORD_TYPES]);
/* Take in what records say, once they are decoded. */
void summary_note_samples(struct read_summary *summary, const struct sample *samples, size_t count);
/* The same of at least one, whose times ascend. */
void summary_note_run(struct read_summary *summary, const struct sample *samples, size_t count);
void summary_note(struct read_summary *summary, const struct record *record);
/* Something of the recording is broken: that is said, and what is left of it is used. */
void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage);

#endif
