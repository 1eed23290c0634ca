#include "decode/files/debuginfod.h"

#include "util/sharedlibrary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SECONDS "90"

void debuginfod_limit_time(void)
{
	const char *patience = getenv("DEBUGINFOD_TIMEOUT");
	bool limited = patience && strtol(patience, NULL, 10) > 0;

	setenv("DEBUGINFOD_MAXTIME", limited ? patience : DEFAULT_SECONDS, 0);
}

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

/*
 * Loaded only when something is to be fetched: few runs do that, and it brings thirty libraries
 * with it.
 */
#define LIBRARY "libdebuginfod.so.1"

/* A file descriptor, or a negative errno; -ELIBACC: the library cannot be used. */
static int fetch_file(const struct build_id *id, bool debug, char **path)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	int (*find)(struct debuginfod_client * client, const unsigned char *id, int size,
	            char **path);
	struct debuginfod_client *(*begin)(void), *client;
	void (*end)(struct debuginfod_client * client);
	int fd;

	/* it is not unloaded: it may be needed again, and unloading curl is not safe */
	if (!library || !shared_function(library, "debuginfod_begin", &begin) ||
	    !shared_function(library, "debuginfod_end", &end) ||
	    !shared_function(library,
	                     debug ? "debuginfod_find_debuginfo" : "debuginfod_find_executable",
	                     &find))
		return -ELIBACC;
	client = begin();
	if (!client)
		return -ENOMEM;
	fd = find(client, id->bytes, id->size, path);
	end(client);
	return fd;
}

int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	int fd = fetch_file(id, debug, path);

	if (fd >= 0)
		diag_warn_about(diag, (struct diag_about){ .subject = name },
		                "debuginfod: %s of %s is now %s",
		                debug ? "the debug file" : "the file", name, *path);
	else if (fd == -ELIBACC)
		diag_warn(diag, ERR_NO_OFFSET, "nothing is fetched: " LIBRARY " cannot be loaded");
	else if (!servers || !*servers)
		diag_warn(diag, ERR_NO_OFFSET,
		          "debuginfod: nothing fetched for %s: DEBUGINFOD_URLS is not set", name);
	else
		diag_warn_about(diag, (struct diag_about){ .subject = name },
		                "debuginfod: nothing fetched for %s: %s", name, strerror(-fd));
	return fd < 0 ? -1 : fd;
}
#else
int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path)
{
	(void)id, (void)debug, (void)name, (void)path;
	diag_warn(
		diag, ERR_NO_OFFSET,
		"nothing is fetched: debuginfod needs libdebuginfod, which this build is without");
	return -1;
}
#endif
