/* What the readers of unwind tables share: the sections of a binary, and a row of its tables. */
#ifndef READPERF_DECODE_STACKS_CFIROW_H
#define READPERF_DECODE_STACKS_CFIROW_H

#include "util/types.h"

/* The machines whose stacks can be unwound; registers have DWARF's numbers of that machine. */
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

struct cfi_section {
	const uint8_t *data; /* borrowed; NULL: the binary has no such section */
	size_t size;
	uint64_t addr; /* where it is loaded, as the ELF file says */
};

/* A function's entry in an index of our own. */
struct cfi_range {
	uint64_t start, end; /* addresses, [start, end) */
	uint64_t entry;      /* offset of the FDE in its section */
};

struct cfi_index {
	struct cfi_range *ranges; /* by start */
	size_t count, capacity;
	bool made;
};

/* The unwind tables of one binary. The caller sets what is above the line. */
struct cfi {
	enum cfi_machine machine;
	bool swap; /* the file's byte order differs from ours */
	struct cfi_section eh_frame_hdr, eh_frame, debug_frame;
	uint64_t text_addr, data_addr; /* bases of text- and data-relative pointers */
	/* --- */
	struct cfi_index eh_index, debug_index;
};

/* Where the caller's value of a register is. */
enum cfi_where {
	CFI_UNCHANGED, /* no rule: the register has it */
	CFI_UNDEFINED,
	CFI_SAVED,          /* in memory at CFA + value */
	CFI_COMPUTED,       /* it is CFA + value */
	CFI_REGISTER,       /* in the register `value` */
	CFI_SAVED_AT,       /* in memory where the expression says */
	CFI_EXPRESSION,     /* it is what the expression says */
	CFI_REGISTER_OFFSET /* of the CFA alone: register `reg` + value */
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

/* What holds at one address: the canonical frame address and where each register is. */
struct cfi_row {
	struct cfi_rule cfa;
	struct cfi_rule registers[CFI_REGISTERS];
	uint8_t return_register;
	bool signal; /* a trampoline that the kernel returns from signal handlers to */
};

#endif
