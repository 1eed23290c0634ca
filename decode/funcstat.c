#include "decode/funcstat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define TALLY_FIRST 4096 /* slots */
#define SMALL_PART 12    /* entries; sorted without further splits */

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
	struct tally_entry *entries = calloc(capacity, sizeof(*entries));

	if (!entries)
		return err_nomem(err, capacity * sizeof(*entries));
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

uint32_t tally_target(struct tally *tally, uint32_t event, uint32_t binary, struct err *err)
{
	uint64_t key = (uint64_t)event << 32 | binary;
	size_t slot = (binary ^ event * 17) % TALLY_CACHE;
	struct tally_target *targets;
	uint32_t target;

	if (tally->cache[slot].key == key)
		return tally->cache[slot].target;
	target = map_get(&tally->target_of, key);
	if (target == MAP_NONE) {
		target = (uint32_t)tally->target_count;
		targets = vec_grow(tally->targets, target, &tally->target_capacity, sizeof(*targets), err);
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

static void sift(const struct tally *tally, struct tally_entry *entries, size_t root, size_t count)
{
	struct tally_entry moved = entries[root];

	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= count)
			break;
		if (child + 1 < count && before(tally, &entries[child], &entries[child + 1]))
			child++;
		if (!before(tally, &moved, &entries[child]))
			break;
		entries[root] = entries[child];
		root = child;
	}
	entries[root] = moved;
}

static void heap_sort(const struct tally *tally, struct tally_entry *entries, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(tally, entries, i, count);
	for (size_t last = count; last-- > 1;) {
		swap(&entries[0], &entries[last]);
		sift(tally, entries, 0, last);
	}
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

/* Splits the entries into two parts, the second of which has none before any of the first. */
static size_t split(const struct tally *tally, struct tally_entry *entries, size_t count)
{
	struct tally_entry *middle = &entries[count / 2], *last = &entries[count - 1], pivot;
	size_t low = 0, high = count - 1;

	/* the median of three stands in the middle then, and stops both searches */
	if (before(tally, middle, entries))
		swap(middle, entries);
	if (before(tally, last, middle))
		swap(last, middle);
	if (before(tally, middle, entries))
		swap(middle, entries);
	pivot = *middle;
	for (;;) {
		while (before(tally, &entries[low], &pivot))
			low++;
		while (before(tally, &pivot, &entries[high]))
			high--;
		if (low >= high)
			return high + 1;
		swap(&entries[low++], &entries[high--]);
	}
}

/*
 * Quicksort in place, because the tally may be the largest thing in memory; what it splits badly, and
 * a recording could see to that, is heapsorted.
 */
static void sort(const struct tally *tally, struct tally_entry *entries, size_t count, unsigned depth)
{
	for (; count > SMALL_PART; depth--) {
		size_t first;

		if (!depth) {
			heap_sort(tally, entries, count);
			return;
		}
		first = split(tally, entries, count);
		if (first < count - first) {
			sort(tally, entries, first, depth - 1);
			entries += first;
			count -= first;
		} else {
			sort(tally, entries + first, count - first, depth - 1);
			count = first;
		}
	}
	insertion_sort(tally, entries, count);
}

bool tally_sort(struct tally *tally, struct err *err)
{
	size_t used = 0;
	unsigned depth = 2;

	if (!tally_count(tally, err))
		return false;
	for (size_t i = 0; i < tally->capacity; i++)
		if (tally->entries[i].samples)
			tally->entries[used++] = tally->entries[i];
	for (size_t i = used; i; i /= 2)
		depth += 2;
	sort(tally, tally->entries, used, depth);
	return true;
}
