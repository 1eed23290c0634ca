/*
 * Paths by build id: in perf's cache of binaries, which is ~/.debug, or where the user or perf's
 * configuration says, and in other folders.
 */
#ifndef READPERF_DECODE_FILES_BUILDIDCACHE_H
#define READPERF_DECODE_FILES_BUILDIDCACHE_H

#include "decode/machine/binaries.h"
#include "util/errhandler.h"

/*
 * The folder of the cache: PERF_BUILDID_DIR, or dir of [buildid] in ~/.perfconfig or in
 * /etc/perfconfig, or ~/.debug; "" if none of these can be had. Malloc'd.
 */
char *buildid_cache_dir(struct err *err);
#define PATH_ID_MOST 64 /* bytes */
/*
 * DIR/.build-id/ab/cdef...AFTER for the build id abcdef...; id: 2 to PATH_ID_MOST bytes. Malloc'd,
 * or NULL with err set.
 */
char *build_id_path(const char *dir, const uint8_t *id, size_t size, const char *after,
                    struct err *err);
/*
 * The path of the cache's entry for this build id, followed by file ("/elf", ""); "" if there is no
 * cache, or no build id. Malloc'd, or NULL with err set. dir: of the cache; NULL or "": there is
 * none.
 */
char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file,
                         struct err *err);

#endif
