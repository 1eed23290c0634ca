/*
 * Makes samples of intervals: what belongs to the begin (thread, process, stack, fields) is found
 * when it begins and kept while the interval is open; the end adds the duration, and the sample is
 * counted like a recorded one.
 *
 *   records --> engine.h --> open intervals --> cells, groups, latencystat.h, the log of rows
 *
 * A record_handler that must come behind buildstat's, so that processes are known as they were.
 */
#ifndef READPERF_DECODE_TALLY_INTERVALSTAT_H
#define READPERF_DECODE_TALLY_INTERVALSTAT_H

#include "decode/intervals/engine.h"
#include "decode/tally/buildstat.h"
#include "decode/tally/latencystat.h"
#include "decode/tally/stackhold.h"

/* How an interval ended. */
enum interval_state {
	INTERVAL_VOID, /* no row: it never began, or it is not selected */
	INTERVAL_ENDED,
	INTERVAL_UNFINISHED
};

/* A row of intervals.csv, in the order of begins. Unknown numbers of threads and CPUs are -1. */
struct interval_row {
	uint64_t time, duration; /* ns; time: TIME_NONE if the begin is not recorded */
	uint64_t nr, end_nr;     /* of records, as in overview.csv; UINT64_MAX: not recorded */
	uint64_t what;           /* as the word of KEY_WHAT */
	int64_t result;          /* of RESULT_VALUE and RESULT_ERROR */
	uint32_t event, comm, thread;
	uint32_t result_text; /* string */
	uint32_t by_thread;   /* string */
	int32_t pid, tid, cpu, end_cpu, by_pid, by_tid;
	uint8_t result_kind; /* enum interval_result */
	uint8_t state;       /* enum interval_state */
	uint8_t has_by, zero[5];
};

/* An interval that is open. */
struct interval_slot {
	struct interval_row row;
	uint64_t number;  /* of the row in the log */
	uint64_t weight;  /* of --weight; the duration counts if has_weight is not set */
	uint32_t process; /* number */
	uint32_t held;    /* stack; MAP_NONE: stacks are not counted */
	uint32_t wall;    /* the stack of the event `wall`, or MAP_NONE */
	uint32_t next;    /* of a free one: the next free, or MAP_NONE */
	uint64_t fields[FIELD_KEYS_MOST];
	uint8_t mode; /* enum cpu_mode */
	bool selected, has_weight, is_off_cpu;
};

#define INTERVAL_STATES 5 /* what an off-cpu interval is: frames of `wall` */

struct intervalstat {
	struct buildstat *stat; /* borrowed; NULL: no intervals are asked for */
	struct interval_engine engine;
	const struct wait_code *wait_code; /* borrowed; NULL: not known */
	struct interval_slot *slots;
	size_t slot_count, slot_capacity;
	uint32_t free;
	struct latencystat latency;
	bool counts_latency; /* set it before the first record */
	bool latency_places; /* the same: latency.csv has keys of places */
	struct spool log;    /* struct interval_row; closed: not needed */
	uint64_t log_count;
	/* the record at hand: a sample that was passed to samples(), or a record */
	const struct sample *sample;
	const struct record *record;
	struct record decoded; /* of the sample */
	bool is_decoded;
	struct {
		uint32_t word, binary; /* string, and what stands for it in stacks */
	} states[INTERVAL_STATES];
	size_t state_count;
};

/*
 * Before the first record. All zeros is valid, and empty, for intervalstat_release(). False with
 * err set; so for the functions below.
 */
bool intervalstat_init(struct intervalstat *intervals, struct buildstat *stat,
                       const struct interval_request *request, struct err *err);
void intervalstat_release(struct intervalstat *intervals);
/* Call it before the first record: keeps all intervals, for intervals.csv. */
bool intervalstat_keep(struct intervalstat *intervals, const char *dir, struct err *err);
struct record_handler intervalstat_handler(struct intervalstat *intervals);
/* After the last record, before buildstat_finish(). */
bool intervalstat_finish(struct intervalstat *intervals, struct diag *diag, struct err *err);
/* Whether an event has been made of intervals. */
static inline bool intervalstat_has_events(const struct intervalstat *intervals)
{
	return intervals->stat && intervals->stat->session->derived_count;
}
/* The text of a row's result: out, or a text that lives as long as the strings; NULL: it has none.
 */
const char *interval_result_text(const struct strings *strings, const struct interval_row *row,
                                 char out[CALL_NAME_SIZE]);

#endif
