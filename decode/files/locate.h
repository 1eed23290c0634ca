/*
 * Finds the file of a binary on this machine, and the separate file with its symbols and debug
 * information. In: a binary of the recording. Out: open ELF files that are proved to be the
 * recorded ones, or the reason why there is none.
 */
#ifndef READPERF_DECODE_FILES_LOCATE_H
#define READPERF_DECODE_FILES_LOCATE_H

#include "decode/files/located.h"
#include "util/errhandler.h"

/*
 * Finds the files of a BINARY_FILE. If the file is missing, damaged or another one, has_runtime and
 * reason say so. False with err set only when memory is refused.
 */
bool locate(struct located *located, const struct binary *binary, const struct strings *strings,
            const struct file_options *options, struct diag *diag, struct err *err);

#endif
