#include "util/strings.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* The text that is looked for stands behind those that have a number. */
static bool is_text(const void *context, uint32_t number)
{
	const struct strings *strings = context;
	const struct string_entry *entry = &strings->entries[number];
	const struct string_entry *wanted = &strings->entries[strings->count];

	return entry->length == wanted->length &&
	       !memcmp(entry->text, wanted->text, wanted->length);
}

bool strings_init(struct strings *strings, struct err *err)
{
	memset(strings, 0, sizeof(*strings));
	strings->seed = hash_seed();
	return strings_put(strings, "", 0, err) == STRING_EMPTY;
}

void strings_release(struct strings *strings)
{
	arena_release(&strings->arena);
	free(strings->entries);
	hash_index_release(&strings->index);
	memset(strings, 0, sizeof(*strings));
}

uint32_t strings_put(struct strings *strings, const char *text, size_t length, struct err *err)
{
	uint32_t number;

	if (!vec_room(&strings->entries, strings->count, &strings->capacity,
	              sizeof(*strings->entries), err))
		return STRING_NONE;
	strings->entries[strings->count] = (struct string_entry){ text, (uint32_t)length };
	number = hash_index_put(&strings->index, hash_bytes(strings->seed, text, length),
	                        (uint32_t)strings->count, is_text, strings, err);
	if (number == MAP_NONE || number < strings->count)
		return number;
	text = arena_text(&strings->arena, text, length, err);
	if (!text)
		return STRING_NONE;
	strings->entries[strings->count++].text = text;
	return number;
}

uint32_t strings_put_text(struct strings *strings, const char *text, struct err *err)
{
	return strings_put(strings, text, strlen(text), err);
}
