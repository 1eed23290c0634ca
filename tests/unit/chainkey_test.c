/* The keys of chains: what makes two of them differ. */
#include "decode/stacks/chainkey.h"
#include "util/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct chain_keys keys_of(uint64_t seed, enum stack_end end, uint32_t group, size_t count,
                                 const struct chain_frame *frames)
{
	struct chain chain = { .count = count, .end = end };

	chain.frames = (struct chain_frame *)(uintptr_t)frames;
	return chain_keys(&chain, seed, group);
}

/* Chains that differ in one field alone, by a small amount, have different keys. */
static void test_keys(void **state)
{
	static const struct chain_frame frames[][3] = {
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 2, .binary = 1 }, { .addr = 1, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 3, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 1, .binary = 1 } },
		{ { .addr = 1, .binary = 2 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 3, .binary = 2 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 3, .binary = 1 }, { .addr = 3, .binary = 1 } },
		{ { .addr = 1, .binary = 1 }, { .addr = 2, .binary = 1 }, { .addr = 2, .binary = 1 } },
	};
	struct chain_keys keys[7 * 3 * 4];
	const uint64_t seed = hash_seed();
	size_t count = 0;

	(void)state;
	for (size_t f = 0; f < 7; f++)
		for (unsigned end = 0; end < 3; end++)
			for (uint32_t group = 0; group < 4; group++)
				keys[count++] = keys_of(seed, (enum stack_end)end, group, 3, frames[f]);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(keys[i].whole != keys[j].whole);
	/* the first two frames of all but one of these are others */
	for (size_t f = 1; f < 5; f++) {
		struct chain_keys first = keys_of(seed, STACK_CUT, 0, 2, frames[0]);
		struct chain_keys other = keys_of(seed, STACK_CUT, 0, 2, frames[f]);

		assert_true((first.whole == other.whole) == (f == 4));
		/* only the second frame is a caller */
		assert_true((first.callers == other.callers) == (f >= 2));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
