/*
 * What the keys of a table of --by say of a group of samples and of a place: a word for each key,
 * which is a string if group_key_is_text() says so.
 */
#ifndef READPERF_DECODE_NAMING_GROUPWORDS_H
#define READPERF_DECODE_NAMING_GROUPWORDS_H

#include "decode/naming/groupkeys.h"
#include "decode/naming/placenames.h"
#include "decode/tally/buildstat.h"

/* The word of a key of samples, of one of these groups. Check err. */
uint64_t group_sample_word(const struct buildstat *stat, const struct groups *groups,
                           enum group_key key, uint32_t group, struct err *err);
/* The word of a key of places; the source file is that of the function. Check err. */
uint64_t group_place_word(const struct buildstat *stat, const struct place_names *names,
                          enum group_key key, const struct place_name *place, struct err *err);
/* The order of two words of a key that are not equal, as tables have it. */
int group_compare_words(const struct strings *strings, enum group_key key, uint64_t x, uint64_t y);
/* The value of a cell. */
struct value group_word_value(const struct strings *strings, enum group_key key, uint64_t word);

#endif
