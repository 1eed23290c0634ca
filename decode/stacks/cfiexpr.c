/*
 * Evaluates the expressions in unwind tables. Format: DWARF 5, section 2.5; operations that cannot
 * occur in unwind tables fail.
 */
#include "decode/stacks/unwind.h"

#include "util/bytes.h"

#define STEPS_MAX 1000
#define STACK_MAX 32
/* An address so far above the end of the copy may still belong to this stack. */
#define STACK_SIZE_MAX ((uint64_t)64 << 20)

/* DWARF 5, 7.7.1. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_DUP = 0x12,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_UCONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRA,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96
};

struct expression_run {
	struct cfi_evaluation *evaluation;
	struct bytes start, code; /* code: unread */
	uint64_t stack[STACK_MAX];
	size_t count;
};

static bool push_value(struct expression_run *run, uint64_t value)
{
	if (run->count == STACK_MAX)
		return false;
	run->stack[run->count++] = value;
	return true;
}

/* The n-th value from the top of the stack, which must exist. */
static uint64_t *value_at(struct expression_run *run, size_t n)
{
	return &run->stack[run->count - 1 - n];
}

static uint64_t sign_extended(uint64_t value, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << shift) >> shift);
}

static bool push_constant(struct expression_run *run, uint8_t op)
{
	unsigned size = 1u << (op - OP_CONST1U) / 2;
	uint64_t value;

	if (op == OP_CONSTU)
		return push_value(run, bytes_uleb(&run->code));
	if (op == OP_CONSTS)
		return push_value(run, (uint64_t)bytes_sleb(&run->code));
	value = bytes_uint(&run->code, size);
	return push_value(run, (op - OP_CONST1U) % 2 ? sign_extended(value, size) : value);
}

static bool push_register(struct expression_run *run, uint64_t reg)
{
	uint64_t offset = (uint64_t)bytes_sleb(&run->code);
	const struct cfi_registers *registers = run->evaluation->registers;

	return cfi_is_known(registers, reg) && push_value(run, registers->values[reg] + offset);
}

/* Replaces the address on the stack by what is there. */
static bool read_memory(struct expression_run *run, uint64_t size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	return cfi_read(run->evaluation, *value_at(run, 0), (unsigned)size, value_at(run, 0));
}

static bool jump_in_code(struct expression_run *run, bool taken)
{
	int64_t distance = (int16_t)bytes_uint(&run->code, 2);
	int64_t at = run->code.pos - run->start.pos + (taken ? distance : 0);

	if (run->code.bad || at < 0 || at > run->start.end - run->start.pos)
		return false;
	run->code.pos = run->start.pos + at;
	return true;
}

/* Moves the value at the top below the next count - 1 values. */
static bool rotate_values(struct expression_run *run, size_t count)
{
	uint64_t held = *value_at(run, 0);

	for (size_t i = 1; i < count; i++)
		*value_at(run, i - 1) = *value_at(run, i);
	*value_at(run, count - 1) = held;
	return true;
}

/* Comparisons and divisions are signed; a division that overflows wraps around. */
static uint64_t calculate_two(uint8_t op, uint64_t first, uint64_t second)
{
	const int64_t a = (int64_t)first, b = (int64_t)second;

	switch (op) {
	case OP_AND:
		return first & second;
	case OP_OR:
		return first | second;
	case OP_XOR:
		return first ^ second;
	case OP_PLUS:
		return first + second;
	case OP_MINUS:
		return first - second;
	case OP_MUL:
		return first * second;
	case OP_DIV:
		return b == -1 ? 0 - first : (uint64_t)(a / b);
	case OP_MOD:
		return first % second;
	case OP_SHL:
		return second < 64 ? first << second : 0;
	case OP_SHR:
		return second < 64 ? first >> second : 0;
	case OP_SHRA:
		return (uint64_t)(a >> u64_min(second, 63));
	case OP_EQ:
		return a == b;
	case OP_GE:
		return a >= b;
	case OP_GT:
		return a > b;
	case OP_LE:
		return a <= b;
	case OP_LT:
		return a < b;
	default: /* OP_NE */
		return a != b;
	}
}

/* How many values there must be on the stack. */
static size_t operands_of(uint8_t op)
{
	static const uint8_t counts[] = {
		[OP_DUP] = 1, [OP_DROP] = 1, [OP_DEREF] = 1, [OP_DEREF_SIZE] = 1,
		[OP_ABS] = 1, [OP_NEG] = 1,  [OP_NOT] = 1,   [OP_PLUS_UCONST] = 1,
		[OP_BRA] = 1, [OP_OVER] = 2, [OP_SWAP] = 2,  [OP_ROT] = 3,
	};

	if (op < sizeof(counts) && counts[op])
		return counts[op];
	return op >= OP_AND && op <= OP_NE ? 2 : 0;
}

/* Operations on values that are on the stack, and jumps. */
static bool run_on_stack(struct expression_run *run, uint8_t op)
{
	uint64_t *top = value_at(run, 0);

	switch (op) {
	case OP_DROP:
		run->count--;
		return true;
	case OP_SWAP:
		return rotate_values(run, 2);
	case OP_ROT:
		return rotate_values(run, 3);
	case OP_ABS:
		*top = (int64_t)*top < 0 ? 0 - *top : *top;
		return true;
	case OP_NEG:
		*top = 0 - *top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += bytes_uleb(&run->code);
		return true;
	case OP_BRA:
		run->count--;
		return jump_in_code(run, *top != 0);
	default:
		if (op < OP_AND || op > OP_NE || ((op == OP_DIV || op == OP_MOD) && !*top))
			return false;
		run->count--;
		top[-1] = calculate_two(op, top[-1], *top);
		return true;
	}
}

static bool run_operation(struct expression_run *run, uint8_t op)
{
	uint64_t number;

	if (run->count < operands_of(op))
		return false;
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push_value(run, (uint64_t)(op - OP_LIT0));
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_register(run, (uint64_t)(op - OP_BREG0));
	if (op >= OP_CONST1U && op <= OP_CONSTS)
		return push_constant(run, op);
	switch (op) {
	case OP_BREGX:
		return push_register(run, bytes_uleb(&run->code));
	case OP_ADDR:
		return push_value(run, bytes_uint(&run->code, 8));
	case OP_DEREF:
		return read_memory(run, 8);
	case OP_DEREF_SIZE:
		return read_memory(run, bytes_uint(&run->code, 1));
	case OP_DUP:
		return push_value(run, *value_at(run, 0));
	case OP_OVER:
		return push_value(run, *value_at(run, 1));
	case OP_PICK:
		number = bytes_uint(&run->code, 1);
		return number < run->count && push_value(run, *value_at(run, (size_t)number));
	case OP_SKIP:
		return jump_in_code(run, true);
	case OP_NOP:
		return true;
	default:
		return operands_of(op) && run_on_stack(run, op);
	}
}

enum stack_end unwind_end_outside(const struct unwind_stack *stack, uint64_t addr)
{
	/* the last word of the copy may be incomplete */
	return addr + 8 - (stack->start + stack->size) < STACK_SIZE_MAX ? STACK_CUT : STACK_NO_RULE;
}

bool cfi_read(struct cfi_evaluation *evaluation, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct unwind_stack *stack = evaluation->stack;
	struct bytes whole = bytes_over(stack->data, (size_t)stack->size, stack->swap);
	struct bytes b = bytes_at(&whole, addr - stack->start);

	evaluation->end = unwind_end_outside(stack, addr);
	*value = bytes_uint(&b, size);
	return !b.bad;
}

bool cfi_evaluate(struct cfi_evaluation *evaluation, const struct cfi_rule *rule, uint64_t *result)
{
	struct expression_run run;

	run.evaluation = evaluation;
	run.start = run.code = bytes_over(rule->expression, rule->size, evaluation->stack->swap);
	run.count = 0;
	if (evaluation->has_cfa)
		push_value(&run, evaluation->cfa);
	for (unsigned i = 0; bytes_left(&run.code); i++)
		if (i == STEPS_MAX || !run_operation(&run, *run.code.pos++) || run.code.bad)
			return false;
	if (!run.count)
		return false;
	*result = *value_at(&run, 0);
	return true;
}
