/*
 * One recording, from its file to named functions: of a run of its own, or of a side of a
 * comparison.
 *
 * In:  a path, how places are named, which handlers see the records, whether stacks are counted.
 * Out: struct report, which the printers of tables read.
 *
 * The order: recording_init(), recording_open(), then whatever is asked for (recording_count(),
 * recording_count_stacks(), recording_add()), recording_read(), recording_name(), and
 * recording_release() in any case. Each may fail with err set; nothing else is called then.
 */
#ifndef READPERF_DECODE_RECORDING_H
#define READPERF_DECODE_RECORDING_H

#include "decode/tables/tables.h"
#include "perffile/perffile.h"

#define RECORDING_HANDLERS 8 /* at most */

struct recording {
	struct diag *diag; /* borrowed */
	struct input input;
	struct session session;
	struct read_summary summary;
	struct strings strings;
	struct record_handler handlers[RECORDING_HANDLERS];
	size_t handler_count;
	bool counts; /* samples: see recording_count() */
	struct buildstat stat;
	struct stack_options stack_options;
	struct naming_options naming; /* what the options say; the rest is filled in here */
	bool selects_functions;       /* the choice of stat asks for functions */
	struct place_names names;
	struct call_tree calls; /* empty where stacks are not counted, or there are none */
	struct results results;
};

/* naming is copied, but the texts that it names are borrowed; diag must outlive the recording. */
void recording_init(struct recording *recording, const struct naming_options *naming,
                    struct diag *diag);
void recording_release(struct recording *recording);

/* Opens the file, a directory or "-" (standard input), and reads what stands before the records. */
bool recording_open(struct recording *recording, const char *path, struct err *err);
/* Has a handler see the records, behind those that were added before. */
void recording_add(struct recording *recording, struct record_handler handler);
/* Has processes followed and samples counted, which names need. */
void recording_count(struct recording *recording);
/*
 * Has stacks counted, too, so that recording_name() makes the call tree. needs: of enum
 * table_needs, what will be asked of the tree.
 */
void recording_count_stacks(struct recording *recording, unsigned needs);
/* Reads all records. how: as perffile_read(). */
bool recording_read(struct recording *recording, const struct read_options *how, struct err *err);
/* Names what was counted: the names of places, the call tree, the rows of results.csv. */
bool recording_name(struct recording *recording, struct err *err);

/* What printers read of it. It can be asked for as soon as the recording is open. */
struct report recording_report(struct recording *recording);

#endif
