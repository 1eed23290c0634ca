#include "decode/files/located.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

/* s; a recording is written completely this long after its last sample */
#define WRITTEN_AFTER 60
#define CLOCKS_DIFFER 5 /* s; largest difference between perf's clock and the system's */

/*
 * Whether the recording was made since this machine was last booted; only then device numbers are
 * still the same. perf's clock, like the monotonic one, starts at the boot.
 */
static bool is_of_this_start(int64_t recorded, uint64_t last_time)
{
	int64_t started = recorded - (int64_t)(last_time / 1000000000);
	struct timespec now, since;

	if (!recorded || !last_time || last_time == UINT64_MAX ||
	    clock_gettime(CLOCK_REALTIME, &now) || clock_gettime(CLOCK_MONOTONIC, &since))
		return false;
	started -= (int64_t)now.tv_sec - (int64_t)since.tv_sec;
	return started >= -CLOCKS_DIFFER && started <= WRITTEN_AFTER;
}

void file_options_complete(struct file_options *options, const char *hostname,
                           const char *osrelease)
{
	struct utsname own;
	struct stat status;

	options->recorded = 0;
	options->same_machine = false;
	if (options->recording && !stat(options->recording, &status))
		options->recorded = (int64_t)status.st_mtime;
	options->other_machine = false;
	if (!hostname || !*hostname || !osrelease || uname(&own))
		return;
	options->other_machine = strcmp(own.nodename, hostname) != 0;
	options->same_machine = !options->other_machine && !strcmp(own.release, osrelease) &&
	                        is_of_this_start(options->recorded, options->last_sample);
}

void located_release(struct located *located)
{
	if (located->has_runtime)
		elf_close(&located->runtime);
	if (located->has_debug)
		elf_close(&located->debug);
	free(located->runtime_path);
	free(located->debug_path);
	memset(located, 0, sizeof(*located));
}
