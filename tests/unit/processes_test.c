/* Processes: fork, exec, exit, names, threads, pids used again. Format reference, 8.2. */
#include "tests/unit/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(8)) /* IP TID TIME PERIOD */
#define COMM_EXEC FLAG(24)
#define EXEC 0x2000u /* misc bit 13: of COMM an exec, of FORK one that perf wrote itself */

static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18) | COMM_EXEC };

static void comm(struct replay *r, uint64_t time, uint32_t pid, uint32_t tid, uint16_t misc, const char *name)
{
	put_comm(&r->image, TYPE, misc, name, &(struct test_fields){ .time = time, .pid = pid, .tid = tid });
}

/* The trailer of a FORK names the parent; its time is the record's. */
static void task(struct replay *r, uint32_t type, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid, uint16_t misc)
{
	put_task(&r->image, type, TYPE, ppid, misc, &(struct test_fields){ .time = time, .pid = pid, .tid = tid });
}

#define FORK 7u
#define EXIT 4u

static void map(struct replay *r, uint64_t time, uint32_t pid, const char *name, uint64_t start, uint64_t length)
{
	put_mmap(&r->image, TYPE, 2, name, start, length, 0,
	         &(struct test_fields){ .time = time, .pid = pid, .tid = pid });
}

static void sample(struct replay *r, uint64_t time, uint32_t pid, uint32_t tid, uint64_t ip)
{
	put_sample(&r->image, TYPE, 2,
	           &(struct test_fields){ .time = time, .pid = pid, .tid = tid, .ip = ip, .period = 10 });
}

static const char *name_of(const struct replay *r, const struct process *process)
{
	return strings_get(&r->strings, process->comm);
}

static void expect_samples(const struct replay *r, const char *binary, uint64_t addr, uint64_t samples)
{
	uint64_t period;

	assert_int_equal(replay_samples(r, 0, binary, addr, &period), samples);
	assert_int_equal(period, 10 * samples);
}

static void a_thread_does_not_name_the_child(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 0, 100, 100, 0, "server");
	task(&r, FORK, 50, 200, 200, 100, 0);
	task(&r, FORK, 60, 200, 201, 200, 0);
	comm(&r, 70, 200, 201, 0, "worker");
	assert_true(replay_counted(&r));
	assert_string_equal(name_of(&r, replay_process(&r, 200, 0)), "server");
	replay_end(&r);
}

static void fork_exec_exit(void **state)
{
	const struct process *child, *parent;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 0, 100, 100, 0, "shell");
	map(&r, 0, 100, "/bin/sh", 0x1000, 0x1000);
	task(&r, FORK, 50, 200, 200, 100, 0);
	sample(&r, 60, 200, 200, 0x1010);  /* still the parent's image */
	comm(&r, 70, 200, 200, EXEC, "prog");
	sample(&r, 75, 200, 200, 0x1020);  /* the old image is gone */
	map(&r, 80, 200, "/bin/prog", 0x1000, 0x800);
	sample(&r, 90, 200, 200, 0x1030);
	sample(&r, 91, 200, 200, 0x1830);  /* the parent mapped more than the child does now */
	sample(&r, 92, 100, 100, 0x1040);  /* the parent's image is as it was */
	task(&r, EXIT, 100, 200, 200, 100, 0);
	assert_true(replay_counted(&r));
	child = replay_process(&r, 200, 0);
	parent = replay_process(&r, 100, 0);
	assert_string_equal(name_of(&r, child), "prog");
	assert_string_equal(name_of(&r, parent), "shell");
	assert_int_equal(child->fork, 50);
	assert_int_equal(child->exit, 100);
	assert_int_equal(child->ppid, 100);
	assert_int_equal(child->mmaps, 1);
	assert_int_equal(child->threads, 1);
	assert_true(parent->fork == TIME_NONE && parent->exit == TIME_NONE);
	expect_samples(&r, "/bin/sh", 0x10, 1);
	expect_samples(&r, "[unknown]", 0x1020, 1);
	expect_samples(&r, "/bin/prog", 0x30, 1);
	expect_samples(&r, "[unknown]", 0x1830, 1);
	expect_samples(&r, "/bin/sh", 0x40, 1);
	replay_end(&r);
}

/* Without the attr's comm_exec, or from perf itself (time 0), a COMM is only a name. */
static void renames_keep_the_maps(void **state)
{
	(void)state;
	for (int form = 0; form < 3; form++) {
		struct test_attr a = attr;
		struct replay r;

		a.flags = form == 0 ? FLAG(18) : a.flags;
		replay_begin(&r, &a, 1);
		map(&r, 0, 100, "/bin/sh", 0x1000, 0x1000);
		comm(&r, form == 1 ? 0 : 20, 100, 100, form == 2 ? 0 : EXEC, "renamed");
		sample(&r, 30, 100, 100, 0x1010);
		assert_true(replay_counted(&r));
		expect_samples(&r, "/bin/sh", 0x10, 1);
		assert_string_equal(name_of(&r, replay_process(&r, 100, 0)), "renamed");
		replay_end(&r);
	}
}

static void threads_share_everything(void **state)
{
	const struct process *process;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 0, 100, 100, 0, "many");
	map(&r, 0, 100, "/bin/many", 0x1000, 0x1000);
	for (uint32_t tid = 101; tid < 104; tid++)
		task(&r, FORK, tid, 100, tid, 100, 0);
	comm(&r, 110, 100, 102, 0, "worker"); /* a thread's name is not the process's */
	for (uint32_t tid = 100; tid < 104; tid++)
		sample(&r, 120, 100, tid, 0x1010);
	sample(&r, 130, 100, UINT32_MAX, 0x1010); /* while a thread exits, the kernel does not say which one it is */
	assert_true(replay_counted(&r));
	assert_int_equal(r.stat.processes.count, 1);
	process = replay_process(&r, 100, 0);
	assert_int_equal(process->threads, 4);
	assert_int_equal(process->live, 4);
	assert_string_equal(name_of(&r, process), "many");
	assert_true(process->exit == TIME_NONE);
	expect_samples(&r, "/bin/many", 0x10, 5);
	replay_end(&r);
}

/* A process has exited when its leader and every thread have; a worker's end is not its end. */
static void exits_of_threads(void **state)
{
	static const struct {
		uint32_t tids[3]; /* in the order of their exits; 0: none */
		uint64_t exit;
	} cases[] = {
		{ { 101, 0, 0 }, TIME_NONE },
		{ { 101, 102, 0 }, TIME_NONE },
		{ { 101, 102, 100 }, 202 },
		{ { 100, 101, 102 }, 202 }, /* the leader first, as pthread_exit() in main() does it */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct replay r;

		replay_begin(&r, &attr, 1);
		comm(&r, 0, 100, 100, 0, "many");
		map(&r, 0, 100, "/bin/many", 0x1000, 0x1000);
		for (uint32_t tid = 101; tid < 103; tid++)
			task(&r, FORK, tid, 100, tid, 100, 0);
		for (uint32_t j = 0; j < 3 && cases[i].tids[j]; j++)
			task(&r, EXIT, 200 + j, 100, cases[i].tids[j], 100, 0);
		if (cases[i].exit == TIME_NONE)
			sample(&r, 300, 100, 100, 0x1010);
		assert_true(replay_counted(&r));
		if (replay_process(&r, 100, 0)->exit != cases[i].exit)
			fail_msg("case %zu: exit at %lld", i, (long long)replay_process(&r, 100, 0)->exit);
		if (cases[i].exit == TIME_NONE)
			expect_samples(&r, "/bin/many", 0x10, 1);
		replay_end(&r);
	}
}

static void a_pid_used_again(void **state)
{
	(void)state;
	for (int told = 0; told <= 1; told++) { /* with and without the first one's EXIT */
		struct replay r;

		replay_begin(&r, &attr, 1);
		comm(&r, 0, 100, 100, 0, "shell");
		task(&r, FORK, 10, 200, 200, 100, 0);
		comm(&r, 20, 200, 200, EXEC, "first");
		map(&r, 21, 200, "/bin/first", 0x1000, 0x1000);
		sample(&r, 25, 200, 200, 0x1010);
		if (told)
			task(&r, EXIT, 30, 200, 200, 100, 0);
		task(&r, FORK, 40, 200, 200, 100, 0);
		comm(&r, 50, 200, 200, EXEC, "second");
		sample(&r, 55, 200, 200, 0x1010); /* nothing of the first is left */
		assert_true(replay_counted(&r));
		assert_string_equal(name_of(&r, replay_process(&r, 200, 0)), "first");
		assert_string_equal(name_of(&r, replay_process(&r, 200, 1)), "second");
		assert_true(replay_process(&r, 200, 0)->exit == (told ? 30 : TIME_NONE));
		assert_int_equal(replay_process(&r, 200, 1)->fork, 40);
		assert_null(replay_process(&r, 200, 2));
		expect_samples(&r, "/bin/first", 0x10, 1);
		expect_samples(&r, "[unknown]", 0x1010, 1);
		replay_end(&r);
	}
}

/* The recorder lost the second one's FORK and COMM: its first mapping shows that it is another process. */
static void a_mapping_after_the_end(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 0, 200, 200, 0, "first");
	map(&r, 0, 200, "/bin/first", 0x1000, 0x1000);
	task(&r, EXIT, 30, 200, 200, 100, 0);
	sample(&r, 31, 200, 200, 0x5000); /* on the way out: still the first one's */
	map(&r, 40, 200, "/bin/second", 0x2000, 0x1000);
	sample(&r, 50, 200, 200, 0x1010);
	sample(&r, 50, 200, 200, 0x2010);
	assert_true(replay_counted(&r));
	assert_string_equal(name_of(&r, replay_process(&r, 200, 0)), "first");
	assert_string_equal(name_of(&r, replay_process(&r, 200, 1)), "[unknown]");
	assert_int_equal(replay_process(&r, 200, 0)->mmaps, 1);
	assert_int_equal(replay_process(&r, 200, 1)->mmaps, 1);
	assert_null(replay_process(&r, 200, 2));
	expect_samples(&r, "[unknown]", 0x1010, 1);
	expect_samples(&r, "/bin/second", 0x10, 1);
	replay_end(&r);
}

/*
 * A thread that is ending has no number any more: -1, or 0 of older kernels. Its samples are its process's, not
 * the idle task's, and it is no further thread.
 */
static void threads_without_a_number(void **state)
{
	const struct process *process;
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	comm(&r, 10, 100, 100, 0, "leader");
	sample(&r, 20, 0, 0, 0x1000);
	sample(&r, 25, (uint32_t)-1, 0, 0x1000);
	sample(&r, 30, 100, 0, 0x1000);
	sample(&r, 40, 100, (uint32_t)-1, 0x1000);
	task(&r, EXIT, 50, 100, 100, 100, 0);
	comm(&r, 60, 100, 100, 0, "next");
	assert_true(replay_counted(&r));
	process = replay_process(&r, 100, 0);
	assert_string_equal(name_of(&r, process), "leader");
	assert_int_equal(process->threads, 1);
	assert_int_equal(replay_process(&r, 0, 0)->threads, 1);
	assert_int_equal(replay_process(&r, -1, 0)->threads, 1); /* the kernel's maps have tid 0 */
	assert_string_equal(name_of(&r, replay_process(&r, 100, 1)), "next");
	replay_end(&r);
}

/* A tid that starts twice is two threads, though the first one's EXIT is missing. */
static void threads_of_one_tid(void **state)
{
	static const struct {
		bool told, exit;
		uint32_t threads, live;
	} cases[] = {
		{ false, false, 3, 2 },
		{ false, true, 3, 2 },
		{ true, false, 2, 2 }, /* perf told of it, and then the kernel that it had just started */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct process *process;
		struct replay r;

		replay_begin(&r, &attr, 1);
		comm(&r, 0, 100, 100, 0, "many");
		task(&r, FORK, cases[i].told ? 0 : 10, 100, 101, 100, cases[i].told ? EXEC : 0);
		if (cases[i].exit)
			task(&r, EXIT, 15, 100, 101, 100, 0);
		task(&r, FORK, 20, 100, 101, 100, 0);
		sample(&r, 30, 100, 101, 0x1010);
		task(&r, EXIT, 40, 100, UINT32_MAX, 100, 0); /* nobody's */
		assert_true(replay_counted(&r));
		process = replay_process(&r, 100, 0);
		assert_int_equal(process->threads, cases[i].threads);
		assert_int_equal(process->live, cases[i].live);
		replay_end(&r);
	}
}

/* What perf writes itself about tasks that ran already: no fork time, no inherited maps. */
static void forks_that_perf_wrote(void **state)
{
	(void)state;
	for (int form = 0; form <= 1; form++) { /* marked by misc, or in old files by time 0 alone */
		const struct process *child;
		struct replay r;

		replay_begin(&r, &attr, 1);
		comm(&r, 0, 100, 100, 0, "shell");
		map(&r, 0, 100, "/bin/sh", 0x1000, 0x1000);
		task(&r, FORK, 0, 200, 200, 100, form ? EXEC : 0);
		comm(&r, 0, 200, 200, 0, "child");
		sample(&r, 60, 200, 200, 0x1010);
		assert_true(replay_counted(&r));
		child = replay_process(&r, 200, 0);
		assert_true(child->fork == TIME_NONE);
		assert_int_equal(child->ppid, 100);
		expect_samples(&r, "[unknown]", 0x1010, 1);
		replay_end(&r);
	}
}

static void names_without_a_comm(void **state)
{
	struct replay r;

	(void)state;
	replay_begin(&r, &attr, 1);
	sample(&r, 10, 0, 0, 0x1000);
	sample(&r, 20, 300, 300, 0x1000);
	sample(&r, 30, (uint32_t)-1, (uint32_t)-1, 0x1000);
	comm(&r, 40, 500, 500, 0, "parent");
	task(&r, FORK, 50, 600, 600, 500, 0); /* the child has its parent's name until an exec */
	task(&r, FORK, 60, 700, 700, 700, 0); /* its own parent: strange, but no loop */
	assert_true(replay_counted(&r));
	assert_string_equal(name_of(&r, replay_process(&r, 0, 0)), "swapper");
	assert_string_equal(name_of(&r, replay_process(&r, 300, 0)), "[unknown]");
	assert_string_equal(name_of(&r, replay_process(&r, 600, 0)), "parent");
	assert_non_null(replay_process(&r, -1, 0));
	assert_non_null(replay_process(&r, 700, 0));
	replay_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fork_exec_exit),
		cmocka_unit_test(a_thread_does_not_name_the_child),
		cmocka_unit_test(a_mapping_after_the_end),
		cmocka_unit_test(threads_of_one_tid),
		cmocka_unit_test(threads_without_a_number),
		cmocka_unit_test(renames_keep_the_maps),
		cmocka_unit_test(threads_share_everything), cmocka_unit_test(exits_of_threads),
		cmocka_unit_test(a_pid_used_again),    cmocka_unit_test(forks_that_perf_wrote),
		cmocka_unit_test(names_without_a_comm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
