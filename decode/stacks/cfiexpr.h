/*
 * Evaluates the expressions in unwind tables.
 *
 * In:  the expression, registers, and a callback that reads memory.
 * Out: a number. The number of steps and the size of the stack are limited. Format: DWARF 5,
 * section 2.5; operations that cannot occur in unwind tables fail.
 */
#ifndef READPERF_DECODE_STACKS_CFIEXPR_H
#define READPERF_DECODE_STACKS_CFIEXPR_H

#include "decode/stacks/cfi.h"

struct cfi_registers {
	uint64_t values[CFI_REGISTERS];
	uint64_t known; /* one bit per register */
};

static inline bool cfi_is_known(const struct cfi_registers *registers, uint64_t reg)
{
	return reg < CFI_REGISTERS && registers->known >> reg & 1;
}

/* 0 if it is not known. */
static inline uint64_t cfi_value(const struct cfi_registers *registers, unsigned reg)
{
	return cfi_is_known(registers, reg) ? registers->values[reg] : 0;
}

static inline void cfi_set(struct cfi_registers *registers, unsigned reg, uint64_t value)
{
	registers->values[reg] = value;
	registers->known |= (uint64_t)1 << reg;
}

struct cfi_memory {
	void *context;
	/* Reads size bytes (1, 2, 4, 8) at addr; false if they are not known. */
	bool (*read)(void *context, uint64_t addr, unsigned size, uint64_t *value);
};

struct cfi_evaluation {
	const struct cfi_registers *registers;
	const struct cfi_memory *memory;
	bool swap;    /* operands are in the other byte order */
	bool has_cfa; /* the stack starts with the CFA */
	uint64_t cfa;
};

bool cfi_evaluate(const struct cfi_evaluation *evaluation, const struct cfi_rule *rule,
                  uint64_t *result);

#endif
