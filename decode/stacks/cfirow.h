/* A row of unwind tables. */
#ifndef READPERF_DECODE_STACKS_CFIROW_H
#define READPERF_DECODE_STACKS_CFIROW_H

#include "util/types.h"

/* The machines whose stacks can be unwound; registers have their DWARF numbers. */
enum cfi_machine { CFI_X86_64, CFI_AARCH64 };

enum {
	X86_RAX = 0,
	X86_RBP = 6,
	X86_RSP = 7,
	X86_RIP = 16,

	ARM_FP = 29,
	ARM_LR = 30,
	ARM_SP = 31,
	ARM_PC = 32,

	CFI_REGISTERS = 33
};

/* Where to find the caller's value of a register. */
enum cfi_where {
	CFI_UNCHANGED, /* no rule: it is still in the register */
	CFI_UNDEFINED,
	CFI_SAVED,          /* in memory at CFA + value */
	CFI_COMPUTED,       /* it is CFA + value */
	CFI_REGISTER,       /* in the register `value` */
	CFI_SAVED_AT,       /* in memory where the expression says */
	CFI_EXPRESSION,     /* it is what the expression says */
	CFI_REGISTER_OFFSET /* only for the CFA: register `reg` + value */
};

struct cfi_rule {
	uint8_t where; /* enum cfi_where */
	uint8_t reg;
	uint32_t size; /* of the expression, bytes */
	union {
		int64_t value;
		const uint8_t *expression; /* lies in the section */
	};
};

/* A row: the canonical frame address (CFA) and the rules of all registers at one address. */
struct cfi_row {
	struct cfi_rule cfa;
	struct cfi_rule registers[CFI_REGISTERS];
	uint8_t return_register;
	bool signal; /* a trampoline to which signal handlers return */
};

#endif
