/* Processes that wait: for a message, for a lock, for time to pass, for each other. No waiting call
 * is the C library's. */
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int *locked;

static inline __attribute__((always_inline)) long call(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
	                 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline, noipa)) void nap(long ms)
{
	const struct timespec time = { 0, ms * 1000000 };

	call(SYS_nanosleep, (long)&time, 0, 0, 0);
}

__attribute__((noinline, noipa)) void take_lock(void)
{
	while (atomic_exchange(locked, 1))
		call(SYS_futex, (long)locked, FUTEX_WAIT, 1, 0);
}

__attribute__((noinline, noipa)) void give_lock(void)
{
	atomic_store(locked, 0);
	call(SYS_futex, (long)locked, FUTEX_WAKE, 1, 0);
}

__attribute__((noinline, noipa)) void write_table(void)
{
	for (int i = 0; i < 5; i++) {
		take_lock();
		nap(4);
		give_lock();
		nap(1);
	}
}

__attribute__((noinline, noipa)) void read_messages(int from)
{
	char message;

	while (call(SYS_read, from, (long)&message, 1, 0) == 1)
		;
}

__attribute__((noinline, noipa)) void send_messages(int to)
{
	for (int i = 0; i < 6; i++) {
		nap(5);
		call(SYS_write, to, (long)"x", 1, 0);
	}
}

__attribute__((noinline, noipa)) void wait_for_all(void)
{
	while (call(SYS_wait4, -1, 0, 0, 0) > 0)
		;
}

int main(void)
{
	int ends[2];

	locked = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (locked == MAP_FAILED || pipe(ends) != 0)
		return 1;
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			close(ends[1]);
			if (i < 2)
				write_table();
			else
				read_messages(ends[0]);
			_exit(0);
		}
	send_messages(ends[1]);
	close(ends[1]);
	wait_for_all();
	return 0;
}
