#include "util/strings.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* A text that is looked for. */
struct wanted_text {
	const struct strings *strings;
	const char *text;
	size_t length;
};

static bool is_text(const void *context, uint32_t number)
{
	const struct wanted_text *wanted = context;
	const struct string_entry *entry = &wanted->strings->entries[number];

	/* a number without an entry was given to a text for which memory was refused */
	return number < wanted->strings->count && entry->length == wanted->length &&
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
	const struct wanted_text wanted = { strings, text, length };
	struct string_entry entry = { .length = (uint32_t)length };
	uint32_t number = hash_index_put(&strings->index, hash_bytes(strings->seed, text, length),
	                                 (uint32_t)strings->count, is_text, &wanted, err);

	if (number == MAP_NONE || number < strings->count)
		return number;
	if (!vec_room(&strings->entries, number, &strings->capacity, sizeof(entry), err))
		return STRING_NONE;
	entry.text = arena_text(&strings->arena, text, length, err);
	if (!entry.text)
		return STRING_NONE;
	strings->entries[strings->count++] = entry;
	return number;
}

uint32_t strings_put_text(struct strings *strings, const char *text, struct err *err)
{
	return strings_put(strings, text, strlen(text), err);
}
