/* perf's cache of binaries by build id: ~/.debug, or where the user or perf's own settings say. */
#ifndef READPERF_DECODE_FILES_BUILDIDCACHE_H
#define READPERF_DECODE_FILES_BUILDIDCACHE_H

#include "decode/machine/binaries.h"
#include "util/errhandler.h"

/*
 * Where perf keeps it: PERF_BUILDID_DIR, else dir of [buildid] in ~/.perfconfig, else in
 * /etc/perfconfig, else ~/.debug; "" if nothing tells. Malloc'd, or NULL with err set when memory
 * is refused.
 */
char *buildid_cache_dir(struct err *err);
/*
 * The path of the cache's entry for this build id, with a file name ("/elf", "") behind it, or ""
 * if there is no cache: malloc'd, or NULL when memory is refused. dir: of the cache; NULL, "":
 * there is none.
 */
char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file);

#endif
