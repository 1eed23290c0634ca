/* What a run tells the program around it: messages while it goes on, and its exit status. */
#ifndef READPERF_DECODE_RUN_OUTCOME_H
#define READPERF_DECODE_RUN_OUTCOME_H

#include "util/types.h"

enum exit_status { EXIT_CLEAN, EXIT_FAILED, EXIT_USAGE, EXIT_DAMAGED, EXIT_RULE_MET };

/* Where messages go: all are about the file that was named last. */
struct message_sink {
	/* always: also what is about tables or other files names it, as it is one of several */
	void (*name_file)(void *context, const char *file, bool always);
	void (*print)(void *context, uint64_t offset, const char *text);
	void *context;
};

#endif
