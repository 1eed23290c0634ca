/*
 * Groups: what was asked for beside places, as a tuple of words per sample, each known by a number.
 * The tables of --by that ask for keys of the sample share them: the tuple has all keys that any of
 * them needs.
 *
 * In:  the keys; per sample, a word for each key of the sample.
 * Out: the number of the group, which goes into the sample's cell; and back, the words of a group.
 */
#ifndef READPERF_DECODE_TALLY_GROUPS_H
#define READPERF_DECODE_TALLY_GROUPS_H

#include "util/errhandler.h"

/* What a table of --by may be about. */
enum group_key {
	/* of the sample, in a group */
	KEY_PID,
	KEY_TID,
	KEY_COMM,   /* string */
	KEY_THREAD, /* string */
	KEY_CPU,
	KEY_MODE,    /* enum select_mode */
	KEY_CGROUP,  /* string */
	KEY_TIME,    /* number of a slice */
	KEY_PROCESS, /* number of the process; not for users */
	/* of its place, known when that has a name */
	KEY_BINARY,
	KEY_BUILD_ID,
	KEY_FUNCTION,
	KEY_SOURCE_FILE,
	KEY_LINE,
	KEY_ADDRESS,
	KEY_SYMBOLS,
	KEY_COUNT
};

#define KEY_SAMPLE_END KEY_BINARY /* keys below are of the sample */
#define GROUP_NONE UINT32_MAX
#define WORD_NONE UINT64_MAX /* the sample does not have it */

struct groups {
	unsigned keys;                   /* by bit */
	unsigned width;                  /* words of a tuple */
	uint8_t word_of[KEY_SAMPLE_END]; /* by key: where its word is */
	uint64_t *words;                 /* width for each group */
	size_t count, capacity;          /* groups; words there is room for */
	uint32_t *slots;                 /* number + 1; 0: free */
	size_t slot_count;
	uint64_t seed;
	uint32_t last; /* group that was put last */
};

/* keys: of samples, by bit. Without any, all samples are of group 0. */
void groups_init(struct groups *groups, unsigned keys);
void groups_release(struct groups *groups);

static inline bool groups_have(const struct groups *groups, enum group_key key)
{
	return groups->keys >> key & 1;
}

/* The number of the group with these words, or GROUP_NONE with err set when memory is refused. */
uint32_t groups_put(struct groups *groups, const uint64_t *words, struct err *err);

/* The word of a key that the groups have. */
static inline uint64_t groups_word(const struct groups *groups, uint32_t group, enum group_key key)
{
	return groups->words[(size_t)group * groups->width + groups->word_of[key]];
}

#endif
