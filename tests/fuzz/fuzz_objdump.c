/*
 * The parser of what objdump prints. Input: the size of the pieces in which it arrives, 1 byte; the machine, 1 byte;
 * the output.
 */
#include "decode/code/code.h"
#include "decode/code/objdumpparse.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>

#define FUNCTIONS 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64, EM_ARM, EM_S390, EM_PPC64 };
	struct code_function functions[FUNCTIONS] = { { .addr = 0x1000, .size = 0x100 },
						      { .addr = 0, .size = 0x10 },
						      { .addr = UINT64_MAX - 7, .size = 8 } };
	struct objdump_parser parser = { .functions = functions, .count = FUNCTIONS };
	struct strings strings;
	struct err err = { 0 };
	bool ok = true;
	size_t piece;

	if (size < 2)
		return 0;
	piece = data[0] + 1u;
	parser.machine = machines[data[1] % ARRAY_SIZE(machines)];
	if (strings_init(&strings, &err)) {
		parser.strings = &strings;
		for (size_t at = 2; ok && at < size; at += piece)
			ok = objdump_feed(&parser, (const char *)data + at, piece < size - at ? piece : size - at,
					  &err);
		check_err(ok, &err);
	}
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct code_function *function = &functions[i];

		for (size_t k = 0; k < function->count; k++) {
			FUZZ_CHECK(function->instructions[k].addr - function->addr < function->size);
			FUZZ_CHECK(!k || function->instructions[k].addr > function->instructions[k - 1].addr);
		}
		code_function_release(&functions[i]);
	}
	strings_release(&strings);
	return 0;
}
