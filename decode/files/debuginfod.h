/* Fetches files by build id from the servers in DEBUGINFOD_URLS. */
#ifndef READPERF_DECODE_FILES_DEBUGINFOD_H
#define READPERF_DECODE_FILES_DEBUGINFOD_H

#include "util/buildid.h"
#include "util/errhandler.h"

/*
 * Limits the seconds that a file may take, unless the user has: the library itself gives up only
 * servers that are slow. Changes the environment, so call it before there are threads.
 */
void debuginfod_limit_time(void);
/*
 * Fetches the executable or its debug file. Returns a file descriptor and the malloc'd *path, or
 * -1. Reports what was fetched, or why not, as a warning that calls the binary name.
 */
int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path);

#endif
