#include "decode/tables/sampleplaces.h"

#include "util/vec.h"

#include <assert.h>
#include <stdlib.h>

static void put_place(struct sample_places *places, const struct sample_place *place)
{
	size_t at = (size_t)(sample_places_slot(places, place->binary, place->addr) -
	                     places->slots);

	while (places->slots[at].binary != UINT32_MAX)
		at = (at + 1) & (places->slot_count - 1);
	places->slots[at] = *place;
}

bool sample_places_init(struct sample_places *places, const struct places *all,
                        const struct place_names *names, struct err *err)
{
	assert(names->place_count == all->count);
	places->seed = hash_seed();
	places->slot_count = 64;
	while (places->slot_count * 3 / 4 < all->count)
		places->slot_count *= 2;
	places->slots = vec_new(places->slot_count, sizeof(*places->slots), err);
	if (!places->slots)
		return false;
	for (size_t i = 0; i < places->slot_count; i++)
		places->slots[i].binary = UINT32_MAX;
	for (size_t i = 0; i < all->range_count; i++) {
		const struct place_range *range = &all->ranges[i];

		for (uint32_t k = range->first; k < range->first + range->count; k++) {
			const struct place_name *name = &names->places[k];
			const struct sample_place place = { all->addrs[k], range->binary, k,
				                            name->function,
				                            name->file != STRING_EMPTY ||
				                                    name->line };

			put_place(places, &place);
		}
	}
	return true;
}

void sample_places_release(struct sample_places *places)
{
	free(places->slots);
	places->slots = NULL;
}
