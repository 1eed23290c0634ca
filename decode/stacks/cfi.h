/*
 * Unwind tables: they say, for each address of a binary, where the caller's registers are.
 *
 * In:  the entries in .eh_frame or .debug_frame of one binary, and an address.
 * Out: the row of the table for that address, or its short form, which nearly all steps of an
 * unwinding need (unwind.h). A row is computed when it is asked for. No byte is trusted; damaged
 * entries give no rule.
 *
 * Formats: DWARF 5, section 6.4; Linux Standard Base 5.0 Core, chapter 10.6; System V ABI, AMD64
 * and AArch64 supplements.
 */
#ifndef READPERF_DECODE_STACKS_CFI_H
#define READPERF_DECODE_STACKS_CFI_H

#include "decode/files/frameindex.h"

/* The machines whose stacks can be unwound; registers have their DWARF numbers. */
enum cfi_machine { CFI_X86_64, CFI_AARCH64 };

enum {
	X86_RAX = 0,
	X86_RCX = 2,
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
	uint8_t return_register; /* below CFI_REGISTERS */
	bool signal;             /* a trampoline to which signal handlers return */
};

/* Computes the row for the address. False if the section has none. */
bool cfi_find_row(struct frame_index *section, uint64_t addr, struct cfi_row *row, struct err *err);

enum unwind_kind {
	/* the first ones have no row */
	UNWIND_NONE, /* no rule for this address */
	/*
	 * no rule, but a program or the dynamic linker starts there, if the file is one. Then the
	 * frame pointer is 0 as the kernel set it, and this is the outermost frame.
	 */
	UNWIND_ENTRY,
	UNWIND_NO_BINARY,  /* the file was not found */
	UNWIND_OTHER_FILE, /* the file found is not the recorded one */
	UNWIND_NO_CODE,    /* nothing can be executed there: it is no return address */
	UNWIND_END,        /* the outermost frame of a thread */
	UNWIND_SP,         /* CFA = stack pointer + cfa */
	UNWIND_FP,         /* CFA = frame pointer + cfa */
	UNWIND_DEREF_FP,   /* CFA = word at frame pointer + cfa: a realigned stack */
	UNWIND_SIGNAL,     /* the kernel's frame of a signal handler, at a known place */
	/*
	 * as UNWIND_SP at first; but the function moves to another stack, so that this is wrong
	 * behind its calls, where only the frame pointer is still the caller's
	 */
	UNWIND_SWITCH,
	UNWIND_SLOW /* none of these: the row and all registers are necessary */
};

enum unwind_fp {
	UNWIND_FP_SAME,
	UNWIND_FP_SAVED,    /* in memory at CFA + fp_offset */
	UNWIND_FP_DEREF,    /* in memory where the frame pointer points */
	UNWIND_FP_UNDEFINED /* treated as 0 */
};

/* The short form of a row. Offsets are in words of 8 bytes. */
struct unwind_rule {
	uint8_t kind;            /* enum unwind_kind */
	uint8_t fp;              /* enum unwind_fp: the caller's frame pointer */
	bool return_in_register; /* aarch64: the return address is in the link register */
	int16_t cfa, fp_offset;
	int16_t return_offset; /* the return address is at CFA + this */
};

/* Computes the short form of a row (cfishorten.c); never UNWIND_NONE. */
void cfi_shorten(enum cfi_machine machine, const struct cfi_row *row, struct unwind_rule *rule);

#endif
