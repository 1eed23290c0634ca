/* Page faults and clock ticks in different functions, so that each event has another order.
 * ET_EXEC, calls through the PLT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, PAGES = 1500 };

__attribute__((noinline)) static unsigned long touch_forwards(unsigned char *p)
{
	for (size_t i = 0; i < PAGES / 2; i++)
		p[i * PAGE] = (unsigned char)i;
	return p[0];
}

__attribute__((noinline)) static unsigned long touch_backwards(unsigned char *p)
{
	for (size_t i = PAGES; i > PAGES / 2; i--)
		p[(i - 1) * PAGE] = (unsigned char)i;
	return p[(PAGES - 1) * PAGE];
}

__attribute__((noinline)) static unsigned long add_up(const unsigned char *p, int times)
{
	unsigned long sum = 0;

	for (int t = 0; t < times; t++)
		for (size_t i = 0; i < (size_t)PAGES * PAGE; i += 16)
			sum = sum * 31 + p[i];
	return sum;
}

/* Little but calls into other binaries: procedure linkage table, libc, [vdso]. */
__attribute__((noinline)) static unsigned long call_out(int times)
{
	unsigned long sum = 0;
	struct timespec now;

	for (int i = 0; i < times; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += (unsigned long)(now.tv_nsec & 1) + (unsigned long)rand();
	}
	return sum;
}

int main(void)
{
	unsigned long sum = 0;

	for (int round = 0; round < 4; round++) {
		unsigned char *p = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
		                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 1;
		madvise(p, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE);
		sum += touch_forwards(p) + touch_backwards(p) + add_up(p, 60) + call_out(400000);
		munmap(p, (size_t)PAGES * PAGE);
	}
	printf("%lu\n", sum);
	return 0;
}
