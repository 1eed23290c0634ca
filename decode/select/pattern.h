/* Lists of values, and patterns of names, as users write them. */
#ifndef READPERF_DECODE_SELECT_PATTERN_H
#define READPERF_DECODE_SELECT_PATTERN_H

#include "util/types.h"

/*
 * The length of the first value of a list: up to the first comma that is not inside of <>, (), []
 * or {}. An unmatched bracket is an ordinary character.
 */
size_t pattern_value_length(const char *list);

/*
 * Whether the name equals the pattern, or matches it as a glob: *, ?, [abc], [a-z], [!a-z], of
 * characters; a byte that is in none counts as one. A pattern has \xNN, as tables spell what cannot
 * be printed, or those four characters; otherwise a backslash has no special meaning.
 */
bool pattern_matches(const char *pattern, const char *name);

/*
 * How different a name is from a pattern that matched nothing, to suggest similar names: 0 if one
 * contains the other, ignoring case; otherwise the number of edits (nearest.h); UINT32_MAX: too
 * different.
 */
uint32_t pattern_distance(const char *pattern, const char *name);

#endif
