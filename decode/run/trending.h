/*
 * A trend from the command line to its result: reads the versions that the FILEs name, finds since
 * when functions cost more, holds the rules against their last segments.
 *
 * In:  the options.
 * Out: struct trend for the tables, struct verdict_report for the documents.
 */
#ifndef READPERF_DECODE_RUN_TRENDING_H
#define READPERF_DECODE_RUN_TRENDING_H

#include "decode/compare/trend.h"
#include "decode/run/documents.h"
#include "decode/run/runreader.h"

struct trending {
	struct options *options; /* borrowed; the results of its rules are set */
	struct outputs *outputs; /* borrowed; they spare the recordings */
	struct diag *diag;       /* borrowed */
	struct strings strings;
	struct run_reader reader;
	struct trend trend;
	struct findings findings;
	bool broken; /* something could not be read, or is damaged */
};

/*
 * Reads the versions and finds the steps. Before, everything but the options, outputs and diag is
 * zero. A run that cannot be read is a warning, with --strict an error. False with err set;
 * trending_release() must be called in any case.
 */
bool trending_run(struct trending *trending, struct err *err);
void trending_release(struct trending *trending);
/* The contents of documents. */
struct verdict_report trending_report(const struct trending *trending);

#endif
