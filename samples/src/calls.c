/* A program whose intervals are few: system calls that succeed, fail, wait and never return, memory
 * that they take, a file that is synced. No call is the C library's. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return result;
}

static void nap(long us)
{
	const struct timespec time = { 0, us * 1000 };

	call(SYS_nanosleep, (long)&time, 0, 0, 0);
}

static void sync_file(void)
{
	long file = call(SYS_openat, AT_FDCWD, (long)"calls.tmp", O_CREAT | O_RDWR, 0600);

	call(SYS_write, file, (long)"twelve bytes", 12, 0);
	call(SYS_fsync, file, 0, 0, 0);
	call(SYS_close, file, 0, 0, 0);
	call(SYS_unlink, (long)"calls.tmp", 0, 0, 0);
}

void _start(void);

void _start(void)
{
	int ends[2];
	char message;
	long child;

	call(SYS_getppid, 0, 0, 0, 0);
	call(SYS_openat, AT_FDCWD, (long)"/no/such/file", O_RDONLY, 0); /* -2 ENOENT */
	call(SYS_pipe, (long)ends, 0, 0, 0);
	child = call(SYS_fork, 0, 0, 0, 0);
	if (child == 0) {
		nap(3000);
		call(SYS_write, ends[1], (long)"x", 1, 0);
		call(SYS_exit_group, 0, 0, 0, 0);
	}
	call(SYS_read, ends[0], (long)&message, 1, 0); /* waits for the child */
	call(SYS_wait4, child, 0, 0, 0);
	sync_file();
	nap(1000);
	call(SYS_exit_group, 0, 0, 0, 0);
}
