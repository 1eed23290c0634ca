/* Expressions in unwind tables, put together byte by byte. Expected: worked out from DWARF 5, section 2.5. */
#include "decode/stacks/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BYTES_MAX 40

/*
 * In the memory every byte is the lowest one of its address; nothing is there from 0x10000 on. Registers 7 and 20 are known; the CFA is on the stack if it is not 0.
 */
static bool evaluate(const uint8_t *code, size_t size, uint64_t cfa, uint64_t *result)
{
	static uint8_t bytes[0x10000];
	const struct unwind_stack memory = { bytes, 0, sizeof(bytes), false };
	const struct cfi_rule rule = { .where = CFI_EXPRESSION, .size = (uint32_t)size, .expression = code };
	struct cfi_registers registers = { .known = 0 };
	struct cfi_evaluation evaluation = { &registers, &memory, cfa != 0, cfa, STACK_ENDS };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	cfi_set(&registers, 7, 0x1000);
	cfi_set(&registers, 20, 0x2000);
	return cfi_evaluate(&evaluation, &rule, result);
}

struct expected {
	const char *name;
	size_t size;
	uint8_t code[BYTES_MAX];
	uint64_t result;
};

/* The result is what is on top at the end. 0x30 to 0x4f are the numbers 0 to 31; -100 is 0x09, 156. */
static const struct expected right[] = {
	{ "addr", 9, { 0x03, 8, 7, 6, 5, 4, 3, 2, 1 }, 0x0102030405060708 },
	{ "const1u", 2, { 0x08, 0xff }, 255 },
	{ "const1s", 2, { 0x09, 0xff }, UINT64_MAX },
	{ "const2u", 3, { 0x0a, 0xfe, 0xff }, 0xfffe },
	{ "const2s", 3, { 0x0b, 0xfe, 0xff }, UINT64_MAX - 1 },
	{ "const4u", 5, { 0x0c, 0, 0, 0, 0x80 }, 0x80000000 },
	{ "const4s", 5, { 0x0d, 0, 0, 0, 0x80 }, 0xffffffff80000000 },
	{ "const8u", 9, { 0x0e, 1, 0, 0, 0, 0, 0, 0, 0x80 }, 0x8000000000000001 },
	{ "const8s", 9, { 0x0f, 1, 0, 0, 0, 0, 0, 0, 0x80 }, 0x8000000000000001 },
	{ "constu", 3, { 0x10, 0x80, 1 }, 128 },
	{ "consts", 2, { 0x11, 0x7f }, UINT64_MAX },
	{ "lit0", 1, { 0x30 }, 0 },
	{ "lit31", 1, { 0x4f }, 31 },
	{ "breg7", 2, { 0x77, 0x78 }, 0xff8 },
	{ "bregx", 3, { 0x92, 20, 8 }, 0x2008 },
	{ "deref", 3, { 0x77, 0, 0x06 }, 0x0706050403020100 },
	{ "deref_size 1", 4, { 0x77, 5, 0x94, 1 }, 5 },
	{ "deref_size 2", 4, { 0x77, 5, 0x94, 2 }, 0x0605 },
	{ "deref_size 4", 4, { 0x77, 5, 0x94, 4 }, 0x08070605 },
	{ "dup", 3, { 0x32, 0x12, 0x22 }, 4 },
	{ "drop", 3, { 0x32, 0x33, 0x13 }, 2 },
	{ "over", 3, { 0x32, 0x33, 0x14 }, 2 },
	{ "over keeps", 5, { 0x32, 0x33, 0x14, 0x13, 0x1c }, UINT64_MAX },
	{ "pick 0", 4, { 0x32, 0x33, 0x15, 0 }, 3 },
	{ "pick 2", 5, { 0x31, 0x32, 0x33, 0x15, 2 }, 1 },
	{ "swap", 4, { 0x32, 0x35, 0x16, 0x1c }, 3 },                /* 5 - 2 */
	{ "rot top", 4, { 0x31, 0x32, 0x33, 0x17 }, 2 },             /* 3 1 2 */
	{ "rot second", 5, { 0x31, 0x32, 0x33, 0x17, 0x13 }, 1 },
	{ "rot third", 6, { 0x31, 0x32, 0x33, 0x17, 0x13, 0x13 }, 3 },
	{ "abs", 3, { 0x09, 156, 0x19 }, 100 },
	{ "abs of positive", 3, { 0x08, 100, 0x19 }, 100 },
	{ "and", 3, { 0x3c, 0x3a, 0x1a }, 8 },
	{ "div", 4, { 0x09, 156, 0x37, 0x1b }, (uint64_t)-14 },      /* signed */
	{ "div by -1", 12, { 0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x11, 0x7f, 0x1b }, 0x8000000000000000 },
	{ "minus", 3, { 0x32, 0x35, 0x1c }, (uint64_t)-3 },
	{ "mod", 4, { 0x08, 100, 0x37, 0x1d }, 2 },
	{ "mod is unsigned", 4, { 0x11, 0x7f, 0x3a, 0x1d }, 5 },           /* 18446744073709551615 */
	{ "mul", 3, { 0x35, 0x37, 0x1e }, 35 },
	{ "neg", 2, { 0x35, 0x1f }, (uint64_t)-5 },
	{ "not", 2, { 0x35, 0x20 }, ~(uint64_t)5 },
	{ "or", 3, { 0x3c, 0x33, 0x21 }, 15 },
	{ "plus", 3, { 0x3c, 0x33, 0x22 }, 15 },
	{ "plus_uconst", 4, { 0x3c, 0x23, 0x80, 1 }, 140 },
	{ "shl", 3, { 0x33, 0x34, 0x24 }, 48 },
	{ "shl by 64", 4, { 0x33, 0x08, 64, 0x24 }, 0 },
	{ "shr", 4, { 0x11, 0x7f, 0x4f, 0x25 }, UINT64_MAX >> 31 },
	{ "shr by 64", 5, { 0x11, 0x7f, 0x08, 64, 0x25 }, 0 },
	{ "shra", 4, { 0x09, 156, 0x32, 0x26 }, (uint64_t)-25 },
	{ "shra by 200", 5, { 0x09, 156, 0x08, 200, 0x26 }, UINT64_MAX },
	{ "xor", 3, { 0x3c, 0x3a, 0x27 }, 6 },
	{ "bra taken", 6, { 0x32, 0x31, 0x28, 1, 0, 0x33 }, 2 },
	{ "bra not taken", 6, { 0x32, 0x30, 0x28, 1, 0, 0x33 }, 3 },
	{ "bra back", 8, { 0x35, 0x31, 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x12 }, 0 }, /* 5, 4 ... 0 */
	{ "eq", 3, { 0x35, 0x35, 0x29 }, 1 },
	{ "ge is signed", 4, { 0x11, 0x7f, 0x30, 0x2a }, 0 },
	{ "gt", 3, { 0x36, 0x35, 0x2b }, 1 },
	{ "le is signed", 4, { 0x11, 0x7f, 0x30, 0x2c }, 1 },
	{ "lt", 3, { 0x35, 0x35, 0x2d }, 0 },
	{ "ne", 3, { 0x36, 0x35, 0x2e }, 1 },
	{ "skip", 5, { 0x32, 0x2f, 1, 0, 0x33 }, 2 },
	{ "skip to the end", 4, { 0x32, 0x2f, 0, 0 }, 2 },
	{ "nop", 2, { 0x32, 0x96 }, 2 },
};

static const struct expected wrong[] = {
	{ "nothing", 0, { 0 }, 0 },
	{ "an empty stack", 2, { 0x31, 0x13 }, 0 },
	{ "unknown operation", 2, { 0x31, 0xf0 }, 0 },
	{ "location of a register", 1, { 0x50 }, 0 },
	{ "dup of nothing", 1, { 0x12 }, 0 },
	{ "drop of nothing", 2, { 0x13, 0x31 }, 0 },
	{ "over one", 2, { 0x31, 0x14 }, 0 },
	{ "pick too deep", 3, { 0x31, 0x15, 1 }, 0 },
	{ "swap of one", 2, { 0x31, 0x16 }, 0 },
	{ "rot of two", 3, { 0x31, 0x32, 0x17 }, 0 },
	{ "neg of nothing", 2, { 0x1f, 0x31 }, 0 },
	{ "plus one", 2, { 0x31, 0x22 }, 0 },
	{ "plus_uconst of nothing", 2, { 0x23, 1 }, 0 },
	{ "bra on nothing", 4, { 0x28, 0, 0, 0x31 }, 0 },
	{ "div by 0", 3, { 0x31, 0x30, 0x1b }, 0 },
	{ "mod by 0", 3, { 0x31, 0x30, 0x1d }, 0 },
	{ "a register that is not known", 2, { 0x73, 0 }, 0 },
	{ "a register that is not there", 4, { 0x92, 0xff, 1, 0 }, 0 },
	{ "memory that is not there", 6, { 0x0c, 0, 0, 1, 0, 0x06 }, 0 },
	{ "deref of nothing", 1, { 0x06 }, 0 },
	{ "deref_size 3", 4, { 0x77, 0, 0x94, 3 }, 0 },
	{ "skip behind the end", 4, { 0x31, 0x2f, 1, 0 }, 0 },
	{ "skip before the start", 4, { 0x31, 0x2f, 0xfb, 0xff }, 0 },
	{ "an operand is cut off", 2, { 0x0a, 1 }, 0 },
	{ "for ever", 3, { 0x2f, 0xfd, 0xff }, 0 },
	{ "for ever, growing", 4, { 0x31, 0x2f, 0xfc, 0xff }, 0 },
};

static void test_right(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		uint64_t result = 12345;

		if (!evaluate(right[i].code, right[i].size, 0, &result))
			fail_msg("%s: no result", right[i].name);
		if (result != right[i].result)
			fail_msg("%s: %#llx, not %#llx", right[i].name, (unsigned long long)result,
			         (unsigned long long)right[i].result);
	}
}

static void test_wrong(void **state)
{
	uint64_t result;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (evaluate(wrong[i].code, wrong[i].size, 0, &result))
			fail_msg("%s: has a result", wrong[i].name);
}

/* The stack holds 32 values, and has the CFA at first where there is one. */
static void test_stack(void **state)
{
	uint8_t code[40];
	uint64_t result;

	(void)state;
	memset(code, 0x31, sizeof(code));
	assert_true(evaluate(code, 32, 0, &result));
	assert_false(evaluate(code, 33, 0, &result));
	assert_false(evaluate(code, 32, 8, &result));
	assert_true(evaluate((const uint8_t *)"\x38\x22", 2, 0x100, &result));
	assert_int_equal(result, 0x108);
	assert_true(evaluate(code, 0, 0x100, &result));
	assert_int_equal(result, 0x100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
