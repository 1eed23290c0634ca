/*
 * What is noted of an interval when it begins: all that the record at hand tells, and the stacks in
 * which it will count.
 */
#ifndef READPERF_DECODE_TALLY_INTERVALSLOT_H
#define READPERF_DECODE_TALLY_INTERVALSLOT_H

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
	bool selected, has_weight;
	bool takes_event; /* samples of its event may be selected */
};

#define WHAT_RECENT 256   /* a power of two */
#define PLAIN_STACKS 64   /* the same */
#define INTERVAL_STATES 5 /* what an off-cpu interval is: frames of `wall` */

struct intervalstat {
	struct buildstat *stat; /* borrowed; NULL: no intervals are asked for */
	struct interval_engine engine;
	/*
	 * Set when all events are known: nothing is asked of intervals but how long each `what`
	 * takes. Without this way past all that may be asked, `-t latency` of 640,000 switches and
	 * wakeups takes 29 % more instructions.
	 */
	bool asks_what_alone;
	const struct wait_code *wait_code; /* borrowed; NULL: not known */
	struct interval_slot *slots;
	size_t slot_count, slot_capacity;
	uint32_t free;
	uint32_t *names; /* strings, by event: STRING_NONE, or the name of one made of intervals */
	size_t name_count, name_room;
	struct latencystat latency;
	/* numbers of its keys that were asked for last, where they are of no place */
	struct latency_recent {
		uint64_t what;
		uint32_t event, number; /* number + 1; 0: none */
	} recent[WHAT_RECENT];
	bool lists_only;         /* a selected interval is no sample, but tables have it */
	bool counts_latency;     /* set it before the first record */
	bool latency_places;     /* the same: latency.csv has keys of places */
	struct interval_log log; /* closed: not needed */
	/* the record at hand: a sample that was passed to samples(), or a record */
	const struct sample *sample;
	const struct record *record;
	uint64_t nr;           /* its number, as in overview.csv; UINT64_MAX: there is none */
	struct record decoded; /* of the sample */
	bool is_decoded;
	uint32_t process; /* of the record; PROCESS_NONE: not yet asked for */
	/* the stacks that samples had last which are their own address alone, by event and place */
	struct plain_stack {
		uint64_t ip, kernel_changes;
		uint32_t event;
		uint16_t misc;
		uint8_t place; /* enum interval_place */
		uint32_t held; /* number + 1; 0: none is kept */
	} plain[PLAIN_STACKS];
	struct {
		uint32_t word, binary; /* string, and what stands for it in stacks */
	} states[INTERVAL_STATES];
	size_t state_count;
};

/* Fills the slot of an interval that begins. False with err set, as for the functions below. */
bool interval_begin_slot(struct intervalstat *intervals, const struct interval_begin *begin,
                         struct interval_slot *slot, struct err *err);
/* The same of one that ends with the record at hand, and whose begin is not recorded. */
bool interval_begin_alone(struct intervalstat *intervals, const struct interval_begin *begin,
                          struct interval_slot *slot, struct err *err);
/* What asks_what_alone is set to. */
bool intervals_ask_what_alone(const struct intervalstat *intervals);
/* The same as interval_begin_slot(), of what latency.csv has of the begin. */
bool interval_begin_what(struct intervalstat *intervals, const struct interval_begin *begin,
                         struct interval_slot *slot, struct err *err);
/* Sets which thread made or ended it; by: NULL, and not idle: nobody. */
void interval_set_by(struct intervalstat *intervals, struct interval_row *row,
                     const struct sched_thread *by, bool idle);
/* Numbers a row, which is written when it ends. */
bool interval_reserve_row(struct intervalstat *intervals, uint64_t *number, struct err *err);
/* The name of an event that is made of intervals, as a string; STRING_NONE with err set. */
uint32_t interval_event_name(struct intervalstat *intervals, uint32_t event, struct err *err);

/* The record at hand; one that is no sample has no raw data. */
const struct record *interval_record(struct intervalstat *intervals);
/* The process of that record, in which its addresses are; PROCESS_NONE with err set. */
uint32_t interval_process(struct intervalstat *intervals, struct err *err);

#endif
