/*
 * Finds the file of a binary on this machine, and the separate file with its symbols and debug
 * information. Enters: a binary as the recording tells it. Leaves: open ELF files that are proved
 * to be the recorded ones, or the reason why there is none.
 */
#ifndef READPERF_DECODE_FILES_LOCATE_H
#define READPERF_DECODE_FILES_LOCATE_H

#include "decode/files/located.h"
#include "util/errhandler.h"

/*
 * Finds a BINARY_FILE's files. False with err set only when memory is refused; has_runtime and
 * reason tell of a file that is not found, is damaged or is another one.
 */
bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct file_options *options, struct diag *diag, struct err *err);

#endif
