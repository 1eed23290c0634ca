/* Prints for each line of hex digits, the bytes of an instruction, its displacement from %fs in hex, or "-". */
#include "decode/threadlocal/fsoperand.c"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t bytes[FS_OPERAND_MOST] = { 0 };
		size_t size = 0;
		unsigned value;
		int32_t displacement;

		while (size < sizeof(bytes) && sscanf(line + 2 * size, "%2x", &value) == 1)
			bytes[size++] = (uint8_t)value;
		if (fs_operand(bytes, sizeof(bytes), &displacement))
			printf("%" PRIx64 "\n", (uint64_t)displacement);
		else
			puts("-");
	}
	return 0;
}
