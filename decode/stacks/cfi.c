#include "decode/stacks/cfi.h"

/* Limits, because a recording can name any file. */
#define PROGRAM_MAX 131072 /* bytes; the longest in a thousand libraries has 10,000 */
#define EXPRESSION_MAX 256 /* bytes; an expression may jump, and read the same ones again */
#define REMEMBERED_MAX 24

/* Instructions whose operand is in their low six bits. */
enum { CFA_HIGH = 0xc0, CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0 };

/* The other instructions: DWARF 5, 7.24, and extensions of GNU and Arm. */
enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_AARCH64_NEGATE_WITH_PC = 0x2c,
	CFA_AARCH64_NEGATE = 0x2d, /* on other machines GNU_window_save of SPARC */
	CFA_GNU_ARGS_SIZE = 0x2e
};

struct cfi_machine_state {
	const struct frame_section *section;
	const struct frame_common *common;
	/* the row after the CIE's program; while that is executed, one without rules */
	const struct cfi_row *initial;
	struct cfi_row *row;
	uint64_t addr;              /* the address that the row is for */
	uint64_t at;                /* the instructions executed so far hold from this address on */
	bool passed;                /* the next instructions are for higher addresses */
	struct cfi_row *remembered; /* REMEMBERED_MAX */
	unsigned depth;
};

static void advance_address(struct cfi_machine_state *state, uint64_t count)
{
	uint64_t distance;

	if (__builtin_mul_overflow(count, state->common->code_align, &distance) ||
	    __builtin_add_overflow(state->at, distance, &state->at) || state->at > state->addr)
		state->passed = true;
}

/* Sets the rule of a register; others than these are never used here. True: so far all is well. */
static bool put_rule(struct cfi_machine_state *state, uint64_t reg, struct cfi_rule rule)
{
	if (reg < CFI_REGISTERS)
		state->row->registers[reg] = rule;
	return true;
}

static bool set_rule(struct cfi_machine_state *state, uint64_t reg, enum cfi_where where,
                     int64_t value)
{
	return put_rule(state, reg, (struct cfi_rule){ .where = (uint8_t)where, .value = value });
}

static int64_t scale_offset(const struct cfi_machine_state *state, int64_t factored)
{
	return (int64_t)((uint64_t)factored * (uint64_t)state->common->data_align);
}

static struct cfi_rule read_expression(struct bytes *b, enum cfi_where where)
{
	struct cfi_rule rule = { .where = (uint8_t)where };
	uint64_t size = bytes_uleb(b);

	rule.expression = b->pos;
	bytes_skip(b, size);
	rule.size = (uint32_t)size;
	b->bad |= size > EXPRESSION_MAX;
	return rule;
}

static bool define_cfa(struct cfi_machine_state *state, uint64_t reg, int64_t offset)
{
	state->row->cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET,
		                             .reg = (uint8_t)u64_min(reg, UINT8_MAX),
		                             .value = offset };
	return true;
}

/* Changes the offset of a CFA that is a register and an offset. */
static bool change_offset(struct cfi_machine_state *state, int64_t offset)
{
	state->row->cfa.value = offset;
	return state->row->cfa.where == CFI_REGISTER_OFFSET;
}

static bool remember_row(struct cfi_machine_state *state)
{
	if (state->depth == REMEMBERED_MAX)
		return false;
	state->remembered[state->depth++] = *state->row;
	return true;
}

static bool restore_state(struct cfi_machine_state *state)
{
	if (!state->depth)
		return false;
	*state->row = state->remembered[--state->depth];
	return true;
}

/* Executes an instruction about a register, which was its first operand. */
static bool run_on_register(struct cfi_machine_state *state, uint8_t code, uint64_t reg,
                            struct bytes *b)
{
	const struct cfi_row *row = state->row;

	switch (code) {
	case CFA_DEF_CFA:
		return define_cfa(state, reg, (int64_t)bytes_uleb(b));
	case CFA_DEF_CFA_SF:
		return define_cfa(state, reg, scale_offset(state, bytes_sleb(b)));
	case CFA_DEF_CFA_REGISTER:
		return row->cfa.where == CFI_REGISTER_OFFSET &&
		       define_cfa(state, reg, row->cfa.value);
	case CFA_OFFSET_EXTENDED:
		return set_rule(state, reg, CFI_SAVED, scale_offset(state, (int64_t)bytes_uleb(b)));
	case CFA_OFFSET_EXTENDED_SF:
		return set_rule(state, reg, CFI_SAVED, scale_offset(state, bytes_sleb(b)));
	case CFA_VAL_OFFSET:
		return set_rule(state, reg, CFI_COMPUTED,
		                scale_offset(state, (int64_t)bytes_uleb(b)));
	case CFA_VAL_OFFSET_SF:
		return set_rule(state, reg, CFI_COMPUTED, scale_offset(state, bytes_sleb(b)));
	case CFA_RESTORE_EXTENDED:
		if (reg < CFI_REGISTERS)
			put_rule(state, reg, state->initial->registers[reg]);
		return true;
	case CFA_UNDEFINED:
		return set_rule(state, reg, CFI_UNDEFINED, 0);
	case CFA_SAME_VALUE:
		return set_rule(state, reg, CFI_UNCHANGED, 0);
	case CFA_REGISTER:
		return set_rule(state, reg, CFI_REGISTER, (int64_t)bytes_uleb(b));
	case CFA_EXPRESSION:
		return put_rule(state, reg, read_expression(b, CFI_SAVED_AT));
	case CFA_VAL_EXPRESSION:
		return put_rule(state, reg, read_expression(b, CFI_EXPRESSION));
	default:
		return false;
	}
}

/* Executes an instruction whose operands are not in its low bits. */
static bool run_instruction(struct cfi_machine_state *state, uint8_t code, struct bytes *b)
{
	switch (code) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE: /* the signature is removed from all return addresses anyway */
	case CFA_AARCH64_NEGATE_WITH_PC:
		return true;
	case CFA_GNU_ARGS_SIZE:
		bytes_uleb(b);
		return true;
	case CFA_SET_LOC:
		if (!frame_pointer(state->section, b, state->common->encoding, &state->at))
			return false;
		state->passed = state->at > state->addr;
		return true;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance_address(state, bytes_uint(b, 1u << (code - CFA_ADVANCE1)));
		return true;
	case CFA_DEF_CFA_OFFSET:
		return change_offset(state, (int64_t)bytes_uleb(b));
	case CFA_DEF_CFA_OFFSET_SF:
		return change_offset(state, scale_offset(state, bytes_sleb(b)));
	case CFA_DEF_CFA_EXPRESSION:
		state->row->cfa = read_expression(b, CFI_EXPRESSION);
		return true;
	case CFA_REMEMBER:
		return remember_row(state);
	case CFA_RESTORE_STATE:
		return restore_state(state);
	default:
		return run_on_register(state, code, bytes_uleb(b), b);
	}
}

static bool run_program(struct cfi_machine_state *state, struct bytes b)
{
	bool ok = bytes_left(&b) <= PROGRAM_MAX;

	while (ok && bytes_left(&b) && !state->passed) {
		uint8_t code = *b.pos++;
		uint8_t low = (uint8_t)(code & ~CFA_HIGH);

		switch (code & CFA_HIGH) {
		case CFA_ADVANCE:
			advance_address(state, low);
			break;
		case CFA_OFFSET:
			ok = run_on_register(state, CFA_OFFSET_EXTENDED, low, &b);
			break;
		case CFA_RESTORE:
			ok = run_on_register(state, CFA_RESTORE_EXTENDED, low, &b);
			break;
		default:
			ok = run_instruction(state, code, &b);
		}
		ok = ok && !b.bad;
	}
	return ok;
}

/* Executes the programs of the CIE and the FDE up to the address. False if they are damaged. */
static bool run_programs(const struct frame_section *section, const struct frame_entry *entry,
                         uint64_t addr, struct cfi_row *row)
{
	struct cfi_row remembered[REMEMBERED_MAX]; /* each is written before it is read */
	struct cfi_row initial = { .return_register = 0 };
	struct cfi_machine_state state = { .section = section,
		                           .common = &entry->common,
		                           .initial = &initial,
		                           .row = row,
		                           .addr = addr,
		                           .at = entry->start,
		                           .remembered = remembered };

	if (entry->common.return_register >= CFI_REGISTERS)
		return false;
	memset(row, 0, sizeof(*row));
	row->cfa.where = CFI_UNDEFINED;
	row->return_register = (uint8_t)entry->common.return_register;
	row->signal = entry->common.signal;
	if (!run_program(&state, entry->common.program))
		return false;
	initial = *row;
	state.passed = false;
	state.at = entry->start;
	return run_program(&state, entry->program);
}

bool cfi_find_row(struct frame_index *section, uint64_t addr, struct cfi_row *row, struct err *err)
{
	struct frame_entry entry;

	return frame_index_find(section, addr, &entry, err) &&
	       run_programs(&section->section, &entry, addr, row);
}
