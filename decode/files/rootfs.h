/* Opens files whose paths come from a recording or a damaged file. */
#ifndef READPERF_DECODE_FILES_ROOTFS_H
#define READPERF_DECODE_FILES_ROOTFS_H

#include "util/errhandler.h"

/*
 * Opens a regular file for reading. With root (NULL or empty: none), path is resolved as if root
 * were "/": neither ".." nor a symbolic link leads out of it. Returns a file descriptor, or -1 with
 * errno set; anything but a regular file is EINVAL, and is not opened.
 */
int rootfs_open(const char *root, const char *path);

/* The path under which fd can be opened again: malloc'd, or NULL with err set. */
char *rootfs_path(int fd, const char *root, const char *path, struct err *err);

/*
 * Reads a whole file whose size may be unknown, such as those in /proc, and closes fd. *size does
 * not include the NUL that follows the bytes. More than cap bytes are an error. Malloc'd, or NULL
 * with err set.
 */
char *rootfs_slurp(int fd, size_t cap, size_t *size, struct err *err);
/* The same for a text that may be packed (util/inflate.h), which is unpacked. */
char *rootfs_slurp_text(int fd, size_t cap, size_t *size, struct err *err);

#endif
