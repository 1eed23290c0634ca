/* Applies a row of unwind tables to all registers. */
#include "decode/stacks/unwind.h"

/*
 * A row that is applied: `before` are the registers of the frame, from which the caller's are
 * computed.
 */
struct row_run {
	struct unwinder *unwinder;
	struct cfi_evaluation evaluation;
	struct cfi_memory memory;
	struct cfi_registers before;
	enum stack_end end; /* why the last value is not known */
};

static bool read_memory(void *context, uint64_t addr, unsigned size, uint64_t *value)
{
	struct row_run *run = context;

	run->end = unwind_end_outside(run->unwinder, addr);
	return unwind_read(run->unwinder, addr, size, value);
}

static bool find_cfa(struct row_run *run, const struct cfi_rule *rule)
{
	if (rule->where == CFI_EXPRESSION)
		return cfi_evaluate(&run->evaluation, rule, &run->evaluation.cfa);
	if (rule->where != CFI_REGISTER_OFFSET || !cfi_is_known(&run->before, rule->reg))
		return false;
	run->evaluation.cfa = run->before.values[rule->reg] + (uint64_t)rule->value;
	return true;
}

/*
 * The caller's value of a register; false: it cannot be known, run->end says why.
 */
static bool callers_value(struct row_run *run, const struct cfi_rule *rule, unsigned reg,
                          uint64_t *value)
{
	uint64_t addr;

	run->end = STACK_NO_RULE;
	switch (rule->where) {
	case CFI_UNCHANGED:
		*value = run->before.values[reg];
		return cfi_is_known(&run->before, reg);
	case CFI_REGISTER:
		if (!cfi_is_known(&run->before, (uint64_t)rule->value))
			return false;
		*value = run->before.values[rule->value];
		return true;
	case CFI_COMPUTED:
		*value = run->evaluation.cfa + (uint64_t)rule->value;
		return true;
	case CFI_EXPRESSION:
		return cfi_evaluate(&run->evaluation, rule, value);
	case CFI_SAVED:
		addr = run->evaluation.cfa + (uint64_t)rule->value;
		if (reg != run->unwinder->pc &&
		    unwind_is_popped(cfi_value(&run->before, run->unwinder->sp), addr)) {
			*value = run->before.values[reg];
			return cfi_is_known(&run->before, reg);
		}
		break;
	case CFI_SAVED_AT:
		if (!cfi_evaluate(&run->evaluation, rule, &addr))
			return false;
		break;
	default:
		return false;
	}
	return read_memory(run, addr, 8, value);
}

bool unwind_apply_row(struct unwinder *u, const struct cfi_row *row, enum stack_end *end)
{
	struct row_run run = { .unwinder = u, .before = u->registers, .end = STACK_NO_RULE };
	uint64_t value;

	run.memory = (struct cfi_memory){ &run, read_memory };
	run.evaluation = (struct cfi_evaluation){ &run.before, &run.memory, u->stack.swap, false,
		                                  0 };
	*end = STACK_COMPLETE;
	if (row->registers[row->return_register].where == CFI_UNDEFINED)
		return false;
	if (!find_cfa(&run, &row->cfa)) {
		*end = run.end;
		return false;
	}
	run.evaluation.has_cfa = true;
	if (!callers_value(&run, &row->registers[row->return_register], row->return_register,
	                   &value)) {
		*end = run.end;
		return false;
	}
	*end = STACK_COMPLETE;
	if (!value)
		return false;
	u->registers.known = 0;
	for (unsigned reg = 0; reg < CFI_REGISTERS; reg++) {
		uint64_t saved;

		if (callers_value(&run, &row->registers[reg], reg, &saved))
			cfi_set(&u->registers, reg, saved);
	}
	if (row->registers[u->sp].where == CFI_UNCHANGED)
		cfi_set(&u->registers, u->sp, run.evaluation.cfa);
	cfi_set(&u->registers, u->pc, unwind_code_addr(u, value));
	return true;
}
