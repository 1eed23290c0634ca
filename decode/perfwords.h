/* Words that perf's users know, and what readperf calls them. */
#ifndef READPERF_DECODE_PERFWORDS_H
#define READPERF_DECODE_PERFWORDS_H

#include <stddef.h>

/* What to do instead of perf's option --NAME; NULL if perf has none that is known here. */
const char *perf_option_advice(const char *name, size_t length);
/* The same of -LETTER. */
const char *perf_letter_advice(char letter);
/* What to do instead of `perf COMMAND`; NULL if that is none. */
const char *perf_command_advice(const char *word);

#endif
