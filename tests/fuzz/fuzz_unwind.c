/*
 * Walks of stacks. Input: 1 byte of bits (1: aarch64, 2: other byte order); 12 rules of 10 bytes, one
 * for each of 12 pages of code; 33 registers; the stack.
 */
#include "decode/stacks/unwind.h"
#include "tests/fuzz/fuzz.h"

#define RULES 12
#define RULE_SIZE 10
#define PAGE 16

struct fuzzed_process {
	const uint8_t *rules;
	bool arm;
};

static const struct space_map *find_map(void *context, uint64_t ip)
{
	static const struct space_map map = { 0, RULES * PAGE, 0, 1 };

	(void)context;
	return ip < map.end ? &map : NULL;
}

static void make_row(const uint8_t *bytes, struct cfi_row *row)
{
	memset(row, 0, sizeof(*row));
	row->signal = bytes[0] & 0x80;
	row->return_register = bytes[1] % CFI_REGISTERS;
	row->cfa.where = bytes[2] & 1 ? CFI_EXPRESSION : CFI_REGISTER_OFFSET;
	if (bytes[2] & 1) {
		row->cfa.expression = bytes + 4;
		row->cfa.size = 6;
	} else {
		row->cfa.reg = bytes[3];
		row->cfa.value = (int16_t)load_u16(bytes + 4, false);
	}
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		row->registers[i].where = (uint8_t)((bytes[6] + i * bytes[7]) % CFI_REGISTER_OFFSET);
		row->registers[i].value = (int8_t)bytes[8];
		if (row->registers[i].where == CFI_REGISTER)
			row->registers[i].value = bytes[8];
		if (row->registers[i].where >= CFI_SAVED_AT) {
			row->registers[i].expression = bytes + 8;
			row->registers[i].size = 2;
		}
	}
}

static struct unwind_rule find_rule(void *context, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err)
{
	const struct fuzzed_process *process = context;
	const uint8_t *bytes = process->rules + addr / PAGE * RULE_SIZE;
	struct unwind_rule rule = { .kind = UNWIND_NONE };

	(void)err;
	/* a call may end where the mapping does */
	FUZZ_CHECK(binary == 1 && addr <= RULES * PAGE);
	if (addr == RULES * PAGE)
		return rule;
	rule.kind = bytes[0] % (UNWIND_SLOW + 1);
	rule.fp = bytes[1] % (UNWIND_FP_UNDEFINED + 1);
	rule.return_in_register = process->arm && bytes[3] & 1;
	rule.cfa = (int16_t)load_u16(bytes + 4, false);
	rule.fp_offset = (int16_t)load_u16(bytes + 6, false);
	rule.return_offset = (int16_t)load_u16(bytes + 8, false);
	make_row(bytes, row);
	return rule;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t rules = RULES * RULE_SIZE, all = 1 + rules + 8 * CFI_REGISTERS;
	struct fuzzed_process process;
	const struct unwind_source source = { &process, find_map, find_rule };
	struct cfi_registers registers = { .known = UINT64_MAX };
	struct unwind_stack stack;
	struct unwinder *unwinder;
	struct err err = { .code = ERR_NONE };
	enum stack_end end = STACK_ENDS;
	uint8_t *copy;

	if (size < all)
		return 0;
	copy = (uint8_t *)text_copy(data, size);
	unwinder = malloc(sizeof(*unwinder));
	FUZZ_CHECK(unwinder != NULL);
	process = (struct fuzzed_process){ copy + 1, data[0] & 1 };
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		registers.values[i] = load_u64(data + 1 + rules + 8 * i, false);
	stack = (struct unwind_stack){ copy + all,
		                       registers.values[process.arm ? ARM_SP : X86_RSP],
		                       size - all, data[0] & 2 };
	unwind_init(unwinder, process.arm ? CFI_AARCH64 : CFI_X86_64, &source);
	for (int i = 0; i < 2; i++) {
		FUZZ_CHECK(unwind_run(unwinder, &registers, &stack, &end, &err));
		FUZZ_CHECK(end < STACK_ENDS && unwinder->count >= 1 &&
		           unwinder->count <= UNWIND_FRAMES_MAX);
	}
	free(unwinder);
	free(copy);
	return 0;
}
