/* Files that are fetched by build id from the servers in DEBUGINFOD_URLS. */
#ifndef READPERF_DECODE_FILES_DEBUGINFOD_H
#define READPERF_DECODE_FILES_DEBUGINFOD_H

#include "decode/machine/binaries.h"
#include "util/errhandler.h"

/*
 * Asks for the executable or its debug file. Returns a file descriptor and the malloc'd *path, or
 * -1. What was fetched, or why not, is a warning; name is what it calls the binary.
 */
int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path);

#endif
