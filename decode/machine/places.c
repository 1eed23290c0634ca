#include "decode/machine/places.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 1024

void places_release(struct places *places)
{
	free(places->addrs);
	free(places->ranges);
	free(places->items);
	free(places->slots);
	memset(places, 0, sizeof(*places));
}

/* The slot of the place, or the free slot where it belongs. */
static uint32_t *slot_of_place(const struct places *places, uint32_t binary, uint64_t addr)
{
	size_t slot = (size_t)hash_pair(places->seed, binary, addr) & (places->slot_count - 1);

	for (; places->slots[slot]; slot = (slot + 1) & (places->slot_count - 1)) {
		const struct place *place = &places->items[places->slots[slot] - 1];

		if (place->addr == addr && place->binary == binary)
			break;
	}
	return &places->slots[slot];
}

static bool grow_place_slots(struct places *places, struct err *err)
{
	size_t slot_count = places->slot_count ? 2 * places->slot_count : FIRST_SLOTS;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	free(places->slots);
	places->slots = slots;
	if (!places->slot_count)
		places->seed = hash_seed();
	places->slot_count = slot_count;
	for (size_t i = 0; i < places->count; i++)
		*slot_of_place(places, places->items[i].binary,
		               places->items[i].addr) = (uint32_t)i + 1;
	return true;
}

uint32_t places_put(struct places *places, uint32_t binary, uint64_t addr, struct err *err)
{
	uint32_t *slot;

	if (places->count >= places->slot_count / 3 * 2 && !grow_place_slots(places, err))
		return PLACE_NONE;
	slot = slot_of_place(places, binary, addr);
	if (*slot)
		return *slot - 1;
	if (!vec_room(&places->items, places->count, &places->capacity, sizeof(*places->items),
	              err))
		return PLACE_NONE;
	places->items[places->count++] = (struct place){ addr, binary };
	*slot = (uint32_t)places->count;
	return *slot - 1;
}

/* A place and its old number. */
struct numbered_place {
	uint64_t addr;
	uint32_t binary, number;
};

static int compare_places(const void *a, const void *b)
{
	const struct numbered_place *x = a, *y = b;

	if (x->binary != y->binary)
		return x->binary < y->binary ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

bool places_sort(struct places *places, uint32_t **moved, struct err *err)
{
	size_t count = places->count;
	struct numbered_place *order = malloc((count + 1) * sizeof(*order));
	bool ok;

	*moved = malloc((count + 1) * sizeof(**moved));
	ok = (order && *moved) || err_nomem(err, count * sizeof(*order));
	for (size_t i = 0; ok && i < count; i++)
		order[i] = (struct numbered_place){ places->items[i].addr, places->items[i].binary,
			                            (uint32_t)i };
	if (ok)
		qsort(order, count, sizeof(*order), compare_places);
	places_release(places);
	ok = ok && places_start(places, count, err);
	for (size_t i = 0; ok && i < count; i++) {
		(*moved)[order[i].number] = (uint32_t)i;
		ok = places_append(places, order[i].binary, order[i].addr, err);
	}
	free(order);
	return ok;
}

/* One of two sorted collections that are merged; both may have the same place. */
struct merge_side {
	const struct places *places;
	size_t next, range;
};

static bool merge_has(const struct merge_side *side)
{
	return side->next < side->places->count;
}

static struct place merge_place(struct merge_side *side)
{
	const struct place_range *range = &side->places->ranges[side->range];

	while (side->next >= (size_t)range->first + range->count)
		range = &side->places->ranges[++side->range];
	return (struct place){ side->places->addrs[side->next], range->binary };
}

/*
 * Compares the next places of both sides: below 0 if the first side's comes first, above 0 if the
 * second side's does, 0 if they are the same.
 */
static int merge_order(struct merge_side *first, struct merge_side *second)
{
	struct place a, b;

	if (!merge_has(second))
		return -1;
	if (!merge_has(first))
		return 1;
	a = merge_place(first);
	b = merge_place(second);
	if (a.binary != b.binary)
		return a.binary < b.binary ? -1 : 1;
	return a.addr < b.addr ? -1 : a.addr > b.addr;
}

bool places_merge(struct places *places, struct places *more, struct places_moved *moved,
                  struct err *err)
{
	struct places whole = { .addrs = NULL };
	struct merge_side first = { .places = places }, second = { .places = more };
	const size_t most = more->count;
	uint32_t *whole_of = malloc((most + 1) * sizeof(*whole_of));
	bool ok;

	moved->more = NULL;
	moved->places = malloc((places->count + 1) * sizeof(*moved->places));
	ok = (whole_of && moved->places) ||
	     err_nomem(err, (places->count + most) * sizeof(*whole_of));
	ok = ok && places_sort(more, &moved->more, err) &&
	     places_start(&whole, places->count + most, err);
	while (ok && (merge_has(&first) || merge_has(&second))) {
		int order = merge_order(&first, &second);
		struct place place = merge_place(order <= 0 ? &first : &second);

		if (order <= 0)
			moved->places[first.next++] = (uint32_t)whole.count;
		if (order >= 0)
			whole_of[second.next++] = (uint32_t)whole.count;
		ok = places_append(&whole, place.binary, place.addr, err);
	}
	for (size_t i = 0; ok && i < most; i++)
		moved->more[i] = whole_of[moved->more[i]];
	free(whole_of);
	places_release(more);
	if (ok) {
		places_release(places);
		*places = whole;
	} else {
		places_release(&whole);
	}
	return ok;
}

bool places_start(struct places *places, size_t count, struct err *err)
{
	if (count >= PLACE_NONE)
		return err_set(err, ERR_LIMIT, "more than 2^32 different addresses were sampled");
	places->capacity = count + 1;
	places->addrs = malloc(places->capacity * sizeof(*places->addrs));
	return places->addrs || err_nomem(err, places->capacity * sizeof(*places->addrs));
}

bool places_append(struct places *places, uint32_t binary, uint64_t addr, struct err *err)
{
	size_t count = places->range_count;

	if (!count || places->ranges[count - 1].binary != binary) {
		if (!vec_room(&places->ranges, count, &places->range_capacity,
		              sizeof(*places->ranges), err))
			return false;
		places->ranges[count++] = (struct place_range){ binary, (uint32_t)places->count,
			                                        0 };
		places->range_count = count;
	}
	places->addrs[places->count++] = addr;
	places->ranges[count - 1].count++;
	return true;
}

size_t places_range(const struct places *places, uint32_t place)
{
	size_t low = 0, high = places->range_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (places->ranges[middle].first <= place)
			low = middle;
		else
			high = middle;
	}
	return low;
}
