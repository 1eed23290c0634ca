/* Which list of syscalls processes have: records put together by hand. */
#include "decode/intervals/callabi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct record mapped(int32_t pid, const char *name, uint64_t start)
{
	return (struct record){ .type = PERF_RECORD_MMAP2,
		                .pid = pid,
		                .mmap = { .start = start, .name = { name, strlen(name) } } };
}

/* Processes are 32-bit ones where their vdso is; children are what their parents are. */
static void processes(void **state)
{
	const struct record records[] = {
		mapped(1, "/bin/one", 0x8048000),	mapped(2, "[vdso]", 0xf7f4c000),
		mapped(1, "[vdso]", 0x7ffc0000d000),	{ .type = PERF_RECORD_FORK, .pid = 3, .task = { .ppid = 2 } },
		{ .type = PERF_RECORD_FORK, .pid = 4, .task = { .ppid = 1 } },
		/* a thread, and one that executes a 64-bit program */
		{ .type = PERF_RECORD_FORK, .pid = 2, .task = { .ppid = 2 } }, { .type = PERF_RECORD_FORK, .pid = 5, .task = { .ppid = 2 } },
		mapped(5, "[vdso]", 0x7ffc0000d000),
	};
	struct call_abis abis = { .has_narrow = false };
	struct err err = { .code = ERR_NONE };

	(void)state;
	call_abis_init(&abis, "x86_64");
	for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++)
		assert_true(call_abis_record(&abis, &records[i], &err));
	for (int32_t pid = 0; pid < 7; pid++)
		assert_ptr_equal(call_abis_of(&abis, pid), pid == 2 || pid == 3 ? &abis.narrow : &abis.own);
	call_abis_release(&abis);
}

/* The number of execve() is another one when it returns. */
static void executes(void **state)
{
	struct call_abis abis = { .has_narrow = false };
	const struct record narrow = mapped(2, "[vdso]", 0xf7f4c000);
	struct err err = { .code = ERR_NONE };
	char own[CALL_NAME_SIZE], other[CALL_NAME_SIZE];

	(void)state;
	call_abis_init(&abis, "x86_64");
	assert_false(call_abis_joined(&abis, 2, 59, 11));
	assert_true(call_abis_record(&abis, &narrow, &err));
	call_name(&abis.own, 59, own);
	call_name(&abis.narrow, 11, other);
	if (strcmp(own, "execve") != 0 || strcmp(other, "execve") != 0) {
		call_abis_release(&abis);
		skip(); /* without libseccomp */
	}
	assert_true(call_abis_joined(&abis, 2, 59, 11));
	assert_false(call_abis_joined(&abis, 2, 59, 4));
	assert_false(call_abis_joined(&abis, 1, 59, 11));
	call_abis_release(&abis);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(processes), cmocka_unit_test(executes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
