/* Options and commands of perf, and what to use in readperf. */
#ifndef READPERF_DECODE_OPTIONS_PERFWORDS_H
#define READPERF_DECODE_OPTIONS_PERFWORDS_H

#include <stdbool.h>
#include <stddef.h>

/* What to use in place of perf's option --NAME; NULL if it is unknown here. */
const char *perf_option_advice(const char *name, size_t length);
/* The same for -LETTER. */
const char *perf_letter_advice(char letter);
/*
 * What the words of perf's --sort or --fields are called here: "--by=comm,function groups by
 * these". Returns false if it knows none of them.
 */
bool perf_words_advice(const char *option, const char *list, char *text, size_t size);
/* What to use in place of `perf COMMAND`; NULL if it is unknown here. */
const char *perf_command_advice(const char *word);

#endif
