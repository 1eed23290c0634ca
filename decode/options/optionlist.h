/*
 * The list of options, with one descriptor for each. Parsing, --help and messages are made from it.
 * To add an option, add an entry to option_list and, if no kind of option fits, the function that
 * parses its value.
 */
#ifndef READPERF_DECODE_OPTIONS_OPTIONLIST_H
#define READPERF_DECODE_OPTIONS_OPTIONLIST_H

#include "decode/options/optionentry.h"

extern const struct option_entry option_list[];
extern const size_t option_count;
/* The callback for nearest_name(). */
const char *name_of_option(const void *context, size_t index);
/* The headings of sections: "Tables", ... */
extern const char *const option_sections[SECTION_COUNT];

#endif
