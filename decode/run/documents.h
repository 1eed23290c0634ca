/*
 * The documents besides the tables: --summary and --junit. They may be anywhere in the file system,
 * so they are opened before the sandbox is entered, and written at the end.
 */
#ifndef READPERF_DECODE_RUN_DOCUMENTS_H
#define READPERF_DECODE_RUN_DOCUMENTS_H

#include "decode/exports/verdicttext.h"
#include "decode/options/options.h"
#include "util/output.h"

struct documents {
	const struct compare_request *request; /* borrowed */
	int summary, junit; /* file descriptors; -1: not asked for, or standard output */
};

/*
 * False with err set if a file cannot be opened for writing, or is both documents;
 * documents_close() must be called in any case. A file that it makes is removed with the outputs
 * of a run that fails.
 */
bool documents_open(struct documents *documents, const struct compare_request *request,
                    struct outputs *outputs, struct err *err);
/*
 * Writes the documents, and --annotate to standard output. An existing file is replaced, but the
 * one in GITHUB_STEP_SUMMARY is appended to, as in other steps of a job. False with err set.
 */
bool documents_write(struct documents *documents, const struct verdict_report *report,
                     struct err *err);
void documents_close(struct documents *documents);

/* Whether rules or documents need the named functions of one recording. */
bool compare_request_wants_rows(const struct compare_request *request);

/* Whether a document is written to standard output, so that nothing else may be. */
bool documents_take_output(const struct compare_request *request);

#endif
