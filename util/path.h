/* Parts of paths, and paths made of parts. */
#ifndef READPERF_UTIL_PATH_H
#define READPERF_UTIL_PATH_H

#include "util/errhandler.h"

#include <string.h>

/* What follows the last slash: "b.c" of "/a/b.c". */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A path made as by printf(): malloc'd, or NULL with err set. */
char *path_format(struct err *err, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
