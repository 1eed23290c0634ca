/* "Did you mean": the known name that a mistyped one is nearest to. */
#ifndef READPERF_UTIL_NEAREST_H
#define READPERF_UTIL_NEAREST_H

#include <stddef.h>

/* The name of each index from 0 on, and NULL behind the last. */
typedef const char *name_at(const void *context, size_t index);

/*
 * The first of the names that are fewest edits (a letter more, less, another, or two swapped) away
 * from word; NULL if none is near enough to be meant: at most a third of its letters.
 */
const char *nearest_name(const char *word, name_at *names, const void *context);

#endif
