/* Finds the separate debug file of a binary, whose own file may be known or not. */
#ifndef READPERF_DECODE_FILES_LOCATEDEBUG_H
#define READPERF_DECODE_FILES_LOCATEDEBUG_H

#include "decode/files/located.h"
#include "util/errhandler.h"

/*
 * Opens the debug file of what is located, path being its recorded path without " (deleted)". False
 * with err set only when memory is refused.
 */
bool locate_debug(struct located *located, const char *path, const struct file_options *options,
                  struct diag *diag, struct err *err);

#endif
