/* Counts of what was read: records by type for stat.csv, and what was lost, late or damaged. */
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
	uint64_t late;                       /* records delivered after younger ones (pipes only) */
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
/* Adds counts by type that were made elsewhere. */
void summary_add(struct read_summary *summary, const struct record_count types[RECORD_TYPES]);
/* Note the times, losses and damages that decoded records tell. */
void summary_note_samples(struct read_summary *summary, const struct sample *samples, size_t count);
/* summary_note_samples() for at least one sample, whose times ascend. */
void summary_note_run(struct read_summary *summary, const struct sample *samples, size_t count);
void summary_note(struct read_summary *summary, const struct record *record);
/* Marks the recording as broken and prints the damage as a warning; reading goes on. */
void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage);

#endif
