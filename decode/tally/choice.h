/*
 * Selects samples, and finds the group of each. The times of the first and the last sample are
 * known before the first sample with a time is selected: see record_handler's times().
 *
 *   sample --> selection --> words of its keys --> group --> (event, group, place)
 *                        \--> words of other keys --> group --> (event, group), counted here
 *
 * Tables that group only by properties of the sample need no places. Their groups are kept apart,
 * so that they do not multiply the number of cells.
 */
#ifndef READPERF_DECODE_TALLY_CHOICE_H
#define READPERF_DECODE_TALLY_CHOICE_H

#include "decode/select/fieldchoice.h"
#include "decode/select/selection.h"
#include "decode/tally/funcstat.h"
#include "decode/tally/groups.h"
#include "decode/tally/placing.h"

struct choice_options {
	const struct select_request *request; /* borrowed */
	const struct field_request *fields;   /* borrowed; NULL: none are asked for */
	unsigned keys; /* keys of the groups in which places are counted: enum group_key, one bit
	                  each */
	unsigned apart_keys;    /* keys of the groups without places */
	unsigned latency_keys;  /* keys of latency.csv */
	struct time_side slice; /* width of a slice of KEY_TIME */
	const char *temp_dir;   /* borrowed: folder for temporary files */
	size_t cells;           /* cells with groups in memory; 0: GROUP_CELLS */
};

/* A sample that is counted if it is selected, or several that are equal in all that matters. */
struct counted_sample {
	struct select_sample about;
	uint64_t period;         /* of all of them */
	uint32_t process, event; /* numbers */
	uint32_t thread, cgroup; /* strings; STRING_NONE: unknown, or not needed */
	/* strings; STRING_EMPTY: it does not have the field; or FIELD_POINTS and a number */
	uint64_t fields[FIELD_KEYS_MOST];
	/* of an interval; of others: zeros, which are empty strings, and has_duration is not set */
	uint64_t parallelism;   /* threads on a CPU; 0: not known */
	bool has_duration;      /* not if it is unfinished */
	uint64_t duration;      /* ns */
	uint64_t what;          /* as the word of KEY_WHAT */
	uint32_t result, waker; /* strings */
};

struct choice {
	struct choice_options options;
	struct selection selection;
	struct field_choice fields;
	bool reads_fields; /* each sample is asked for its own */
	struct groups groups;
	struct groups apart;
	struct groups latency;
	struct sums sums; /* of the groups apart */
	/* set before the first sample with a time: of the first and the last sample */
	struct time_bounds bounds;
};

/* False with err set when memory is refused; choice_release() must be called in any case. */
bool choice_init(struct choice *choice, const struct choice_options *options,
                 struct session *session, struct strings *strings, struct err *err);
void choice_release(struct choice *choice);
/*
 * The properties in which samples must be equal to be handled together, besides event and process.
 */
struct choice_alike {
	bool single; /* no two samples are equal */
	bool tid, cpu, mode, binary;
	bool time; /* the time must be in the window of time_window() */
};

struct choice_alike choice_alike_fields(const struct choice *choice);
/*
 * How many samples from the first one on are equal in all that matters, so that they can be handled
 * together; at least 1.
 */
size_t choice_run(struct choice *choice, const struct placed_samples *all);
/* Whether the sample is selected, apart from its fields. False also with err set. */
bool choice_passes(struct choice *choice, const struct counted_sample *sample, struct err *err);
/* Counts a sample that passes in the groups apart, and returns its group; GROUP_OUT with err set.
 */
uint32_t choice_take(struct choice *choice, const struct counted_sample *sample, struct err *err);

/* Whether groups of any kind have the key. */
bool choice_has_key(const struct choice *choice, enum group_key key);
/* The group of an interval in choice->latency; MAP_NONE with err set. */
uint32_t choice_latency(struct choice *choice, const struct counted_sample *sample,
                        struct err *err);

/* Whether `what` is the only key of latency.csv; then choice_what() gives the group, too. */
bool choice_has_what_alone(const struct choice *choice);
uint32_t choice_what(struct choice *choice, uint64_t what, struct err *err);

/* The time (ns) at which a slice of KEY_TIME starts. */
uint64_t choice_slice_start(const struct choice *choice, uint64_t slice);

#endif
