/* Interned texts: each distinct text is kept once and compared by its number. */
#ifndef READPERF_UTIL_STRINGS_H
#define READPERF_UTIL_STRINGS_H

#include "util/arena.h"
#include "util/hash.h"

#define STRING_NONE UINT32_MAX /* memory was refused */
#define STRING_EMPTY 0         /* "" in every table */

struct string_entry {
	const char *text; /* NUL-terminated; may hold any other byte */
	uint32_t length;
};

struct strings {
	struct arena arena;
	struct string_entry *entries;
	size_t count, capacity;
	struct hash_index index;
	uint64_t seed; /* of the hashes */
};

bool strings_init(struct strings *strings, struct err *err);
void strings_release(struct strings *strings);
/* The number of this text (borrowed, length bytes, no NUL inside), or STRING_NONE with err set. */
uint32_t strings_put(struct strings *strings, const char *text, size_t length, struct err *err);
/* The same for a NUL-terminated text. */
uint32_t strings_put_text(struct strings *strings, const char *text, struct err *err);

/* Lives as long as the table. */
static inline const char *strings_get(const struct strings *strings, uint32_t number)
{
	return strings->entries[number].text;
}

#endif
