/* What is checked and set up before the first foreign byte is read. */
#ifndef READPERF_DECODE_CHECKS_H
#define READPERF_DECODE_CHECKS_H

#include "decode/options.h"
#include "util/output.h"

/* Where temporary files go. */
const char *temp_dir(void);
/* Whether tables are written as CSV: not with --workbook alone. */
bool writes_csv(const struct options *options);
/*
 * Makes the folder for tables, if there will be any, and from then on lets this process write only
 * where it has to. False with err set if the folder cannot be made.
 */
bool enter_sandbox(const struct options *options, struct outputs *outputs, struct err *err);
/*
 * The paths that the options name: a missing file is an error, a missing folder a warning. No table
 * that will be written may be the recording itself. False with err set.
 */
bool check_paths(const struct options *options, struct diag *diag, struct err *err);

/*
 * Whether a message is about the recording, whose name then stands before it: not one about
 * options, tables, other files or this machine.
 */
bool is_of_recording(const char *text);

#endif
