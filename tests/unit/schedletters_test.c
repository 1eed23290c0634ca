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

static void expect(const struct sched_letters *letters, uint64_t number, const char *text,
                   enum sched_state state, bool ends)
{
	struct sched_leave leave;
	struct arena arena = { 0 };
	struct err err = { .code = ERR_NONE };

	assert_true(sched_letters_leave(letters, number, &leave, &arena, &err));
	assert_string_equal(leave.letters, text);
	assert_int_equal(leave.state, state);
	assert_int_equal(leave.ends, ends);
	arena_release(&arena);
}

static void expect_todays(const struct sched_letters *letters)
{
	expect(letters, 0, "R", SCHED_WAITING, false);
	expect(letters, 1, "S", SCHED_SLEEPING, false);
	expect(letters, 2, "D", SCHED_BLOCKED, false);
	expect(letters, 3, "S|D", SCHED_BLOCKED, false);
	expect(letters, 4, "T", SCHED_STOPPED, false);
	expect(letters, 8, "t", SCHED_STOPPED, false);
	expect(letters, 16, "X", SCHED_UNKNOWN, true);
	expect(letters, 32, "Z", SCHED_UNKNOWN, true);
	expect(letters, 64, "P", SCHED_STOPPED, false);
	expect(letters, 128, "I", SCHED_SLEEPING, false);
	expect(letters, 256, "R+", SCHED_WAITING, false);
	expect(letters, 257, "S+", SCHED_WAITING, false);
	expect(letters, 512, "0x200", SCHED_UNKNOWN, false);
}

static void test_today(void **state)
{
	struct sched_letters letters;

	(void)state;
	sched_letters_read(&letters, today, sizeof(today) - 1);
	assert_int_equal(letters.count, 8);
	expect_todays(&letters);
	sched_letters_read(&letters, NULL, 0);
	expect_todays(&letters);
}

static void test_old(void **state)
{
	struct sched_letters letters;

	(void)state;
	sched_letters_read(&letters, old, sizeof(old) - 1);
	assert_int_equal(letters.count, 9);
	expect(&letters, 0, "R", SCHED_WAITING, false);
	expect(&letters, 16, "Z", SCHED_UNKNOWN, true);
	expect(&letters, 32, "X", SCHED_UNKNOWN, true);
	expect(&letters, 64, "x", SCHED_UNKNOWN, true);
	expect(&letters, 128, "K", SCHED_BLOCKED, false);
	expect(&letters, 130, "D|K", SCHED_BLOCKED, false);
	expect(&letters, 256, "W", SCHED_BLOCKED, false);
	expect(&letters, 1024, "R+", SCHED_WAITING, false);
}

/* Every beginning of a format is read without harm; what makes no sense is today's. */
static void test_damaged(void **state)
{
	static const char *const odd[] = {
		"", "__print_flags(", "__print_flags(x, \"|\", { 1", "__print_flags(x, \"|\", { 1, \"",
		"__print_flags(x, \"|\", { ((((((((((((((((((((((1, \"S\" })",
		"__print_flags(x, \"|\", { 1, \"a name that is too long\" })",
		"REC->prev_state & (1 << 99) ? \"+\"",
	};
	struct sched_letters letters;

	(void)state;
	for (size_t size = 0; size < sizeof(today); size++)
		sched_letters_read(&letters, today, size);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		sched_letters_read(&letters, odd[i], strlen(odd[i]));
		expect_todays(&letters);
	}
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
