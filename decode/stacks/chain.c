#include "decode/stacks/chain.h"

#include "decode/machine/cpumode.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* entries of a chain that the kernel records by default */
#define KERNEL_LIMIT 127
/* Return addresses that are searched in the recorded chain, at the end of the copied stack. */
#define SPLICE_FRAMES 8
/*
 * Largest distance in bytes between the address of a sample and the start of its chain: one
 * instruction.
 */
#define SKID_MAX 15

static bool find_user_map(void *context, uint64_t ip, struct space_map *map)
{
	struct chain_reader *reader = context;
	const struct space_map *found = reader->space ? space_find(reader->space, ip) : NULL;

	if (found)
		*map = *found;
	return found != NULL;
}

static struct unwind_rule find_rule(void *context, uint32_t binary, uint64_t addr, struct err *err)
{
	struct chain_reader *reader = context;

	return stack_files_rule(reader->files, binary, addr, err);
}

static bool find_row(void *context, uint32_t binary, uint64_t addr, struct cfi_row *row,
                     struct err *err)
{
	struct chain_reader *reader = context;

	return stack_files_row(reader->files, binary, addr, row, err);
}

void chain_reader_init(struct chain_reader *reader, struct session *session,
                       struct mappings *mappings, struct stack_files *files,
                       const struct chain_binaries *other)
{
	*reader = (struct chain_reader){
		.session = session, .mappings = mappings, .files = files, .other = *other
	};
}

void chain_reader_release(struct chain_reader *reader)
{
	free(reader->unwinder);
	reader->unwinder = NULL;
}

void chain_release(struct chain *chain)
{
	free(chain->frames);
	memset(chain, 0, sizeof(*chain));
}

static enum cpu_mode mode_of_marker(uint64_t marker)
{
	switch (marker) {
	case PERF_CONTEXT_USER:
	case PERF_CONTEXT_USER_DEFERRED:
		return MODE_USER;
	case PERF_CONTEXT_KERNEL:
		return MODE_KERNEL;
	case PERF_CONTEXT_HV:
		return MODE_HYPERVISOR;
	case PERF_CONTEXT_GUEST:
	case PERF_CONTEXT_GUEST_USER:
		return MODE_GUEST_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	default:
		return MODE_UNKNOWN;
	}
}

/* The state of reading the chain of one sample. */
struct chain_work {
	struct chain_reader *reader;
	const struct record *record;
	struct chain *chain;
	struct err *err;
	/* the recorded chain */
	uint64_t user_first, user_end; /* words [user_first, user_end) are its user part */
	size_t user_frame;             /* the first frame of that part */
	uint64_t entries;              /* number of addresses */
	bool has_user, has_kernel;
	enum cpu_mode first_mode; /* of the innermost frame */
};

/* Makes room for that many more frames. */
static inline bool reserve_frames(struct chain_work *work, uint64_t more)
{
	struct chain *chain = work->chain;

	while (chain->capacity - chain->count < more) {
		struct chain_frame *frames = vec_enlarge(chain->frames, &chain->capacity,
		                                         sizeof(*frames), work->err);

		if (!frames)
			return false;
		chain->frames = frames;
	}
	return true;
}

static bool append_frame(struct chain_work *work, const struct chain_frame *frame)
{
	if (!reserve_frames(work, 1))
		return false;
	work->chain->frames[work->chain->count++] = *frame;
	return true;
}

/* The range of the kernel's code around an address in which addresses have the same meaning. */
static bool find_kernel(struct chain_work *work, uint64_t ip, struct space_map *map)
{
	const struct mappings *mappings = work->reader->mappings;
	const struct space_map *found;

	if (mappings->kernel_binary == UINT32_MAX &&
	    !mapping_default_kernel(work->reader->mappings, work->err))
		return false;
	found = mapping_kernel_find(mappings, ip);
	if (found)
		*map = *found;
	if (found != &mappings->kernel_map)
		return true;
	/*
	 * modules lie inside of the kernel's own range; here only the one address is known not to
	 * be in one
	 */
	map->start = u64_max(map->start, mappings->kernel->gap);
	map->end = u64_min(map->end, mappings->kernel->gap_end);
	map->pgoff += map->start - found->start;
	return true;
}

/* The mapping around an address; if there is none, a range of only this address. */
static bool find_map(struct chain_work *work, enum cpu_mode mode, uint64_t ip,
                     struct space_map *map)
{
	struct chain_reader *reader = work->reader;
	const struct space_map *found;

	*map = (struct space_map){ .start = ip, .end = ip + 1, .pgoff = ip };
	switch (mode) {
	case MODE_KERNEL:
		return find_kernel(work, ip, map);
	case MODE_USER:
		found = reader->space ? space_find(reader->space, ip) : NULL;
		if (found)
			*map = *found;
		break;
	case MODE_GUEST_KERNEL:
		map->binary = reader->other.guest_kernel;
		break;
	case MODE_GUEST_USER:
		map->binary = reader->other.guest_user;
		break;
	case MODE_HYPERVISOR:
		map->binary = reader->other.hypervisor;
		break;
	default:
		break;
	}
	return true;
}

/* Sets the frame of an address that is covered by the mapping. */
static inline struct chain_frame frame_at(uint64_t ip, const struct space_map *map, unsigned flags)
{
	return (struct chain_frame){ .ip = ip,
		                     .addr = ip - map->start + map->pgoff,
		                     .binary = map->binary,
		                     .flags = (uint8_t)flags };
}

/* Appends the frame of an address. A return address is looked up at the call before it. */
static bool append_ip(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags)
{
	const uint64_t call = ip - (flags & FRAME_RETURN);
	struct space_map map;
	struct chain_frame frame;

	if (!find_map(work, mode, call, &map))
		return false;
	if (!work->chain->count)
		work->first_mode = mode;
	frame = frame_at(call, &map, flags);
	return append_frame(work, &frame);
}

static uint64_t chain_word(const struct chain_work *work, uint64_t at)
{
	return record_word(work->record, work->record->sample.callchain, at);
}

/*
 * Notes that words [first, end) of the recorded chain, which has no markers there, are of this
 * mode.
 */
static void note_part(struct chain_work *work, enum cpu_mode mode, uint64_t first, uint64_t end)
{
	work->entries += end - first;
	work->has_kernel |= mode == MODE_KERNEL;
	if (!work->chain->count)
		work->first_mode = mode;
	if (mode != MODE_USER)
		return;
	if (!work->has_user) {
		work->user_first = first;
		work->user_frame = work->chain->count;
	}
	work->has_user = true;
	work->user_end = end;
}

/*
 * Appends the frames of one mode, starting at word `first`; there is room for them. Returns the
 * position of the next marker, or the end. On failure err is set.
 */
static uint64_t append_part(struct chain_work *work, enum cpu_mode mode, uint64_t first)
{
	const struct record *record = work->record;
	const uint64_t count = record->sample.callchain_count;
	struct chain_frame *frames = work->chain->frames + work->chain->count;
	struct space_map map = { .start = 0 };
	unsigned flags = 0;
	uint64_t at;

	for (at = first; at < count; at++) {
		uint64_t call = record_word(record, record->sample.callchain, at);

		if (chain_word_is_marker(call))
			break;
		call -= flags;
		if (call - map.start >= map.end - map.start && !find_map(work, mode, call, &map))
			return count;
		*frames++ = frame_at(call, &map, flags);
		flags = FRAME_RETURN;
	}
	if (at > first)
		note_part(work, mode, first, at);
	work->chain->count += at - first;
	return at;
}

/* Appends the chain as it was recorded. */
static bool append_recorded(struct chain_work *work)
{
	const uint64_t count = work->record->sample.callchain_count;
	enum cpu_mode mode = MODE_USER;

	/* a record has no more words; one more is for the sample's own address */
	if (!reserve_frames(work, count + 1))
		return false;
	for (uint64_t at = 0; at < count; at++) {
		uint64_t marker;

		at = append_part(work, mode, at);
		if (at == count)
			break;
		marker = chain_word(work, at);
		mode = mode_of_marker(marker);
		if (marker == PERF_CONTEXT_USER_DEFERRED && at + 1 < count) {
			work->chain->has_cookie = true;
			work->chain->cookie = chain_word(work, ++at);
		}
	}
	return work->err->code == ERR_NONE;
}

static const struct event_attr *attr_of(const struct chain_work *work)
{
	static const struct event_attr none = { .type = 0 };
	const struct session *session = work->reader->session;

	return work->record->event < session->event_count
	               ? &session->events[work->record->event].attr
	               : &none;
}

/* perf's number of the register with a DWARF number. */
static unsigned recorded_register(enum cfi_machine machine, unsigned reg)
{
	static const uint8_t x86[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };

	return machine == CFI_X86_64 ? x86[reg] : reg;
}

static void read_registers(const struct chain_work *work, struct cfi_registers *registers)
{
	const enum cfi_machine machine = work->reader->machine;
	const unsigned count = machine == CFI_X86_64 ? X86_RIP + 1 : CFI_REGISTERS;

	registers->known = 0;
	for (unsigned i = 0; i < count; i++)
		if (record_register(work->record, &work->record->sample.user_regs,
		                    recorded_register(machine, i), &registers->values[i]))
			registers->known |= (uint64_t)1 << i;
}

#define ARM_REGISTERS_MASK ((uint64_t)1 << 32)

/*
 * Finds out which machine the registers are of. In recordings from pipes this may be missing; then
 * the number of registers tells it.
 */
static bool find_machine(struct chain_work *work)
{
	struct chain_reader *reader = work->reader;
	const char *name;

	if (reader->knows_machine)
		return reader->has_machine;
	reader->knows_machine = true;
	name = session_feature_text(reader->session, PERF_FEATURE_ARCH);
	if (name) {
		bool arm = !strcmp(name, "aarch64") || !strcmp(name, "arm64");

		reader->has_machine = arm || !strcmp(name, "x86_64");
		reader->machine = arm ? CFI_AARCH64 : CFI_X86_64;
	} else {
		reader->has_machine = true;
		reader->machine = work->record->sample.user_regs.mask & ARM_REGISTERS_MASK
		                          ? CFI_AARCH64
		                          : CFI_X86_64;
	}
	return reader->has_machine;
}

static bool make_unwinder(struct chain_work *work)
{
	struct chain_reader *reader = work->reader;
	const struct unwind_source source = {
		.context = reader, .map = find_user_map, .rule = find_rule, .row = find_row
	};

	if (reader->unwinder)
		return true;
	reader->unwinder = malloc(sizeof(*reader->unwinder));
	if (!reader->unwinder)
		return err_nomem(work->err, sizeof(*reader->unwinder));
	unwind_init(reader->unwinder, reader->machine, &source);
	return true;
}

/*
 * The position of one of the last return addresses in the recorded chain; UINT64_MAX: none is in
 * it.
 */
static uint64_t find_splice(const struct chain_work *work)
{
	const struct unwinder *unwinder = work->reader->unwinder;

	for (size_t i = 0; i < SPLICE_FRAMES && i < unwinder->count; i++) {
		const struct unwind_frame *frame = &unwinder->frames[unwinder->count - 1 - i];

		if (!(frame->flags & FRAME_RETURN))
			continue;
		for (uint64_t at = work->user_first; at < work->user_end; at++)
			if (chain_word(work, at) == frame->ip + 1)
				return at + 1;
	}
	return UINT64_MAX;
}

/* Continues with the recorded chain where the copy of the stack ends. */
static bool append_splice(struct chain_work *work, uint64_t from)
{
	for (uint64_t at = from; at < work->user_end; at++) {
		uint64_t word = chain_word(work, at);

		if (!chain_word_is_marker(word) &&
		    !append_ip(work, MODE_USER, word, FRAME_RETURN | FRAME_GUESSED))
			return false;
	}
	work->chain->end = STACK_FRAME_POINTERS;
	return true;
}

/* Drops the frames after the one at which the recorded chain continues. */
static void drop_behind_splice(struct chain_work *work, size_t first, uint64_t splice)
{
	const struct unwinder *unwinder = work->reader->unwinder;
	uint64_t ip = chain_word(work, splice - 1) - 1;

	for (size_t i = unwinder->count; i > 0; i--)
		if (unwinder->frames[i - 1].ip == ip) {
			work->chain->count = first + i;
			return;
		}
}

static bool append_unwound_frame(struct chain_work *work, const struct unwind_frame *unwound)
{
	const struct chain_frame frame = { .ip = unwound->ip,
		                           .addr = unwound->addr,
		                           .binary = unwound->binary,
		                           .flags = unwound->flags };

	return append_frame(work, &frame);
}

/* Replaces the user part by the frames in the copy of the stack. */
static bool append_unwound(struct chain_work *work)
{
	const struct record_sample *sample = &work->record->sample;
	struct unwind_stack stack = { sample->user_stack.data, 0, sample->user_stack.used,
		                      work->record->swap };
	struct cfi_registers registers;
	struct unwinder *unwinder;
	uint64_t splice;
	size_t first;

	if (!make_unwinder(work))
		return false;
	unwinder = work->reader->unwinder;
	read_registers(work, &registers);
	stack.start = registers.values[work->reader->machine == CFI_X86_64 ? X86_RSP : ARM_SP];
	if (!unwind_run(unwinder, &registers, &stack, &work->chain->end, work->err))
		return false;
	if (work->has_user)
		work->chain->count = work->user_frame;
	first = work->chain->count;
	/*
	 * a program that is just being replaced by exec has no mappings any more, so its code is
	 * unknown
	 */
	if (first && work->chain->end == STACK_NO_MAP && !unwinder->frames[0].binary)
		return true;
	if (!first)
		work->first_mode = MODE_USER;
	for (size_t i = 0; i < unwinder->count; i++)
		if (!append_unwound_frame(work, &unwinder->frames[i]))
			return false;
	if (!work->has_user || work->chain->end != STACK_CUT)
		return true;
	splice = find_splice(work);
	if (splice >= work->user_end)
		return true;
	drop_behind_splice(work, first, splice);
	return append_splice(work, splice);
}

static bool has_program_counter(const struct chain_work *work)
{
	uint64_t value;

	return record_register(work->record, &work->record->sample.user_regs,
	                       work->reader->machine == CFI_X86_64 ? 8 : ARM_PC, &value) &&
	       record_register(work->record, &work->record->sample.user_regs,
	                       work->reader->machine == CFI_X86_64 ? 7 : ARM_SP, &value);
}

/*
 * Whether the sample has registers and room for a copy of the stack; kernel threads have neither.
 */
static bool append_from_copy(struct chain_work *work)
{
	const struct record_sample *sample = &work->record->sample;

	work->chain->end = STACK_COMPLETE;
	if (sample->user_regs.abi == PERF_REGS_ABI_NONE)
		return true;
	if (sample->user_regs.abi == PERF_REGS_ABI_32) {
		work->reader->narrow++;
		work->chain->end = STACK_NO_RULE;
		return true;
	}
	work->chain->end = STACK_NO_REGISTERS;
	if (sample->user_regs.abi != PERF_REGS_ABI_64 || !find_machine(work) ||
	    !has_program_counter(work))
		return true;
	return append_unwound(work);
}

/*
 * Appends the processor's record of calls that have not returned, which has the addresses of the
 * calls.
 */
static bool append_branches(struct chain_work *work)
{
	const struct record_branches *branches = &work->record->sample.branches;
	const struct branch newest = record_branch(work->record, 0);
	uint64_t ip = newest.to;

	if (work->has_user) {
		ip = chain_word(work, work->user_first);
		work->chain->count = work->user_frame;
	} else if (cpu_mode_of(work->record->misc) == MODE_USER && work->record->sample.ip) {
		ip = work->record->sample.ip;
	}
	if (!append_ip(work, MODE_USER, ip, 0))
		return false;
	for (uint64_t i = 0; i < branches->count; i++)
		if (!append_ip(work, MODE_USER, record_branch(work->record, i).from, 0))
			return false;
	work->chain->end = STACK_FRAME_POINTERS;
	return true;
}

/* How a chain ended that is used as it was recorded. */
static enum stack_end recorded_end(const struct chain_work *work)
{
	const struct event_attr *attr = attr_of(work);
	uint64_t limit = attr->sample_max_stack ? attr->sample_max_stack : KERNEL_LIMIT;

	if (work->chain->has_cookie)
		return STACK_DEFERRED_LOST;
	if (work->has_user)
		return work->entries >= limit ? STACK_CUT : STACK_FRAME_POINTERS;
	if (!work->entries)
		return STACK_NONE;
	/* a kernel thread has no user part */
	return attr_flag(attr, PERF_FLAG_EXCLUDE_CALLCHAIN_USER) ? STACK_KERNEL_ONLY
	                                                         : STACK_COMPLETE;
}

static bool append_user_part(struct chain_work *work)
{
	const struct record_sample *sample = &work->record->sample;
	const uint32_t copy = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	work->chain->end = recorded_end(work);
	if ((sample->fields & copy) == copy &&
	    (!work->has_user || sample->user_regs.abi == PERF_REGS_ABI_64))
		return append_from_copy(work);
	if (sample->branches.count &&
	    (attr_of(work)->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK) &&
	    (work->has_user || cpu_mode_of(work->record->misc) == MODE_USER))
		return append_branches(work);
	return true;
}

/*
 * Makes the sample's own address the innermost frame, because that is the address it is counted at.
 */
static bool put_sample_first(struct chain_work *work)
{
	const uint64_t ip = work->record->sample.ip;
	const enum cpu_mode mode = cpu_mode_of(work->record->misc);
	struct chain *chain = work->chain;
	size_t count = chain->count;
	struct chain_frame first;

	if (count && work->first_mode == mode && chain->frames[0].ip == ip)
		return true;
	if (!append_ip(work, mode, ip, 0))
		return false;
	first = chain->frames[count];
	/* the processor may report one of the two precisely and the other one instruction late */
	if (count && work->first_mode == mode &&
	    chain->frames[0].ip - ip + SKID_MAX <= 2 * SKID_MAX) {
		chain->frames[0] = first;
		chain->count = count;
		return true;
	}
	memmove(chain->frames + 1, chain->frames, count * sizeof(*chain->frames));
	chain->frames[0] = first;
	return true;
}

bool chain_read(struct chain_reader *reader, const struct record *record, struct space *space,
                struct chain *chain, struct err *err)
{
	struct chain_work work = { .reader = reader, .record = record, .chain = chain, .err = err };

	reader->space = space;
	chain->count = 0;
	chain->has_cookie = false;
	chain->end = STACK_NONE;
	return append_recorded(&work) && append_user_part(&work) && put_sample_first(&work);
}

bool chain_append_deferred(struct chain_reader *reader, const struct record *record,
                           struct space *space, struct chain *chain, struct err *err)
{
	struct chain_work work = { .reader = reader, .record = record, .chain = chain, .err = err };

	reader->space = space;
	for (uint64_t i = 0; i < record->deferred.count; i++) {
		uint64_t word = record_word(record, record->deferred.ips, i);

		/* a sample in user mode has its own address in the chain already */
		if (chain_word_is_marker(word) ||
		    (i == 0 && chain->count && chain->frames[chain->count - 1].ip == word))
			continue;
		if (!append_ip(&work, MODE_USER, word, i ? FRAME_RETURN : 0))
			return false;
	}
	chain->end = STACK_FRAME_POINTERS;
	chain->has_cookie = false;
	return true;
}
