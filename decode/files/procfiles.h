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

/*
 * Starts the helper, before sandbox_enter(), and returns the socket by which it is asked, to be
 * closed by the caller; 0: there is none. It ends with the last process that has the socket.
 */
int proc_files_start(void);
/* As rootfs_open(), and if that may not look below /proc, by the helper; helper: 0: none. */
int proc_files_open(int helper, const char *root, const char *path);

#endif
