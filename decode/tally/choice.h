/*
 * Which samples count, and in which group each of them does. Where that depends on the time of the
 * last sample (10%-20%), samples are held back until it is known: 56 bytes each.
 *
 *   sample --> selection --> words of its keys --> group --> (event, group, place)
 *         \             \--> words of other keys --> group --> (event, group), counted here
 *          \--> held until the end --/
 *
 * Tables whose keys are all of the sample need no places: they have groups of their own (apart), so
 * that these do not multiply with the places of all others.
 */
#ifndef READPERF_DECODE_TALLY_CHOICE_H
#define READPERF_DECODE_TALLY_CHOICE_H

#include "decode/select/selection.h"
#include "decode/tally/groups.h"
#include "decode/tally/placing.h"
#include "util/hash.h"

struct choice_options {
	const struct select_request *request; /* borrowed */
	unsigned keys;          /* of groups that places are counted in: enum group_key, by bit */
	unsigned apart_keys;    /* of groups without places */
	struct time_side slice; /* width of those of KEY_TIME */
};

/* A sample that is to be counted. */
struct counted_sample {
	struct select_sample about;
	uint64_t period;
	uint64_t addr;                   /* in the binary's address space */
	uint32_t process, event, binary; /* numbers */
	uint32_t thread, cgroup;         /* strings; STRING_NONE: unknown, or nobody asks */
};

/* A sample that waits for the time of the last one. */
struct held_sample {
	uint64_t time, period, addr;
	uint32_t process, event, binary, group, apart;
};

/* What one event has in a group without places. */
struct apart_sum {
	uint64_t samples, period;
	uint32_t event, group;
};

struct choice {
	struct choice_options options;
	struct selection selection;
	struct groups groups;
	struct groups apart;
	struct apart_sum *sums;
	size_t sum_count, sum_capacity;
	struct map sum_of; /* event << 32 | group -> number */
	bool ordered;      /* the first sample's time decides: samples have to come in order */
	bool late;         /* that of the last one, too */
	struct time_bounds bounds; /* of all samples so far; first UINT64_MAX: there were none */
	struct strings *strings;   /* borrowed */
	uint32_t *event_names; /* by number, EVENT_UNKNOWN first: string; STRING_NONE: not yet */
	size_t event_name_count;
	struct held_sample *held;
	size_t held_count, held_capacity;
};

enum choice_verdict {
	CHOICE_FAILED, /* err is set */
	CHOICE_OUT,
	CHOICE_COUNT,
	CHOICE_HELD /* choice_decide() decides */
};

/* False with err set when memory is refused; choice_release() in any case. */
bool choice_init(struct choice *choice, const struct choice_options *options,
                 struct strings *strings, struct err *err);
void choice_release(struct choice *choice);
/* String: the name of an event, whose text is this, or STRING_NONE with err set. */
uint32_t choice_event_name(struct choice *choice, uint32_t event, const char *text,
                           struct err *err);
/* How many samples, at least one, are alike in what is asked for: they can be taken together. */
size_t choice_run(struct choice *choice, const struct sample *samples, const struct placed *placed,
                  size_t count);
/* Whether the sample counts, and in which group. */
enum choice_verdict choice_take(struct choice *choice, const struct counted_sample *sample,
                                uint32_t *group, struct err *err);
/* After the last sample: the same for one that was held, by its number. */
enum choice_verdict choice_decide(struct choice *choice, size_t number, uint32_t *group,
                                  struct err *err);

/* When a slice of KEY_TIME starts, ns. */
uint64_t choice_slice_start(const struct choice *choice, uint64_t slice);

#endif
