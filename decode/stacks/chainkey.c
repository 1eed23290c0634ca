#include "decode/stacks/chainkey.h"

#include "util/cursor.h"
#include "util/hash.h"
#include "util/origperf.h"

/*
 * Two sums, each of every other word, so that the processor can compute them in parallel. Loops add
 * to a copy of their own, which lies in registers: else each word waits for the store of the one
 * before it.
 */
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

static uint64_t key_of_sums(const struct key_sums *sums, uint64_t seed)
{
	const uint64_t key = hash_keyed(seed, sums->next) + hash_keyed(~seed, sums->other);

	return key ? key : 1;
}

/* Both keys, given the sums of the callers, and what is not part of them. */
static struct chain_keys keys_of_callers(struct key_sums *sums, uint64_t seed, uint32_t binary,
                                         uint64_t addr, uint32_t group)
{
	struct chain_keys keys = { .callers = key_of_sums(sums, seed) };

	add_place(sums, binary, addr);
	add_word(sums, group);
	keys.whole = key_of_sums(sums, seed);
	return keys;
}

struct chain_keys chain_keys(const struct chain *chain, uint64_t seed, uint32_t group)
{
	const struct chain_frame *own = &chain->frames[0];
	struct key_sums sums = { seed | 1, seed, ~seed };

	add_word(&sums, chain->count << 8 | chain->end);
	for (size_t i = 1; i < chain->count; i++)
		add_place(&sums, chain->frames[i].binary, chain->frames[i].addr);
	return keys_of_callers(&sums, seed, own->binary, own->addr, group);
}

static inline uint64_t word_at(const struct chain_list *list, uint64_t at)
{
	return load_u64(list->words + 8 * at, list->swap);
}

/*
 * Adds a part of the list from word `at` up to the next marker, and returns its position. flags: of
 * the frame of the first word.
 */
static uint64_t add_user_part(struct key_sums *sums, const struct chain_list *list, uint64_t at,
                              unsigned flags)
{
	struct key_sums local = *sums;
	struct space_map map = { .start = 0 };

	for (; at < list->count; at++, flags = FRAME_RETURN) {
		const uint64_t word = word_at(list, at), call = word - flags;

		if (chain_word_is_marker(word))
			break;
		if (call - map.start >= map.end - map.start)
			map = chain_user_map(list->space, list->misc, call, flags);
		add_place(&local, map.binary, call - map.start + map.pgoff);
	}
	*sums = local;
	return at;
}

/* The same for another mode, whose addresses mean the same in all processes. */
static uint64_t add_other_part(struct key_sums *sums, const struct chain_list *list, uint64_t at)
{
	struct key_sums local = *sums;

	for (; at < list->count; at++) {
		const uint64_t word = word_at(list, at);

		if (chain_word_is_marker(word))
			break;
		add_word(&local, word);
	}
	*sums = local;
	return at;
}

/* What of an event the ends of its chains depend on: 17 bits. */
static inline uint64_t end_rule(const struct event_attr *attr)
{
	return (uint64_t)attr->sample_max_stack << 1 |
	       attr_flag(attr, PERF_FLAG_EXCLUDE_CALLCHAIN_USER);
}

/* Whether the first address, behind this marker, is the sample's own. */
static inline bool begins_with_sample(const struct chain_list *list, uint64_t first,
                                      uint64_t marker)
{
	return chain_is_own_address(first, list->ip) &&
	       chain_mode_of_marker(marker) == cpu_mode_of(list->misc);
}

struct chain_keys chain_list_keys(const struct chain_list *list, uint64_t seed, uint32_t group)
{
	struct key_sums sums = { seed | 1, seed, ~seed };
	uint64_t marker = PERF_CONTEXT_USER;
	bool any = false; /* an address was found */

	/* what an address of the kernel means, and how a list of this event ends */
	add_word(&sums, list->mappings->kernel_changes << 17 | end_rule(list->attr));
	add_word(&sums, list->count << 16 | list->misc);
	for (uint64_t at = 0; at < list->count; at++) {
		bool own = false;

		if (!any && !chain_word_is_marker(word_at(list, at))) {
			own = begins_with_sample(list, word_at(list, at), marker);
			any = true;
			/* the sample's own address is no caller, and is skipped */
			add_word(&sums, own);
			at += own;
		}
		at = marker == PERF_CONTEXT_USER
		             ? add_user_part(&sums, list, at, own ? FRAME_RETURN : 0)
		             : add_other_part(&sums, list, at);
		if (at == list->count)
			break;
		marker = word_at(list, at);
		if (marker == PERF_CONTEXT_USER_DEFERRED)
			return (struct chain_keys){ 0, 0 };
		add_word(&sums, marker);
	}
	return keys_of_callers(&sums, seed, list->binary, list->addr, group);
}
