/* Checks and preparations before the first byte of input is read. */
#ifndef READPERF_DECODE_RUN_CHECKS_H
#define READPERF_DECODE_RUN_CHECKS_H

#include "decode/options/options.h"
#include "util/output.h"

/* The folder for temporary files. */
const char *temp_dir(void);
/*
 * Takes away the right to write anywhere but where the outputs are, whose folder has been made.
 * False with err set when memory is refused.
 */
bool enter_sandbox(const struct options *options, const struct outputs *outputs, struct err *err);
/*
 * Whether the names of the workbook and of the page are free or those of files. They take the place
 * of what is there, which must not be a device, a FIFO, a folder or a link. False with err set.
 */
bool check_places(const struct options *options, struct err *err);
/*
 * No document may take the place of this input; what: "the recording", for the message. Documents
 * that are new have been opened before. False with err set.
 */
bool check_documents(const struct options *options, const char *input, const char *what,
                     struct err *err);
/*
 * From now on no output may take the place of this recording, a file or a folder of perf record
 * --threads. False with err set, also if a document would.
 */
bool spare_recording(const struct options *options, struct outputs *outputs, const char *input,
                     struct err *err);
/*
 * Checks the paths in the options: a missing file is an error, a missing folder a warning. No
 * output may take the place of such a file. Reads --symbol-pack. False with err set.
 */
bool check_paths(struct options *options, struct outputs *outputs, struct diag *diag,
                 struct err *err);

#endif
