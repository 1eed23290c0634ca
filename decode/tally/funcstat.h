/*
 * The counted samples. While records are read, each sample is added to a cell. Afterwards the cells
 * are named, and every table of samples is a projection of them: sums over names.
 *
 *   place  (binary, address)                             decode/machine/places.h
 *   group  other properties, such as (pid, cpu); 0, the only one, if none was asked for, and after
 *          the last record: then groupsums.h has them
 *   kind   a number for (event, group, binary), which many cells have in common
 *   cell   (kind, place) -> samples, period
 *
 * Where stacks are counted, the cells of places are made from theirs (stackstat.h) after the last
 * record. Counting every sample as a stack, of one frame where it has no call chain, would make
 * these cells needless; it takes 48 % more CPU time, and 34 % more wall time, in a default run of
 * 0.6 million samples without call chains (medians of 11 runs by turns, busy machine of 2 CPUs).
 *
 * In:  cells_add(), for each sample; then cells_finish(), and cells_append() for what was counted
 *      elsewhere.
 * Out: after settle_places(), cells whose keys are numbers of places.
 */
#ifndef READPERF_DECODE_TALLY_FUNCSTAT_H
#define READPERF_DECODE_TALLY_FUNCSTAT_H

#include "decode/machine/places.h"
#include "util/tuples.h"

/*
 * Kinds that are found without a hash of their fields. Without this, default runs take longer: 16 %
 * with 295 MB of tracepoints, 28 % with 1,000 processes of 1,000 mappings (medians of 9).
 */
#define CELLS_CACHE 1024
/*
 * Number of samples that are counted together, so that the processor fetches what finds their cells
 * from memory at the same time. Measured with 3 million samples at 100,000 addresses, counting each
 * at once: on an idle machine 6 to 10 % more wall time of a whole run, 13 % with -j1 (medians of 9
 * runs); with a load of 12 on 2 CPUs 8 to 12 % more CPU time.
 */
#define CELLS_WAITING 64

struct cell_kind {
	uint32_t event, group, binary;
};

struct cell {
	uint64_t key; /* address in the binary; after settle_places() its place */
	uint64_t period;
	uint32_t samples;
	uint32_t kind;
};

/* After settle_places(): the number of the place of a cell. */
static inline uint32_t cell_place(const struct cell *cell)
{
	return (uint32_t)cell->key;
}

struct cells {
	struct cell *items;
	size_t count, capacity;
	struct hash_index index;     /* by kind and place, until cells_finish() */
	struct tuples kinds;         /* struct cell_kind */
	uint32_t cache[CELLS_CACHE]; /* kinds that were looked up last; MAP_NONE: none */
	struct {
		uint64_t key, period;
		uint64_t hash;
		uint32_t kind;
	} waiting[CELLS_WAITING];
	size_t waiting_count;
	uint64_t seed; /* of the hash */
};

/* The samples of one event and of what has a number: a process, or a group without places. */
struct sum {
	uint64_t samples, period;
	uint32_t event, number;
	bool wrapped; /* the period is modulo 2^64 */
};

#define SUMS_RECENT 256

/* All zeros is empty. */
struct sums {
	struct sum *items; /* in the order in which they first appeared */
	size_t count, capacity;
	struct map index_of;          /* number << 32 | event -> index */
	uint32_t recent[SUMS_RECENT]; /* indexes that were looked up last */
};

/* Adds samples and their period. False with err set when memory is refused. */
bool sums_add(struct sums *sums, uint32_t number, uint32_t event, uint64_t samples, uint64_t period,
              struct err *err);
/* Leaves them empty. */
void sums_release(struct sums *sums);

void cells_init(struct cells *cells);
void cells_release(struct cells *cells);
/* Forgets all cells and kinds, and keeps the memory. */
void cells_clear(struct cells *cells);

static inline size_t cells_cache_slot(const struct cell_kind *kind)
{
	return (kind->binary ^ kind->event * 17 ^ kind->group * 41) % CELLS_CACHE;
}

static inline const struct cell_kind *cells_kind_at(const struct cells *cells, uint32_t number)
{
	return tuples_get(&cells->kinds, number);
}

/* cells_kind() for a kind that is not in the cache. */
uint32_t cells_find_kind(struct cells *cells, const struct cell_kind *kind, struct err *err);

/*
 * The number of a kind, which is added if it is new, or MAP_NONE with err set when memory is
 * refused.
 */
static inline uint32_t cells_kind(struct cells *cells, uint32_t event, uint32_t group,
                                  uint32_t binary, struct err *err)
{
	const struct cell_kind kind = { event, group, binary }, *known;
	const uint32_t number = cells->cache[cells_cache_slot(&kind)];

	if (number != MAP_NONE) {
		known = cells_kind_at(cells, number);
		if (known->binary == binary && known->event == event && known->group == group)
			return number;
	}
	return cells_find_kind(cells, &kind, err);
}

/* Counts the samples that were added last. False with err set when memory is refused. */
bool cells_count_waiting(struct cells *cells, struct err *err);

static inline uint64_t cells_hash(const struct cells *cells, uint32_t kind, uint64_t key)
{
	return hash_keyed(cells->seed, key + kind * (cells->seed | 1));
}

/* Adds one sample of a kind at an address. False with err set when memory is refused. */
static inline bool cells_add(struct cells *cells, uint32_t kind, uint64_t key, uint64_t period,
                             struct err *err)
{
	size_t at = cells->waiting_count++;

	cells->waiting[at].kind = kind;
	cells->waiting[at].key = key;
	cells->waiting[at].period = period;
	cells->waiting[at].hash = cells_hash(cells, kind, key);
	hash_index_prefetch(&cells->index, cells->waiting[at].hash);
	return cells->waiting_count < CELLS_WAITING || cells_count_waiting(cells, err);
}

/*
 * Adds samples of a kind at an address at once, as many as the cell can count: *samples is set to
 * that. Returns the number of the cell; MAP_NONE with err set when memory is refused.
 */
uint32_t cells_put(struct cells *cells, uint32_t kind, uint64_t key, uint64_t *samples,
                   uint64_t period, struct err *err);

/*
 * After the last sample: cells_append() takes the place of cells_add(). False with err set when
 * memory is refused.
 */
bool cells_finish(struct cells *cells, struct err *err);
/* Appends a cell; settle_places() adds up those of one kind and place. */
bool cells_append(struct cells *cells, uint32_t kind, uint64_t key, uint64_t samples,
                  uint64_t period, struct err *err);

#endif
