/* Lists of names that users type: finds the one that is nearest to a mistyped one, prints them. */
#ifndef READPERF_UTIL_NEAREST_H
#define READPERF_UTIL_NEAREST_H

#include <stddef.h>

#define WORD_MOST 63 /* bytes; a longer word is never near another */

/*
 * How many edits turn one word into the other: letters added, missing or changed, or two swapped.
 * Both lengths, in bytes, are at most WORD_MOST.
 */
size_t edit_distance(const char *from, size_t from_length, const char *to, size_t to_length);

/* Returns the name with this index, counted from 0, and NULL after the last one. */
typedef const char *name_at(const void *context, size_t index);

/*
 * Returns the name that is the fewest edits away from word, the first one if there are several.
 * NULL if every name is more than a third of the word's letters away.
 */
const char *nearest_name(const char *word, name_at *names, const void *context);

/* Appends a name to a list, behind the separator if it is not the first one; as far as it fits. */
void list_name(char *list, size_t size, const char *separator, const char *name);
/* Writes "first, second, third", as far as it fits. */
void join_names(char *text, size_t size, name_at *names, const void *context);

#endif
