/*
 * What a Go program tells about its own stacks. Its table of functions says how far each
 * instruction's stack pointer is below the caller's, where goroutines and threads begin, and which
 * functions move to another stack. The program has it even when strip removed .debug_frame, and
 * .debug_frame does not tell the last two.
 *
 * In:  an ELF file, and an address.
 * Out: the row and the rule for the address. Format: src/runtime/symtab.go and traceback.go.
 */
#ifndef READPERF_DECODE_STACKS_GOSTACK_H
#define READPERF_DECODE_STACKS_GOSTACK_H

#include "decode/files/gotable.h"
#include "decode/stacks/cfi.h"

struct go_stack {
	struct gopclntab table;
	enum cfi_machine machine;
	/* the runtime's signal handler, and the function to which it returns; or NULL */
	const struct gofunction *handler, *signal_return;
};

/*
 * Reads the table; it is empty if the file is no Go program, or damaged. go_stack_release() must be
 * called in any case.
 */
bool go_stack_load(struct go_stack *go, const struct elf *elf, enum cfi_machine machine,
                   struct err *err);
void go_stack_release(struct go_stack *go);

/* The row at an address and its short form; false if no Go function covers it. */
bool go_stack_rule(struct go_stack *go, uint64_t addr, struct cfi_row *row,
                   struct unwind_rule *rule);

#endif
