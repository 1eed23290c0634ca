/*
 * Files that are seen through a process that still runs: below its root, which may be that of a
 * container, and its program, which may have been deleted. The kernel lets nobody look through
 * other processes whom Landlock confines, so a helper that was started before opens them: regular
 * files below /proc, for reading.
 *
 *   locate(), jitdumps, DWARF --- path ---> helper
 *                             <-- descriptor ---
 */
#ifndef READPERF_DECODE_FILES_PROCFILES_H
#define READPERF_DECODE_FILES_PROCFILES_H

#include "util/types.h"

/* Starts the helper, before sandbox_enter(). It ends with the last process that could ask it. */
void proc_files_start(void);
/* As rootfs_open(), and if that may not look below /proc, by the helper. */
int proc_files_open(const char *root, const char *path);

#endif
