/* The command line: what the user asks for. Nothing is printed here. */
#ifndef READPERF_DECODE_OPTIONS_H
#define READPERF_DECODE_OPTIONS_H

#include "decode/naming/naming.h"
#include "decode/tables/schema.h"

struct options {
	const char *file, *output;
	bool named;      /* the file: it is not perf.data because nobody said another */
	unsigned tables; /* bit n: enum table_id n */
	bool all_tables;
	size_t limit; /* functions on the console per event; 0: all */
	bool quiet, strict, spreadsheet, verbose;
	unsigned threads;
	uint64_t max_memory; /* bytes; 0: no limit */
	struct naming_options naming;
};

/* What to do with a command line. */
enum options_action { ACTION_RUN, ACTION_HELP, ACTION_VERSION, ACTION_SCHEMA, ACTION_USAGE };

/* What --help and --version print. */
extern const char options_help[];
extern const char options_version[];

/*
 * Fills options from the command line, which they borrow; argv may be reordered. ACTION_USAGE: it
 * is wrong, and err says why.
 */
enum options_action options_parse(struct options *options, int argc, char **argv, struct err *err);

#endif
