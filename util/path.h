/* Parts of paths. */
#ifndef READPERF_UTIL_PATH_H
#define READPERF_UTIL_PATH_H

#include <string.h>

/* What follows the last slash: "b.c" of "/a/b.c". */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
