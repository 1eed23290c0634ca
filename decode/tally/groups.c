#include "decode/tally/groups.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

void groups_init(struct groups *groups, unsigned keys)
{
	memset(groups, 0, sizeof(*groups));
	groups->keys = keys & ((1u << KEY_SAMPLE_END) - 1);
	for (uint8_t key = 0; key < KEY_SAMPLE_END; key++)
		if (groups->keys >> key & 1)
			groups->word_of[key] = (uint8_t)groups->width++;
	groups->last = GROUP_NONE;
	groups->seed = hash_seed();
}

void groups_release(struct groups *groups)
{
	free(groups->words);
	free(groups->slots);
	groups_init(groups, 0);
}

static bool is_group(const struct groups *groups, uint32_t number, const uint64_t *words)
{
	const uint64_t *own = groups->words + (size_t)number * groups->width;

	for (unsigned i = 0; i < groups->width; i++)
		if (own[i] != words[i])
			return false;
	return true;
}

/* The slot of the group with these words, or the free slot where it belongs. */
static uint32_t *slot_of_words(const struct groups *groups, const uint64_t *words)
{
	uint64_t hash = hash_bytes(groups->seed, words, groups->width * sizeof(*words));
	size_t slot = (size_t)hash & (groups->slot_count - 1);

	while (groups->slots[slot] && !is_group(groups, groups->slots[slot] - 1, words))
		slot = (slot + 1) & (groups->slot_count - 1);
	return &groups->slots[slot];
}

static bool grow_group_slots(struct groups *groups, struct err *err)
{
	size_t slot_count = groups->slot_count ? 2 * groups->slot_count : FIRST_SLOTS;
	uint32_t *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return err_nomem(err, slot_count * sizeof(*slots));
	free(groups->slots);
	groups->slots = slots;
	groups->slot_count = slot_count;
	for (size_t i = 0; i < groups->count; i++)
		*slot_of_words(groups, groups->words + i * groups->width) = (uint32_t)i + 1;
	return true;
}

uint32_t groups_put(struct groups *groups, const uint64_t *words, struct err *err)
{
	size_t size = groups->width * sizeof(*words);
	uint32_t *slot;

	if (!groups->width)
		return 0;
	if (groups->last != GROUP_NONE && is_group(groups, groups->last, words))
		return groups->last;
	if (groups->count >= groups->slot_count / 3 * 2 && !grow_group_slots(groups, err))
		return GROUP_NONE;
	slot = slot_of_words(groups, words);
	if (!*slot) {
		if (!vec_room(&groups->words, groups->count, &groups->capacity, size, err))
			return GROUP_NONE;
		memcpy(groups->words + groups->count * groups->width, words, size);
		*slot = (uint32_t)++groups->count;
	}
	groups->last = *slot - 1;
	return groups->last;
}
