#include "decode/stacks/waitcode.h"

#include <stdlib.h>

void wait_code_release(struct wait_code *code)
{
	free(code->ranges);
	*code = (struct wait_code){ .count = 0 };
}

static bool has_code(const struct wait_code *code, uint32_t binary, uint64_t addr)
{
	size_t first = 0, end = code->count;

	if (binary != code->binary)
		return false;
	while (first < end) {
		const size_t middle = first + (end - first) / 2;

		if (addr < code->ranges[middle].start)
			end = middle;
		else if (addr >= code->ranges[middle].end)
			first = middle + 1;
		else
			return true;
	}
	return false;
}

size_t wait_code_frames(const struct wait_code *code, const struct chain *chain)
{
	size_t count = 0;

	while (count < chain->count &&
	       has_code(code, chain->frames[count].binary, chain->frames[count].addr))
		count++;
	return count < chain->count ? count : 0;
}
