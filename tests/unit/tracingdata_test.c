/* Tracing data put together by hand, as the format reference, 6.2, describes it. */
#include "perffile/session/tracingdata.h"

#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define KALLSYMS "ffffffff81000000 T _text\n"

static void put_sized(struct foreign_bytes *bytes, const char *text)
{
	put_u64(bytes, strlen(text));
	put_bytes(bytes, text, strlen(text));
}

static void build(struct foreign_bytes *bytes, bool big_endian)
{
	memset(bytes, 0, sizeof(*bytes));
	bytes->big_endian = big_endian;
	put_bytes(bytes, "\x17\x08\x44tracing", 10);
	put_text(bytes, "0.6");
	put(bytes, big_endian, 1);
	put(bytes, 8, 1);
	put_u32(bytes, 4096);
	put_text(bytes, "header_page");
	put_sized(bytes, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n");
	put_text(bytes, "header_event");
	put_sized(bytes, "# compressed entry header\n");
	put_u32(bytes, 1);
	put_sized(bytes, "name: function\nID: 1\nformat:\n");
	put_u32(bytes, 2);
	put_text(bytes, "sched");
	put_u32(bytes, 2);
	put_sized(bytes, "name: sched_switch\nID: 314\nformat:\n\tfield:int ID;\n");
	put_sized(bytes, "name: sched_wakeup\nID: 318\n");
	put_text(bytes, "syscalls");
	put_u32(bytes, 2);
	put_sized(bytes, "name: sys_enter_read\nID: 700"); /* no line end */
	put_sized(bytes, "name: without_number\nID: x\n");
	put_u32(bytes, (uint32_t)strlen(KALLSYMS));
	put_bytes(bytes, KALLSYMS, strlen(KALLSYMS));
	put_u32(bytes, 0);
	put_u64(bytes, 0);
}

static bool parse(struct tracing_data *tracing, const struct foreign_bytes *bytes, struct arena *arena, struct err *err)
{
	return tracing_data_parse(tracing, cursor_over(bytes->data, bytes->size, 0, "", false, err), arena);
}

static void expect(const struct tracing_data *tracing, size_t i, uint64_t id, const char *name)
{
	assert_true(i < tracing->tracepoints.count);
	assert_int_equal(map_get(&tracing->tracepoints.index, id), i);
	assert_string_equal(tracing->tracepoints.names[i], name);
}

static void check_whole(bool big_endian)
{
	struct err err = {.code = ERR_NONE};
	struct tracing_data tracing;
	struct foreign_bytes bytes;
	struct arena arena = { 0 };
	build(&bytes, big_endian);
	assert_true(parse(&tracing, &bytes, &arena, &err));
	assert_string_equal(tracing.version, "0.6");
	assert_int_equal(tracing.tracepoints.count, 4);
	expect(&tracing, 0, 1, "ftrace:function");
	expect(&tracing, 1, 314, "sched:sched_switch");
	expect(&tracing, 2, 318, "sched:sched_wakeup");
	expect(&tracing, 3, 700, "syscalls:sys_enter_read");
	assert_int_equal(tracing.kallsyms_size, strlen(KALLSYMS));
	assert_memory_equal(tracing.kallsyms, KALLSYMS, strlen(KALLSYMS));
	tracing_data_release(&tracing);
	arena_release(&arena);
}

static void little_endian(void **state)
{
	(void)state;
	check_whole(false);
}

static void big_endian(void **state)
{
	(void)state;
	check_whole(true);
}

/* Every prefix ends cleanly, and keeps what was whole. */
static void prefixes(void **state)
{
	struct foreign_bytes bytes;
	size_t most = 0;

	(void)state;
	build(&bytes, false);
	for (size_t size = 0; size < bytes.size; size++) {
		uint8_t *copy = exact_copy(bytes.data, size);
		struct err err = {.code = ERR_NONE};
		struct tracing_data tracing;
		struct arena arena = { 0 };
		bool ok;
		ok = tracing_data_parse(&tracing, cursor_over(copy, size, 0x100, "", false, &err), &arena);
		assert_false(ok);
		assert_int_equal(err.code, ERR_FORMAT);
		assert_true(err.offset >= 0x100 && err.offset <= 0x100 + size);
		assert_true(tracing.tracepoints.count >= most);
		most = tracing.tracepoints.count;
		tracing_data_release(&tracing);
		arena_release(&arena);
		free(copy);
	}
	assert_int_equal(most, 4);
}

/* Counts that cannot be are refused, not looped over. */
static void counts(void **state)
{
	struct err err = {.code = ERR_NONE};
	struct tracing_data tracing;
	struct foreign_bytes bytes;
	struct arena arena = { 0 };

	(void)state;
	memset(&bytes, 0, sizeof(bytes));
	put_tracing_start(&bytes);
	put_u32(&bytes, UINT32_MAX);
	put_zeros(&bytes, 64);
	assert_false(parse(&tracing, &bytes, &arena, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(tracing.tracepoints.count, 0);
	tracing_data_release(&tracing);
	arena_release(&arena);
}

/* A system's name, which stands once, is not copied as a whole for each of its formats. */
static void one_name_for_many(void **state)
{
	enum { LENGTH = 2000, FORMATS = 60 };
	struct err err = { .code = ERR_NONE };
	struct tracing_data tracing;
	struct foreign_bytes bytes;
	struct arena arena = { 0 };

	(void)state;
	memset(&bytes, 0, sizeof(bytes));
	put_tracing_start(&bytes);
	put_u32(&bytes, 0);
	put_u32(&bytes, 1);
	for (int i = 0; i < LENGTH; i++)
		put(&bytes, 's', 1);
	put(&bytes, 0, 1);
	put_u32(&bytes, FORMATS);
	for (int i = 0; i < FORMATS; i++)
		put_sized(&bytes, "name: a\nID: 1\n");
	put_u32(&bytes, 0);
	put_u32(&bytes, 0);
	put_u64(&bytes, 0);
	assert_true(parse(&tracing, &bytes, &arena, &err));
	assert_int_equal(tracing.tracepoints.count, FORMATS);
	assert_int_equal(strlen(tracing.tracepoints.names[0]), 255 + strlen(":a"));
	tracing_data_release(&tracing);
	arena_release(&arena);
}

static void no_magic(void **state)
{
	struct err err = {.code = ERR_NONE};
	struct tracing_data tracing;
	struct arena arena = { 0 };

	(void)state;
	assert_false(tracing_data_parse(&tracing, cursor_over((const uint8_t *)"\x17\x08\x44tracink", 10, 7, "", false, &err),
					&arena));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_int_equal(err.offset, 7);
	assert_string_equal(err.text, "tracing data: it does not start with its magic bytes");
	tracing_data_release(&tracing);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(little_endian), cmocka_unit_test(big_endian),
	    cmocka_unit_test(prefixes),	     cmocka_unit_test(counts),
	    cmocka_unit_test(one_name_for_many), cmocka_unit_test(no_magic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
