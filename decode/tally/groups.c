#include "decode/tally/groups.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

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
	hash_index_release(&groups->index);
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

/* The groups, and the words that are looked for. */
struct wanted_group {
	const struct groups *groups;
	const uint64_t *words;
};

static bool matches_group(const void *context, uint32_t number)
{
	const struct wanted_group *wanted = context;

	return is_group(wanted->groups, number, wanted->words);
}

uint32_t groups_put(struct groups *groups, const uint64_t *words, struct err *err)
{
	size_t size = groups->width * sizeof(*words);
	const struct wanted_group wanted = { groups, words };
	uint32_t number;

	if (!groups->width)
		return 0;
	if (groups->last != GROUP_NONE && is_group(groups, groups->last, words))
		return groups->last;
	if (!vec_room(&groups->words, groups->count, &groups->capacity, size, err))
		return GROUP_NONE;
	number = hash_index_put(&groups->index, hash_bytes(groups->seed, words, size),
	                        (uint32_t)groups->count, matches_group, &wanted, err);
	if (number == MAP_NONE)
		return GROUP_NONE;
	if (number == groups->count) {
		memcpy(groups->words + groups->count * groups->width, words, size);
		groups->count++;
	}
	groups->last = number;
	return number;
}
