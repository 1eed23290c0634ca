/* Counts of what was read: records by type for stat.csv, and what was lost, late or damaged. */
#ifndef READPERF_PERFFILE_RECORD_SUMMARY_H
#define READPERF_PERFFILE_RECORD_SUMMARY_H

#include "perffile/record/sample.h"

#define RECORD_TYPES 128 /* types below are counted in a table, the others in a list */
/* entries of that list; the last one counts all further types of a corrupt file */
#define OTHER_TYPES_MAX 256

struct record_count {
	uint32_t type;
	uint64_t count, bytes;
};

struct read_summary {
	struct record_count types[RECORD_TYPES];
	struct record_count *others; /* ascending type; malloc'd */
	size_t other_count, other_capacity;
	uint64_t records;               /* in all */
	uint64_t first_time, last_time; /* ns, of samples; TIME_NONE if there are none */
	uint64_t late; /* records delivered after younger ones; 0 if the order could be ensured, as
	                  in all files */
	uint64_t damaged;                    /* records too short for their type */
	uint64_t unknown_ids;                /* records with an id that belongs to no event */
	uint64_t unknown_reads;              /* counter values in samples with such an id */
	uint64_t lost_records, lost_samples; /* as LOST and LOST_SAMPLES records say */
	uint64_t auxtrace_bytes;             /* instruction trace that was skipped */
	bool broken;          /* the recording is cut off or corrupt: exit status 3 */
	uint64_t window_most; /* the most records that waited at one time */
	uint64_t memory_most; /* the most bytes of blocks in use at one time */
	double scan_seconds;  /* for -v */
};

void summary_init(struct read_summary *summary);
void read_summary_release(struct read_summary *summary);

/* Counts one record when it is read. False with err set when memory is refused. */
bool summary_count(struct read_summary *summary, const struct raw_record *raw, struct diag *diag,
                   struct err *err);
/* Counts so many records of a type below RECORD_TYPES that is known. */
void summary_count_many(struct read_summary *summary, uint32_t type, uint64_t count,
                        uint64_t bytes);
/* Adds records of known types that were counted in another summary. */
void summary_add(struct read_summary *summary, const struct read_summary *more);
/*
 * Notes the times, losses and damages in decoded records: of one sample or more, whose times
 * ascend, and of any other record.
 */
void summary_note_run(struct read_summary *summary, const struct sample *samples, size_t count);
void summary_note(struct read_summary *summary, const struct session *session,
                  const struct record *record);
/* Marks the recording as broken and prints the damage as a warning; reading goes on. */
void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage);

#endif
