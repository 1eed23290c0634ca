/*
 * Whose tables the folder of a recording has, where several files have its number: one recording
 * under several names, damaged copies, or others that differ only in what the number leaves out.
 *
 * In:  tables that a worker has written, the row of their recording, and the journal.
 * Out: the folder recording=ID, or the reason why it has the tables of another file.
 */
#ifndef READPERF_DECODE_RUN_TAKEFOLDER_H
#define READPERF_DECODE_RUN_TAKEFOLDER_H

#include "decode/run/batch.h"

/*
 * Makes the tables that a worker has written those of their recording. The journal must be locked.
 * False with err set: they are not kept.
 */
bool batch_take_folder(struct batch *batch, struct pool_worker *worker,
                       const char *const cells[JOURNAL_COLUMNS], struct err *err);
/* Says why there are no tables of a file. */
void batch_say_failure(const struct batch *batch, const char *file, const char *text);

#endif
