#include "util/strings.h"

#include "util/hash.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

static bool grow_slots(struct strings *strings, struct err *err)
{
	size_t count = strings->slot_count ? 2 * strings->slot_count : 256;
	uint32_t *slots = malloc(count * sizeof(*slots));

	if (!slots)
		return err_nomem(err, count * sizeof(*slots));
	memset(slots, 0xff, count * sizeof(*slots));
	for (size_t i = 0; i < strings->count; i++) {
		size_t slot = (size_t)strings->entries[i].hash & (count - 1);

		while (slots[slot] != STRING_NONE)
			slot = (slot + 1) & (count - 1);
		slots[slot] = (uint32_t)i;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->slot_count = count;
	return true;
}

bool strings_init(struct strings *strings, struct err *err)
{
	memset(strings, 0, sizeof(*strings));
	arena_init(&strings->arena);
	strings->seed = hash_seed();
	return strings_put(strings, "", 0, err) == STRING_EMPTY;
}

void strings_release(struct strings *strings)
{
	arena_release(&strings->arena);
	free(strings->entries);
	free(strings->slots);
	memset(strings, 0, sizeof(*strings));
}

uint32_t strings_put(struct strings *strings, const char *text, size_t length, struct err *err)
{
	uint64_t hash = hash_bytes(strings->seed, text, length);
	struct string_entry *entry;
	size_t slot;

	if (strings->count >= strings->slot_count / 2 && !grow_slots(strings, err))
		return STRING_NONE;
	slot = (size_t)hash & (strings->slot_count - 1);
	for (; strings->slots[slot] != STRING_NONE; slot = (slot + 1) & (strings->slot_count - 1)) {
		entry = &strings->entries[strings->slots[slot]];
		if (entry->hash == hash && entry->length == length &&
		    !memcmp(entry->text, text, length))
			return strings->slots[slot];
	}
	if (!vec_room(&strings->entries, strings->count, &strings->capacity, sizeof(*entry), err))
		return STRING_NONE;
	entry = &strings->entries[strings->count];
	entry->text = arena_text(&strings->arena, text, length, err);
	if (!entry->text)
		return STRING_NONE;
	entry->hash = hash;
	entry->length = (uint32_t)length;
	strings->slots[slot] = (uint32_t)strings->count;
	return (uint32_t)strings->count++;
}

uint32_t strings_put_text(struct strings *strings, const char *text, struct err *err)
{
	return strings_put(strings, text, strlen(text), err);
}
