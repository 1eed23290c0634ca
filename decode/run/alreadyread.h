/*
 * Which recordings a call before has read, so that their tables need not be made again.
 *
 * In:  the journal of the folder, the options, and the files as they are now.
 * Out: yes or no.
 */
#ifndef READPERF_DECODE_RUN_ALREADYREAD_H
#define READPERF_DECODE_RUN_ALREADYREAD_H

#include "decode/run/batch.h"

/* Fills question and tables: what is asked of each recording. */
void batch_fill_question(struct batch *batch);
/*
 * Whether the tables of a file are there, and made from what it is now. Check err, too: memory may
 * be refused.
 */
bool batch_knows(const struct batch *batch, const char *file, struct err *err);
/* The folder of a recording's tables; malloc'd, NULL with err set. */
char *batch_folder(const struct batch *batch, const char *recording, struct err *err);

#endif
