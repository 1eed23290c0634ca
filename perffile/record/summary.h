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
	uint64_t first_time, last_time; /* ns, of samples; if there are none, TIME_NONE and 0 */
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
/* Notes the times (ns) of the oldest and the youngest of some samples, damaged or not. */
static inline void summary_note_times(struct read_summary *summary, uint64_t oldest,
                                      uint64_t youngest)
{
	/* those of --off-cpu have a time that is no clock's */
	if (youngest >= TIME_OFF_CPU)
		return;
	summary->first_time = u64_min(summary->first_time, oldest);
	summary->last_time = u64_max(summary->last_time, youngest);
}

/* Notes the losses and damages in a decoded record. */
void summary_note(struct read_summary *summary, const struct session *session,
                  const struct record *record);
/* Marks the recording as broken and prints the damage as a warning; reading goes on. */
void summary_broken(struct read_summary *summary, struct diag *diag, const struct err *damage);

#endif
