/* What the user asks for on the command line (decode/commandline.h). */
#ifndef READPERF_DECODE_OPTIONS_H
#define READPERF_DECODE_OPTIONS_H

#include "decode/naming/naming.h"
#include "decode/tables/tables.h"

/* What to do with a command line. */
enum options_action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_SCHEMA, ACTION_USAGE };

struct options {
	enum options_action action;
	const char *file, *output;
	bool named; /* the file: it is not perf.data because nobody said another */
	struct table_set tables;
	size_t limit; /* functions on the console per event; 0: all */
	bool quiet, strict, spreadsheet, verbose;
	unsigned threads;
	uint64_t max_memory; /* bytes; 0: no limit */
	struct naming_options naming;
};

#endif
