/* Most of its time passes in the kernel: reads, writes, file status. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char buffer[65536];

__attribute__((noinline)) static unsigned long checksum(const unsigned char *p, size_t size)
{
	unsigned long a = 1, b = 0;

	for (size_t i = 0; i < size; i++) {
		a = (a + p[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

__attribute__((noinline)) static int copy(int from, int to, int times)
{
	for (int i = 0; i < times; i++)
		if (read(from, buffer, sizeof(buffer)) < 0 || write(to, buffer, sizeof(buffer)) < 0)
			return -1;
	return 0;
}

__attribute__((noinline)) static long ask(int times)
{
	struct stat status;
	long sum = 0;

	for (int i = 0; i < times; i++)
		sum += stat("/", &status) + status.st_mode;
	return sum;
}

int main(void)
{
	int from = open("/dev/zero", O_RDONLY), to = open("/dev/null", O_WRONLY);
	unsigned long sum = 0;

	for (int round = 0; round < 20 && from >= 0 && to >= 0; round++) {
		if (copy(from, to, 1500) < 0)
			return 1;
		sum += (unsigned long)ask(10000) + checksum(buffer, sizeof(buffer)) * 2;
		for (int i = 0; i < 12; i++)
			sum += checksum(buffer, sizeof(buffer));
	}
	printf("%lu\n", sum);
	return 0;
}
