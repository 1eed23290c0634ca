/*
 * Runs a fuzz target over files, without libFuzzer: replay NAME FILE|DIRECTORY...
 * Prints "ok fuzz/NAME (N inputs)", or "FAIL fuzz/NAME: why". A crash ends it, as in libFuzzer; the
 * file that it was about is then named on standard error.
 */
#define _DEFAULT_SOURCE
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_MAX 10 /* of one input, under any sanitizer */
#define MEMORY_MAX_KB (512 * 1024) /* of all, without sanitizers */

static bool replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	bool ok = false;

	if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 &&
	    fseek(file, 0, SEEK_SET) == 0) {
		/* exactly as large as the input, so that a sanitizer sees a read behind its end */
		data = malloc((size_t)size);
		ok = (data || size == 0) && fread(data, 1, (size_t)size, file) == (size_t)size;
	}
	if (file)
		fclose(file);
	if (ok) {
		alarm(SECONDS_MAX);
		LLVMFuzzerTestOneInput(data, (size_t)size);
		alarm(0);
	}
	free(data);
	return ok;
}

static bool replay(const char *path, size_t *count);

static bool replay_directory(const char *path, size_t *count)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool ok = dir != NULL;
	char inner[4096];

	while (ok && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		ok = replay(inner, count);
	}
	if (dir)
		closedir(dir);
	return ok;
}

/* Directories are those of this project: not deep, no loops. */
static bool replay(const char *path, size_t *count)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return true;
	if (S_ISDIR(status.st_mode))
		return replay_directory(path, count);
	fprintf(stderr, "%s\n", path);
	++*count;
	return replay_file(path);
}

static bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__)
	return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
	return true;
#endif
#endif
	return false;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	size_t count = 0;

	for (int i = 2; i < argc; i++) {
		if (!replay(argv[i], &count)) {
			printf("FAIL fuzz/%s: cannot read %s\n", argv[1], argv[i]);
			return 1;
		}
	}
	getrusage(RUSAGE_SELF, &usage);
	if (!sanitized() && usage.ru_maxrss > MEMORY_MAX_KB) {
		printf("FAIL fuzz/%s: took %ld kB of memory\n", argv[1], usage.ru_maxrss);
		return 1;
	}
	printf("ok fuzz/%s (%zu inputs)\n", argv[1], count);
	return 0;
}
