/*
 * Groups: the properties of samples that --by asks for, besides their places. A group is a tuple of
 * words with a number. All tables of --by with keys of the sample share the same groups: the tuple
 * has every key that any of them needs.
 *
 * In:  the keys; for each sample, a word for each key of the sample.
 * Out: the number of the group, which is part of the sample's cell; and the words of a group.
 */
#ifndef READPERF_DECODE_TALLY_GROUPS_H
#define READPERF_DECODE_TALLY_GROUPS_H

#include "decode/select/fieldrequest.h"
#include "util/tuples.h"

/* The keys of --by. */
enum group_key {
	/* Properties of the sample, in a group. */
	KEY_PID,
	KEY_TID,
	KEY_COMM,   /* string */
	KEY_THREAD, /* string */
	KEY_CPU,
	KEY_MODE,        /* enum cpu_mode */
	KEY_CGROUP,      /* string */
	KEY_TIME,        /* number of a slice */
	KEY_WHAT,        /* of an interval: what it is; a string, or FIELD_POINTS and a number */
	KEY_RESULT,      /* string: how it ended */
	KEY_WAKER,       /* string: the thread that ended it */
	KEY_DURATION,    /* ns: the power of two below its length */
	KEY_PARALLELISM, /* threads on a CPU at that moment */
	KEY_PROCESS,     /* number of the process; only for internal use */
	KEY_FIELD, /* string, or FIELD_POINTS and a number: the first of FIELD_KEYS_MOST fields of
	              tracepoints */
	KEY_FIELD_LAST = KEY_FIELD + FIELD_KEYS_MOST - 1,
	/* Properties of its place, known when that has been named. */
	KEY_BINARY,
	KEY_BUILD_ID,
	KEY_FUNCTION,
	KEY_SOURCE_FILE,
	KEY_LINE,
	KEY_ADDRESS,
	KEY_SYMBOLS,
	/* of its stack */
	KEY_CALLER,
	/* of the branches of its stack: such a table counts branches, not samples */
	KEY_FROM_FUNCTION,
	KEY_TO_FUNCTION,
	KEY_COUNT
};

#define KEY_SAMPLE_END KEY_BINARY /* smaller keys are properties of the sample */
#define KEYS_OF_BRANCHES (1u << KEY_FROM_FUNCTION | 1u << KEY_TO_FUNCTION)
#define GROUP_ALL 0          /* the only group, without keys */
#define GROUP_OUT MAP_NONE   /* of a sample that is not selected */
#define WORD_NONE UINT64_MAX /* the sample does not have this property */
#define FIELD_POINTS \
	(UINT64_C(1) << 32) /* of KEY_FIELD and KEY_WHAT: with a number of pointed_code */

#define GROUPS_RECENT 256 /* a power of two */

struct groups {
	unsigned keys;                   /* of the sample, one bit each */
	unsigned width;                  /* number of words in a group */
	uint8_t word_of[KEY_SAMPLE_END]; /* by key: index of its word */
	uint8_t key_of[KEY_SAMPLE_END];  /* by word: its key */
	struct tuples tuples;            /* the words of each group */
	uint32_t recent[GROUPS_RECENT];  /* numbers + 1, of some that came last; 0: none */
};

static inline bool groups_have(const struct groups *groups, enum group_key key)
{
	return groups->keys >> key & 1;
}

/* The word of a key, which must be one of the groups' keys. */
static inline uint64_t groups_word(const struct groups *groups, uint32_t group, enum group_key key)
{
	const uint64_t *words = tuples_get(&groups->tuples, group);

	return words[groups->word_of[key]];
}

#endif
