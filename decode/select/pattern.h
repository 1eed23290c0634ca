/* Texts that users name things with: lists, and patterns of names. */
#ifndef READPERF_DECODE_SELECT_PATTERN_H
#define READPERF_DECODE_SELECT_PATTERN_H

#include "util/types.h"

/*
 * The length of the first value of a list: up to the first comma that is not inside of <>, (), []
 * or {}. A bracket without its counterpart is text like any other.
 */
size_t pattern_value_length(const char *list);

/*
 * Whether the name is the pattern as it stands, or matches it as a glob: *, ?, [abc], [a-z],
 * [!a-z]. A backslash stands for itself.
 */
bool pattern_matches(const char *pattern, const char *name);

/*
 * How far a name is from what was asked for, to find what was meant: 0 where one contains the
 * other, but for case, else in letters that differ; UINT32_MAX: too far.
 */
uint32_t pattern_distance(const char *pattern, const char *name);

#endif
