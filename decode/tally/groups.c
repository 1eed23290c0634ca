#include "decode/tally/groups.h"

#include <string.h>

void groups_init(struct groups *groups, unsigned keys)
{
	memset(groups, 0, sizeof(*groups));
	groups->keys = keys & ((1u << KEY_SAMPLE_END) - 1);
	for (uint8_t key = 0; key < KEY_SAMPLE_END; key++)
		if (groups->keys >> key & 1)
			groups->word_of[key] = (uint8_t)groups->width++;
	tuples_init(&groups->tuples, groups->width * sizeof(uint64_t));
}

void groups_release(struct groups *groups)
{
	tuples_release(&groups->tuples);
	groups_init(groups, 0);
}
