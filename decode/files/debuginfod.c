#include "decode/files/debuginfod.h"

#include "util/sharedlibrary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_DEBUGINFOD

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <time.h>

#define DEFAULT_SECONDS 90

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
	void (*set_progressfn)(debuginfod_client *client, debuginfod_progressfn_t function);
	void (*set_user_data)(debuginfod_client *client, void *data);
};

struct limit {
	struct timespec start;
	long seconds;
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
	                       &library->find) &&
	       shared_function(library->handle, "debuginfod_set_progressfn",
	                       &library->set_progressfn) &&
	       shared_function(library->handle, "debuginfod_set_user_data",
	                       &library->set_user_data);
}

static long limit_seconds(void)
{
	static const char *const names[] = { "DEBUGINFOD_MAXTIME", "DEBUGINFOD_TIMEOUT" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = getenv(names[i]);
		long seconds = text ? strtol(text, NULL, 10) : 0;

		if (seconds > 0)
			return seconds;
	}
	return DEFAULT_SECONDS;
}

/*
 * Progress callback; not zero: give up. Its only argument of ours is the client, by which the time
 * limit is found.
 */
static int out_of_time(debuginfod_client *client, long done, long all)
{
	void *(*get_user_data)(debuginfod_client *) = NULL;
	struct library library = { .handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD) };
	const struct limit *limit;
	struct timespec now;

	(void)done, (void)all;
	if (!library.handle ||
	    !shared_function(library.handle, "debuginfod_get_user_data", &get_user_data))
		return 1;
	limit = get_user_data(client);
	dlclose(library.handle);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - limit->start.tv_sec >= limit->seconds;
}

static int fetch_file(const struct library *library, const struct build_id *id, char **path)
{
	struct limit limit = { .seconds = limit_seconds() };
	debuginfod_client *client = library->begin();
	int fd;

	if (!client)
		return -ENOMEM;
	clock_gettime(CLOCK_MONOTONIC, &limit.start);
	library->set_user_data(client, &limit);
	library->set_progressfn(client, out_of_time);
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
