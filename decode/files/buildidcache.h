/* perf's cache of binaries by build id: ~/.debug, or where the user says. */
#ifndef READPERF_DECODE_FILES_BUILDIDCACHE_H
#define READPERF_DECODE_FILES_BUILDIDCACHE_H

#include "decode/machine/binaries.h"

/*
 * The path of the cache's entry for this build id, with a file name ("/elf", "") behind it, or "" if
 * there is no cache: malloc'd, or NULL when memory is refused. dir: of the cache; NULL: ~/.debug.
 */
char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file);

#endif
