/* Letters of states, from print formats of old and of today's kernels. */
#include "decode/intervals/schedletters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Linux 6.18 */
static const char today[] =
	"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & "
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | "
	"0x00000020 | 0x00000040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & "
	"((((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | 0x00000010 | "
	"0x00000020 | 0x00000040) + 1) << 1) - 1), \"|\", { 0x00000001, \"S\" }, { 0x00000002, "
	"\"D\" }, { 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { "
	"0x00000020, \"Z\" }, { 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", "
	"REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | 0x00000004 | 0x00000008 | "
	"0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, "
	"REC->next_pid, REC->next_prio";

/* Linux 3.10 */
static const char old[] =
	"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
	"next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->prev_state & (1024-1) "
	"? __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, "
	"\"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\" }, { "
	"256, \"W\" }) : \"R\", REC->prev_state & 1024 ? \"+\" : \"\", REC->next_comm, "
	"REC->next_pid, REC->next_prio";

/* The names of a format that has this print format. */
static const struct value_names *names_of(const char *text, size_t size, struct arena *arena)
{
	static const char field[] = "\tfield:long prev_state;\toffset:24;\tsize:8;\tsigned:1;\n\nprint fmt: ";
	char whole[sizeof(field) + 2000];
	struct format format;
	struct err err = { .code = ERR_NONE };

	assert_true(size < 2000);
	memcpy(whole, field, sizeof(field) - 1);
	memcpy(whole + sizeof(field) - 1, text, size);
	whole[sizeof(field) - 1 + size] = '\0';
	assert_true(format_parse(&format, whole, 8, arena, &err));
	assert_int_equal(format.count, 1);
	return format.fields[0].names;
}

static void expect(const struct value_names *names, uint64_t number, const char *text, enum sched_state state,
                   bool ends)
{
	struct sched_leave leave;
	struct strings strings;
	struct err err = { .code = ERR_NONE };

	assert_true(strings_init(&strings, &err));
	assert_true(sched_letters_leave(names, number, &leave, &strings, &err));
	assert_string_equal(strings_get(&strings, leave.letters), text);
	assert_int_equal(leave.state, state);
	assert_int_equal(leave.ends, ends);
	strings_release(&strings);
}

static void expect_todays(const struct value_names *names)
{
	expect(names, 0, "R", SCHED_WAITING, false);
	expect(names, 1, "S", SCHED_SLEEPING, false);
	expect(names, 2, "D", SCHED_BLOCKED, false);
	expect(names, 3, "S|D", SCHED_BLOCKED, false);
	expect(names, 4, "T", SCHED_STOPPED, false);
	expect(names, 8, "t", SCHED_STOPPED, false);
	expect(names, 16, "X", SCHED_UNKNOWN, true);
	expect(names, 32, "Z", SCHED_UNKNOWN, true);
	expect(names, 64, "P", SCHED_STOPPED, false);
	expect(names, 128, "I", SCHED_SLEEPING, false);
	expect(names, 256, "R+", SCHED_WAITING, false);
	expect(names, 257, "S+", SCHED_WAITING, false);
}

static void test_today(void **state)
{
	struct arena arena = { 0 };
	struct err err = { .code = ERR_NONE };

	(void)state;
	expect_todays(names_of(today, sizeof(today) - 1, &arena));
	expect_todays(sched_letters_todays(&arena, &err));
	arena_release(&arena);
}

static void test_old(void **state)
{
	struct arena arena = { 0 };
	const struct value_names *names = names_of(old, sizeof(old) - 1, &arena);

	(void)state;
	expect(names, 0, "R", SCHED_WAITING, false);
	expect(names, 16, "Z", SCHED_UNKNOWN, true);
	expect(names, 32, "X", SCHED_UNKNOWN, true);
	expect(names, 64, "x", SCHED_UNKNOWN, true);
	expect(names, 128, "K", SCHED_BLOCKED, false);
	expect(names, 130, "D|K", SCHED_BLOCKED, false);
	expect(names, 256, "W", SCHED_BLOCKED, false);
	expect(names, 512, "0x200", SCHED_UNKNOWN, false);
	expect(names, 1024, "R+", SCHED_WAITING, false);
	arena_release(&arena);
}

/* Of every beginning of a print format, a state is named as the whole one names it, or not at all. */
static void test_damaged(void **state)
{
	struct arena arena = { 0 };
	struct strings strings;
	struct err err = { .code = ERR_NONE };

	(void)state;
	assert_true(strings_init(&strings, &err));
	for (size_t size = 0; size < sizeof(today); size++) {
		const struct value_names *names = names_of(today, size, &arena);
		struct sched_leave leave;

		if (names) {
			assert_true(sched_letters_leave(names, 1, &leave, &strings, &err));
			assert_true(leave.state == SCHED_SLEEPING || leave.state == SCHED_UNKNOWN);
			assert_false(leave.ends);
		}
	}
	strings_release(&strings);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_today),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
