/*
 * The documents beside the tables: --summary and --junit. They may lie anywhere, so they are opened
 * before the process gives up writing elsewhere, and written when all that they tell is known.
 */
#ifndef READPERF_DECODE_DOCUMENTS_H
#define READPERF_DECODE_DOCUMENTS_H

#include "decode/exports/verdictText.h"
#include "decode/options.h"

struct documents {
	const struct compare_request *request; /* borrowed */
	int summary, junit; /* descriptors; -1: not asked for, or standard output */
};

/* False with err set if a file cannot be opened for writing; documents_close() in any case. */
bool documents_open(struct documents *documents, const struct compare_request *request,
                    struct err *err);
/*
 * Writes what is asked for, and --annotate to standard output. A file of before is replaced; one
 * that GITHUB_STEP_SUMMARY names is written behind what it has, as other steps do. False with err
 * set.
 */
bool documents_write(struct documents *documents, const struct verdict_report *report,
                     struct err *err);
void documents_close(struct documents *documents);

/* Whether rules or documents ask for the named functions of one recording. */
bool compare_request_wants_rows(const struct compare_request *request);
/* Whether a rule may ask for functions with all that they call: total:NAME. */
bool compare_request_wants_totals(const struct compare_request *request);

/* Whether standard output is taken by a document, so that nothing else may go there. */
bool documents_take_output(const struct compare_request *request);

#endif
