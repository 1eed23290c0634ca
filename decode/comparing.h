/*
 * A comparison from the command line to its result: finds the runs that --base and the FILEs name,
 * reads each (a recording, or tables of one), compares them, holds the rules against the result.
 */
#ifndef READPERF_DECODE_COMPARING_H
#define READPERF_DECODE_COMPARING_H

#include "decode/compare/rules.h"
#include "decode/options.h"

struct comparing {
	struct strings strings;
	struct compare_run *runs; /* base side first */
	size_t run_count, run_capacity;
	struct comparison comparison;
	struct rules rules;
	char **warnings; /* why not to trust the result */
	size_t warning_count, warning_capacity;
	bool broken; /* a recording is damaged */
	bool met;    /* a rule is */
	struct diag *diag;
};

/*
 * Reads and compares. Findings about the runs go to diag, and with --strict are an error. False
 * with err set; comparing_release() in any case.
 */
bool comparing_run(struct comparing *comparing, const struct options *options, struct diag *diag,
                   struct err *err);
void comparing_release(struct comparing *comparing);

/*
 * Adds what one named recording says to an empty run; texts become those of strings, as tables
 * print them.
 */
bool run_of_results(struct compare_run *run, const struct report *report, struct strings *strings,
                    struct err *err);
/* The rules of --fail-on. False with err set. */
bool rules_of_options(struct rules *rules, const struct options *options, struct err *err);

#endif
