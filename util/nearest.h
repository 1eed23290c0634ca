/* "Did you mean": finds the known name that is nearest to a mistyped one. */
#ifndef READPERF_UTIL_NEAREST_H
#define READPERF_UTIL_NEAREST_H

#include <stddef.h>

/* Returns the name with this index, counted from 0, and NULL after the last one. */
typedef const char *name_at(const void *context, size_t index);

/*
 * Returns the name that is the fewest edits away from word (an added, missing or changed letter, or
 * two swapped ones); the first such name if there are several. NULL if every name is more than a
 * third of the word's letters away.
 */
const char *nearest_name(const char *word, name_at *names, const void *context);

#endif
