/*
 * Unwinds a stack: finds the frames of user code from a sample's registers and the copy of its
 * stack.
 *
 * In:  registers, the copy, and callbacks that give the mapping and the unwind rule of an address.
 * Out: frames, the innermost first, and why there are no more. The result depends on nothing else.
 *
 * Nearly all steps need only three registers and a short rule. At the first one that needs more,
 * the unwinding starts again with all registers, for which rows are necessary (unwindrow.c).
 */
#ifndef READPERF_DECODE_STACKS_UNWIND_H
#define READPERF_DECODE_STACKS_UNWIND_H

#include "decode/machine/space.h"
#include "decode/stacks/cfi.h"

/* Frames of one stack; perf stops at 127. */
#define UNWIND_FRAMES_MAX 1024
#define UNWIND_CACHE 4096 /* rules; a power of two */

/* How a stack ended, in the order of chains.csv. */
enum stack_end {
	STACK_COMPLETE,       /* where the thread began, which a frame pointer of 0 marks, too */
	STACK_KERNEL_ONLY,    /* only kernel frames were recorded */
	STACK_FRAME_POINTERS, /* the recorder unwound it; whether it is complete is not known */
	/* the copied stack, or the recorded chain, ends first, or the record with the rest is
	   missing */
	STACK_CUT,
	/*
	 * there is no rule for an address, or one that leads back to the same frame, and frame
	 * pointers did not help; or the caller is on another stack, which was not copied; or there
	 * are no registers of a known machine
	 */
	STACK_NO_RULE,
	STACK_NO_BINARY,  /* the file with the rules was not found */
	STACK_OTHER_FILE, /* the file found is not the recorded one */
	STACK_NO_MAP,     /* nothing was mapped at a return address */
	STACK_TOO_DEEP,
	STACK_NONE, /* no chain was recorded: one frame */
	STACK_ENDS
};

enum {
	FRAME_RETURN = 1, /* addr is that of the last byte of the call, before the return address */
	FRAME_GUESSED = 2 /* found by a frame pointer where no rule says that there is one */
};

struct chain_frame {
	uint64_t ip;   /* address of the instruction; of a caller: of the last byte of the call */
	uint64_t addr; /* the same in the binary's address space */
	uint32_t binary;
	uint8_t flags; /* FRAME_RETURN, FRAME_GUESSED */
	uint8_t mode;  /* enum cpu_mode; 0, which is MODE_USER, of all that are unwound */
};

struct cfi_registers {
	uint64_t values[CFI_REGISTERS];
	uint64_t known; /* one bit per register */
};

static inline bool cfi_is_known(const struct cfi_registers *registers, uint64_t reg)
{
	return reg < CFI_REGISTERS && registers->known >> reg & 1;
}

/* 0 if it is not known. */
static inline uint64_t cfi_value(const struct cfi_registers *registers, uint64_t reg)
{
	return cfi_is_known(registers, reg) ? registers->values[reg] : 0;
}

static inline void cfi_set(struct cfi_registers *registers, unsigned reg, uint64_t value)
{
	registers->values[reg] = value;
	registers->known |= (uint64_t)1 << reg;
}

/* The copy of a thread's stack, [start, start + size). */
struct unwind_stack {
	const uint8_t *data; /* borrowed */
	uint64_t start, size;
	bool swap;
};

/* Callbacks for the unwinding. Each may set err when memory is refused. */
struct unwind_source {
	void *context;
	/* The mapping at an address of the process, valid until the next call; NULL: there is none.
	 */
	const struct space_map *(*map)(void *context, uint64_t ip);
	/* The rule at an address of a binary; *row: the row that it is the short form of. */
	struct unwind_rule (*rule)(void *context, uint32_t binary, uint64_t addr,
	                           struct cfi_row *row, struct err *err);
};

struct unwind_slot {
	uint64_t addr;
	uint32_t binary; /* 0: the slot is empty */
	struct unwind_rule rule;
};

struct unwinder {
	enum cfi_machine machine;
	struct unwind_source source;
	struct unwind_stack stack;
	unsigned sp, fp, pc;            /* numbers of these registers */
	struct cfi_registers registers; /* of the current frame */
	struct cfi_row row;             /* of the rule that was computed last */
	struct chain_frame frames[UNWIND_FRAMES_MAX];
	size_t count;
	struct err *err;                        /* of the current unwinding */
	struct unwind_slot cache[UNWIND_CACHE]; /* direct-mapped */
};

/* The cache of rules lives as long as the unwinder; zeros are a valid cache. */
void unwind_init(struct unwinder *unwinder, enum cfi_machine machine,
                 const struct unwind_source *source);

/*
 * Unwinds a stack. The first frame is the instruction that the registers point to. False, with err
 * set, when memory is refused.
 */
bool unwind_run(struct unwinder *unwinder, const struct cfi_registers *registers,
                const struct unwind_stack *stack, enum stack_end *end, struct err *err);

/* The rest of this header is for unwindrow.c and cfiexpr.c. */

/*
 * Computes the registers of the caller by a row. False: the stack ends as *end says; the registers
 * are then as before.
 */
bool unwind_apply_row(struct unwinder *unwinder, const struct cfi_row *row, enum stack_end *end);
/*
 * How a stack ends whose next word, at this address, is not in the copy: STACK_CUT if it lies above
 * it; STACK_NO_RULE if it is on another stack, of which a larger copy would have no more.
 */
enum stack_end unwind_end_outside(const struct unwind_stack *stack, uint64_t addr);

/* What the values of a row are computed from. */
struct cfi_evaluation {
	const struct cfi_registers *registers; /* of the frame */
	const struct unwind_stack *stack;
	bool has_cfa; /* stacks of expressions start with the CFA */
	uint64_t cfa;
	enum stack_end end; /* why the last value is not known */
};

/* Reads size bytes (1, 2, 4, 8) of the copied stack; false: it does not have them. */
bool cfi_read(struct cfi_evaluation *evaluation, uint64_t addr, unsigned size, uint64_t *value);
/* Evaluates an expression. The number of steps and the size of the stack are limited. */
bool cfi_evaluate(struct cfi_evaluation *evaluation, const struct cfi_rule *rule, uint64_t *result);

/*
 * Whether the place where a register was saved is not part of the stack any more. At the end of a
 * function, compilers leave the rule as it was before the register was popped: the register has its
 * old value again, but memory below the stack pointer is not copied.
 */
static inline bool unwind_is_popped(uint64_t sp, uint64_t addr)
{
	return addr < sp;
}

/* Removes the signature that aarch64 may have put into a return address. */
static inline uint64_t unwind_code_addr(const struct unwinder *unwinder, uint64_t addr)
{
	return unwinder->machine == CFI_AARCH64 ? addr & (UINT64_MAX >> 16) : addr;
}

#endif
