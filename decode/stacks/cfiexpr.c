#include "decode/stacks/cfiexpr.h"

#include "util/bytes.h"

#define STEPS_MAX 1000
#define STACK_MAX 32

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
	const struct cfi_evaluation *evaluation;
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

static bool push_copy(struct expression_run *run, uint64_t n)
{
	return n < run->count && push_value(run, *value_at(run, (size_t)n));
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

static bool read_memory(struct expression_run *run, uint64_t size)
{
	const struct cfi_memory *memory = run->evaluation->memory;

	if (!run->count || (size != 1 && size != 2 && size != 4 && size != 8))
		return false;
	return memory->read(memory->context, *value_at(run, 0), (unsigned)size, value_at(run, 0));
}

static bool jump_in_code(struct expression_run *run)
{
	int64_t distance = (int16_t)bytes_uint(&run->code, 2);
	int64_t at = run->code.pos - run->start.pos + distance;

	if (run->code.bad || at < 0 || at > run->start.end - run->start.pos)
		return false;
	run->code.pos = run->start.pos + at;
	return true;
}

static bool rotate_three(struct expression_run *run)
{
	uint64_t held;

	if (run->count < 3)
		return false;
	held = *value_at(run, 0);
	*value_at(run, 0) = *value_at(run, 1);
	*value_at(run, 1) = *value_at(run, 2);
	*value_at(run, 2) = held;
	return true;
}

static bool calculate_one(struct expression_run *run, uint8_t op)
{
	uint64_t *value;

	if (!run->count)
		return false;
	value = value_at(run, 0);
	switch (op) {
	case OP_ABS:
		*value = (int64_t)*value < 0 ? 0 - *value : *value;
		return true;
	case OP_NEG:
		*value = 0 - *value;
		return true;
	case OP_NOT:
		*value = ~*value;
		return true;
	default: /* OP_PLUS_UCONST */
		*value += bytes_uleb(&run->code);
		return true;
	}
}

/* Comparisons and divisions are signed; a division that overflows wraps around. */
static bool compare_values(uint64_t first, uint64_t second, uint8_t op)
{
	int64_t a = (int64_t)first, b = (int64_t)second;

	switch (op) {
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
	default:
		return a != b;
	}
}

static uint64_t divide_signed(uint64_t a, uint64_t b)
{
	return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift_signed(uint64_t a, uint64_t b)
{
	return (uint64_t)((int64_t)a >> u64_min(b, 63));
}

static bool calculate_two(struct expression_run *run, uint8_t op)
{
	uint64_t a, b;

	if (run->count < 2)
		return false;
	a = *value_at(run, 1);
	b = *value_at(run, 0);
	run->count--;
	if ((op == OP_DIV || op == OP_MOD) && !b)
		return false;
	switch (op) {
	case OP_AND:
		a &= b;
		break;
	case OP_OR:
		a |= b;
		break;
	case OP_XOR:
		a ^= b;
		break;
	case OP_PLUS:
		a += b;
		break;
	case OP_MINUS:
		a -= b;
		break;
	case OP_MUL:
		a *= b;
		break;
	case OP_DIV:
		a = divide_signed(a, b);
		break;
	case OP_MOD:
		a %= b;
		break;
	case OP_SHL:
		a = b < 64 ? a << b : 0;
		break;
	case OP_SHR:
		a = b < 64 ? a >> b : 0;
		break;
	case OP_SHRA:
		a = shift_signed(a, b);
		break;
	default:
		a = compare_values(a, b, op);
	}
	*value_at(run, 0) = a;
	return true;
}

static bool run_control(struct expression_run *run, uint8_t op)
{
	uint64_t held;

	switch (op) {
	case OP_DROP:
		return run->count && run->count--;
	case OP_SWAP:
		if (run->count < 2)
			return false;
		held = *value_at(run, 0);
		*value_at(run, 0) = *value_at(run, 1);
		*value_at(run, 1) = held;
		return true;
	case OP_ROT:
		return rotate_three(run);
	case OP_SKIP:
		return jump_in_code(run);
	case OP_BRA:
		if (!run->count)
			return false;
		if (run->stack[--run->count])
			return jump_in_code(run);
		bytes_skip(&run->code, 2);
		return true;
	case OP_NOP:
		return true;
	default:
		return false;
	}
}

static bool run_operation(struct expression_run *run, uint8_t op)
{
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
		return push_copy(run, 0);
	case OP_OVER:
		return push_copy(run, 1);
	case OP_PICK:
		return push_copy(run, bytes_uint(&run->code, 1));
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
	case OP_PLUS_UCONST:
		return calculate_one(run, op);
	default:
		if (op == OP_DROP || op == OP_SWAP || op == OP_ROT || op == OP_SKIP ||
		    op == OP_BRA || op == OP_NOP)
			return run_control(run, op);
		return op >= OP_AND && op <= OP_NE && calculate_two(run, op);
	}
}

bool cfi_evaluate(const struct cfi_evaluation *evaluation, const struct cfi_rule *rule,
                  uint64_t *result)
{
	struct expression_run run;

	run.evaluation = evaluation;
	run.start = run.code = bytes_over(rule->expression, rule->size, evaluation->swap);
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
