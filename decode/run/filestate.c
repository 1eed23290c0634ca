#include "decode/run/filestate.h"

#include "util/clock.h"
#include "util/folder.h"
#include "util/hash.h"
#include "util/path.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ns; the kernel sets the times of files every 10 ms at worst */
#define SETTLED_AFTER 50000000

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

/* Adds the facts of one file. False: it may have changed since without a sign of it. */
static bool add_facts(const char *path, uint64_t hash[2])
{
	struct timespec now;
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	for (size_t i = 0; i < 2; i++) {
		hash[i] = hash_pair(i + 1, hash[i], st.st_dev);
		hash[i] = hash_pair(i + 1, hash[i], st.st_ino);
		hash[i] = hash_pair(i + 1, hash[i], (uint64_t)st.st_size);
		hash[i] = hash_pair(i + 1, hash[i], nanoseconds(&st.st_mtim));
		hash[i] = hash_pair(i + 1, hash[i], nanoseconds(&st.st_ctim));
	}
	return nanoseconds(&st.st_ctim) + SETTLED_AFTER < nanoseconds(&now);
}

static int is_data(const struct dirent *entry)
{
	return text_starts(entry->d_name, "data");
}

/* perf record --threads writes data, data.0 and so on. */
static bool add_folder_facts(const char *path, uint64_t hash[2])
{
	struct folder found;
	bool ok = folder_list(&found, path, is_data) && found.count;

	for (size_t i = 0; ok && i < found.count; i++) {
		struct err ignored = { 0 };
		char *file = path_format(&ignored, "%s/%s", path, found.entries[i]->d_name);

		ok = file && add_facts(file, hash);
		free(file);
	}
	folder_release(&found);
	return ok;
}

void file_state(const char *path, char state[FILE_STATE_SIZE])
{
	uint64_t hash[2] = { 0, 0 };
	struct stat st;

	*state = '\0';
	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 &&
	    (S_ISDIR(st.st_mode) ? add_folder_facts(path, hash) : add_facts(path, hash)))
		snprintf(state, FILE_STATE_SIZE, "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
}
