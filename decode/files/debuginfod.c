#include "decode/files/debuginfod.h"

#include "util/sharedlibrary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SECONDS "90"

void debuginfod_limit_time(void)
{
	const char *patience = getenv("DEBUGINFOD_TIMEOUT");

	setenv("DEBUGINFOD_MAXTIME", patience ? patience : DEFAULT_SECONDS, 0);
}

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

/*
 * Loaded only when something is to be fetched: few runs do that, and it brings thirty libraries
 * with it.
 */
#define LIBRARY "libdebuginfod.so.1"

struct library {
	void *handle;
	debuginfod_client *(*begin)(void);
	void (*end)(debuginfod_client *client);
	int (*find)(debuginfod_client *client, const unsigned char *id, int size, char **path);
};

/* debug: to find debug files, not executables. */
static bool library_open(struct library *library, bool debug)
{
	memset(library, 0, sizeof(*library));
	library->handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	return library->handle &&
	       shared_function(library->handle, "debuginfod_begin", &library->begin) &&
	       shared_function(library->handle, "debuginfod_end", &library->end) &&
	       shared_function(library->handle,
	                       debug ? "debuginfod_find_debuginfo" : "debuginfod_find_executable",
	                       &library->find);
}

static int fetch_file(const struct library *library, const struct build_id *id, char **path)
{
	debuginfod_client *client = library->begin();
	int fd;

	if (!client)
		return -ENOMEM;
	fd = library->find(client, id->bytes, id->size, path);
	library->end(client);
	return fd;
}

int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	struct library library;
	int fd;

	if (!library_open(&library, debug)) {
		diag_warn(diag, ERR_NO_OFFSET, "nothing is fetched: " LIBRARY " cannot be loaded");
		if (library.handle)
			dlclose(library.handle);
		return -1;
	}
	/* it is not unloaded: it may be needed again, and unloading curl is not safe */
	fd = fetch_file(&library, id, path);
	if (fd >= 0)
		diag_warn_about(diag, (struct diag_about){ .subject = name },
		                "debuginfod: %s of %s is now %s",
		                debug ? "the debug file" : "the file", name, *path);
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
