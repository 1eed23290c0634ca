/* Least privilege: after this, the process can write its tables and nothing else. */
#ifndef READPERF_UTIL_SANDBOX_H
#define READPERF_UTIL_SANDBOX_H

#include "util/types.h"

/* Directories; NULL: none. All must exist. */
struct sandbox {
	const char *output;   /* files in it may be made, written, renamed and removed */
	const char *document; /* as output, for a file that lies elsewhere */
	const char *made;     /* empty directories in it may be removed */
	const char *temp;     /* as output, for unnamed temporary files */
	const char *cache;    /* as output, with directories; of a library that fetches files */
	bool network;         /* connections stay allowed */
};

/*
 * For the calling thread and all threads and processes that it starts, for good, as far as the
 * kernel's Landlock can: everything can still be read and run, only what allowed names be written,
 * and no TCP connection be made (from ABI 4 on). Without Landlock nothing changes. Returns whether
 * the file system is read-only now.
 * Format: the kernel's userspace-api/landlock.rst, as of ABI 6 (Linux 6.12).
 */
bool sandbox_enter(const struct sandbox *allowed);

#endif
