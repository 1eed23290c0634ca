/* A 32-bit program for x86-64 without a C library: getpid, write and nanosleep by their numbers. */
static long call(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a), "c"(b), "d"(c) : "memory");
	return result;
}

void _start(void)
{
	const struct {
		int seconds, ns;
	} time = { 0, 1000000 };

	for (int i = 0; i < 7; i++)
		call(20, 0, 0, 0);
	for (int i = 0; i < 5; i++)
		call(4, 1, (long)"x", 1);
	call(162, (long)&time, 0, 0);
	call(1, 0, 0, 0);
}
