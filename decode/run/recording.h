/*
 * One recording, from its file to named functions: for a run with one recording, or for a side of a
 * comparison.
 *
 * In:  a path, the options, handlers for the records.
 * Out: struct report, which the printers of tables read.
 *
 * Order of calls: recording_init(), recording_open(), then as needed recording_count() and
 * recording_add(), then recording_read(), recording_name(), and recording_release() in any case.
 * Each may fail with err set; then only recording_release() may be called.
 */
#ifndef READPERF_DECODE_RUN_RECORDING_H
#define READPERF_DECODE_RUN_RECORDING_H

#include "decode/naming/branchrows.h"
#include "decode/naming/instructions.h"
#include "decode/naming/memoryrows.h"
#include "decode/options/options.h"
#include "decode/spe/spe.h"
#include "decode/tally/carried.h"
#include "decode/tally/intervalstat.h"
#include "perffile/facts/facts.h"
#include "perffile/perffile.h"

#define RECORDING_HANDLERS 16 /* at most */

struct recording {
	const struct options *options; /* borrowed */
	struct diag *diag;             /* borrowed */
	struct input input;
	struct session session;
	struct facts facts; /* of all features; filled by recording_read() */
	struct read_summary summary;
	struct strings strings;
	struct record_handler handlers[RECORDING_HANDLERS];
	size_t handler_count;
	/* borrowed; NULL, or what goes on from earlier slices of a stream; see carried_give() */
	struct carried *carried;
	bool selects_nothing; /* the selection leaves no sample, which is an error */
	bool needs_file; /* set it before recording_open(): a pipe is copied to a file, which is
	                    read twice and has all records in order */
	bool counts;     /* samples are counted: see recording_count() */
	struct buildstat stat;
	struct spe spe; /* samples of a trace, for stat */
	struct stack_options stack_options;
	struct intervalstat intervals; /* all zeros: none are asked for */
	struct wait_code wait_code;
	bool finds_wait_code;
	bool makes_tree; /* a table or a rule needs the call tree */
	/* from the options; the fields about the recording are set here */
	struct naming_options naming;
	char *buildid_dir; /* owned: perf's own folder, if the user named none */
	struct place_names names;
	struct call_totals totals;
	struct call_tree calls;         /* empty if no table of stacks was asked for */
	struct process_calls processes; /* made when it is needed */
	struct results results;
	struct memory_rows memory;        /* empty if no table needs them */
	struct branch_rows branches;      /* empty if no table needs them */
	struct instructions instructions; /* empty if no table needs them */
};

/* options and diag must outlive the recording. */
void recording_init(struct recording *recording, const struct options *options, struct diag *diag);
void recording_release(struct recording *recording);

/* Opens the file, a directory or "-" (standard input), and reads everything before the records. */
bool recording_open(struct recording *recording, const char *path, struct err *err);
/* Adds a handler for the records, after those that were added before. */
void recording_add(struct recording *recording, struct record_handler handler);
/*
 * Makes the recording follow processes and count samples, which naming requires, and their stacks
 * if they are wanted. recording_name() makes the call tree if the tables or the rules need it.
 */
void recording_count(struct recording *recording, bool stacks);
/*
 * Reads all records, and then the features. options: see perffile_read(); after ERR_ORDER
 * everything has to be done again from recording_release() and recording_init() on.
 */
bool recording_read(struct recording *recording, const struct read_options *options,
                    struct err *err);
/* Whether the options select samples, or group them, by the names of places. */
bool recording_needs_names(const struct recording *recording);
/* Names everything that was counted: names of places, the call tree, the rows of results.csv. */
bool recording_name(struct recording *recording, struct err *err);
/* Names what fields of tracepoints point to, if anything does. After recording_name(), if called.
 */
bool recording_name_pointed(struct recording *recording, struct err *err);
/*
 * After the last record and, if names are needed, after naming: warns of selected values that
 * matched nothing. False with err set if no sample is left.
 */
bool recording_check_selection(struct recording *recording, struct err *err);

/* The input of printers. May be called as soon as the recording is open. */
struct report recording_report(struct recording *recording);

#endif
