#include "decode/tally/latencystat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define STEP_BITS 6 /* 64 steps for each power of two */

void latencystat_init(struct latencystat *stat)
{
	*stat = (struct latencystat){ .count = 0 };
	tuples_init(&stat->keys, sizeof(struct latency_key));
}

void latencystat_release(struct latencystat *stat)
{
	tuples_release(&stat->keys);
	map_release(&stat->step_of);
	free(stat->sums);
	free(stat->steps);
	free(stat->waiting);
}

static unsigned duration_step(uint64_t duration)
{
	unsigned power;

	if (duration < 1u << STEP_BITS)
		return (unsigned)duration;
	power = 63u - (unsigned)__builtin_clzll(duration);
	return ((power - STEP_BITS + 1) << STEP_BITS) +
	       (unsigned)(duration >> (power - STEP_BITS) & ((1u << STEP_BITS) - 1));
}

uint64_t latency_step_end(unsigned step)
{
	const unsigned shift = step >> STEP_BITS ? (step >> STEP_BITS) - 1 : 0;
	const uint64_t start =
		step >> STEP_BITS
			? (uint64_t)((1u << STEP_BITS) + (step & ((1u << STEP_BITS) - 1))) << shift
			: step;

	return start + (((uint64_t)1 << shift) - 1);
}

uint32_t latencystat_number(struct latencystat *stat, const struct latency_key *key,
                            struct err *err)
{
	static const struct latency_sum none = { .min = UINT64_MAX };
	uint32_t *recent =
		&stat->recent[(key->event * 31 + key->group + key->addr) % LATENCY_RECENT];
	uint32_t number;

	if (*recent && memcmp(tuples_get(&stat->keys, *recent - 1), key, sizeof(*key)) == 0)
		return *recent - 1;
	number = tuples_put(&stat->keys, key, err);
	*recent = number == MAP_NONE ? 0 : number + 1;
	if (number == MAP_NONE || number < stat->count)
		return number;
	if (!stat->waiting)
		stat->waiting = vec_new(LATENCY_WAITING, sizeof(*stat->waiting), err);
	if (!stat->waiting)
		return MAP_NONE;
	return vec_append(&stat->sums, &stat->count, &stat->capacity, &none, sizeof(none), err)
	               ? number
	               : MAP_NONE;
}

/* Moves a count that waits to the histogram. */
static bool count_waiting(struct latencystat *stat, struct latency_count *waiting, struct err *err)
{
	const struct latency_count none = { waiting->key, 0 };
	uint32_t at;

	if (!waiting->count)
		return true;
	at = map_number(&stat->step_of, waiting->key, err);
	if (at == MAP_NONE ||
	    (at == stat->step_count && !vec_append(&stat->steps, &stat->step_count,
	                                           &stat->step_capacity, &none, sizeof(none), err)))
		return false;
	stat->steps[at].count += waiting->count;
	waiting->count = 0;
	return true;
}

/* The place of a count that waits is that of another one from now on. */
static bool replace_waiting(struct latencystat *stat, struct latency_count *waiting, uint64_t key,
                            struct err *err)
{
	if (!count_waiting(stat, waiting, err))
		return false;
	*waiting = (struct latency_count){ key, 1 };
	return true;
}

static inline bool count_step(struct latencystat *stat, uint32_t number, uint64_t duration,
                              struct err *err)
{
	const unsigned step = duration_step(duration);
	const uint64_t key = (uint64_t)number << LATENCY_STEP_BITS | step;
	struct latency_count *waiting = &stat->waiting[(number * 331 + step) % LATENCY_WAITING];

	if (waiting->key != key)
		return replace_waiting(stat, waiting, key, err);
	waiting->count++;
	return true;
}

bool latencystat_finish(struct latencystat *stat, struct err *err)
{
	for (size_t i = 0; i < LATENCY_WAITING && stat->waiting; i++)
		if (!count_waiting(stat, &stat->waiting[i], err))
			return false;
	return true;
}

/* Before it is counted. */
static void note_longest(struct latency_sum *sum, const struct latency_longest *one)
{
	const struct latency_longest *longest = &sum->longest;

	if (!sum->count || one->duration > longest->duration ||
	    (one->duration == longest->duration && one->time < longest->time))
		sum->longest = *one;
}

bool latencystat_add(struct latencystat *stat, uint32_t number, const struct interval_row *row,
                     bool error, struct err *err)
{
	struct latency_sum *sum = &stat->sums[number];
	const uint64_t duration = row->duration;
	const struct latency_longest one = { duration, row->time, row->nr,
		                             row->pid, row->tid,  row->thread };

	note_longest(sum, &one);
	sum->count++;
	sum->errors += error;
	sum->total = u64_add_sat(sum->total, duration);
	sum->min = u64_min(sum->min, duration);
	return count_step(stat, number, duration, err);
}

void latencystat_add_unfinished(struct latencystat *stat, uint32_t number)
{
	stat->sums[number].unfinished++;
}

void latency_sum_add(struct latency_sum *sum, const struct latency_sum *added)
{
	if (added->count)
		note_longest(sum, &added->longest);
	sum->count += added->count;
	sum->unfinished += added->unfinished;
	sum->errors += added->errors;
	sum->total = u64_add_sat(sum->total, added->total);
	sum->min = u64_min(sum->min, added->min);
}
