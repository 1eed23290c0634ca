/*
 * Loaded before libc: calls that do less than they were asked for, as any system may. SHIM says what:
 * short-read, short-write, interrupted, full-at-close (as network file systems do it: close() is the
 * first call that reports a full disk), impatient (poll() waits a fiftieth of the time).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

static int mode_is(const char *name)
{
	const char *mode = getenv("SHIM");

	return mode && !strcmp(mode, name);
}

/* Every second call is interrupted. */
static int interrupts(void)
{
	static unsigned calls;

	return mode_is("interrupted") && __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 2;
}

/* A prime number of bytes, so that nothing stays aligned. */
static size_t part(const char *mode, size_t size)
{
	return mode_is(mode) && size > 97 ? 97 : size;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	ssize_t (*real)(int, void *, size_t) = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");

	if (interrupts()) {
		errno = EINTR;
		return -1;
	}
	return real(fd, buffer, part("short-read", size));
}

ssize_t pread(int fd, void *buffer, size_t size, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t) =
		(ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");

	if (interrupts()) {
		errno = EINTR;
		return -1;
	}
	return real(fd, buffer, part("short-read", size), at);
}

ssize_t pread64(int fd, void *buffer, size_t size, off64_t at)
{
	return pread(fd, buffer, size, (off_t)at);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	ssize_t (*real)(int, const void *, size_t) =
		(ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	if (interrupts()) {
		errno = EINTR;
		return -1;
	}
	return real(fd, buffer, part("short-write", size));
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int (*real)(struct pollfd *, nfds_t, int) =
		(int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");

	return real(fds, count, timeout > 0 && mode_is("impatient") ? timeout / 50 + 1 : timeout);
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (!mode_is("full-at-close") || flags < 0 || (flags & O_ACCMODE) == O_RDONLY ||
	    fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return real(fd);
	real(fd);
	errno = ENOSPC;
	return -1;
}
