/* Options and commands of perf, and what to use in readperf. */
#ifndef READPERF_DECODE_OPTIONS_PERFWORDS_H
#define READPERF_DECODE_OPTIONS_PERFWORDS_H

#include <stddef.h>

/* What to use in place of perf's option --NAME; NULL if it is unknown here. */
const char *perf_option_advice(const char *name, size_t length);
/* The same for -LETTER. */
const char *perf_letter_advice(char letter);
/* What to use in place of `perf COMMAND`; NULL if it is unknown here. */
const char *perf_command_advice(const char *word);

#endif
