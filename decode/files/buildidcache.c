#include "decode/files/buildidcache.h"

#include "decode/files/rootfs.h"

#include <stdlib.h>
#include <string.h>

char *buildid_cache_path(const char *dir, const struct build_id *id, const char *file)
{
	char hex[2 * PERF_BUILD_ID_SIZE + 1], first[3];
	const char *home = getenv("HOME");

	build_id_format(id, hex);
	if (strlen(hex) < 3)
		return strdup("");
	memcpy(first, hex, 2);
	first[2] = '\0';
	if (dir)
		return rootfs_join(dir, "/.build-id/", first, "/", hex + 2, file, (char *)NULL);
	if (!home)
		return strdup("");
	return rootfs_join(home, "/.debug/.build-id/", first, "/", hex + 2, file, (char *)NULL);
}
