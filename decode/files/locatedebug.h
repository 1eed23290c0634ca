/* Finds the separate debug file of a binary, with or without the binary itself. */
#ifndef READPERF_DECODE_FILES_LOCATEDEBUG_H
#define READPERF_DECODE_FILES_LOCATEDEBUG_H

#include "decode/files/located.h"
#include "util/errhandler.h"

/*
 * Opens the debug file of a located binary; path is the recorded path without " (deleted)". False
 * with err set only when memory is refused.
 */
bool locate_debug(struct located *located, const char *path, const struct file_options *options,
                  struct diag *diag, struct err *err);

#endif
