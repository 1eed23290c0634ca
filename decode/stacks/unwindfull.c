/* Unwinds with all registers, for rows that have no short rule. */
#include "decode/stacks/unwind.h"

static bool read_memory(void *context, uint64_t addr, unsigned size, uint64_t *value)
{
	return unwind_read(context, addr, size, value);
}

static unsigned stack_register(const struct unwinder *u)
{
	return u->machine == CFI_X86_64 ? X86_RSP : ARM_SP;
}

static unsigned frame_register(const struct unwinder *u)
{
	return u->machine == CFI_X86_64 ? X86_RBP : ARM_FP;
}

static unsigned program_register(const struct unwinder *u)
{
	return u->machine == CFI_X86_64 ? X86_RIP : ARM_PC;
}

static uint64_t known_or_0(const struct cfi_registers *registers, unsigned reg)
{
	return cfi_is_known(registers, reg) ? registers->values[reg] : 0;
}

static void set_register(struct cfi_registers *registers, uint64_t reg, uint64_t value)
{
	registers->values[reg] = value;
	registers->known |= (uint64_t)1 << reg;
}

/*
 * A row that is applied: `before` are the registers of the frame, from which the caller's are
 * computed.
 */
struct row_run {
	struct unwinder *unwinder;
	struct cfi_evaluation evaluation;
	struct cfi_memory memory;
	struct cfi_registers before;
	uint64_t cfa;
};

static bool find_cfa(struct row_run *run, const struct cfi_rule *rule)
{
	if (rule->where == CFI_EXPRESSION)
		return cfi_evaluate(&run->evaluation, rule, &run->cfa);
	if (rule->where != CFI_REGISTER_OFFSET || !cfi_is_known(&run->before, rule->reg))
		return false;
	run->cfa = run->before.values[rule->reg] + (uint64_t)rule->value;
	return true;
}

static bool is_popped(const struct row_run *run, uint64_t addr)
{
	return unwind_is_popped(known_or_0(&run->before, stack_register(run->unwinder)), addr);
}

/*
 * The caller's value of a register; false: it cannot be known. *outside: it is in memory that was
 * not copied.
 */
static bool callers_value(struct row_run *run, const struct cfi_rule *rule, unsigned reg,
                          uint64_t *value, bool *outside)
{
	uint64_t addr;

	*outside = false;
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
		*value = run->cfa + (uint64_t)rule->value;
		return true;
	case CFI_EXPRESSION:
		return cfi_evaluate(&run->evaluation, rule, value);
	case CFI_SAVED:
		addr = run->cfa + (uint64_t)rule->value;
		if (reg != program_register(run->unwinder) && is_popped(run, addr)) {
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
	*outside = !unwind_read(run->unwinder, addr, 8, value);
	return !*outside;
}

/* Computes the caller's registers. False: the stack ends as *end says. */
static bool apply_row(struct unwinder *u, const struct cfi_row *row,
                      struct cfi_registers *registers, enum stack_end *end)
{
	const unsigned sp = stack_register(u), pc = program_register(u);
	struct row_run run = { .unwinder = u, .memory = { u, read_memory }, .before = *registers };
	uint64_t value;
	bool outside;

	run.evaluation = (struct cfi_evaluation){ &run.before, &run.memory, u->stack.swap, false,
		                                  0 };
	*end = STACK_NO_RULE;
	if (row->return_register >= CFI_REGISTERS)
		return false;
	*end = STACK_COMPLETE;
	if (row->registers[row->return_register].where == CFI_UNDEFINED)
		return false;
	*end = STACK_CUT;
	if (!find_cfa(&run, &row->cfa))
		return false;
	run.evaluation.has_cfa = true;
	run.evaluation.cfa = run.cfa;
	registers->known = 0;
	if (!callers_value(&run, &row->registers[row->return_register], row->return_register,
	                   &value, &outside)) {
		*end = outside ? STACK_CUT : STACK_NO_RULE;
		return false;
	}
	*end = STACK_COMPLETE;
	if (!value)
		return false;
	for (unsigned reg = 0; reg < CFI_REGISTERS; reg++) {
		uint64_t saved;

		if (callers_value(&run, &row->registers[reg], reg, &saved, &outside))
			set_register(registers, reg, saved);
	}
	if (row->registers[sp].where == CFI_UNCHANGED)
		set_register(registers, sp, run.cfa);
	set_register(registers, pc, unwind_code_addr(u, value));
	return true;
}

static bool go_by_fp(struct unwinder *u, struct unwind_step *step, struct cfi_registers *registers,
                     enum stack_end *end)
{
	const unsigned sp = stack_register(u), fp = frame_register(u), pc = program_register(u);
	struct unwind_frame_record record = { step->ip, known_or_0(registers, sp),
		                              known_or_0(registers, fp) };

	if (!unwind_by_fp(u, step, &record, end))
		return false;
	registers->known = 0;
	set_register(registers, sp, record.sp);
	set_register(registers, fp, record.fp);
	set_register(registers, pc, record.ip);
	step->ip = record.ip;
	step->returned = step->guessed = true;
	return true;
}

/* The row of a frame. An interrupted system call may be one byte behind the signal trampoline. */
static bool find_row(struct unwinder *u, const struct chain_frame *frame, struct cfi_row *row)
{
	void *context = u->source.context;

	return u->source.row(context, frame->binary, frame->addr, row, u->err) ||
	       (u->count == 1 && frame->addr && u->err->code == ERR_NONE &&
	        u->source.row(context, frame->binary, frame->addr - 1, row, u->err));
}

/* On aarch64 the vdso has no row for all registers in the kernel's frame of a signal handler. */
static bool leave_arm_signal(struct unwinder *u, struct unwind_step *step,
                             struct cfi_registers *registers, enum stack_end *end)
{
	uint64_t base = known_or_0(registers, ARM_SP) + UNWIND_ARM_SIGNAL_REGISTERS, value;

	_Static_assert(ARM_PC == ARM_SP + 1 && ARM_SP == ARM_LR + 1,
	               "the kernel's order is DWARF's");
	registers->known = 0;
	for (unsigned reg = 0; reg <= ARM_PC; reg++)
		if (unwind_read(u, base + 8u * reg, 8, &value))
			set_register(registers, reg, value);
	*end = STACK_CUT;
	if (!cfi_is_known(registers, ARM_PC) || !cfi_is_known(registers, ARM_SP))
		return false;
	step->ip = registers->values[ARM_PC];
	step->returned = step->guessed = false;
	return true;
}

static bool go_by_row(struct unwinder *u, struct unwind_step *step, struct cfi_registers *registers,
                      enum stack_end *end)
{
	const struct chain_frame *frame = &u->frames[u->count - 1];
	const unsigned sp = stack_register(u), pc = program_register(u);
	const uint64_t old_ip = step->ip, old_sp = known_or_0(registers, sp);
	struct cfi_row row;

	*end = STACK_NO_RULE;
	if (!find_row(u, frame, &row) || !apply_row(u, &row, registers, end))
		return false;
	step->ip = known_or_0(registers, pc);
	step->returned = !row.signal;
	step->guessed = false;
	if (row.signal || known_or_0(registers, sp) > old_sp)
		return true;
	*end = STACK_NO_PROGRESS;
	return u->count == 1 && known_or_0(registers, sp) == old_sp && step->ip != old_ip;
}

enum stack_end unwind_run_full(struct unwinder *unwinder)
{
	struct cfi_registers registers = unwinder->registers;
	struct unwind_step step = { .ip = known_or_0(&registers, program_register(unwinder)) };
	enum stack_end end;
	bool ok;

	for (;;) {
		if (!unwind_enter(unwinder, &step, &end))
			return end;
		switch (step.rule.kind) {
		case UNWIND_NONE:
		case UNWIND_NO_BINARY:
		case UNWIND_OTHER_FILE:
			ok = go_by_fp(unwinder, &step, &registers, &end);
			break;
		case UNWIND_END:
			return STACK_COMPLETE;
		case UNWIND_SIGNAL:
			ok = unwinder->machine == CFI_AARCH64
			             ? leave_arm_signal(unwinder, &step, &registers, &end)
			             : go_by_row(unwinder, &step, &registers, &end);
			break;
		case UNWIND_SWITCH:
			ok = unwinder->count == 1 ? go_by_row(unwinder, &step, &registers, &end)
			                          : go_by_fp(unwinder, &step, &registers, &end);
			break;
		default:
			ok = go_by_row(unwinder, &step, &registers, &end);
		}
		if (!ok)
			return end;
	}
}
