/*
 * What is done in which order: with one recording, with --base for a comparison, with --trend for
 * versions in order.
 *
 * In:  the options.
 * Out: tables, and what goes to standard output. Messages go to diag and err.
 */
#ifndef READPERF_DECODE_RUN_RUN_H
#define READPERF_DECODE_RUN_RUN_H

#include "decode/run/comparing.h"
#include "decode/run/documents.h"
#include "decode/run/leftover.h"
#include "decode/run/outcome.h"
#include "decode/run/recording.h"
#include "decode/run/scheduling.h"
#include "decode/run/tableoutputs.h"
#include "decode/run/trending.h"
#include "perffile/record/collector.h"
#include "perffile/overview/identity.h"

/*
 * Everything that one run owns, with one recording or a comparison. On the heap, because a stack
 * may be small.
 */
struct run {
	struct options *options; /* borrowed, like diag */
	struct diag *diag;
	bool is_confined; /* the process is in its sandbox already; set by the caller */
	const struct slice_times *slice; /* borrowed; NULL: the recording is no slice of a stream */
	struct read_options how;         /* the caller may set report and its context */
	bool read_again;                 /* the order of its rounds was not that of time */
	struct err err;                  /* why it failed */
	struct recording recording;
	struct collection kept; /* by the collectors of tables */
	struct scheduling scheduling;
	struct identity identity;
	struct about about;
	char written[ALL_NAMES_SIZE]; /* the names of its tables */
	struct table_outputs tables;
	struct group_rows group_rows[GROUP_TABLES_MOST]; /* of tables of --by */
	struct report report;                            /* what printers may use of all this */
	struct comparing comparing; /* with --base, or for rules and documents of one recording */
	struct trending trending;   /* with --trend */
	struct documents documents;
	double started, read_done, named_done; /* s, for run_print_figures() */
};

/* options and diag must outlive the run. run_release() must be called in any case. */
void run_init(struct run *run, struct options *options, struct diag *diag);
/* Does all of it; returns an enum exit_status. With EXIT_FAILED and EXIT_USAGE run->err says why,
 * and no table was written. */
int run_steps(struct run *run);
void run_release(struct run *run);
/* What --verbose prints behind a run: times, memory, how much there was. */
void run_print_figures(const struct run *run, FILE *out);

#endif
