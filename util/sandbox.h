/* Least privilege: after sandbox_enter(), the process can write its tables and nothing else. */
#ifndef READPERF_UTIL_SANDBOX_H
#define READPERF_UTIL_SANDBOX_H

#include "util/types.h"

/* Directories that stay writable; NULL: none. All must exist. */
struct sandbox {
	const char *output;          /* files in it may be made, written, renamed and removed */
	const char *folders;         /* NULL, or the same folder: directories in it, too */
	const char *document, *page; /* the same as for output, for documents that lie elsewhere */
	const char *summary, *junit; /* files in them may be removed */
	const char *made;            /* empty directories in it may be removed */
	const char *temp;            /* the same, for unnamed temporary files */
	const char *cache; /* the same, and directories; for a library that downloads files */
	bool network;      /* network connections stay allowed */
	/*
	 * NULL: everything can be read and executed. Otherwise these paths and what lies below them
	 * can, and nothing else but files without a name; NULL-terminated, and need not exist.
	 */
	const char *const *readable;
};

/*
 * Restricts the calling thread, and all threads and processes that it starts later, for good and as
 * far as the kernel's Landlock can: everything, or what `readable` names, can still be read and
 * executed, but only what `allowed` names can be written, and no TCP connection can be made (from
 * ABI 4 on). Without Landlock nothing changes. Returns whether the rest of the file system is
 * read-only now. Format: the kernel's userspace-api/landlock.rst, as of ABI 6 (Linux 6.12).
 */
bool sandbox_enter(const struct sandbox *allowed);

#endif
