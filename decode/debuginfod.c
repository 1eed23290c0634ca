#include "decode/locate.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_DEBUGINFOD

#include <elfutils/debuginfod.h>
#include <time.h>

#define DEFAULT_SECONDS 90

struct limit {
	struct timespec start;
	long seconds;
};

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

/* Not zero: give up. */
static int out_of_time(debuginfod_client *client, long done, long all)
{
	const struct limit *limit = debuginfod_get_user_data(client);
	struct timespec now;

	(void)done, (void)all;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - limit->start.tv_sec > limit->seconds;
}

int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path)
{
	debuginfod_client *client = debuginfod_begin();
	struct limit limit = { .seconds = limit_seconds() };
	int fd;

	if (!client)
		return -1;
	clock_gettime(CLOCK_MONOTONIC, &limit.start);
	debuginfod_set_user_data(client, &limit);
	debuginfod_set_progressfn(client, out_of_time);
	if (debug)
		fd = debuginfod_find_debuginfo(client, id->bytes, id->size, path);
	else
		fd = debuginfod_find_executable(client, id->bytes, id->size, path);
	debuginfod_end(client);
	if (fd >= 0)
		diag_warn(diag, ERR_NO_OFFSET, "debuginfod: %s of %s is now %s",
		          debug ? "the debug file" : "the file", name, *path);
	else
		diag_warn(diag, ERR_NO_OFFSET, "debuginfod: nothing fetched for %s: %s", name,
		          strerror(-fd));
	return fd < 0 ? -1 : fd;
}
#else
int debuginfod_fetch(const struct build_id *id, bool debug, const char *name, struct diag *diag,
                     char **path)
{
	(void)id, (void)debug, (void)name, (void)path;
	diag_warn(diag, ERR_NO_OFFSET,
	          "nothing is fetched: debuginfod needs libdebuginfod, which this build is without");
	return -1;
}
#endif
