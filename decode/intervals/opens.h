/*
 * Begins that wait for their ends, by key. A key is a hash of 64 bits with a random seed over the
 * pairing and everything that joins the two records, so that two of a million open begins have the
 * same one in less than one of ten million recordings.
 *
 * Memory is bounded: at most OPENS_MOST are kept, and `oldest` is the one to give up.
 */
#ifndef READPERF_DECODE_INTERVALS_OPENS_H
#define READPERF_DECODE_INTERVALS_OPENS_H

#include "util/hash.h"

#define OPENS_MOST ((uint32_t)1 << 20)
#define OPEN_NONE UINT32_MAX

struct open_begin {
	uint64_t key;
	uint64_t time, seq; /* ns; number of the fact: see struct sched_mark */
	uint64_t number;    /* the call's own, which the end must have, too */
	int32_t cpu;
	uint32_t token; /* of the sink */
	uint32_t pairing;
	/* numbers of others, or OPEN_NONE */
	uint32_t next;         /* in the same slot, the newest first; a free one: the next free */
	uint32_t older, newer; /* by the time of their begins */
};

/* All zeros is empty, but for opens_init(). */
struct opens {
	struct open_begin *items;
	size_t count, capacity; /* of items, free ones too */
	uint32_t *slots;        /* by hash */
	size_t slot_count;      /* a power of two, or 0 */
	uint32_t used;          /* open now */
	uint32_t free, oldest, newest;
};

void opens_init(struct opens *opens);
void opens_release(struct opens *opens);
/* The newest one with this key, or OPEN_NONE. */
static inline uint32_t opens_find(const struct opens *opens, uint64_t key)
{
	uint32_t number = opens->slot_count ? opens->slots[key & (opens->slot_count - 1)]
	                                    : OPEN_NONE;

	while (number != OPEN_NONE && opens->items[number].key != key)
		number = opens->items[number].next;
	return number;
}
/* Keeps a begin; next, older and newer are set here. Valid until the next call. NULL with err set.
 */
struct open_begin *opens_add(struct opens *opens, const struct open_begin *begin, struct err *err);
void opens_remove(struct opens *opens, uint32_t number);

static inline bool opens_are_full(const struct opens *opens)
{
	return opens->used >= OPENS_MOST;
}

#endif
