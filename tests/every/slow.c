/* Loaded before libc: a disk on which each write takes SLOW ms, as long as there is a file `slow` in the current folder. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void wait_for_disk(int fd)
{
	const char *slow = getenv("SLOW");
	const long ms = slow ? atol(slow) : 0;
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && access("slow", F_OK) == 0)
		nanosleep(&pause, NULL);
}

ssize_t write(int fd, const void *data, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	wait_for_disk(fd);
	return real(fd, data, size);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) =
		(ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

	wait_for_disk(fd);
	return real(fd, data, size, at);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at)
{
	ssize_t (*real)(int, const void *, size_t, off64_t) =
		(ssize_t (*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");

	wait_for_disk(fd);
	return real(fd, data, size, at);
}
