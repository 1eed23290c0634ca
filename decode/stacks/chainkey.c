#include "decode/stacks/chainkey.h"

#include "util/cursor.h"
#include "util/hash.h"
#include "util/origperf.h"

/* Two sums, each of every other word, so that the processor can compute them in parallel. */
struct key_sums {
	uint64_t odd, next, other;
};

/* Injective in the word for a given sum, and in the sum for a given word. */
static inline void add_word(struct key_sums *sums, uint64_t word)
{
	const uint64_t sum = (sums->next ^ word) * sums->odd;

	sums->next = sums->other;
	sums->other = sum ^ sum >> 29;
}

static inline void add_place(struct key_sums *sums, uint32_t binary, uint64_t addr)
{
	add_word(sums, addr ^ (binary + (uint64_t)1) * sums->odd);
}

static struct chain_key key_of_sums(const struct key_sums *sums, uint64_t seed)
{
	const uint64_t a = hash_keyed(seed, sums->next), b = hash_keyed(~seed, sums->other);

	return (struct chain_key){ a + b ? a + b : 1, (uint32_t)(hash_keyed(b, a) >> 32) };
}

struct chain_key chain_key(const struct chain *chain, uint64_t seed, uint32_t event, uint32_t group)
{
	struct key_sums sums = { seed | 1, seed, ~seed };

	add_word(&sums, chain->count << 8 | chain->end);
	add_word(&sums, (uint64_t)event << 32 | group);
	for (size_t i = 0; i < chain->count; i++)
		add_place(&sums, chain->frames[i].binary, chain->frames[i].addr);
	return key_of_sums(&sums, seed);
}

/* Adds the user part that begins with word `at`. Returns the position of the next marker. */
static uint64_t add_user_part(struct key_sums *sums, const struct chain_list *list, uint64_t at)
{
	struct space_map map = { .start = 0 };
	unsigned flags = 0;

	for (; at < list->count; at++, flags = FRAME_RETURN) {
		const uint64_t word = load_u64(list->words + 8 * at, list->swap);
		const uint64_t call = word - flags;

		if (chain_word_is_marker(word))
			break;
		if (call - map.start >= map.end - map.start)
			map = chain_user_map(list->space, list->misc, call, flags);
		add_place(sums, map.binary, call - map.start + map.pgoff);
	}
	return at;
}

/* Adds the words from `at` up to the next marker, and returns its position. */
static uint64_t add_other_part(struct key_sums *sums, const struct chain_list *list, uint64_t at)
{
	for (; at < list->count; at++) {
		const uint64_t word = load_u64(list->words + 8 * at, list->swap);

		if (chain_word_is_marker(word))
			break;
		add_word(sums, word);
	}
	return at;
}

struct chain_key chain_list_key(const struct chain_list *list, uint64_t seed, uint32_t event,
                                uint32_t group)
{
	struct key_sums sums = { seed | 1, seed, ~seed };
	uint64_t first = 0, marker = PERF_CONTEXT_USER;
	bool any = false; /* an address was added */

	/* what an address of the kernel means */
	add_word(&sums, list->mappings->kernel_changes);
	add_word(&sums, (uint64_t)event << 32 | group);
	add_word(&sums, list->count << 16 | list->misc);
	add_place(&sums, list->binary, list->addr);
	for (uint64_t at = 0; at < list->count; at++) {
		const uint64_t start = at;

		at = marker == PERF_CONTEXT_USER ? add_user_part(&sums, list, at)
		                                 : add_other_part(&sums, list, at);
		if (!any && at > start)
			first = load_u64(list->words + 8 * start, list->swap);
		any |= at > start;
		if (at == list->count)
			break;
		marker = load_u64(list->words + 8 * at, list->swap);
		if (marker == PERF_CONTEXT_USER_DEFERRED)
			return (struct chain_key){ 0, 0 };
		add_word(&sums, marker);
	}
	/* the sample's own address becomes the first frame if the chain does not begin with it */
	add_word(&sums, list->ip - first);
	return key_of_sums(&sums, seed);
}
