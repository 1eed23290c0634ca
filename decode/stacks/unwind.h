/*
 * The walk from a sample's registers and the copy of its stack to the frames of its user code.
 *
 * Enters: registers, the copy, and a source that knows what is mapped where and which rule of
 * unwinding holds at an address. Leaves: frames, innermost first, and why there are no more.
 * The walk itself reads nothing but memory, so it is a pure function of what enters.
 *
 * Nearly every step needs three registers and a short rule; the first that needs more starts the
 * walk again with all of them (unwindfull.c).
 */
#ifndef READPERF_DECODE_STACKS_UNWIND_H
#define READPERF_DECODE_STACKS_UNWIND_H

#include "decode/machine/space.h"
#include "decode/stacks/cfi.h"
#include "decode/stacks/cfiexpr.h"

/* Frames of one walk; perf stops at 127. */
#define UNWIND_FRAMES_MAX 1024
#define UNWIND_CACHE 4096 /* rules, a power of two */
#define UNWIND_MAPS 4     /* mappings of the current process used last */

/* How a stack ended. */
enum stack_end {
	STACK_COMPLETE,       /* at the function where the thread began */
	STACK_FP_END,         /* at a frame pointer of 0, which marks the first frame of a thread */
	STACK_KERNEL_ONLY,    /* only kernel frames were recorded */
	STACK_FRAME_POINTERS, /* the recorder walked it: nobody knows whether it is whole */
	STACK_CUT,            /* the copied stack, or the recorded chain, ends first */
	STACK_NO_RULE,        /* no rule for an address, and no frame pointers either */
	STACK_NO_PROGRESS,    /* a rule led back to where it came from */
	STACK_NO_MAP,         /* nothing was mapped at a return address */
	STACK_NO_BINARY,      /* the file with the rules was not found */
	STACK_OTHER_FILE,     /* the file found is not the recorded one */
	STACK_TOO_DEEP,
	STACK_DEFERRED_LOST, /* the record that was to bring the user part never came */
	STACK_NO_REGISTERS,  /* no registers were recorded, or of a machine that is not known */
	STACK_NONE,          /* no chain was asked for: one frame */
	STACK_ENDS
};

enum {
	FRAME_RETURN =
		1, /* addr is that of the last byte of the call; the return address is behind */
	FRAME_GUESSED = 2 /* found through a frame pointer where no rule said that there is one */
};

struct unwind_frame {
	uint64_t ip;   /* as it is looked up: the call's last byte, or the instruction itself */
	uint64_t addr; /* the same in the binary's address space */
	uint32_t binary;
	uint8_t flags;
};

/* The copy of a thread's stack, [start, start + size). */
struct unwind_stack {
	const uint8_t *data; /* borrowed */
	uint64_t start, size;
	bool swap;
};

/* What the walk asks for. Each callback may set err when memory is refused. */
struct unwind_source {
	void *context;
	/* What is mapped at an address of the thread's process; false: nothing. */
	bool (*map)(void *context, uint64_t ip, struct space_map *map);
	/* The rule at an address of a binary. */
	struct unwind_rule (*rule)(void *context, uint32_t binary, uint64_t addr, struct err *err);
	/* The row, of an address whose rule is neither UNWIND_NONE nor about files. */
	bool (*row)(void *context, uint32_t binary, uint64_t addr, struct cfi_row *row,
	            struct err *err);
	/* Mapped bytes that no thread can write. */
	bool (*read)(void *context, const struct space_map *map, uint64_t ip, unsigned size,
	             uint64_t *value);
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
	struct cfi_registers registers; /* of frame 0 */
	struct space_map maps[UNWIND_MAPS];
	unsigned next_map; /* the one to be replaced */
	struct unwind_frame frames[UNWIND_FRAMES_MAX];
	size_t count;
	struct err *err;                        /* of the current walk */
	struct unwind_slot cache[UNWIND_CACHE]; /* direct-mapped */
};

/* Rules are kept as long as the unwinder; zeros are a valid cache. */
void unwind_init(struct unwinder *unwinder, enum cfi_machine machine,
                 const struct unwind_source *source);

/*
 * Walks the stack. The first frame is the instruction that the registers point to. False, with
 * err set, when memory is refused.
 */
bool unwind_run(struct unwinder *unwinder, const struct cfi_registers *registers,
                const struct unwind_stack *stack, enum stack_end *end, struct err *err);

/* The rest is for unwindfull.c. */

/*
 * Where the kernel's frame of a signal has the registers on aarch64, from the stack pointer on: x0
 * to x30, sp, pc. It begins with 128 bytes of siginfo; uc_mcontext is 176 behind, its registers 8
 * more.
 */
#define UNWIND_ARM_SIGNAL_REGISTERS 312

/* The walk with all registers. */
enum stack_end unwind_run_full(struct unwinder *unwinder);

/* A step of a walk: where it looks, and what it found there. */
struct unwind_step {
	uint64_t ip;   /* of the instruction, or a return address */
	bool returned; /* it is a return address */
	bool guessed;
	struct unwind_rule rule;
};

/*
 * Finds the mapping and the rule of a step, and appends its frame. False: the walk ends as *end
 * says.
 */
bool unwind_enter(struct unwinder *unwinder, struct unwind_step *step, enum stack_end *end);
/* Why frame pointers could not go on from a place without a rule. */
enum stack_end unwind_lost(const struct unwind_rule *rule);
bool unwind_read(struct unwinder *unwinder, uint64_t addr, unsigned size, uint64_t *value);
/* Whether something is mapped there. */
bool unwind_is_mapped(struct unwinder *unwinder, uint64_t ip);

/* The three registers of a walk by frame pointer. */
struct unwind_frame_record {
	uint64_t ip, sp, fp;
};

/* A step by frame pointer. False: the walk ends as *end says. */
bool unwind_by_fp(struct unwinder *unwinder, const struct unwind_step *step,
                  struct unwind_frame_record *record, enum stack_end *end);

/*
 * Whether the place where a register was saved is no longer part of the stack. Where a function
 * ends, compilers leave the rule as it was before the register was popped: it has its old value
 * again, while what lies below the stack pointer is not copied.
 */
static inline bool unwind_is_popped(uint64_t sp, uint64_t addr)
{
	return addr < sp;
}

/* Without the signature that aarch64 may have put into a return address. */
static inline uint64_t unwind_code_addr(const struct unwinder *unwinder, uint64_t addr)
{
	return unwinder->machine == CFI_AARCH64 ? addr & (UINT64_MAX >> 16) : addr;
}

#endif
