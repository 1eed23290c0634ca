/* The user part of a chain, from the registers and the copy of the stack. */
#include "decode/stacks/chain.h"

#include "perffile/session/features.h"
#include "util/vec.h"

#include <string.h>

/* Return addresses that are searched in the recorded chain, at the end of the copied stack. */
#define SPLICE_FRAMES 8

static const struct space_map *find_user_map(void *context, uint64_t ip)
{
	struct chain_reader *reader = context;

	return reader->space ? space_find(reader->space, ip) : NULL;
}

static struct unwind_rule find_rule(void *context, uint32_t binary, uint64_t addr,
                                    struct cfi_row *row, struct err *err)
{
	struct chain_reader *reader = context;

	return stack_files_rule(&reader->files, binary, addr, row, err);
}

/* perf's number of the register with a DWARF number. */
static unsigned recorded_register(enum cfi_machine machine, unsigned reg)
{
	static const uint8_t x86[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };

	return machine == CFI_X86_64 ? x86[reg] : reg;
}

static void read_registers(const struct chain_work *work, struct cfi_registers *registers)
{
	const enum cfi_machine machine = work->reader->unwinder->machine;
	const unsigned count = machine == CFI_X86_64 ? X86_RIP + 1 : CFI_REGISTERS;

	registers->known = 0;
	for (unsigned i = 0; i < count; i++)
		if (record_register(work->record, &work->record->sample.user_regs,
		                    recorded_register(machine, i), &registers->values[i]))
			registers->known |= (uint64_t)1 << i;
}

#define ARM_REGISTERS_MASK ((uint64_t)1 << 32)

/*
 * Makes the unwinder for the machine that the registers are of. False if that is none of those
 * whose stacks can be unwound, or with err set. In recordings from pipes the name of the machine
 * may be missing; then the number of registers tells it.
 */
static bool make_unwinder(struct chain_work *work)
{
	struct chain_reader *reader = work->reader;
	const struct unwind_source source = { reader, find_user_map, find_rule };
	bool arm = work->record->sample.user_regs.mask & ARM_REGISTERS_MASK;
	const char *name;

	if (reader->unwinder)
		return true;
	name = feature_text(reader->files.session, PERF_FEATURE_ARCH);
	if (name)
		arm = !strcmp(name, "aarch64") || !strcmp(name, "arm64");
	if (name && !arm && strcmp(name, "x86_64") != 0)
		return false;
	reader->unwinder = vec_new(1, sizeof(*reader->unwinder), work->err);
	if (!reader->unwinder)
		return false;
	unwind_init(reader->unwinder, arm ? CFI_AARCH64 : CFI_X86_64, &source);
	return true;
}

/* Where the user part of the recorded chain has the word; the end of that part if it lacks it. */
static uint64_t find_word(const struct chain_work *work, uint64_t word)
{
	uint64_t at = work->user_first;

	while (at < work->user_end && chain_word(work, at) != word)
		at++;
	return at;
}

/* Continues with the recorded chain, from word `at` on. */
static bool append_rest(struct chain_work *work, uint64_t at)
{
	for (; at < work->user_end; at++) {
		uint64_t word = chain_word(work, at);

		if (!chain_word_is_marker(word) &&
		    !chain_append_ip(work, MODE_USER, word, FRAME_RETURN | FRAME_GUESSED))
			return false;
	}
	work->chain->end = STACK_FRAME_POINTERS;
	return true;
}

/*
 * Where the copy of the stack ends, continues behind one of the last return addresses, if that is
 * in the recorded chain. The unwound frames after it are dropped. first: the first unwound frame.
 */
static bool append_splice(struct chain_work *work, size_t first)
{
	const struct unwinder *unwinder = work->reader->unwinder;

	for (size_t i = 0; i < SPLICE_FRAMES && i < unwinder->count; i++) {
		const size_t number = unwinder->count - 1 - i;
		const struct chain_frame *frame = &unwinder->frames[number];
		uint64_t at = work->user_end;

		if (frame->flags & FRAME_RETURN)
			at = find_word(work, frame->ip + 1);
		if (at == work->user_end)
			continue;
		if (at + 1 == work->user_end)
			break;
		work->chain->count = first + number + 1;
		return append_rest(work, at + 1);
	}
	return true;
}

static bool append_unwound(struct chain_work *work, const struct cfi_registers *registers)
{
	const struct record_sample *sample = &work->record->sample;
	struct unwind_stack stack = { sample->user_stack.data, 0, sample->user_stack.used,
		                      work->record->swap };
	struct unwinder *unwinder = work->reader->unwinder;
	size_t first;

	stack.start = registers->values[unwinder->sp];
	if (!unwind_run(unwinder, registers, &stack, &work->chain->end, work->err))
		return false;
	if (work->has_user)
		work->chain->count = work->user_frame;
	first = work->chain->count;
	/*
	 * a program that is just being replaced by exec has no mappings any more, so its code is
	 * unknown; nor has it a stack
	 */
	if (first && work->chain->end == STACK_NO_MAP && !unwinder->frames[0].binary) {
		if (!stack.size)
			work->chain->end = STACK_KERNEL_ONLY;
		return true;
	}
	if (!chain_reserve(work, unwinder->count))
		return false;
	memcpy(work->chain->frames + first, unwinder->frames,
	       unwinder->count * sizeof(*unwinder->frames));
	work->chain->count += unwinder->count;
	return !work->has_user || work->chain->end != STACK_CUT || append_splice(work, first);
}

bool chain_append_copy(struct chain_work *work)
{
	const struct record_sample *sample = &work->record->sample;
	struct cfi_registers registers;
	const struct unwinder *unwinder;

	if (sample->user_regs.abi == PERF_REGS_ABI_NONE) {
		if (work->chain->end != STACK_CUT)
			work->chain->end = STACK_COMPLETE;
		return true;
	}
	if (sample->user_regs.abi == PERF_REGS_ABI_32) {
		work->reader->narrow++;
		work->chain->end = STACK_NO_RULE;
		return true;
	}
	work->chain->end = STACK_NO_RULE;
	if (sample->user_regs.abi != PERF_REGS_ABI_64 || !make_unwinder(work))
		return work->err->code == ERR_NONE;
	read_registers(work, &registers);
	unwinder = work->reader->unwinder;
	return !cfi_is_known(&registers, unwinder->pc) || !cfi_is_known(&registers, unwinder->sp) ||
	       append_unwound(work, &registers);
}
