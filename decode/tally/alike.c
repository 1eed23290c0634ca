#include "decode/tally/alike.h"

#include "decode/select/rawdata.h"
#include "util/hash.h"

#include <string.h>

#define SLOTS (2 * SAMPLES_MOST)

bool alike_is_possible(const struct choice *choice)
{
	const unsigned keys = choice->groups.keys | choice->apart.keys;

	return choice->reads_fields && !(keys >> KEY_CGROUP & 1) && !(keys >> KEY_TIME & 1) &&
	       !selection_has(&choice->selection, SELECT_TIME);
}

/* What decides on the sample's group, as words; fields with one number by their value. */
static bool fill_words(struct choice *choice, const struct choice_alike *asked,
                       const struct sample *sample, const struct placed *placed,
                       uint64_t words[ALIKE_WORDS], struct err *err)
{
	struct field_choice *fields = &choice->fields;
	const struct event_fields *its = field_choice_event(fields, sample->event, err);
	const size_t key_count = fields->request->key_count;
	struct raw_data raw;

	words[0] = (uint64_t)sample->event << 32 | placed->process;
	words[1] = asked->tid ? (uint32_t)sample->tid : 0;
	words[1] |= asked->cpu ? (uint64_t)(uint32_t)sample->cpu << 32 : 0;
	words[2] = asked->mode ? sample->misc : 0;
	words[2] |= asked->binary ? (uint64_t)placed->binary << 32 : 0;
	memset(words + 3, 0, key_count * sizeof(*words));
	if (!its)
		return err->code == ERR_NONE;
	raw = raw_data_of_sample(&fields->formats, sample);
	/* whether it is selected; those that are not count for the totals of their event */
	words[2] |= (uint64_t)field_choice_passes(fields, its, &raw, err) << 16;
	for (unsigned i = 0; i < key_count; i++) {
		bool missing;

		words[3 + i] = field_choice_word(fields, its, i, &raw, &missing, err);
		words[2] |= (uint64_t)missing << (17 + i);
	}
	return err->code == ERR_NONE;
}

static size_t slot_of(const uint64_t *words, size_t count)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(hash >> 48) % SLOTS;
}

/* The number of a kind; the words of a new one are at [*kinds]. */
static uint16_t find_kind(struct alike_samples *alike, size_t *kinds, size_t width)
{
	const uint64_t *words = alike->words[*kinds];
	size_t slot = slot_of(words, width);

	for (; alike->slots[slot]; slot = (slot + 1) % SLOTS)
		if (!memcmp(alike->words[alike->slots[slot] - 1], words, width * sizeof(*words)))
			return alike->slots[slot] - 1;
	++*kinds;
	alike->slots[slot] = (uint16_t)*kinds;
	return (uint16_t)(*kinds - 1);
}

/* Puts the samples of each kind together, in the order in which the kinds appeared. */
static void sort_by_kind(struct alike_samples *alike, const struct placed_samples *all)
{
	uint16_t next[SAMPLES_MOST], at = 0;

	for (size_t i = 0; i < alike->run_count; at = (uint16_t)(at + alike->lengths[i++]))
		next[i] = at;
	for (size_t i = 0; i < all->count; i++) {
		const uint16_t to = next[alike->kinds[i]]++;

		alike->samples[to] = all->samples[i];
		alike->placed[to] = all->placed[i];
	}
}

bool alike_order(struct alike_samples *alike, struct choice *choice,
                 const struct placed_samples *all, struct err *err)
{
	const struct choice_alike asked = choice_alike_fields(choice);
	const size_t width = 3 + choice->fields.request->key_count;
	size_t kinds = 0;

	memset(alike->slots, 0, sizeof(alike->slots));
	memset(alike->lengths, 0, sizeof(alike->lengths));
	for (size_t i = 0; i < all->count; i++) {
		if (!fill_words(choice, &asked, &all->samples[i], &all->placed[i],
		                alike->words[kinds], err))
			return false;
		alike->kinds[i] = find_kind(alike, &kinds, width);
		alike->lengths[alike->kinds[i]]++;
	}
	alike->run_count = kinds;
	sort_by_kind(alike, all);
	return true;
}
