/*
 * A recording with more records than a sheet has rows, on standard output, as a pipe. Shares no code
 * with readperf. Little-endian, whatever the machine.
 *
 * many COUNT [late]   COUNT records: some with odd names, the others SWITCH records of 16 bytes.
 *                 Record number N has the time 999999999000000 + N: the later ones have 16 digits.
 *                 late: as a pipe has them, a FINISHED_ROUND record behind every 262144, and a COMM
 *                 record without a time at the end.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_TIME UINT64_C(999999999000000)
#define ATTR_SIZE 136

static void put(uint64_t value, int size)
{
	for (; size--; value >>= 8)
		putchar((int)(value & 0xff));
}

static void put_text(const char *text, size_t room)
{
	for (size_t i = 0; i < room; i++)
		putchar(i < strlen(text) ? (unsigned char)text[i] : 0);
}

static void put_header(uint32_t type, uint16_t size)
{
	put(type, 4);
	put(0, 2);
	put(size, 2);
}

static void put_attr(void)
{
	put_header(64, 8 + ATTR_SIZE);
	put(1, 4); /* software */
	put(ATTR_SIZE, 4);
	put(0, 8); /* cpu-clock */
	put(1, 8);
	put(1 << 2, 8); /* TIME */
	put(0, 8);
	put(1 << 18 | 1 << 20, 8); /* sample_id_all, exclude_guest */
	put_text("", ATTR_SIZE - 48);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "=1+1", "+2", "-3", "@4", "a=b", "say \"hi\", you", "\xc3\xbc",
		                             "\xff", "two\nlines" };
	uint64_t count = argc >= 2 ? strtoull(argv[1], NULL, 10) : 0, number = 0;

	put_text("PERFILE2", 8);
	put(16, 8);
	put_attr();
	for (; number < count && number < sizeof(names) / sizeof(*names); number++) {
		put_header(3, 40);
		put(7, 4);
		put(7, 4);
		put_text(names[number], 16);
		put(FIRST_TIME + number, 8);
	}
	if (number < count) {
		put_header(1, 64);
		put(7, 4);
		put(7, 4);
		put(UINT64_C(0xffffffff81000000), 8);
		put(4096, 8);
		put(UINT64_C(0xffffffff81000000), 8);
		put_text("/bin/a,b", 16);
		put(FIRST_TIME + number++, 8);
	}
	for (; number < count; number++) {
		if (argc == 3 && number % 262144 == 0)
			put_header(68, 8);
		put_header(14, 16);
		put(FIRST_TIME + number, 8);
	}
	if (argc == 3) {
		put_header(3, 32);
		put(8, 4);
		put(8, 4);
		put_text("late", 8);
		put(0, 8);
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
