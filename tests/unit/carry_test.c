/* What goes on from one slice of a stream to the next: processes that run, and what is mapped. */
#include "decode/machine/carry.h"
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */

static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18) };

#define FORK 7u
#define EXIT 4u

static void comm(struct replay *r, uint64_t time, uint32_t pid, const char *name)
{
	put_comm(&r->image, TYPE, 0, name, &(struct test_fields){ .time = time, .pid = pid, .tid = pid });
}

static void task(struct replay *r, uint32_t type, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid)
{
	put_task(&r->image, type, TYPE, ppid, 0, &(struct test_fields){ .time = time, .pid = pid, .tid = tid });
}

static void map(struct replay *r, uint64_t time, uint32_t pid, const char *name, uint64_t start)
{
	put_mmap(&r->image, TYPE, 2, name, start, 0x1000, 0,
	         &(struct test_fields){ .time = time, .pid = pid, .tid = pid });
}

/* A machine that something is carried to. */
struct target {
	struct strings strings;
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
};

static void carry_to(struct target *target, const struct mappings *from)
{
	struct err err = { 0 };

	memset(target, 0, sizeof(*target));
	assert_true(strings_init(&target->strings, &err));
	assert_true(processes_init(&target->processes, &target->strings, &err));
	assert_true(binaries_init(&target->binaries, &target->strings, &err));
	assert_true(mappings_init(&target->mappings, &target->processes, &target->binaries, &err));
	target->processes.keep_thread_names = true;
	assert_true(machine_carry(&target->mappings, from, &err));
}

static void release(struct target *target)
{
	mappings_release(&target->mappings);
	processes_release(&target->processes);
	binaries_release(&target->binaries);
	strings_release(&target->strings);
}

static const struct process *process_of(const struct target *target, uint32_t pid)
{
	const uint32_t number = map_get(&target->processes.pids, pid);

	return number == MAP_NONE ? NULL : &target->processes.items[number];
}

/* The file that a process has at an address; "": nothing is mapped. */
static const char *file_at(const struct target *target, uint32_t pid, uint64_t addr)
{
	const struct process *process = process_of(target, pid);
	const struct space_map *found = process && process->space ? space_find(process->space, addr) : NULL;

	return found ? strings_get(&target->strings, target->binaries.items[found->binary].name) : "";
}

static bool has_binary(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->binaries.count; i++)
		if (!strcmp(strings_get(&target->strings, target->binaries.items[i].name), name))
			return true;
	return false;
}

static void what_runs_goes_on(void **state)
{
	struct target first, second;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 1, 10, "server");
	map(&r, 2, 10, "/bin/server", 0x1000);
	map(&r, 3, 10, "/lib/old.so", 0x8000);
	map(&r, 4, 10, "/lib/new.so", 0x8000); /* in the place of the old one */
	task(&r, FORK, 5, 11, 11, 10);
	task(&r, FORK, 6, 12, 12, 10);
	comm(&r, 7, 12, "worker");
	map(&r, 8, 12, "/lib/gone.so", 0x20000);
	task(&r, EXIT, 9, 12, 12, 10);
	task(&r, FORK, 10, 10, 20, 10); /* a thread, and one that ends */
	task(&r, FORK, 11, 10, 21, 10);
	task(&r, EXIT, 12, 10, 21, 10);
	assert_true(replay_run(&r));
	carry_to(&first, &r.stat.mappings);
	/* a copy of a copy is the same: nothing is lost, or kept longer, from slice to slice */
	carry_to(&second, &first.mappings);
	for (int i = 0; i < 2; i++) {
		const struct target *target = i ? &second : &first;
		const struct process *server = process_of(target, 10), *child = process_of(target, 11);

		assert_non_null(server);
		assert_non_null(child);
		assert_null(process_of(target, 12));
		assert_string_equal(strings_get(&target->strings, server->comm), "server");
		assert_string_equal(strings_get(&target->strings, child->comm), "server");
		assert_int_equal(server->mmaps, 0);
		assert_int_equal(server->live, 2);
		assert_int_equal(server->threads, 2);
		assert_int_equal(child->ppid, 10);
		assert_int_equal(child->fork, 5);
		assert_ptr_equal(server->space, child->space);
		assert_string_equal(file_at(target, 11, 0x1000), "/bin/server");
		assert_string_equal(file_at(target, 10, 0x8fff), "/lib/new.so");
		assert_string_equal(file_at(target, 10, 0x9000), "");
		assert_false(has_binary(target, "/lib/old.so"));
		assert_false(has_binary(target, "/lib/gone.so"));
	}
	assert_int_equal(first.strings.count, second.strings.count);
	assert_int_equal(first.binaries.count, second.binaries.count);
	release(&first);
	release(&second);
	replay_end(&r);
}

static void the_kernel_goes_on(void **state)
{
	struct target target;
	struct replay r;
	const struct space_map *found;

	(void)state;
	replay_begin(&r, &attr, 1);
	put_mmap(&r.image, TYPE, 1, "[kernel.kallsyms]_text", 0xffffffff81000000, 0x1000000, 0xffffffff81000000,
	         &(struct test_fields){ .time = 1, .pid = UINT32_MAX });
	put_mmap(&r.image, TYPE, 1, "/lib/modules/m.ko", 0xffffffffc0000000, 0x1000, 0,
	         &(struct test_fields){ .time = 2, .pid = UINT32_MAX });
	assert_true(replay_run(&r));
	carry_to(&target, &r.stat.mappings);
	found = mapping_kernel_find(&target.mappings, 0xffffffff81000100);
	assert_non_null(found);
	assert_int_equal(target.binaries.items[found->binary].kind, BINARY_KERNEL);
	found = mapping_kernel_find(&target.mappings, 0xffffffffc0000100);
	assert_non_null(found);
	assert_string_equal(strings_get(&target.strings, target.binaries.items[found->binary].name), "[m]");
	release(&target);
	replay_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_goes_on),
		cmocka_unit_test(the_kernel_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
