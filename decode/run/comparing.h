/*
 * A comparison from the command line to its result: finds the runs that --base and the FILEs name,
 * reads each (a recording, or tables of one), compares them, holds the rules against the result.
 * The rules can be held against one recording as well.
 *
 * In:  the options; for one recording what printers read of it.
 * Out: struct comparison for the tables, struct verdict_report for the documents.
 */
#ifndef READPERF_DECODE_RUN_COMPARING_H
#define READPERF_DECODE_RUN_COMPARING_H

#include "decode/compare/comparable.h"
#include "decode/compare/renamed.h"
#include "decode/run/documents.h"
#include "decode/options/options.h"
#include "decode/run/runreader.h"

struct comparing {
	struct options *options; /* borrowed; the results of its rules are set */
	struct outputs *outputs; /* borrowed; they spare the recordings */
	struct diag *diag;       /* borrowed */
	struct strings strings;
	struct compare_run *runs; /* base side first */
	size_t run_count, run_capacity;
	struct renamed renamed;    /* binaries with other names on the other side */
	struct merged_calls calls; /* of all runs, if the reader has them */
	struct run_reader reader;
	struct comparison comparison;
	struct compare_run single; /* for comparing_judge(): the results of the recording */
	struct findings findings;
};

/*
 * Reads and compares. Before, everything but the options and diag is zero. Findings about the runs
 * and the rules are reported to diag; with --strict they are an error. False with err set;
 * comparing_release() must be called in any case.
 */
bool comparing_run(struct comparing *comparing, struct err *err);
void comparing_release(struct comparing *comparing);

/* The same for the rules and one named recording, if there are rules or documents. */
bool comparing_judge(struct comparing *comparing, const struct report *report, struct err *err);
/* The contents of documents, in both cases. */
struct verdict_report comparing_report(const struct comparing *comparing);

#endif
