/* Applies a row of unwind tables to all registers. */
#include "decode/stacks/unwind.h"

static bool find_cfa(struct cfi_evaluation *evaluation, const struct cfi_rule *rule)
{
	const struct cfi_registers *before = evaluation->registers;

	if (rule->where == CFI_EXPRESSION)
		return cfi_evaluate(evaluation, rule, &evaluation->cfa);
	if (rule->where != CFI_REGISTER_OFFSET || !cfi_is_known(before, rule->reg))
		return false;
	evaluation->cfa = before->values[rule->reg] + (uint64_t)rule->value;
	return true;
}

/* The caller's value of a register; false: it cannot be known, evaluation->end says why. */
static bool callers_value(struct cfi_evaluation *evaluation, const struct unwinder *u,
                          const struct cfi_rule *rule, unsigned reg, uint64_t *value)
{
	const struct cfi_registers *before = evaluation->registers;
	uint64_t addr;

	evaluation->end = STACK_NO_RULE;
	switch (rule->where) {
	case CFI_UNCHANGED:
		*value = before->values[reg];
		return cfi_is_known(before, reg);
	case CFI_REGISTER:
		*value = cfi_value(before, (uint64_t)rule->value);
		return cfi_is_known(before, (uint64_t)rule->value);
	case CFI_COMPUTED:
		*value = evaluation->cfa + (uint64_t)rule->value;
		return true;
	case CFI_EXPRESSION:
		return cfi_evaluate(evaluation, rule, value);
	case CFI_SAVED:
		addr = evaluation->cfa + (uint64_t)rule->value;
		if (reg != u->pc && unwind_is_popped(cfi_value(before, u->sp), addr)) {
			*value = before->values[reg];
			return cfi_is_known(before, reg);
		}
		break;
	case CFI_SAVED_AT:
		if (!cfi_evaluate(evaluation, rule, &addr))
			return false;
		break;
	default:
		return false;
	}
	return cfi_read(evaluation, addr, 8, value);
}

bool unwind_apply_row(struct unwinder *u, const struct cfi_row *row, enum stack_end *end)
{
	const struct cfi_registers before = u->registers;
	const struct cfi_rule *back = &row->registers[row->return_register];
	struct cfi_evaluation evaluation = { .registers = &before,
		                             .stack = &u->stack,
		                             .end = STACK_NO_RULE };
	uint64_t value, saved;

	*end = STACK_COMPLETE;
	if (back->where == CFI_UNDEFINED)
		return false;
	evaluation.has_cfa = find_cfa(&evaluation, &row->cfa);
	if (!evaluation.has_cfa ||
	    !callers_value(&evaluation, u, back, row->return_register, &value)) {
		*end = evaluation.end;
		return false;
	}
	if (!value)
		return false;
	u->registers.known = 0;
	for (unsigned reg = 0; reg < CFI_REGISTERS; reg++)
		if (callers_value(&evaluation, u, &row->registers[reg], reg, &saved))
			cfi_set(&u->registers, reg, saved);
	if (row->registers[u->sp].where == CFI_UNCHANGED)
		cfi_set(&u->registers, u->sp, evaluation.cfa);
	cfi_set(&u->registers, u->pc, unwind_code_addr(u, value));
	return true;
}
