/*
 * What a Go program tells about its own stacks. Its table of functions says how far each
 * instruction's stack pointer is below the caller's, where goroutines and threads begin, and which
 * functions move to another stack. The program has it even when strip removed .debug_frame, and
 * .debug_frame does not tell the last two. Format: src/runtime/symtab.go and traceback.go.
 */
#include "decode/stacks/stackfiles.h"
#include "util/text.h"

#include <string.h>

#define WORD 8 /* bytes of a word of the stack */

/* Flags of a function since Go 1.17; before that the byte is 0. */
enum {
	GO_TOP_FRAME = 1, /* a goroutine or a thread begins in it */
	GO_SP_WRITE = 2   /* it sets the stack pointer in a way that the table does not tell */
};

static uint32_t function_flags(const struct go_stack *go, const struct gofunction *function)
{
	const unsigned field = go->table.version == GO_1_20 ? GO_FIELD_FLAGS + 1 : GO_FIELD_FLAGS;
	uint32_t bytes;

	if (go->table.version == GO_1_2 || !go_read_field(&go->table, function, field, &bytes))
		return 0;
	return bytes >> 8 & 0xff; /* the second of four bytes; both machines are little-endian */
}

static void find_signal_functions(struct go_stack *go)
{
	for (size_t i = 0; i < go->table.count; i++) {
		const struct gofunction *function = &go->table.items[i];
		uint32_t offset;
		const char *name;

		if (!go_read_field(&go->table, function, GO_FIELD_NAME, &offset))
			continue;
		name = go_name(&go->table, offset);
		if (!name || !text_starts(name, "runtime.sig"))
			continue;
		if (!strcmp(name, "runtime.sigtramp"))
			go->handler = function;
		else if (!strcmp(name, "runtime.sigreturn") ||
		         !strcmp(name, "runtime.sigreturn__sigaction"))
			go->signal_return = function;
	}
}

bool go_stack_load(struct go_stack *go, const struct elf *elf, enum cfi_machine machine,
                   struct err *err)
{
	struct err problem = { .code = ERR_NONE };

	*go = (struct go_stack){ .machine = machine };
	if (!go_open(&go->table, elf, &problem) || go->table.swap) {
		go_release(&go->table);
		return err_pass_nomem(err, &problem);
	}
	find_signal_functions(go);
	return true;
}

/*
 * Whether it is the function to which a signal handler returns, on x86-64. It is not called: the
 * return address is its first byte, and the byte before that is where the caller is looked up.
 */
static bool is_signal_return(const struct go_stack *go, uint64_t addr)
{
	return go->signal_return && go->machine == CFI_X86_64 &&
	       addr + 1 >= go->signal_return->start && addr < go->signal_return->end;
}

/* The row of a function whose stack pointer has moved down by that many bytes. */
static void set_row(const struct go_stack *go, int32_t moved, struct cfi_row *row)
{
	const bool x86 = go->machine == CFI_X86_64;
	struct cfi_rule *back = &row->registers[row->return_register];

	row->cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET,
		                      .reg = x86 ? X86_RSP : ARM_SP,
		                      .value = (int64_t)moved + (x86 ? WORD : 0) };
	/* on aarch64 the return address is saved at the stack pointer, once that has moved */
	if (x86 || moved)
		*back = (struct cfi_rule){ .where = CFI_SAVED,
			                   .value = x86 ? -WORD : -(int64_t)moved };
}

bool go_stack_rule(struct go_stack *go, uint64_t addr, struct cfi_row *row,
                   struct unwind_rule *rule)
{
	const struct gofunction *function = go_find_function(&go->table, addr);
	uint32_t flags;
	int32_t moved;

	if (is_signal_return(go, addr)) {
		*rule = (struct unwind_rule){ .kind = UNWIND_SIGNAL };
		return true;
	}
	go_pay(&go->table, 1);
	memset(row, 0, sizeof(*row));
	row->return_register = go->machine == CFI_X86_64 ? X86_RIP : ARM_LR;
	if (!function || !go_value_of_field(&go->table, function, GO_FIELD_STACK, addr, &moved) ||
	    moved < 0)
		return false;
	flags = function_flags(go, function);
	/* below the handler is the kernel's frame of the signal */
	if (flags & GO_TOP_FRAME && function != go->handler)
		row->registers[row->return_register].where = CFI_UNDEFINED;
	else
		set_row(go, moved, row);
	cfi_shorten(go->machine, row, rule);
	if (rule->kind == UNWIND_SP && flags & GO_SP_WRITE)
		rule->kind = UNWIND_SWITCH;
	return true;
}
