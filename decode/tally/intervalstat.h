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
#include "decode/tally/intervallog.h"
#include "decode/tally/latencystat.h"
#include "decode/tally/stackhold.h"

/* An interval that is open. */
struct interval_slot {
	struct interval_row row;
	uint64_t weight;      /* of --weight; the duration counts if has_weight is not set */
	uint32_t process;     /* number */
	uint32_t held;        /* stack; MAP_NONE: stacks are not counted */
	uint32_t wall;        /* the stack of the event `wall`, or MAP_NONE */
	uint64_t wall_number; /* of the row of that event */
	uint32_t next;        /* of a free one: the next free, or MAP_NONE */
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
	bool counts_latency;     /* set it before the first record */
	bool latency_places;     /* the same: latency.csv has keys of places */
	struct interval_log log; /* closed: not needed */
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
