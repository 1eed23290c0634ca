/* Walks of stacks made by hand, with rules made by hand. */
#include "decode/stacks/unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CODE 0x400000u
#define STACK 0x7ffe0000u
#define WORDS 128
#define RULES_MAX 8

/* A process with one mapping, whose binary is 1 and has these rules from these addresses on. */
struct made_process {
	struct {
		uint64_t from; /* offset in CODE */
		struct unwind_rule rule;
		struct cfi_row row;
	} rules[RULES_MAX];
	size_t rule_count;
	uint64_t words[WORDS];
	size_t word_count;
	struct cfi_registers registers;
	enum cfi_machine machine;
	struct unwinder *unwinder;
	enum stack_end end;
	unsigned asked; /* for rules */
};

static const struct space_map *find_map(void *context, uint64_t ip)
{
	static const struct space_map map = { CODE, CODE + 0x10000, 0x1000, 1 };

	(void)context;
	return ip >= map.start && ip < map.end ? &map : NULL;
}

static size_t rule_number(const struct made_process *made, uint64_t addr)
{
	size_t found = RULES_MAX;

	for (size_t i = 0; i < made->rule_count; i++)
		if (addr - 0x1000 >= made->rules[i].from)
			found = i;
	return found;
}

static struct unwind_rule find_rule(void *context, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err)
{
	struct made_process *made = context;
	size_t number = rule_number(made, addr);

	(void)err;
	assert_int_equal(binary, 1);
	made->asked++;
	if (number == RULES_MAX)
		return (struct unwind_rule){ .kind = UNWIND_NONE };
	*row = made->rules[number].row;
	return made->rules[number].rule;
}

static void set_register(struct made_process *made, unsigned reg, uint64_t value)
{
	made->registers.values[reg] = value;
	made->registers.known |= (uint64_t)1 << reg;
}

static void begin(struct made_process *made, enum cfi_machine machine, uint64_t ip, uint64_t fp)
{
	memset(made, 0, sizeof(*made));
	made->machine = machine;
	set_register(made, machine == CFI_X86_64 ? X86_RIP : ARM_PC, CODE + ip);
	set_register(made, machine == CFI_X86_64 ? X86_RSP : ARM_SP, STACK);
	set_register(made, machine == CFI_X86_64 ? X86_RBP : ARM_FP, fp);
}

static void add_rule(struct made_process *made, uint64_t from, struct unwind_rule rule)
{
	made->rules[made->rule_count].from = from;
	made->rules[made->rule_count++].rule = rule;
}

static void push(struct made_process *made, uint64_t word)
{
	assert_true(made->word_count < WORDS);
	made->words[made->word_count++] = word;
}

/* Runs the walk; frames: offsets in CODE of where they are looked up, innermost first, then -1. */
static void check(struct made_process *made, enum stack_end end, const int64_t *frames)
{
	const struct unwind_source source = { made, find_map, find_rule };
	struct unwind_stack stack = { (const uint8_t *)made->words, STACK, 8 * made->word_count,
		                      false };
	struct err err = { .code = ERR_NONE };
	size_t count = 0;

	if (!made->unwinder) {
		made->unwinder = malloc(sizeof(*made->unwinder));
		assert_non_null(made->unwinder);
		unwind_init(made->unwinder, made->machine, &source);
	}
	assert_true(unwind_run(made->unwinder, &made->registers, &stack, &made->end, &err));
	for (; frames[count] >= 0; count++) {
		assert_true(count < made->unwinder->count);
		assert_int_equal(made->unwinder->frames[count].ip, CODE + (uint64_t)frames[count]);
		assert_int_equal(made->unwinder->frames[count].addr, 0x1000 + (uint64_t)frames[count]);
		assert_int_equal(made->unwinder->frames[count].binary, 1);
	}
	assert_int_equal(made->unwinder->count, count);
	assert_int_equal(made->end, end);
}

#define CHECK(made, end, ...) check(made, end, (const int64_t[]){ __VA_ARGS__, -1 })

static const struct unwind_rule leaf = { .kind = UNWIND_SP, .cfa = 1, .return_offset = -1 };
static const struct unwind_rule by_fp = {
	.kind = UNWIND_FP, .cfa = 2, .fp = UNWIND_FP_SAVED, .fp_offset = -2, .return_offset = -1
};
static const struct unwind_rule outermost = { .kind = UNWIND_END };

/* leaf <- frame of three words <- frame with a frame pointer <- _start */
static void test_rules(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, STACK + 8 * 6);
	add_rule(&made, 0, leaf);
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_SP, .cfa = 3, .return_offset = -1 });
	add_rule(&made, 0x200, by_fp);
	add_rule(&made, 0x300, outermost);
	push(&made, CODE + 0x150);
	push(&made, 1), push(&made, 2), push(&made, CODE + 0x250);
	push(&made, 3), push(&made, 4);
	push(&made, 0x1234), push(&made, CODE + 0x320);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x24f, 0x31f);
	assert_int_equal(made.unwinder->frames[0].flags, 0);
	assert_int_equal(made.unwinder->frames[1].flags, FRAME_RETURN);
	/* a second walk finds all rules in the cache */
	made.asked = 0;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x24f, 0x31f);
	assert_int_equal(made.asked, 0);
	/* the copy ends before a return address, and before a saved frame pointer */
	made.word_count = 7;
	CHECK(&made, STACK_CUT, 0x10, 0x14f, 0x24f);
	made.word_count = 3;
	CHECK(&made, STACK_CUT, 0x10, 0x14f);
	made.word_count = 0;
	CHECK(&made, STACK_CUT, 0x10);
	free(made.unwinder);
}

/*
 * At the ret of a function that has popped its registers, as gcc describes it: CFA = sp + 8, the
 * frame pointer at CFA - 16. It is the caller's again, and the copy does not hold what lies below.
 */
static void test_popped(void **state)
{
	const struct unwind_rule popped = { .kind = UNWIND_SP,
		                            .cfa = 1,
		                            .fp = UNWIND_FP_SAVED,
		                            .fp_offset = -2,
		                            .return_offset = -1 };
	struct made_process made;

	(void)state;
	for (int all = 0; all <= 1; all++) {
		begin(&made, CFI_X86_64, 0x10, STACK + 8 * 2);
		add_rule(&made, 0, all ? (struct unwind_rule){ .kind = UNWIND_SLOW } : popped);
		made.rules[0].row.cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RSP, .value = 8 };
		made.rules[0].row.return_register = X86_RIP;
		made.rules[0].row.registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
		made.rules[0].row.registers[X86_RBP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -16 };
		add_rule(&made, 0x200, by_fp);
		made.rules[1].row.cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RBP, .value = 16 };
		made.rules[1].row.return_register = X86_RIP;
		made.rules[1].row.registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
		made.rules[1].row.registers[X86_RBP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -16 };
		add_rule(&made, 0x300, outermost);
		push(&made, CODE + 0x250);
		push(&made, 3);
		push(&made, 0x1234), push(&made, CODE + 0x320);
		CHECK(&made, STACK_COMPLETE, 0x10, 0x24f, 0x31f);
		free(made.unwinder);
	}
}

static void test_ends(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0);
	add_rule(&made, 0, leaf);
	push(&made, 0);
	CHECK(&made, STACK_COMPLETE, 0x10);
	made.words[0] = 0x1234;
	CHECK(&made, STACK_NO_MAP, 0x10);
	/* a rule whose frame is outside of the stack */
	made.words[0] = CODE + 0x180;
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_SP, .cfa = 0, .return_offset = 0 });
	push(&made, CODE + 0x180);
	CHECK(&made, STACK_NO_RULE, 0x10, 0x17f);
	free(made.unwinder);

	begin(&made, CFI_X86_64, 0x10, STACK);
	add_rule(&made, 0, (struct unwind_rule){ .kind = UNWIND_OTHER_FILE });
	push(&made, STACK + 16), push(&made, CODE + 0x20);
	CHECK(&made, STACK_OTHER_FILE, 0x10);
	free(made.unwinder);

	begin(&made, CFI_X86_64, 0x10, 5);
	add_rule(&made, 0, (struct unwind_rule){ .kind = UNWIND_NO_BINARY });
	push(&made, 0);
	CHECK(&made, STACK_NO_BINARY, 0x10);
	free(made.unwinder);
}

/* Code without rules, as Go and JIT compilers make it. */
static void test_frame_pointers(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, STACK + 8);
	push(&made, 7);
	push(&made, STACK + 32), push(&made, CODE + 0x20);
	push(&made, 8);
	push(&made, 0), push(&made, CODE + 0x30);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x1f, 0x2f);
	assert_int_equal(made.unwinder->frames[2].flags, FRAME_RETURN | FRAME_GUESSED);
	made.words[5] = 0;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x1f);
	made.words[5] = 0x77777777;
	CHECK(&made, STACK_NO_RULE, 0x10, 0x1f);
	made.words[1] = STACK + 800; /* behind the copy */
	CHECK(&made, STACK_CUT, 0x10, 0x1f);
	made.words[1] = STACK - 800; /* below */
	CHECK(&made, STACK_NO_RULE, 0x10, 0x1f);
	made.words[1] = STACK + 8; /* the same again */
	CHECK(&made, STACK_NO_RULE, 0x10, 0x1f);
	made.registers.values[X86_RBP] = 0;
	CHECK(&made, STACK_NO_RULE, 0x10);
	/* a register that is no frame pointer, and points to zeros */
	made.registers.values[X86_RBP] = STACK + 8;
	made.words[1] = made.words[2] = 0;
	CHECK(&made, STACK_NO_RULE, 0x10);
	free(made.unwinder);
}

/* Code without rules at the entry point of a file is a program's first function only if no frame pointer leads on. */
static void test_entry(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0);
	add_rule(&made, 0, leaf);
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_ENTRY });
	add_rule(&made, 0x200, outermost);
	push(&made, CODE + 0x120);
	push(&made, 0), push(&made, CODE + 0x250);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x11f);
	/* a shared library, whose entry point is any function */
	made.registers.values[X86_RBP] = STACK + 8;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x11f, 0x24f);
	assert_int_equal(made.unwinder->frames[2].flags, FRAME_RETURN | FRAME_GUESSED);
	made.registers.values[X86_RBP] = 5;
	CHECK(&made, STACK_NO_RULE, 0x10, 0x11f);
	free(made.unwinder);
}

/*
 * A function that moves to another stack, as Go's runtime.systemstack: what lies above its frame is
 * of another function, so that only a frame pointer leads on.
 */
static void test_switch(void **state)
{
	const struct unwind_rule moves = { .kind = UNWIND_SWITCH, .cfa = 1, .return_offset = -1 };
	struct made_process made;

	(void)state;
	for (int all = 0; all <= 1; all++) {
		begin(&made, CFI_X86_64, 0x10, STACK + 8 * 3);
		add_rule(&made, 0, all ? (struct unwind_rule){ .kind = UNWIND_SLOW } : leaf);
		made.rules[0].row.cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RSP, .value = 8 };
		made.rules[0].row.return_register = X86_RIP;
		made.rules[0].row.registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
		add_rule(&made, 0x100, moves);
		made.rules[1].row = made.rules[0].row;
		add_rule(&made, 0x200, outermost);
		push(&made, CODE + 0x150);
		push(&made, CODE + 0x250), push(&made, CODE + 0x260);
		push(&made, 0), push(&made, CODE + 0x270);
		CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x26f);
		/* of a stack that was not copied */
		made.registers.values[X86_RBP] = STACK + 8 * 1000;
		CHECK(&made, STACK_NO_RULE, 0x10, 0x14f);
		made.registers.values[X86_RBP] = STACK - 8;
		CHECK(&made, STACK_NO_RULE, 0x10, 0x14f);
		/* interrupted before it moved */
		made.registers.values[X86_RIP] = CODE + 0x110;
		made.registers.values[X86_RSP] = STACK + 8;
		CHECK(&made, STACK_COMPLETE, 0x110, 0x24f);
		free(made.unwinder);
	}
}

/* A word that points to memory which cannot be executed is no return address. */
static void test_no_code(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, STACK + 8);
	add_rule(&made, 0, leaf);
	add_rule(&made, 0x200, (struct unwind_rule){ .kind = UNWIND_NO_CODE });
	push(&made, CODE + 0x250);
	push(&made, 0), push(&made, CODE + 0x20);
	CHECK(&made, STACK_NO_MAP, 0x10);
	/* the sample itself is a frame in any case */
	made.registers.values[X86_RIP] = CODE + 0x250;
	CHECK(&made, STACK_NO_MAP, 0x250);
	/* a register that is no frame pointer led there */
	made.registers.values[X86_RIP] = CODE + 0x110;
	made.rules[0].rule.kind = UNWIND_NONE;
	made.words[2] = CODE + 0x260;
	CHECK(&made, STACK_NO_RULE, 0x110);
	free(made.unwinder);
}

/* A handler on a stack of its own: a larger copy of that would not have the interrupted function's caller. */
static void test_other_stack(void **state)
{
	struct made_process made;

	(void)state;
	for (int all = 0; all <= 1; all++) {
		begin(&made, CFI_X86_64, 0x10, 0);
		add_rule(&made, 0, leaf);
		add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_SIGNAL });
		add_rule(&made, 0x200, all ? (struct unwind_rule){ .kind = UNWIND_SLOW } : leaf);
		for (size_t i = 0; i < made.rule_count; i++) {
			struct cfi_row *row = &made.rules[i].row;

			row->cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RSP, .value = 8 };
			row->return_register = X86_RIP;
			row->registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
		}
		push(&made, CODE + 0x101);
		made.word_count = 60;
		made.words[1 + 168 / 8] = CODE + 0x210;
		made.words[1 + 160 / 8] = STACK + 0x10000000;
		CHECK(&made, STACK_NO_RULE, 0x10, 0x101, 0x210);
		made.words[1 + 160 / 8] = STACK - 0x10000000;
		CHECK(&made, STACK_NO_RULE, 0x10, 0x101, 0x210);
		/* on the same stack it would */
		made.words[1 + 160 / 8] = STACK + 8 * 60;
		CHECK(&made, STACK_CUT, 0x10, 0x101, 0x210);
		/* half of the word was copied */
		made.words[1 + 160 / 8] = STACK + 8 * 60 - 4;
		CHECK(&made, STACK_CUT, 0x10, 0x101, 0x210);
		free(made.unwinder);
	}
}

/* makecontext() writes the address of a function, which was not called, as the first return address of a new stack. */
static void test_start(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, STACK + 8);
	add_rule(&made, 0, leaf);
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_NONE });
	add_rule(&made, 0x110, leaf);
	push(&made, CODE + 0x110);
	push(&made, STACK + 24), push(&made, CODE + 0x30);
	push(&made, STACK + 40), push(&made, CODE + 0x40);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x110);
	assert_int_equal(made.unwinder->frames[1].flags, 0);
	/* the same, behind a function that was called */
	made.words[0] = CODE + 0x20;
	made.words[1] = CODE + 0x110;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x1f, 0x110);
	/* the kernel did the same, so that a handler returns to code that is not marked as a signal's */
	made.words[0] = CODE + 0x110;
	made.word_count = 30;
	made.words[1 + 160 / 8] = STACK + 8 * 28;
	made.words[1 + 168 / 8] = CODE + 0x40;
	made.words[1 + 184 / 8] = 0x2b000000000033;
	made.words[28] = CODE + 0x110;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x110, 0x40, 0x110);
	assert_int_equal(made.unwinder->frames[1].flags, 0);
	/* or is marked */
	made.words[1 + 184 / 8] = 0;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x110);
	free(made.unwinder);
	made.unwinder = NULL;
	made.rules[2].rule.kind = UNWIND_SIGNAL;
	CHECK(&made, STACK_CUT, 0x10, 0x110, 0x40, 0x110);
	free(made.unwinder);
	made.unwinder = NULL;
	made.rules[2].rule = leaf;
	/* another address without a rule */
	made.words[0] = CODE + 0x108;
	made.registers.values[X86_RBP] = 0;
	CHECK(&made, STACK_NO_RULE, 0x10, 0x107);
	free(made.unwinder);
}

/* Sets the row of a rule: the return address is below the CFA. */
static void set_row(struct cfi_row *row, struct cfi_rule cfa)
{
	*row = (struct cfi_row){ .cfa = cfa, .return_register = X86_RIP };
	row->registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
}

/* As linkers describe an entry of the PLT: CFA = rsp + 8 + ((rip & 15) >= 11) * 8. */
static void test_plt(void **state)
{
	static const uint8_t entry[] = { 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 };
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0);
	add_rule(&made, 0, (struct unwind_rule){ .kind = UNWIND_SLOW });
	set_row(&made.rules[0].row, (struct cfi_rule){ .where = CFI_EXPRESSION, .expression = entry, .size = sizeof(entry) });
	add_rule(&made, 0x100, outermost);
	push(&made, CODE + 0x150), push(&made, CODE + 0x160);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f);
	made.registers.values[X86_RIP] = CODE + 0x1b;
	CHECK(&made, STACK_COMPLETE, 0x1b, 0x15f);
	free(made.unwinder);
}

/* handler <- trampoline <- interrupted function, which may be at its first instruction */
static void test_signal(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0);
	add_rule(&made, 0, leaf);
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_SIGNAL });
	add_rule(&made, 0x109, (struct unwind_rule){ .kind = UNWIND_NONE });
	add_rule(&made, 0x200, by_fp);
	add_rule(&made, 0x300, outermost);
	push(&made, CODE + 0x101);
	made.word_count = WORDS;
	made.words[1 + 120 / 8] = STACK + 8 * 60;
	made.words[1 + 160 / 8] = STACK + 8 * 50;
	made.words[1 + 168 / 8] = CODE + 0x200;
	made.words[61] = CODE + 0x350;
	CHECK(&made, STACK_COMPLETE, 0x10, 0x101, 0x200, 0x34f);
	assert_int_equal(made.unwinder->frames[1].flags, 0);
	assert_int_equal(made.unwinder->frames[2].flags, 0);
	/* interrupted right behind the system call of the trampoline */
	made.registers.values[X86_RIP] = CODE + 0x109;
	made.registers.values[X86_RSP] = STACK + 8;
	CHECK(&made, STACK_COMPLETE, 0x109, 0x200, 0x34f);
	free(made.unwinder);
}

/*
 * The tables of clone() end before its system call, here of the bytes at 0x108. Register 2 has the address behind that;
 * 0 is its result in the new thread.
 */
static void test_system_call(void **state)
{
	struct made_process made;

	(void)state;
	for (int all = 0; all <= 1; all++) {
		begin(&made, CFI_X86_64, 0x10a, 5);
		add_rule(&made, 0x100, leaf);
		set_row(&made.rules[0].row,
		        (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RSP, .value = 8 });
		add_rule(&made, 0x108, (struct unwind_rule){ .kind = UNWIND_NONE });
		add_rule(&made, 0x200, all ? (struct unwind_rule){ .kind = UNWIND_SLOW } : leaf);
		made.rules[2].row = made.rules[0].row;
		add_rule(&made, 0x300, outermost);
		made.rules[3].row.return_register = X86_RIP;
		made.rules[3].row.registers[X86_RIP].where = CFI_UNDEFINED;
		push(&made, CODE + 0x250), push(&made, CODE + 0x350);
		CHECK(&made, STACK_NO_RULE, 0x10a);
		set_register(&made, X86_RCX, CODE + 0x10a);
		CHECK(&made, STACK_NO_RULE, 0x10a);
		set_register(&made, 0, (uint64_t)-38);
		CHECK(&made, STACK_COMPLETE, 0x10a, 0x24f, 0x34f);
		made.registers.values[X86_RCX]++;
		CHECK(&made, STACK_NO_RULE, 0x10a);
		made.registers.values[X86_RCX]--;
		set_register(&made, 0, 0);
		CHECK(&made, STACK_COMPLETE, 0x10a);
		/* other code that has no tables */
		made.registers.values[X86_RIP] = made.registers.values[X86_RCX] = CODE + 0x120;
		CHECK(&made, STACK_NO_RULE, 0x120);
		free(made.unwinder);
	}
}

static void test_other_cfa(void **state)
{
	struct made_process made;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, STACK + 8 * 4);
	add_rule(&made, 0, leaf);
	/* CFA = *(rbp - 8), rbp = *rbp */
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_DEREF_FP, .cfa = -1,
	                                             .fp = UNWIND_FP_DEREF, .return_offset = -1 });
	add_rule(&made, 0x200, by_fp);
	add_rule(&made, 0x300, outermost);
	push(&made, CODE + 0x150), push(&made, 1);
	push(&made, 2), push(&made, STACK + 8 * 7);
	push(&made, STACK + 8 * 8), push(&made, 3);
	push(&made, CODE + 0x250), push(&made, 4);
	push(&made, 0), push(&made, CODE + 0x350);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x24f, 0x34f);
	free(made.unwinder);

	/* another register, as where a function realigns its stack */
	begin(&made, CFI_X86_64, 0x10, 0);
	set_register(&made, 10, STACK + 8 * 2);
	add_rule(&made, 0, (struct unwind_rule){ .kind = UNWIND_SLOW });
	set_row(&made.rules[0].row, (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = 10 });
	add_rule(&made, 0x300, outermost);
	push(&made, 1), push(&made, CODE + 0x350);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x34f);
	made.registers.known &= ~((uint64_t)1 << 10);
	CHECK(&made, STACK_NO_RULE, 0x10);
	free(made.unwinder);
}

/* A register of a frame that is not the first: all registers are followed. */
static void test_full(void **state)
{
	static const uint8_t deref[] = { 0x73, 8, 0x06 }; /* *(rbx + 8) */
	struct made_process made;
	struct cfi_row *row;

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0x55);
	add_rule(&made, 0, leaf);
	row = &made.rules[0].row;
	row->cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = X86_RSP, .value = 16 };
	row->return_register = X86_RIP;
	row->registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
	row->registers[3] = (struct cfi_rule){ .where = CFI_SAVED, .value = -16 };
	add_rule(&made, 0x100, (struct unwind_rule){ .kind = UNWIND_SLOW });
	row = &made.rules[1].row;
	row->cfa = (struct cfi_rule){ .where = CFI_EXPRESSION, .expression = deref, .size = 3 };
	row->return_register = X86_RIP;
	row->registers[X86_RIP] = (struct cfi_rule){ .where = CFI_SAVED, .value = -8 };
	add_rule(&made, 0x300, outermost);
	made.rules[0].rule.cfa = 2;
	push(&made, STACK + 8 * 2), push(&made, CODE + 0x150); /* rbx, return address */
	push(&made, 0), push(&made, STACK + 8 * 6);
	push(&made, 0), push(&made, CODE + 0x350);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x34f);
	made.words[3] = STACK; /* below it no more can be copied */
	CHECK(&made, STACK_NO_RULE, 0x10, 0x14f);
	made.words[0] = STACK + 8 * 100;
	CHECK(&made, STACK_CUT, 0x10, 0x14f);
	free(made.unwinder);
}

static void test_too_deep(void **state)
{
	struct made_process made;
	static uint64_t deep[UNWIND_FRAMES_MAX + 10];
	struct unwind_stack stack = { (const uint8_t *)deep, STACK, sizeof(deep), false };
	struct err err = { .code = ERR_NONE };

	(void)state;
	begin(&made, CFI_X86_64, 0x10, 0);
	add_rule(&made, 0, leaf);
	push(&made, 0);
	CHECK(&made, STACK_COMPLETE, 0x10);
	for (size_t i = 0; i < UNWIND_FRAMES_MAX + 10; i++)
		deep[i] = CODE + 0x20;
	assert_true(unwind_run(made.unwinder, &made.registers, &stack, &made.end, &err));
	assert_int_equal(made.unwinder->count, UNWIND_FRAMES_MAX);
	assert_int_equal(made.end, STACK_TOO_DEEP);
	free(made.unwinder);
}

/* aarch64: leaf with its return address in a register, whose signature is taken off; frame record. */
static void test_arm(void **state)
{
	const struct unwind_rule in_register = { .kind = UNWIND_SP, .return_in_register = true };
	const struct unwind_rule record = { .kind = UNWIND_FP, .cfa = 2, .fp = UNWIND_FP_SAVED,
		                            .fp_offset = -2, .return_offset = -1 };
	struct made_process made;

	(void)state;
	begin(&made, CFI_AARCH64, 0x10, STACK + 16);
	set_register(&made, ARM_LR, CODE + 0x150);
	add_rule(&made, 0, in_register);
	add_rule(&made, 0x100, record);
	add_rule(&made, 0x300, outermost);
	push(&made, 1), push(&made, 2);
	push(&made, 0), push(&made, (CODE + 0x350) | (uint64_t)0x2b << 48);
	CHECK(&made, STACK_COMPLETE, 0x10, 0x14f, 0x34f);
	/* only the innermost function can have it in the register */
	made.words[3] = CODE + 0x50;
	CHECK(&made, STACK_NO_RULE, 0x10, 0x14f, 0x4f);
	free(made.unwinder);

	/* a signal in a leaf: x29 at 544, x30 at 552, sp at 560, pc at 568 */
	for (int all = 0; all <= 1; all++) {
		begin(&made, CFI_AARCH64, 0x400, 0);
		add_rule(&made, 0, all ? (struct unwind_rule){ .kind = UNWIND_SLOW } : in_register);
		made.rules[0].row.cfa = (struct cfi_rule){ .where = CFI_REGISTER_OFFSET, .reg = ARM_SP };
		made.rules[0].row.return_register = ARM_LR;
		add_rule(&made, 0x300, outermost);
		add_rule(&made, 0x400, (struct unwind_rule){ .kind = UNWIND_SIGNAL });
		made.word_count = WORDS;
		made.words[552 / 8] = CODE + 0x350;
		made.words[560 / 8] = STACK + 8 * 100;
		made.words[568 / 8] = CODE + 0x20;
		CHECK(&made, STACK_COMPLETE, 0x400, 0x20, 0x34f);
		free(made.unwinder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_popped), cmocka_unit_test(test_rules),     cmocka_unit_test(test_ends),
		cmocka_unit_test(test_frame_pointers), cmocka_unit_test(test_plt),
		cmocka_unit_test(test_switch),    cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_other_stack), cmocka_unit_test(test_start),
		cmocka_unit_test(test_entry),     cmocka_unit_test(test_system_call),
		cmocka_unit_test(test_signal),    cmocka_unit_test(test_other_cfa),
		cmocka_unit_test(test_full),      cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
