/* Call chains of samples, of every kind that a recording can hold. */
#include "decode/stacks/chainkey.h"

#include "decode/machine/cpumode.h"

#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KERNEL_IP 0xffffffff81000000u
#define CODE 0x400000u
#define STACK 0x7ffe00000000u

#define CALLCHAIN ((uint64_t)PERF_SAMPLE_CALLCHAIN)
#define COPY ((uint64_t)PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define X86_MASK 0xff0fffu

/* A sample of a process with one mapping, [CODE, CODE + 0x1000), of a binary that has no file. */
struct made_sample {
	struct strings strings;
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
	struct session session;
	struct event event;
	struct diag diag;
	struct file_options options;
	struct chain_reader reader;
	struct space *space;
	struct record record;
	struct chain chain;
	uint64_t words[400], regs[64], stack[100], branches[60];
	struct err err;
	uint32_t code; /* binary */
};

static uint32_t add_binary(struct made_sample *made, enum binary_kind kind, const char *name)
{
	struct binary binary = { .kind = kind };

	binary.name = binary.path = strings_put_text(&made->strings, name, &made->err);
	return binaries_put(&made->binaries, &binary, &made->err);
}

static void begin(struct made_sample *made, uint16_t mode, uint64_t ip, uint64_t fields)
{
	struct space_map map = { CODE, CODE + 0x1000, 0, 0 };

	memset(made, 0, sizeof(*made));
	diag_init(&made->diag, NULL, NULL);
	session_init(&made->session, &made->diag);
	assert_true(strings_init(&made->strings, &made->err));
	assert_true(processes_init(&made->processes, &made->strings, &made->err));
	assert_true(binaries_init(&made->binaries, &made->strings, &made->err));
	assert_true(mappings_init(&made->mappings, &made->processes, &made->binaries, &made->err));
	made->session.events = &made->event;
	made->session.event_count = 1;
	made->code = map.binary = add_binary(made, BINARY_JIT, "code");
	made->space = space_new(&made->processes.pool, &made->err);
	assert_true(space_insert(&made->space, &map, &made->err));
	stack_files_init(&made->reader.files, &made->session, &made->mappings, &made->options);
	made->record.type = PERF_RECORD_SAMPLE;
	made->record.misc = mode;
	made->record.sample.ip = ip;
	made->record.sample.fields = (uint32_t)fields;
	made->record.sample.callchain = (const uint8_t *)made->words;
}

static void end(struct made_sample *made)
{
	made->session.events = NULL;
	made->session.event_count = 0;
	chain_release(&made->chain);
	chain_reader_release(&made->reader);
	space_put(made->space);
	mappings_release(&made->mappings);
	processes_release(&made->processes);
	binaries_release(&made->binaries);
	strings_release(&made->strings);
	session_release(&made->session);
	diag_release(&made->diag);
}

static void add_words(struct made_sample *made, const uint64_t *words, size_t count)
{
	memcpy(made->words + made->record.sample.callchain_count, words, count * sizeof(*words));
	made->record.sample.callchain_count += count;
}

#define CHAIN(made, ...)                                                                         \
	add_words(made, (const uint64_t[]){ __VA_ARGS__ },                                       \
	          sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void check(struct made_sample *made, enum stack_end ends, const uint64_t *ips, size_t count)
{
	assert_true(chain_read(&made->reader, &made->record, made->space, &made->chain, &made->err));
	assert_int_equal(made->chain.count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(made->chain.frames[i].ip, ips[i]);
	assert_int_equal(made->chain.end, ends);
}

#define CHECK(made, ends, ...)                                                                   \
	check(made, ends, (const uint64_t[]){ __VA_ARGS__ },                                     \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* The first entry behind a marker is where the program was; those that follow are return addresses. */
static void test_markers(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN);
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, KERNEL_IP + 0x10, PERF_CONTEXT_USER, CODE + 0x20,
	      CODE + 0x30);
	CHECK(&made, STACK_FRAME_POINTERS, KERNEL_IP, KERNEL_IP + 0xf, CODE + 0x20, CODE + 0x2f);
	assert_int_equal(made.chain.frames[2].binary, made.code);
	assert_int_equal(made.chain.frames[2].addr, 0x20);
	assert_int_equal(made.chain.frames[3].addr, 0x2f);
	assert_int_equal(made.chain.frames[3].flags, FRAME_RETURN);
	assert_int_equal(made.chain.frames[2].flags, 0);
	assert_int_equal(made.chain.frames[0].binary, made.mappings.kernel_binary);
	end(&made);

	/* no marker: user; a marker that is not known does not cost the rest of the chain */
	begin(&made, PERF_CPUMODE_USER, CODE + 1, CALLCHAIN);
	CHAIN(&made, CODE + 1, CODE + 0x10, (uint64_t)-3000, 0x77, 0x88, PERF_CONTEXT_GUEST_KERNEL,
	      0x99, PERF_CONTEXT_USER, CODE + 0x40);
	CHECK(&made, STACK_FRAME_POINTERS, CODE + 1, CODE + 0xf, 0x77, 0x87, 0x99, CODE + 0x40);
	assert_int_equal(made.chain.frames[2].binary, 0);
	assert_int_equal(made.chain.frames[4].binary, GUEST_KERNEL_BINARY);
	assert_int_equal(made.chain.frames[5].binary, made.code);
	end(&made);
}

/* Start-up code lies behind the text that MMAP records say, and still calls the idle task. */
static void test_start_up_code(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN);
	assert_true(mapping_default_kernel(&made.mappings, &made.err));
	made.mappings.kernel_map.start = made.mappings.kernel_map.pgoff = KERNEL_IP;
	made.mappings.kernel_map.end = KERNEL_IP + 0x1000;
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, KERNEL_IP + 0x2583001, KERNEL_IP - 0xfff,
	      0xffffffffc0000001);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 0x2583000, KERNEL_IP - 0x1000,
	      0xffffffffc0000000);
	assert_int_equal(made.chain.frames[1].binary, made.mappings.kernel_binary);
	assert_int_equal(made.chain.frames[1].addr, KERNEL_IP + 0x2583000);
	assert_int_equal(made.chain.frames[2].binary, 0);
	assert_int_equal(made.chain.frames[3].binary, 0);
	/* a sample's own address is where all tables count it */
	made.record.sample.callchain_count = 0;
	made.record.sample.ip = KERNEL_IP + 0x2583000;
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP + 0x2583000);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP + 0x2583000);
	assert_int_equal(made.chain.frames[0].binary, 0);
	end(&made);
}

/* The innermost frame is the sample's own ip, whatever the chain begins with. */
static void test_first_frame(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_USER, CODE + 0x100, CALLCHAIN);
	CHAIN(&made, PERF_CONTEXT_USER, CODE + 0x300, CODE + 0x400);
	CHECK(&made, STACK_FRAME_POINTERS, CODE + 0x100, CODE + 0x300, CODE + 0x3ff);
	made.record.sample.ip = CODE + 0x2fc; /* an instruction earlier */
	CHECK(&made, STACK_FRAME_POINTERS, CODE + 0x2fc, CODE + 0x3ff);
	made.record.misc = PERF_CPUMODE_KERNEL; /* the kernel's part was not recorded */
	made.record.sample.ip = KERNEL_IP;
	CHECK(&made, STACK_FRAME_POINTERS, KERNEL_IP, CODE + 0x300, CODE + 0x3ff);
	end(&made);
}

static void test_ends(void **state)
{
	struct made_sample made;
	uint64_t ips[127];

	(void)state;
	begin(&made, PERF_CPUMODE_USER, CODE + 5, 0);
	CHECK(&made, STACK_NONE, CODE + 5);
	end(&made);
	/* a thread of the kernel, and a recording of the kernel alone */
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN);
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, KERNEL_IP + 9);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 8);
	made.event.attr.flags = FLAG(PERF_FLAG_EXCLUDE_CALLCHAIN_USER);
	CHECK(&made, STACK_KERNEL_ONLY, KERNEL_IP, KERNEL_IP + 8);
	end(&made);
	/* as many entries as the kernel records at most; or as it was told to */
	begin(&made, PERF_CPUMODE_USER, CODE, CALLCHAIN);
	for (unsigned i = 0; i < 127; i++) {
		CHAIN(&made, CODE + 2 * i);
		ips[i] = CODE + 2 * i - (i ? 1 : 0);
	}
	check(&made, STACK_CUT, ips, 127);
	made.event.attr.sample_max_stack = 200;
	check(&made, STACK_FRAME_POINTERS, ips, 127);
	end(&made);
}

/* The kernel's part and the user's share the limit; where the first uses it up, the second is missing. */
static void test_limit_in_kernel(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN);
	made.event.attr.sample_max_stack = 3;
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, KERNEL_IP + 9);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 8);
	CHAIN(&made, KERNEL_IP + 17);
	CHECK(&made, STACK_CUT, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	made.event.attr.sample_max_stack = 4;
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	made.event.attr.sample_max_stack = 3;
	CHAIN(&made, PERF_CONTEXT_USER);
	CHECK(&made, STACK_CUT, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	/* of the kernel alone, its own callers are missing */
	made.event.attr.flags = FLAG(PERF_FLAG_EXCLUDE_CALLCHAIN_USER);
	CHECK(&made, STACK_CUT, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	made.event.attr.sample_max_stack = 4;
	CHECK(&made, STACK_KERNEL_ONLY, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	/* the same of a thread of the kernel where stacks are copied */
	made.record.sample.fields = (uint32_t)(CALLCHAIN | COPY);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	made.event.attr.sample_max_stack = 3;
	CHECK(&made, STACK_CUT, KERNEL_IP, KERNEL_IP + 8, KERNEL_IP + 16);
	end(&made);
}

static void test_deferred(void **state)
{
	uint64_t later[] = { CODE + 0x50, CODE + 0x60 };
	struct made_sample made;
	struct record record = { .type = PERF_RECORD_CALLCHAIN_DEFERRED };

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN);
	/* a cookie may look like a marker */
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, PERF_CONTEXT_USER_DEFERRED, PERF_CONTEXT_USER);
	CHECK(&made, STACK_CUT, KERNEL_IP);
	assert_true(made.chain.has_cookie);
	assert_int_equal(made.chain.cookie, PERF_CONTEXT_USER);
	record.deferred.count = 2;
	record.deferred.ips = (const uint8_t *)later;
	assert_true(chain_append_deferred(&made.reader, &record, made.space, &made.chain, &made.err));
	assert_int_equal(made.chain.count, 3);
	assert_int_equal(made.chain.frames[1].ip, CODE + 0x50);
	assert_int_equal(made.chain.frames[2].ip, CODE + 0x5f);
	assert_int_equal(made.chain.end, STACK_FRAME_POINTERS);
	end(&made);
	/* in user mode the sample itself is the first of them */
	begin(&made, PERF_CPUMODE_USER, CODE + 0x50, CALLCHAIN);
	CHAIN(&made, PERF_CONTEXT_USER_DEFERRED, 7);
	CHECK(&made, STACK_CUT, CODE + 0x50);
	assert_true(chain_append_deferred(&made.reader, &record, made.space, &made.chain, &made.err));
	assert_int_equal(made.chain.count, 2);
	end(&made);
}

static void test_branches(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
	made.event.attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, PERF_CONTEXT_USER, CODE + 0x105, CODE + 0x999);
	made.branches[0] = CODE + 0x200, made.branches[1] = CODE + 0x100;
	made.branches[3] = CODE + 0x300, made.branches[4] = CODE + 0x1f0;
	made.record.sample.branches.data = (const uint8_t *)made.branches;
	made.record.sample.branches.count = 2;
	CHECK(&made, STACK_FRAME_POINTERS, KERNEL_IP, CODE + 0x105, CODE + 0x200, CODE + 0x300);
	/* branches of another kind are no chain */
	made.event.attr.branch_sample_type = 0;
	CHECK(&made, STACK_FRAME_POINTERS, KERNEL_IP, CODE + 0x105, CODE + 0x998);
	end(&made);
}

/* Registers of x86-64 and a stack of frame pointers: the code has no rules. */
static void put_copy(struct made_sample *made, uint64_t ip, size_t words)
{
	const unsigned order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
		made->regs[i] = 0;
	made->regs[6] = STACK + 8;
	made->regs[7] = STACK;
	made->regs[8] = ip;
	made->record.sample.user_regs.abi = PERF_REGS_ABI_64;
	made->record.sample.user_regs.mask = X86_MASK;
	made->record.sample.user_regs.values = (const uint8_t *)made->regs;
	made->record.sample.user_stack.data = (const uint8_t *)made->stack;
	made->record.sample.user_stack.size = sizeof(made->stack);
	made->record.sample.user_stack.used = 8 * words;
	made->stack[1] = STACK + 8 * 3, made->stack[2] = CODE + 0x20;
	made->stack[3] = STACK + 8 * 5, made->stack[4] = CODE + 0x30;
	made->stack[5] = 0, made->stack[6] = CODE + 0x40;
}

static void test_copy(void **state)
{
	struct space_map heap = { CODE + 0x10000, CODE + 0x20000, 0, 0 };
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_KERNEL, KERNEL_IP, CALLCHAIN | COPY);
	made.event.attr.flags = FLAG(PERF_FLAG_EXCLUDE_CALLCHAIN_USER);
	CHAIN(&made, PERF_CONTEXT_KERNEL, KERNEL_IP, KERNEL_IP + 8);
	put_copy(&made, CODE + 0x10, 7);
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 7, CODE + 0x10, CODE + 0x1f, CODE + 0x2f,
	      CODE + 0x3f);
	made.record.sample.user_stack.used = 8 * 5;
	CHECK(&made, STACK_CUT, KERNEL_IP, KERNEL_IP + 7, CODE + 0x10, CODE + 0x1f, CODE + 0x2f);
	/* no code is at what should be a return address; the interrupted function is known */
	heap.binary = add_binary(&made, BINARY_SPECIAL, "[heap]");
	assert_true(space_insert(&made.space, &heap, &made.err));
	made.stack[2] = heap.start + 0x20;
	CHECK(&made, STACK_NO_RULE, KERNEL_IP, KERNEL_IP + 7, CODE + 0x10);
	/* where nothing is mapped any more the kernel's part is all, and if there is no stack either, nothing is missing */
	made.regs[8] = CODE + 0x100000;
	CHECK(&made, STACK_NO_MAP, KERNEL_IP, KERNEL_IP + 7);
	made.record.sample.user_stack.used = 0;
	CHECK(&made, STACK_KERNEL_ONLY, KERNEL_IP, KERNEL_IP + 7);
	/* a 32-bit program, and a thread of the kernel */
	made.record.sample.user_regs.abi = PERF_REGS_ABI_32;
	CHECK(&made, STACK_NO_RULE, KERNEL_IP, KERNEL_IP + 7);
	assert_int_equal(made.reader.narrow, 1);
	made.record.sample.user_regs.abi = PERF_REGS_ABI_NONE;
	CHECK(&made, STACK_COMPLETE, KERNEL_IP, KERNEL_IP + 7);
	/* without a stack pointer there is nothing to walk */
	made.record.sample.user_regs.abi = PERF_REGS_ABI_64;
	made.record.sample.user_regs.mask = 0xf;
	CHECK(&made, STACK_NO_RULE, KERNEL_IP, KERNEL_IP + 7);
	end(&made);
}

/* Where the copy ends, the recorder's own chain goes on. */
static void test_splice(void **state)
{
	struct made_sample made;

	(void)state;
	begin(&made, PERF_CPUMODE_USER, CODE + 0x10, CALLCHAIN | COPY);
	CHAIN(&made, PERF_CONTEXT_USER, CODE + 0x10, CODE + 0x30, CODE + 0x40, CODE + 0x50);
	put_copy(&made, CODE + 0x10, 5);
	CHECK(&made, STACK_FRAME_POINTERS, CODE + 0x10, CODE + 0x1f, CODE + 0x2f, CODE + 0x3f,
	      CODE + 0x4f);
	assert_int_equal(made.chain.frames[3].flags, FRAME_RETURN | FRAME_GUESSED);
	made.record.sample.user_stack.used = 8 * 7; /* all of it was copied */
	CHECK(&made, STACK_COMPLETE, CODE + 0x10, CODE + 0x1f, CODE + 0x2f, CODE + 0x3f);
	made.record.sample.user_stack.used = 8 * 5;
	made.words[2] = CODE + 0x88; /* no return address that both have */
	CHECK(&made, STACK_CUT, CODE + 0x10, CODE + 0x1f, CODE + 0x2f);
	end(&made);
}

/* A chain and its keys, of a sample that was recorded with a list of addresses. */
struct keyed_chain {
	struct chain_keys keys;
	struct chain_frame frames[8];
	size_t count;
	enum stack_end end;
};

/* The place of the sample's own address, as it is counted at. */
static void find_place(const struct made_sample *made, struct chain_list *list)
{
	const struct space_map *map = NULL;

	if (cpu_mode_of(list->misc) == MODE_KERNEL)
		map = mapping_kernel_find(&made->mappings, list->ip);
	else if (cpu_mode_of(list->misc) == MODE_USER)
		map = space_find(made->space, list->ip);
	list->binary = map ? map->binary : cpu_mode_of(list->misc) == MODE_GUEST_USER ? GUEST_USER_BINARY : 0;
	list->addr = map ? list->ip - map->start + map->pgoff : list->ip;
}

static struct chain_keys keys_of(const struct made_sample *made)
{
	struct chain_list list = { .words = made->record.sample.callchain,
		                   .count = made->record.sample.callchain_count,
		                   .attr = &made->event.attr,
		                   .ip = made->record.sample.ip,
		                   .misc = made->record.misc,
		                   .space = made->space,
		                   .mappings = &made->mappings };

	find_place(made, &list);
	return chain_list_keys(&list, 1234567, 0);
}

static void take_random(struct made_sample *made, struct keyed_chain *taken)
{
	static const uint64_t words[] = { PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER, PERF_CONTEXT_GUEST_USER,
		                          KERNEL_IP, KERNEL_IP + 1, CODE, CODE + 1, CODE + 0x30,
		                          0x77, 0x78, 0x79, 0 };
	static const uint64_t ips[] = { CODE, CODE + 1, KERNEL_IP, 0x77, 0x78, CODE + 0x40,
		                        /* as far from 0 as the marker is */
		                        PERF_CONTEXT_USER };
	static const uint16_t modes[] = { PERF_CPUMODE_USER, PERF_CPUMODE_KERNEL,
		                          PERF_CPUMODE_GUEST_USER, 0 };

	made->event.attr.sample_max_stack = (uint16_t)(rand() % 2 * 2);
	made->event.attr.flags = rand() % 2 ? FLAG(PERF_FLAG_EXCLUDE_CALLCHAIN_USER) : 0;
	made->record.sample.callchain_count = (uint64_t)(rand() % 5);
	for (uint64_t i = 0; i < made->record.sample.callchain_count; i++)
		made->words[i] = words[(size_t)rand() % (sizeof(words) / sizeof(*words))];
	made->record.sample.ip = ips[(size_t)rand() % (sizeof(ips) / sizeof(*ips))];
	made->record.misc = modes[(size_t)rand() % (sizeof(modes) / sizeof(*modes))];
	assert_true(chain_read(&made->reader, &made->record, made->space, &made->chain, &made->err));
	taken->keys = keys_of(made);
	taken->count = made->chain.count;
	taken->end = made->chain.end;
	assert_true(taken->count <= sizeof(taken->frames) / sizeof(*taken->frames));
	memcpy(taken->frames, made->chain.frames, taken->count * sizeof(*taken->frames));
}

/* Whether the frames from the first one outwards are equal, and the ends. */
static bool are_equal(const struct keyed_chain *a, const struct keyed_chain *b, size_t first)
{
	if (a->count != b->count || a->end != b->end)
		return false;
	for (size_t i = first; i < a->count; i++)
		if (a->frames[i].binary != b->frames[i].binary || a->frames[i].addr != b->frames[i].addr)
			return false;
	return true;
}

/* Lists with equal keys have equal frames and ends; and most lists that are equal have equal keys. */
static void test_list_keys(void **state)
{
	enum { COUNT = 3000 };
	struct keyed_chain *chains = calloc(COUNT, sizeof(*chains));
	struct made_sample made;
	size_t same = 0, same_callers = 0;

	(void)state;
	assert_non_null(chains);
	begin(&made, PERF_CPUMODE_USER, CODE, CALLCHAIN);
	assert_true(mapping_default_kernel(&made.mappings, &made.err));
	srand(1);
	for (size_t i = 0; i < COUNT; i++)
		take_random(&made, &chains[i]);
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < i; j++) {
			if (chains[i].keys.callers == chains[j].keys.callers) {
				same_callers++;
				assert_true(are_equal(&chains[i], &chains[j], 1));
			}
			if (chains[i].keys.whole != chains[j].keys.whole)
				continue;
			same++;
			assert_true(are_equal(&chains[i], &chains[j], 0));
		}
	assert_true(same > COUNT / 10);
	assert_true(same_callers > same);
	end(&made);
	free(chains);
}

/* The key of the callers of a sample with that chain. */
static uint64_t callers_of(struct made_sample *made, uint64_t ip, const uint64_t *words, size_t count)
{
	made->record.sample.ip = ip;
	made->record.sample.callchain_count = 0;
	add_words(made, words, count);
	return keys_of(made).callers;
}

#define CALLERS(made, ip, ...)                                                                   \
	callers_of(made, ip, (const uint64_t[]){ __VA_ARGS__ },                                  \
	           sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

/* Samples anywhere in a function have the same callers, but those of an event may end otherwise. */
static void test_same_callers(void **state)
{
	struct made_sample made;
	uint64_t key;

	(void)state;
	begin(&made, PERF_CPUMODE_USER, CODE, CALLCHAIN);
	key = CALLERS(&made, CODE + 1, PERF_CONTEXT_USER, CODE + 1, CODE + 0x30);
	assert_true(CALLERS(&made, CODE + 9, PERF_CONTEXT_USER, CODE + 9, CODE + 0x30) == key);
	/* one instruction late; and so far away that both are frames */
	assert_true(CALLERS(&made, CODE + 1, PERF_CONTEXT_USER, CODE + 9, CODE + 0x30) == key);
	assert_true(CALLERS(&made, CODE + 1, PERF_CONTEXT_USER, CODE + 17, CODE + 0x30) != key);
	made.event.attr.sample_max_stack = 2;
	assert_true(CALLERS(&made, CODE + 1, PERF_CONTEXT_USER, CODE + 1, CODE + 0x30) != key);
	/* outside of all mappings callers are one place, whatever the sample's own address is */
	CALLERS(&made, 0x77, PERF_CONTEXT_USER, 0x77, 0x78);
	CHECK(&made, STACK_CUT, 0x77, 0x77);
	assert_int_equal(made.chain.frames[0].addr, 0x77);
	assert_int_equal(made.chain.frames[1].addr, 0);
	end(&made);
}

/* A file that is mapped elsewhere has the same keys; a change of the kernel's code gives new ones. */
static void test_same_list(void **state)
{
	struct space_map moved = { 2 * CODE, 2 * CODE + 0x1000, 0, 0 };
	struct made_sample made;
	uint64_t key;

	(void)state;
	begin(&made, PERF_CPUMODE_USER, CODE + 1, CALLCHAIN);
	CHAIN(&made, PERF_CONTEXT_USER, CODE + 1, CODE + 0x20);
	key = keys_of(&made).whole;
	moved.binary = made.code;
	assert_true(space_insert(&made.space, &moved, &made.err));
	for (size_t i = 1; i < 3; i++)
		made.words[i] += CODE;
	made.record.sample.ip += CODE;
	assert_int_equal(keys_of(&made).whole, key);
	assert_true(mapping_default_kernel(&made.mappings, &made.err));
	assert_true(keys_of(&made).whole != key);
	/* the rest follows in another record */
	CHAIN(&made, PERF_CONTEXT_USER_DEFERRED, 17);
	assert_true(keys_of(&made).whole == 0);
	end(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_markers),  cmocka_unit_test(test_first_frame),
		cmocka_unit_test(test_start_up_code), cmocka_unit_test(test_limit_in_kernel),
		cmocka_unit_test(test_ends),     cmocka_unit_test(test_deferred),
		cmocka_unit_test(test_branches), cmocka_unit_test(test_copy),
		cmocka_unit_test(test_splice),   cmocka_unit_test(test_list_keys),
		cmocka_unit_test(test_same_list), cmocka_unit_test(test_same_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
