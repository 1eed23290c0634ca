#include "decode/stacks/unwind.h"

#include "util/cursor.h"

#define WORD 8 /* bytes of a word of the stack */
/* A frame pointer so far above the end of the copy may still belong to this stack. */
#define STACK_SIZE_MAX ((uint64_t)64 << 20)

/*
 * Offsets in the kernel's frame of a signal handler on x86-64: struct rt_sigframe, after the return
 * address.
 */
enum { X86_SIGNAL_BP = 120, X86_SIGNAL_SP = 160, X86_SIGNAL_IP = 168 };
/* The same on aarch64. */
enum {
	ARM_SIGNAL_FP = UNWIND_ARM_SIGNAL_REGISTERS + WORD * ARM_FP,
	ARM_SIGNAL_LR = UNWIND_ARM_SIGNAL_REGISTERS + WORD * ARM_LR,
	ARM_SIGNAL_SP = UNWIND_ARM_SIGNAL_REGISTERS + WORD * ARM_SP,
	ARM_SIGNAL_PC = UNWIND_ARM_SIGNAL_REGISTERS + WORD * ARM_PC
};

void unwind_init(struct unwinder *unwinder, enum cfi_machine machine,
                 const struct unwind_source *source)
{
	memset(unwinder, 0, sizeof(*unwinder));
	unwinder->machine = machine;
	unwinder->source = *source;
}

/* The mapping at a user address, searched first among those used last; NULL: there is none. */
static const struct space_map *find_map(struct unwinder *u, uint64_t ip)
{
	struct space_map *map;

	for (unsigned i = 0; i < UNWIND_MAPS; i++)
		if (ip - u->maps[i].start < u->maps[i].end - u->maps[i].start)
			return &u->maps[i];
	map = &u->maps[u->next_map];
	if (!u->source.map(u->source.context, ip, map)) {
		*map = (struct space_map){ 0 };
		return NULL;
	}
	u->next_map = (u->next_map + 1) % UNWIND_MAPS;
	return map;
}

/* Whether the address is mapped. */
static bool unwind_is_mapped(struct unwinder *unwinder, uint64_t ip)
{
	return find_map(unwinder, ip) != NULL;
}

bool unwind_read(struct unwinder *unwinder, uint64_t addr, unsigned size, uint64_t *value)
{
	const struct unwind_stack *stack = &unwinder->stack;
	uint64_t offset = addr - stack->start;
	struct cursor c;

	if (stack->size < size || offset > stack->size - size)
		return false;
	if (size == WORD) {
		*value = load_u64(stack->data + offset, stack->swap);
		return true;
	}
	c = cursor_over(stack->data + offset, size, 0, "stack", stack->swap, unwinder->err);
	*value = size == 1 ? cur_u8(&c) : size == 2 ? cur_u16(&c) : cur_u32(&c);
	return true;
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
		cached->rule = u->source.rule(u->source.context, binary, addr, u->err);
		cached->addr = addr;
		cached->binary = u->err->code == ERR_NONE ? binary : 0;
	}
	return cached->rule;
}

/*
 * The rule for the first frame. A thread that was interrupted right after the system call at the
 * end of a signal trampoline is one byte behind the end of the trampoline.
 */
static struct unwind_rule first_rule(struct unwinder *u, uint32_t binary, uint64_t addr)
{
	struct unwind_rule rule = rule_at(u, binary, addr), before;

	if (rule.kind != UNWIND_NONE || !addr)
		return rule;
	before = rule_at(u, binary, addr - 1);
	return before.kind == UNWIND_SIGNAL ? before : rule;
}

bool unwind_enter(struct unwinder *unwinder, struct unwind_step *step, enum stack_end *end)
{
	uint64_t ip = step->ip - step->returned;
	const struct space_map *map = find_map(unwinder, ip);
	struct chain_frame *frame;

	*end = STACK_NO_MAP;
	/* an address that is not mapped is no frame, unless it is that of the sample itself */
	if (!map && unwinder->count)
		return false;
	if (unwinder->count == UNWIND_FRAMES_MAX) {
		*end = STACK_TOO_DEEP;
		return false;
	}
	frame = &unwinder->frames[unwinder->count];
	frame->ip = ip;
	frame->binary = map ? map->binary : 0;
	frame->addr = map ? ip - map->start + map->pgoff : ip;
	frame->flags = (uint8_t)((step->returned ? FRAME_RETURN : 0) |
	                         (step->guessed ? FRAME_GUESSED : 0));
	unwinder->count++;
	if (!map)
		return false;
	step->rule = unwinder->count == 1 ? first_rule(unwinder, frame->binary, frame->addr)
	                                  : rule_at(unwinder, frame->binary, frame->addr);
	if (step->rule.kind == UNWIND_NO_CODE) {
		unwinder->count -= step->returned; /* it is no frame either */
		return false;
	}
	/* the trampoline was not called: the handler returns to its first byte */
	if (step->rule.kind == UNWIND_SIGNAL && step->returned) {
		frame->ip++;
		frame->addr++;
		frame->flags &= (uint8_t)~FRAME_RETURN;
	}
	return unwinder->err->code == ERR_NONE;
}

/* How the stack ends if there is no rule and frame pointers do not help either. */
static enum stack_end unwind_lost(const struct unwind_rule *rule)
{
	switch (rule->kind) {
	case UNWIND_NO_BINARY:
		return STACK_NO_BINARY;
	case UNWIND_OTHER_FILE:
		return STACK_OTHER_FILE;
	default:
		return STACK_NO_RULE;
	}
}

bool unwind_by_fp(struct unwinder *unwinder, const struct unwind_step *step,
                  struct unwind_frame_record *record, enum stack_end *end)
{
	const struct unwind_stack *stack = &unwinder->stack;
	uint64_t fp = record->fp, above = fp - (stack->start + stack->size);
	uint64_t ip, outer;

	*end = unwind_lost(&step->rule);
	/* the rules of the recorded file might say that there is no frame pointer */
	if (step->rule.kind == UNWIND_OTHER_FILE)
		return false;
	if (!fp) {
		if (step->guessed)
			*end = STACK_FP_END;
		return false;
	}
	if (fp % WORD || fp < record->sp || !read_word(unwinder, fp, &outer) ||
	    !read_word(unwinder, fp + WORD, &ip)) {
		if (fp % WORD == 0 && above < STACK_SIZE_MAX && step->rule.kind != UNWIND_SWITCH)
			*end = STACK_CUT;
		return false;
	}
	ip = unwind_code_addr(unwinder, ip);
	if (!ip) {
		*end = STACK_COMPLETE;
		return false;
	}
	if (!unwind_is_mapped(unwinder, ip - 1))
		return false;
	*record = (struct unwind_frame_record){ .ip = ip, .sp = fp + 2 * WORD, .fp = outer };
	return true;
}

/* The state of an unwinding by short rules. */
struct short_walk {
	struct unwind_step step;
	struct unwind_frame_record at;
	uint64_t lr; /* aarch64 */
	bool has_lr; /* it is still the value of the interrupted function */
};

enum progress { GOES_ON, ENDS, NEEDS_ALL };

static enum progress enter_signal_frame(struct unwinder *u, struct short_walk *walk,
                                        enum stack_end *end)
{
	const bool x86 = u->machine == CFI_X86_64;
	uint64_t base = walk->at.sp;
	struct unwind_frame_record at;

	*end = STACK_CUT;
	if (!read_word(u, base + (x86 ? X86_SIGNAL_IP : ARM_SIGNAL_PC), &at.ip) ||
	    !read_word(u, base + (x86 ? X86_SIGNAL_SP : ARM_SIGNAL_SP), &at.sp))
		return ENDS;
	if (!read_word(u, base + (x86 ? X86_SIGNAL_BP : ARM_SIGNAL_FP), &at.fp))
		at.fp = 0;
	walk->has_lr = !x86 && read_word(u, base + ARM_SIGNAL_LR, &walk->lr);
	walk->at = at;
	walk->step.ip = at.ip;
	walk->step.returned = walk->step.guessed = false;
	*end = STACK_COMPLETE;
	return at.ip ? GOES_ON : ENDS;
}

static enum progress go_by_fp(struct unwinder *u, struct short_walk *walk, enum stack_end *end)
{
	if (!unwind_by_fp(u, &walk->step, &walk->at, end))
		return ENDS;
	walk->step.ip = walk->at.ip;
	walk->step.returned = walk->step.guessed = true;
	walk->has_lr = false;
	return GOES_ON;
}

/*
 * Computes the canonical frame address. False: it cannot be computed here or, with *end set, not at
 * all.
 */
static bool find_cfa(struct unwinder *u, const struct short_walk *walk, uint64_t *cfa,
                     enum stack_end *end)
{
	const struct unwind_rule *rule = &walk->step.rule;
	uint64_t offset = (uint64_t)(rule->cfa * (int64_t)WORD);

	switch (rule->kind) {
	case UNWIND_SP:
	case UNWIND_SWITCH:
		*cfa = walk->at.sp + offset;
		return true;
	case UNWIND_FP:
		*cfa = walk->at.fp + offset;
		return true;
	case UNWIND_PLT:
		*cfa = walk->at.sp + WORD + ((walk->step.ip & 15) >= rule->reg ? WORD : 0);
		return true;
	case UNWIND_DEREF_FP:
		*end = STACK_CUT;
		return read_word(u, walk->at.fp + offset, cfa);
	case UNWIND_REGISTER:
		/* this walk has only the registers of frame 0 */
		if (u->count != 1 || !cfi_is_known(&u->registers, rule->reg))
			return false;
		*cfa = u->registers.values[rule->reg] + offset;
		return true;
	default:
		return false;
	}
}

static uint64_t callers_fp(struct unwinder *u, const struct short_walk *walk, uint64_t cfa)
{
	const struct unwind_rule *rule = &walk->step.rule;
	uint64_t fp = walk->at.fp, saved = 0;

	if (rule->fp == UNWIND_FP_SAME)
		return fp;
	if (rule->fp == UNWIND_FP_SAVED) {
		fp = cfa + (uint64_t)(rule->fp_offset * (int64_t)WORD);
		if (unwind_is_popped(walk->at.sp, fp))
			return walk->at.fp;
	}
	/* a value outside of the copy matters only if a frame uses it */
	if (rule->fp == UNWIND_FP_UNDEFINED || !read_word(u, fp, &saved))
		return 0;
	return saved;
}

static bool return_address(struct unwinder *u, struct short_walk *walk, uint64_t cfa, uint64_t *ip,
                           enum stack_end *end)
{
	const struct unwind_rule *rule = &walk->step.rule;

	if (rule->return_in_register) {
		*end = STACK_NO_PROGRESS;
		*ip = unwind_code_addr(u, walk->lr);
		return walk->has_lr;
	}
	*end = STACK_CUT;
	if (!read_word(u, cfa + (uint64_t)(rule->return_offset * (int64_t)WORD), ip))
		return false;
	*ip = unwind_code_addr(u, *ip);
	return true;
}

static enum progress go_by_rule(struct unwinder *u, struct short_walk *walk, enum stack_end *end)
{
	const bool is_first = u->count == 1;
	uint64_t cfa, ip, fp;

	*end = STACK_ENDS;
	if (!find_cfa(u, walk, &cfa, end))
		return *end == STACK_ENDS ? NEEDS_ALL : ENDS;
	/*
	 * a caller's frame is higher in the stack; but an interrupted function may have no frame of
	 * its own yet
	 */
	if (cfa < walk->at.sp || (cfa == walk->at.sp && !is_first && walk->step.returned)) {
		*end = STACK_NO_PROGRESS;
		return ENDS;
	}
	fp = callers_fp(u, walk, cfa);
	if (!return_address(u, walk, cfa, &ip, end))
		return ENDS;
	walk->at = (struct unwind_frame_record){ .ip = ip, .sp = cfa, .fp = fp };
	walk->step.ip = ip;
	walk->step.returned = true;
	walk->step.guessed = false;
	walk->has_lr = false;
	*end = STACK_COMPLETE;
	return ip ? GOES_ON : ENDS;
}

static enum progress go_to_caller(struct unwinder *u, struct short_walk *walk, enum stack_end *end)
{
	switch (walk->step.rule.kind) {
	case UNWIND_NONE:
	case UNWIND_NO_BINARY:
	case UNWIND_OTHER_FILE:
		return go_by_fp(u, walk, end);
	case UNWIND_END:
		*end = STACK_COMPLETE;
		return ENDS;
	case UNWIND_SIGNAL:
		return enter_signal_frame(u, walk, end);
	case UNWIND_SWITCH:
		return u->count == 1 ? go_by_rule(u, walk, end) : go_by_fp(u, walk, end);
	case UNWIND_SLOW:
		return NEEDS_ALL;
	default:
		return go_by_rule(u, walk, end);
	}
}

static uint64_t register_or_0(const struct cfi_registers *registers, unsigned reg)
{
	return cfi_is_known(registers, reg) ? registers->values[reg] : 0;
}

static enum progress run_short(struct unwinder *u, enum stack_end *end)
{
	const bool x86 = u->machine == CFI_X86_64;
	const struct cfi_registers *registers = &u->registers;
	struct short_walk walk = { .has_lr = cfi_is_known(registers, ARM_LR) };
	enum progress progress;

	walk.at.ip = register_or_0(registers, x86 ? X86_RIP : ARM_PC);
	walk.at.sp = register_or_0(registers, x86 ? X86_RSP : ARM_SP);
	walk.at.fp = register_or_0(registers, x86 ? X86_RBP : ARM_FP);
	walk.lr = x86 ? 0 : register_or_0(registers, ARM_LR);
	walk.step.ip = walk.at.ip;
	do {
		if (!unwind_enter(u, &walk.step, end))
			return ENDS;
		progress = go_to_caller(u, &walk, end);
	} while (progress == GOES_ON);
	return progress;
}

bool unwind_run(struct unwinder *unwinder, const struct cfi_registers *registers,
                const struct unwind_stack *stack, enum stack_end *end, struct err *err)
{
	unwinder->registers = *registers;
	unwinder->stack = *stack;
	unwinder->err = err;
	unwinder->count = 0;
	memset(unwinder->maps, 0, sizeof(unwinder->maps));
	if (run_short(unwinder, end) == NEEDS_ALL) {
		unwinder->count = 0;
		*end = unwind_run_full(unwinder);
	}
	return err->code == ERR_NONE;
}
