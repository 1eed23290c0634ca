#include "decode/stacks/unwind.h"

#include "util/cursor.h"

#define WORD 8             /* bytes of a word of the stack */
#define X86_SYSCALL_SIZE 2 /* bytes of the instruction */

void unwind_init(struct unwinder *unwinder, enum cfi_machine machine,
                 const struct unwind_source *source)
{
	memset(unwinder, 0, sizeof(*unwinder));
	unwinder->machine = machine;
	unwinder->source = *source;
	unwinder->sp = machine == CFI_X86_64 ? X86_RSP : ARM_SP;
	unwinder->fp = machine == CFI_X86_64 ? X86_RBP : ARM_FP;
	unwinder->pc = machine == CFI_X86_64 ? X86_RIP : ARM_PC;
}

static const struct space_map *find_map(struct unwinder *u, uint64_t ip)
{
	return u->source.map(u->source.context, ip);
}

static inline uint64_t value_of(const struct unwinder *u, unsigned reg)
{
	return cfi_value(&u->registers, reg);
}

static inline bool read_word(struct unwinder *u, uint64_t addr, uint64_t *value)
{
	uint64_t offset = addr - u->stack.start;

	if (u->stack.size < WORD || offset > u->stack.size - WORD)
		return false;
	*value = load_u64(u->stack.data + offset, u->stack.swap);
	return true;
}

static inline struct unwind_rule rule_at(struct unwinder *u, uint32_t binary, uint64_t addr)
{
	size_t slot = (size_t)((addr ^ addr >> 12 ^ (uint64_t)binary * 0x9e37u) % UNWIND_CACHE);
	struct unwind_slot *cached = &u->cache[slot];

	if (cached->addr != addr || cached->binary != binary || !binary) {
		cached->rule = u->source.rule(u->source.context, binary, addr, &u->row, u->err);
		cached->addr = addr;
		cached->binary = u->err->code == ERR_NONE ? binary : 0;
	}
	return cached->rule;
}

/* The state of an unwinding, besides the registers of the unwinder. */
struct walk {
	bool all;      /* all registers are computed, and not only those that short rules need */
	bool returned; /* the address in the registers is a return address */
	bool guessed;
	struct unwind_rule rule; /* at that address */
	uint64_t rule_addr;      /* in the binary, of the row that the rule is short for */
	enum stack_end end;      /* how the stack ended, once there is no caller */
	bool needs_all;          /* it ended because a short rule did not do */
};

/* Whether the thread is in a system call of x86-64: then rcx is the address behind it. */
static bool is_in_system_call(const struct unwinder *u)
{
	return u->machine == CFI_X86_64 && cfi_is_known(&u->registers, X86_RCX) &&
	       u->registers.values[X86_RCX] == value_of(u, u->pc);
}

/*
 * The rule for the first frame where the table has none. A thread that was interrupted right after
 * the system call at the end of a signal trampoline is one byte behind the end of the trampoline.
 * The tables of clone functions end before the system call: it leaves the stack of the caller as it
 * was, and the new thread, for which it is 0, has nothing on its own.
 */
static void find_first_rule(struct unwinder *u, uint32_t binary, struct walk *walk)
{
	const uint64_t addr = walk->rule_addr;
	struct unwind_rule before = rule_at(u, binary, addr - 1);

	if (before.kind == UNWIND_SIGNAL) {
		walk->rule = before;
		return;
	}
	if (addr <= X86_SYSCALL_SIZE || !is_in_system_call(u) ||
	    !cfi_is_known(&u->registers, X86_RAX))
		return;
	before = rule_at(u, binary, addr - X86_SYSCALL_SIZE - 1);
	if (before.kind <= UNWIND_NO_CODE)
		return;
	walk->rule = before;
	walk->rule_addr = addr - X86_SYSCALL_SIZE - 1;
	if (!value_of(u, X86_RAX))
		walk->rule.kind = UNWIND_END;
}

/*
 * Offset of a register in the kernel's frame of a signal handler, in words from the stack pointer.
 * On x86-64 that is struct rt_sigframe after the return address. On aarch64 it begins with 128
 * bytes of siginfo; uc_mcontext is 176 bytes further, and its registers x0 to x30, sp and pc are 8
 * bytes further still.
 */
static unsigned word_in_signal_frame(enum cfi_machine machine, unsigned reg)
{
	static const uint8_t x86[] = {
		18, 17, 19, 16, 14, 13, 15, 20, 5, 6, 7, 8, 9, 10, 11, 12, 21
	};

	_Static_assert(sizeof(x86) == X86_RIP + 1, "one for each register");
	_Static_assert(ARM_PC == ARM_SP + 1 && ARM_SP == ARM_LR + 1,
	               "the kernel's order is DWARF's");
	return machine == CFI_X86_64 ? x86[reg] : (128 + 176 + 8) / WORD + reg;
}

/* The segments in the frame of a signal handler of x86-64, in words; the code segment of 64 bits */
#define X86_SIGNAL_SEGMENTS 23
#define X86_USER_CS 0x33

/*
 * Whether the stack pointer is at the kernel's frame of a signal handler, if that can be told: on
 * aarch64 the kernel's own code, which has rules, is behind every handler.
 */
static bool is_in_signal_frame(struct unwinder *u)
{
	const uint64_t base = value_of(u, u->sp);
	uint64_t ip, segments;

	return u->machine == CFI_X86_64 &&
	       read_word(u, base + WORD * word_in_signal_frame(u->machine, X86_RIP), &ip) &&
	       read_word(u, base + WORD * X86_SIGNAL_SEGMENTS, &segments) &&
	       (segments & UINT16_MAX) == X86_USER_CS && find_map(u, ip);
}

/*
 * The kind of rule for a return address before which there is no code with a rule. If a function
 * starts there, no call put it there. The kernel did, so that the handler of a signal returns to
 * it; or somebody who made a new stack did, so that the first function returns to it (makecontext
 * of C libraries).
 */
static uint8_t kind_without_call(struct unwinder *u, uint32_t binary, uint64_t addr)
{
	const uint8_t kind = rule_at(u, binary, addr).kind;

	if (kind <= UNWIND_NO_CODE) /* there is no rule */
		return UNWIND_NONE;
	return kind == UNWIND_SIGNAL || is_in_signal_frame(u) ? UNWIND_SIGNAL : UNWIND_END;
}

/* The functions below go on to the next frame. They return false where the walk ends. */

static bool end_walk(struct walk *walk, enum stack_end end)
{
	walk->end = end;
	return false;
}

/* Finds the mapping and the rule of the address, and appends its frame. */
static bool enter_frame(struct unwinder *u, struct walk *walk)
{
	uint64_t ip = value_of(u, u->pc) - walk->returned;
	const struct space_map *map = find_map(u, ip);
	struct chain_frame *frame;
	bool called = walk->returned;

	/* what was no frame pointer leads anywhere */
	walk->end = walk->guessed ? STACK_NO_RULE : STACK_NO_MAP;
	/* an address that is not mapped is no frame, unless it is that of the sample itself */
	if (!map && u->count)
		return false;
	if (u->count == UNWIND_FRAMES_MAX)
		return end_walk(walk, STACK_TOO_DEEP);
	frame = &u->frames[u->count];
	frame->ip = ip;
	frame->binary = map ? map->binary : 0;
	frame->addr = map ? ip - map->start + map->pgoff : ip;
	frame->flags = (uint8_t)((walk->returned ? FRAME_RETURN : 0) |
	                         (walk->guessed ? FRAME_GUESSED : 0));
	u->count++;
	if (!map)
		return false;
	walk->rule_addr = frame->addr;
	walk->rule = rule_at(u, frame->binary, frame->addr);
	if (walk->rule.kind == UNWIND_NONE && u->count == 1 && frame->addr)
		find_first_rule(u, frame->binary, walk);
	if (walk->rule.kind == UNWIND_NO_CODE) {
		u->count -= walk->returned; /* it is no frame either */
		return false;
	}
	if (walk->rule.kind == UNWIND_ENTRY)
		walk->rule.kind = value_of(u, u->fp) ? UNWIND_NONE : UNWIND_END;
	if (walk->rule.kind == UNWIND_NONE && called && !walk->guessed) {
		walk->rule.kind = kind_without_call(u, frame->binary, frame->addr + 1);
		called = walk->rule.kind == UNWIND_NONE;
	}
	/* there was no call: the handler, or a first function, returns to the first byte */
	if (walk->returned && (!called || walk->rule.kind == UNWIND_SIGNAL)) {
		frame->ip++;
		frame->addr++;
		frame->flags &= (uint8_t)~FRAME_RETURN;
	}
	return u->err->code == ERR_NONE;
}

/* Sets the registers of a caller of which three are known. */
static void set_three(struct unwinder *u, struct walk *walk, uint64_t ip, uint64_t sp, uint64_t fp)
{
	u->registers.known = 0;
	cfi_set(&u->registers, u->pc, ip);
	cfi_set(&u->registers, u->sp, sp);
	cfi_set(&u->registers, u->fp, fp);
	walk->returned = true;
}

/*
 * Goes to the caller by the frame pointer. A 0 marks the end of a list of frame pointers; in code
 * that has none, the register or what it points to may be 0 as well. end: how the stack ends if the
 * frame pointer does not help.
 */
static bool go_by_fp(struct unwinder *u, struct walk *walk, enum stack_end end)
{
	const uint64_t fp = value_of(u, u->fp);
	uint64_t ip, outer;

	if (!fp)
		return end_walk(walk, walk->guessed ? STACK_COMPLETE : end);
	if (fp % WORD || fp < value_of(u, u->sp) || !read_word(u, fp, &outer) ||
	    !read_word(u, fp + WORD, &ip)) {
		if (fp % WORD == 0 && walk->rule.kind != UNWIND_SWITCH &&
		    unwind_end_outside(&u->stack, fp) == STACK_CUT)
			end = STACK_CUT;
		return end_walk(walk, end);
	}
	ip = unwind_code_addr(u, ip);
	if (!ip && walk->guessed)
		end = STACK_COMPLETE;
	if (!ip || !find_map(u, ip - 1))
		return end_walk(walk, end);
	walk->guessed = true;
	set_three(u, walk, ip, fp + 2 * WORD, outer);
	return true;
}

/* Goes to the function that was interrupted by a signal, of which all registers are known. */
static bool leave_signal_frame(struct unwinder *u, struct walk *walk)
{
	const uint64_t base = value_of(u, u->sp);
	uint64_t value;

	u->registers.known = 0;
	for (unsigned reg = 0; reg <= u->pc; reg++)
		if (read_word(u, base + WORD * word_in_signal_frame(u->machine, reg), &value))
			cfi_set(&u->registers, reg, value);
	if (!cfi_is_known(&u->registers, u->pc) || !cfi_is_known(&u->registers, u->sp))
		return end_walk(walk, STACK_CUT);
	walk->returned = walk->guessed = false;
	return value_of(u, u->pc) || end_walk(walk, STACK_COMPLETE);
}

/* Computes the canonical frame address. */
static bool find_cfa(struct unwinder *u, struct walk *walk, uint64_t *cfa)
{
	const struct unwind_rule *rule = &walk->rule;

	*cfa = value_of(u, rule->kind == UNWIND_SP || rule->kind == UNWIND_SWITCH ? u->sp : u->fp) +
	       (uint64_t)(rule->cfa * (int64_t)WORD);
	if (rule->kind != UNWIND_DEREF_FP)
		return true;
	return read_word(u, *cfa, cfa) || end_walk(walk, unwind_end_outside(&u->stack, *cfa));
}

static uint64_t callers_fp(struct unwinder *u, const struct unwind_rule *rule, uint64_t cfa)
{
	const uint64_t fp = value_of(u, u->fp);
	uint64_t at = fp, saved = 0;

	if (rule->fp == UNWIND_FP_SAME)
		return fp;
	if (rule->fp == UNWIND_FP_SAVED) {
		at = cfa + (uint64_t)(rule->fp_offset * (int64_t)WORD);
		if (unwind_is_popped(value_of(u, u->sp), at))
			return fp;
	}
	/* a value outside of the copy matters only if a frame uses it */
	if (rule->fp == UNWIND_FP_UNDEFINED || !read_word(u, at, &saved))
		return 0;
	return saved;
}

static bool return_address(struct unwinder *u, struct walk *walk, uint64_t cfa, uint64_t *ip)
{
	const uint64_t place = cfa + (uint64_t)(walk->rule.return_offset * (int64_t)WORD);

	if (walk->rule.return_in_register) {
		*ip = value_of(u, ARM_LR);
		return cfi_is_known(&u->registers, ARM_LR) || end_walk(walk, STACK_NO_RULE);
	}
	return read_word(u, place, ip) || end_walk(walk, unwind_end_outside(&u->stack, place));
}

static bool go_by_rule(struct unwinder *u, struct walk *walk)
{
	const uint64_t sp = value_of(u, u->sp);
	uint64_t cfa, ip, fp;

	if (!find_cfa(u, walk, &cfa))
		return false;
	/*
	 * a caller's frame is higher in the stack; but an interrupted function may have no frame of
	 * its own yet
	 */
	if (cfa < sp || (cfa == sp && u->count > 1 && walk->returned))
		return end_walk(walk, STACK_NO_RULE);
	fp = callers_fp(u, &walk->rule, cfa);
	if (!return_address(u, walk, cfa, &ip))
		return false;
	walk->guessed = false;
	ip = unwind_code_addr(u, ip);
	set_three(u, walk, ip, cfa, fp);
	return ip || end_walk(walk, STACK_COMPLETE);
}

static bool go_by_row(struct unwinder *u, struct walk *walk)
{
	const struct chain_frame *frame = &u->frames[u->count - 1];
	const uint64_t old_ip = value_of(u, u->pc), old_sp = value_of(u, u->sp);
	const bool called = u->count > 1 && walk->returned;
	uint64_t sp;

	u->source.rule(u->source.context, frame->binary, walk->rule_addr, &u->row, u->err);
	if (u->err->code != ERR_NONE || !unwind_apply_row(u, &u->row, &walk->end))
		return false;
	sp = value_of(u, u->sp);
	walk->returned = !u->row.signal;
	walk->guessed = false;
	if (u->row.signal || sp > old_sp)
		return true;
	/* an interrupted function may have no frame of its own */
	return (!called && sp == old_sp && value_of(u, u->pc) != old_ip) ||
	       end_walk(walk, STACK_NO_RULE);
}

static bool go_to_caller(struct unwinder *u, struct walk *walk)
{
	switch (walk->rule.kind) {
	case UNWIND_NONE:
		return go_by_fp(u, walk, STACK_NO_RULE);
	case UNWIND_NO_BINARY:
		return go_by_fp(u, walk, STACK_NO_BINARY);
	case UNWIND_OTHER_FILE:
		/* the rules of the recorded file might say that there is no frame pointer */
		return end_walk(walk, STACK_OTHER_FILE);
	case UNWIND_END:
		return end_walk(walk, STACK_COMPLETE);
	case UNWIND_SIGNAL:
		return leave_signal_frame(u, walk);
	case UNWIND_SWITCH:
		if (u->count > 1)
			return go_by_fp(u, walk, STACK_NO_RULE);
		break;
	case UNWIND_SLOW:
		walk->needs_all = !walk->all;
		break;
	default:
		break;
	}
	if (walk->needs_all)
		return false;
	return walk->all ? go_by_row(u, walk) : go_by_rule(u, walk);
}

/* Unwinds with short rules or, with all, with rows. */
static struct walk run_walk(struct unwinder *u, const struct cfi_registers *registers, bool all)
{
	struct walk walk = { .all = all };

	u->registers = *registers;
	u->count = 0;
	while (enter_frame(u, &walk) && go_to_caller(u, &walk))
		;
	return walk;
}

bool unwind_run(struct unwinder *unwinder, const struct cfi_registers *registers,
                const struct unwind_stack *stack, enum stack_end *end, struct err *err)
{
	struct walk walk;

	unwinder->stack = *stack;
	unwinder->err = err;
	walk = run_walk(unwinder, registers, false);
	if (walk.needs_all)
		walk = run_walk(unwinder, registers, true);
	*end = walk.end;
	return err->code == ERR_NONE;
}
