#include "decode/tally/funcstat.h"

#include "util/memory.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define TALLY_FIRST 4096 /* slots */
#define SMALL_PART 12    /* entries; sorted without further splits */
#define DIGITS_LEAST 16
#define DIGITS 1024

void tally_init(struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	map_init(&tally->target_of);
	tally->seed = hash_seed();
	for (size_t i = 0; i < TALLY_CACHE; i++)
		tally->cache[i].key = UINT64_MAX;
}

void tally_release(struct tally *tally)
{
	free(tally->entries);
	free(tally->targets);
	map_release(&tally->target_of);
	tally_init(tally);
}

static inline size_t slot_of(const struct tally *tally, uint64_t hash)
{
	return (size_t)hash & (tally->capacity - 1);
}

/* The slot of the entry, or the free one where it belongs. Full entries are passed by. */
static inline struct tally_entry *find(const struct tally *tally, uint32_t target, uint64_t addr,
                                       uint64_t hash)
{
	size_t slot = slot_of(tally, hash);

	for (;;) {
		struct tally_entry *entry = &tally->entries[slot];

		if (!entry->samples || (entry->addr == addr && entry->target == target &&
		                        entry->samples != UINT32_MAX))
			return entry;
		slot = (slot + 1) & (tally->capacity - 1);
	}
}

static bool grow(struct tally *tally, struct err *err)
{
	struct tally_entry *old = tally->entries;
	size_t old_capacity = tally->capacity;
	size_t capacity = old_capacity ? 2 * old_capacity : TALLY_FIRST;
	struct tally_entry *entries;
	void *memory = NULL;

	if (posix_memalign(&memory, MEMORY_LINE, capacity * sizeof(*entries)))
		return err_nomem(err, capacity * sizeof(*entries));
	memory_populate(memory, capacity * sizeof(*entries));
	/*
	 * A page of calloc() that is read before it is written costs two faults, and the second one
	 * interrupts the other thread; and of malloc() with memset() the compiler makes calloc().
	 */
	entries = memset(memory, 0, capacity * sizeof(*entries));
	tally->entries = entries;
	tally->capacity = capacity;
	for (size_t i = 0; i < old_capacity; i++) {
		if (!old[i].samples)
			continue;
		size_t slot = slot_of(tally, tally_hash(tally, old[i].target, old[i].addr));

		while (entries[slot].samples)
			slot = (slot + 1) & (capacity - 1);
		entries[slot] = old[i];
	}
	free(old);
	return true;
}

uint32_t tally_find_target(struct tally *tally, uint32_t event, uint32_t binary, struct err *err)
{
	uint64_t key = tally_key(event, binary);
	size_t slot = tally_cache_slot(event, binary);
	struct tally_target *targets;
	uint32_t target = map_get(&tally->target_of, key);

	if (target == MAP_NONE) {
		target = (uint32_t)tally->target_count;
		targets = vec_grow(tally->targets, target, &tally->target_capacity,
		                   sizeof(*targets), err);
		if (!targets)
			return MAP_NONE;
		tally->targets = targets;
		if (!map_put(&tally->target_of, key, target, err))
			return MAP_NONE;
		targets[target] = (struct tally_target){ event, binary };
		tally->target_count++;
	}
	tally->cache[slot].key = key;
	tally->cache[slot].target = target;
	return target;
}

bool tally_count(struct tally *tally, struct err *err)
{
	size_t count = tally->waiting_count;

	/* up to 3/4 of the slots are used */
	while (tally->count + count > tally->capacity / 4 * 3)
		if (!grow(tally, err))
			return false;
	tally->waiting_count = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t target = tally->waiting[i].target;
		uint64_t addr = tally->waiting[i].addr;
		struct tally_entry *entry = find(tally, target, addr, tally->waiting[i].hash);

		if (!entry->samples) {
			entry->addr = addr;
			entry->target = target;
			tally->count++;
		}
		entry->samples++;
		entry->period += tally->waiting[i].period;
	}
	return true;
}

static inline bool before(const struct tally *tally, const struct tally_entry *a,
                          const struct tally_entry *b)
{
	const struct tally_target *x = &tally->targets[a->target], *y = &tally->targets[b->target];

	if (x->binary != y->binary)
		return x->binary < y->binary;
	if (a->addr != b->addr)
		return a->addr < b->addr;
	return x->event != y->event ? x->event < y->event : a->samples > b->samples;
}

static inline void swap(struct tally_entry *a, struct tally_entry *b)
{
	struct tally_entry held = *a;

	*a = *b;
	*b = held;
}

static void insertion_sort(const struct tally *tally, struct tally_entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct tally_entry moved = entries[i];
		size_t at = i;

		for (; at && before(tally, &moved, &entries[at - 1]); at--)
			entries[at] = entries[at - 1];
		entries[at] = moved;
	}
}

/* What entries are told apart by, one after the other. */
enum key { BY_BINARY, BY_ADDR, BY_EVENT };

static inline uint64_t key_of(const struct tally *tally, const struct tally_entry *entry,
                              enum key key)
{
	if (key == BY_ADDR)
		return entry->addr;
	return key == BY_BINARY ? tally->targets[entry->target].binary
	                        : tally->targets[entry->target].event;
}

/* The digit of a key: a few bits of what it is beyond the lowest. */
struct digit {
	enum key key;
	uint64_t lowest;
	unsigned shift;
	size_t count; /* of different digits */
};

static inline size_t digit_of(const struct tally *tally, const struct tally_entry *entry,
                              const struct digit *digit)
{
	return (size_t)((key_of(tally, entry, digit->key) - digit->lowest) >> digit->shift);
}

/* Groups the entries by digit, in place. ends[i] is where those of digit i end. */
static void group(const struct tally *tally, struct tally_entry *entries, size_t count,
                  const struct digit *digit, size_t ends[DIGITS])
{
	size_t next[DIGITS], sum = 0;

	memset(ends, 0, digit->count * sizeof(*ends));
	for (size_t i = 0; i < count; i++)
		ends[digit_of(tally, &entries[i], digit)]++;
	for (size_t i = 0; i < digit->count; i++) {
		next[i] = sum;
		sum += ends[i];
		ends[i] = sum;
	}
	for (size_t i = 0; i < digit->count; i++) {
		while (next[i] < ends[i]) {
			size_t other = digit_of(tally, &entries[next[i]], digit);

			if (other != i)
				swap(&entries[next[i]], &entries[next[other]]);
			next[other]++;
		}
	}
}

/*
 * A radix sort from the first digit on, in place, because the tally may be the largest thing in memory.
 * Each digit splits a range into at least two; so it ends soon, whatever a recording makes up.
 */
static void sort(const struct tally *tally, struct tally_entry *entries, size_t count, enum key key,
                 enum key last)
{
	struct digit digit = { key, UINT64_MAX, 0, DIGITS_LEAST };
	size_t ends[DIGITS], start = 0;
	uint64_t highest = 0;

	if (count <= SMALL_PART) {
		insertion_sort(tally, entries, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		digit.lowest = u64_min(digit.lowest, key_of(tally, &entries[i], key));
		highest = u64_max(highest, key_of(tally, &entries[i], key));
	}
	if (digit.lowest == highest) {
		if (key != last)
			sort(tally, entries, count, key + 1, last);
		else if (key == BY_EVENT) /* the same again, beyond 2^32 samples: these are few */
			insertion_sort(tally, entries, count);
		return;
	}
	while (digit.count < DIGITS && digit.count < count)
		digit.count *= 2;
	while ((highest - digit.lowest) >> digit.shift >= digit.count)
		digit.shift++;
	group(tally, entries, count, &digit, ends);
	for (size_t i = 0; i < digit.count; start = ends[i++])
		sort(tally, entries + start, ends[i] - start, key, last);
}

void tally_sort(const struct tally *tally, struct tally_entry *entries, size_t count)
{
	sort(tally, entries, count, BY_ADDR, BY_EVENT);
}

bool tally_group(struct tally *tally, struct err *err)
{
	size_t used = 0;

	if (!tally_count(tally, err))
		return false;
	for (size_t i = 0; i < tally->capacity; i++)
		if (tally->entries[i].samples)
			tally->entries[used++] = tally->entries[i];
	sort(tally, tally->entries, used, BY_BINARY, BY_BINARY);
	return true;
}
