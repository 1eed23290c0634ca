/*
 * Where calls and jumps in the file of a kernel module lead. The file is not linked: most of them
 * have no target in their bytes, but a relocation, by the name of a function.
 *
 * In:  the file.
 * Out: of an instruction, the function that it leads to; addresses are places as struct elf_section
 * has them.
 */
#ifndef READPERF_DECODE_SYMBOLS_MODULECALLS_H
#define READPERF_DECODE_SYMBOLS_MODULECALLS_H

#include "decode/files/elf.h"

/* A relocation in code. */
struct module_call {
	uint64_t addr;
	uint64_t target; /* UINT64_MAX: in no code of the module */
	uint64_t offset; /* from the symbol; with a target it is not used */
	uint32_t name;   /* in texts */
};

struct module_function {
	uint64_t start, size;
	uint32_t name; /* in texts */
};

/* All zeros: nothing is known. */
struct module_calls {
	struct module_call *calls;         /* by addr */
	struct module_function *functions; /* by start */
	size_t call_count, call_capacity, function_count, function_capacity;
	char *texts;
};

struct module_target {
	const char *name;
	uint64_t offset; /* in that function */
	uint64_t addr;   /* UINT64_MAX: it is not in the module */
};

/* Damaged tables have nothing. False with err set when memory is refused. */
bool module_calls_read(struct module_calls *calls, const struct elf *elf, struct err *err);
void module_calls_release(struct module_calls *calls);
/*
 * Where the instruction [start, end) leads, whose bytes say that it leads to `addr`. False: not
 * known.
 */
bool module_calls_find(const struct module_calls *calls, uint64_t start, uint64_t end,
                       uint64_t addr, struct module_target *target);

#endif
