/* A function to be probed: numbers, texts, a result; and memory and a file, by the kernel. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, noipa)) long price(int number, const char *name, unsigned char discount)
{
	return number * 100L - discount - (long)strlen(name);
}

static int store(const char *path, long sum)
{
	static char block[3 * 4096];
	FILE *file = fopen(path, "w");

	if (!file)
		return 1;
	snprintf(block, sizeof(block), "%ld\n", sum);
	if (!fwrite(block, sizeof(block), 1, file) || fflush(file) || fsync(fileno(file)))
		return 1;
	return fclose(file) != 0 || unlink(path) != 0;
}

int main(void)
{
	static const char *const names[] = { "apple", "pear, ripe", "\"plum\"", "" };
	long sum = 0;

	for (int i = 0; i < 8; i++)
		sum += price(i - 2, names[i % 4], (unsigned char)(i * 40));
	usleep(1000);
	return store("sum", sum);
}
