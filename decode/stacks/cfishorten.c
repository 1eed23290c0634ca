/* Converts rows of unwind tables to the few bytes that nearly all steps of an unwinding need. */
#include "decode/stacks/cfi.h"

#include "util/cursor.h"
#include "util/bytes.h"

#define WORD 8 /* bytes; the unit of offsets in short rules */

/* Operations of expressions that short rules can stand for: DWARF 5, 7.7.1. */
enum { OP_DEREF = 0x06, OP_BREG0 = 0x70 };

/* Converts an offset to words, if it is a multiple of one and small enough. */
static bool to_words(int64_t bytes, int16_t *words)
{
	if (bytes % WORD || bytes / WORD > INT16_MAX || bytes / WORD < INT16_MIN)
		return false;
	*words = (int16_t)(bytes / WORD);
	return true;
}

static bool is_expression(const struct cfi_rule *rule, enum cfi_where where, const uint8_t *bytes,
                          size_t size)
{
	return rule->where == where && rule->size == size && !memcmp(rule->expression, bytes, size);
}

/* Whether the expression is: register + *offset, and with `deref` the word at that address. */
static bool is_register_offset(const struct cfi_rule *rule, uint8_t reg, bool deref,
                               int64_t *offset)
{
	struct bytes b = bytes_over(rule->expression, rule->size, false);

	if (bytes_uint(&b, 1) != (uint64_t)(OP_BREG0 + reg))
		return false;
	*offset = bytes_sleb(&b);
	if (deref && bytes_uint(&b, 1) != OP_DEREF)
		return false;
	return !b.bad && !bytes_left(&b);
}

/* glibc's __restore_rt: the kernel's struct rt_sigframe lies at the stack pointer. */
static bool is_x86_signal(const struct cfi_row *row)
{
	static const uint8_t sp[] = { 0x77, 0xa0, 0x01, 0x06 }, ip[] = { 0x77, 0xa8, 0x01 },
			     bp[] = { 0x77, 0xf8, 0x00 };

	return row->signal && is_expression(&row->cfa, CFI_EXPRESSION, sp, sizeof(sp)) &&
	       is_expression(&row->registers[X86_RIP], CFI_SAVED_AT, ip, sizeof(ip)) &&
	       is_expression(&row->registers[X86_RBP], CFI_SAVED_AT, bp, sizeof(bp));
}

static bool shorten_fp(const struct cfi_rule *saved, uint8_t fp, struct unwind_rule *rule)
{
	int64_t offset;

	switch (saved->where) {
	case CFI_UNCHANGED:
		rule->fp = UNWIND_FP_SAME;
		return true;
	case CFI_UNDEFINED:
		rule->fp = UNWIND_FP_UNDEFINED;
		return true;
	case CFI_SAVED:
		rule->fp = UNWIND_FP_SAVED;
		return to_words(saved->value, &rule->fp_offset);
	case CFI_SAVED_AT:
		rule->fp = UNWIND_FP_DEREF;
		return is_register_offset(saved, fp, false, &offset) && !offset;
	default:
		return false;
	}
}

static bool shorten_cfa(const struct cfi_rule *cfa, uint8_t sp, uint8_t fp,
                        struct unwind_rule *rule)
{
	int64_t offset;

	if (cfa->where == CFI_EXPRESSION) {
		rule->kind = UNWIND_DEREF_FP;
		return is_register_offset(cfa, fp, true, &offset) && to_words(offset, &rule->cfa);
	}
	if (cfa->where != CFI_REGISTER_OFFSET || (cfa->reg != sp && cfa->reg != fp))
		return false;
	rule->kind = cfa->reg == sp ? UNWIND_SP : UNWIND_FP;
	return to_words(cfa->value, &rule->cfa);
}

/* Whether the caller's stack pointer is the CFA, as it is unless the table says otherwise. */
static bool is_cfa(const struct cfi_rule *sp)
{
	return sp->where == CFI_UNCHANGED || (sp->where == CFI_COMPUTED && !sp->value);
}

static bool shorten_row(enum cfi_machine machine, const struct cfi_row *row,
                        struct unwind_rule *rule)
{
	const bool x86 = machine == CFI_X86_64;
	const uint8_t sp = x86 ? X86_RSP : ARM_SP, fp = x86 ? X86_RBP : ARM_FP;
	const struct cfi_rule *back = &row->registers[row->return_register];

	if (back->where == CFI_UNDEFINED) {
		rule->kind = UNWIND_END;
		return true;
	}
	/*
	 * on aarch64 it is always the vdso's, whose table describes the frame record and not the
	 * registers
	 */
	if (x86 ? is_x86_signal(row) : row->signal) {
		rule->kind = UNWIND_SIGNAL;
		return true;
	}
	if (row->signal || row->return_register != (x86 ? X86_RIP : ARM_LR) ||
	    !is_cfa(&row->registers[sp]) || !shorten_fp(&row->registers[fp], fp, rule))
		return false;
	rule->return_in_register = !x86 && back->where == CFI_UNCHANGED;
	if (!rule->return_in_register &&
	    (back->where != CFI_SAVED || !to_words(back->value, &rule->return_offset)))
		return false;
	return shorten_cfa(&row->cfa, sp, fp, rule);
}

void cfi_shorten(enum cfi_machine machine, const struct cfi_row *row, struct unwind_rule *rule)
{
	*rule = (struct unwind_rule){ .kind = UNWIND_NONE };
	if (!shorten_row(machine, row, rule))
		*rule = (struct unwind_rule){ .kind = UNWIND_SLOW };
}
