/* Formats of tracepoints: fields of raw data put together by hand, and names of their values. */
#include "perffile/fields/format.h"

#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COMMON                                                                  \
	"name: test\nID: 1\nformat:\n"                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define ONE(declaration, size) \
	COMMON "\tfield:" declaration ";\toffset:8;\tsize:" size ";\tsigned:0;\n\n"

static struct arena arena;

static int release(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct format parse(const char *text)
{
	struct err err = { .code = ERR_NONE };
	struct format format;

	assert_true(format_parse(&format, text, 8, &arena, &err));
	return format;
}

static const struct field *field_of(const struct format *format, const char *name)
{
	const struct field *field = format_find(format, name);

	assert_non_null(field);
	return field;
}

static void fields_of_all_kinds(void **state)
{
	static const char text[] = COMMON
		"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:const void * ptr;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\tfield:unsigned long args[2];\toffset:40;\tsize:16;\tsigned:0;\n"
		"\tfield:__rel_loc u16[] list;\toffset:56;\tsize:4;\tsigned:0;\n"
		"\tfield:struct thing thing;\toffset:60;\tsize:3;\tsigned:0;\n"
		"\tfield:short old;\toffset:64;\tsize:2;\n"
		"\tfield:__data_loc cpumask_t cpus;\toffset:68;\tsize:4;\tsigned:0;\n"
		"\nprint fmt: \"%s\", REC->comm\n";
	struct format format = parse(text);

	(void)state;
	assert_int_equal(format.count, 11);
	assert_int_equal(format.common_count, 2);
	assert_int_equal(field_of(&format, "comm")->kind, FIELD_TEXT);
	assert_int_equal(field_of(&format, "pid")->kind, FIELD_SIGNED);
	assert_int_equal(field_of(&format, "name")->kind, FIELD_TEXT);
	assert_int_equal(field_of(&format, "name")->place, FIELD_DATA_LOC);
	assert_int_equal(field_of(&format, "ptr")->kind, FIELD_HEX);
	assert_int_equal(field_of(&format, "args")->kind, FIELD_NUMBERS);
	assert_int_equal(field_of(&format, "args")->width, 8);
	assert_int_equal(field_of(&format, "list")->width, 2);
	assert_int_equal(field_of(&format, "list")->place, FIELD_REL_LOC);
	assert_int_equal(field_of(&format, "thing")->kind, FIELD_BYTES);
	assert_int_equal(field_of(&format, "old")->kind, FIELD_SIGNED);
	assert_int_equal(field_of(&format, "cpus")->kind, FIELD_BITS);
	assert_null(format_find(&format, "nothing"));
}

/* The raw data of such a record in either byte order, and what its fields say. */
static void check_values(bool big_endian)
{
	static const char text[] = COMMON
		"\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc s16[] list;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:unsigned long mask[1];\toffset:20;\tsize:8;\tsigned:0;\n"
		"\nprint fmt: \"%s\", __get_bitmask(mask)\n";
	struct format format = parse(text);
	struct foreign_bytes made = { .big_endian = big_endian };
	struct raw_data raw = { made.data, 0, must_swap(big_endian) }, bytes;
	char out[64];
	uint64_t value;

	put_u64(&made, 0);
	put_u32(&made, (uint32_t)-5);
	put_u32(&made, 6 << 16 | 28);
	put_u32(&made, 4 << 16 | 14);
	put_u64(&made, 0x500000003);
	put_bytes(&made, "abcd\0x", 6);
	put(&made, 0xffff, 2);
	put(&made, 300, 2);
	raw.size = made.size;

	assert_true(field_number(field_of(&format, "number"), &raw, &value));
	assert_int_equal((int64_t)value, -5);
	bytes = field_bytes(field_of(&format, "name"), &raw);
	assert_int_equal(bytes.size, 4);
	assert_memory_equal(bytes.data, "abcd", 4);
	bytes = field_bytes(field_of(&format, "list"), &raw);
	assert_int_equal(field_print(field_of(&format, "list"), &bytes, out, 64), 6);
	assert_memory_equal(out, "-1 300", 6);
	bytes = field_bytes(field_of(&format, "mask"), &raw);
	assert_int_equal(field_print(field_of(&format, "mask"), &bytes, out, 64), 17);
	assert_memory_equal(out, "00000005,00000003", 17);
	/* a record that ends early, and a text that would lie behind its end */
	raw.size = 11;
	assert_false(field_number(field_of(&format, "number"), &raw, &value));
	raw.size = 33;
	assert_null(field_bytes(field_of(&format, "name"), &raw).data);
	raw = (struct raw_data){ .data = NULL };
	assert_false(field_number(field_of(&format, "number"), &raw, &value));
	assert_null(field_bytes(field_of(&format, "name"), &raw).data);
}

static void values_in_both_byte_orders(void **state)
{
	(void)state;
	check_values(false);
	check_values(true);
}

static void expect_text(const char *print, uint64_t value, const char *expected)
{
	char text[2048], out[VALUE_TEXT_SIZE];
	const struct field *field;
	struct format format;

	snprintf(text, sizeof(text), ONE("int x", "4") "print fmt: %s\n", print);
	format = parse(text);
	field = field_of(&format, "x");
	if (!expected) {
		assert_null(field->names);
		return;
	}
	assert_non_null(field->names);
	assert_int_equal(value_names_text(field->names, value, 0, out), strlen(expected));
	assert_string_equal(out, expected);
}

#define STATE                                                                                  \
	"\"%s%s\", (REC->x & ((((0 | 1 | 2) + 1) << 1) - 1)) ? __print_flags(REC->x & 0xff, " \
	"\"|\", { 0x01, \"S\" }, { 1UL << 1, \"D\" }) : \"R\", REC->x & 0x100 ? \"+\" : \"\""

static void names_of_values(void **state)
{
	(void)state;
	expect_text("\"%s\", __print_symbolic(REC->x, { 0, \"HI\" }, { 1, \"TIMER\" })", 1, "TIMER");
	expect_text("\"%s\", __print_symbolic(REC->x, { 0, \"HI\" }, { -1, \"NO\" })", (uint64_t)-1,
	            "NO");
	expect_text("\"%s\", __print_symbolic(REC->x, { 0, \"HI\" })", 12, "0xc");
	expect_text("\"%s\", __print_symbolic((u8)(REC->x >> 4), { 0xf3, \"A\" \"B\" })", 0xf30, "AB");
	expect_text("\"%s\", __print_flags(REC->x, \"|\", {(( gfp_t)(1 << 3))|2, \"A\"}, { 1, \"B\" }, "
	            "{ 0, ((void *)0) })", 0x1b, "A|B|0x10");
	expect_text("\"%s\", (REC->x) ? __print_flags((unsigned long)REC->x, \"|\", { 4, \"A\" }) : \"none\"",
	            0, "none");
	expect_text("\"%s\", ((REC->x >= -9ULL) || (REC->x >= 1ULL && REC->x <= 8ULL)) ? "
	            "__print_symbolic(REC->x, { 1, \"ROOT\" }, { -6ULL, \"LOG\" }) : \"-\"", 184, "-");
	expect_text("\"%sno 0x%x %sbno\", __print_symbolic(REC->x, { 1, \"rtg\" }), REC->x, "
	            "__print_symbolic(REC->x, { 1, \"rtg\" })", 1, "rtg");
	expect_text(STATE, 0, "R");
	expect_text(STATE, 0x100, "R+");
	expect_text(STATE, 3, "S|D");
	expect_text("\"%d %s\", REC->x, __print_symbolic(REC->x, { HI_SOFTIRQ, \"HI\" })", 0, "HI");
}

/* Exits of Intel's virtual machines and of AMD's have other names. */
static void another_field_decides(void **state)
{
	static const char text[] = COMMON
		"\tfield:unsigned int x;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u16 isa;\toffset:12;\tsize:2;\tsigned:0;\n"
		"\nprint fmt: \"%s%s%s\", (REC->isa == 1) ? __print_symbolic(REC->x & 0xff, { 16, \"RDTSC\" }) : "
		"__print_symbolic(REC->x, { 16, \"write_cr0\" }), (REC->isa == 1 && REC->x & ~0xff) ? \" \" : \"\", "
		"(REC->isa == 1) ? __print_flags(REC->x & ~0xff, \" \", { 0x100, \"FAILED\" }) : \"\"\n";
	static const struct {
		uint64_t value, isa;
		const char *text;
	} cases[] = { { 16, 1, "RDTSC" },    { 16, 2, "write_cr0" }, { 0x110, 1, "RDTSC FAILED" },
		      { 0x110, 2, "0x110" }, { 17, 1, "0x11" } };
	struct format format = parse(text);
	const struct field *x = field_of(&format, "x");
	char out[VALUE_TEXT_SIZE];

	(void)state;
	assert_ptr_equal(x->decider, field_of(&format, "isa"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		value_names_text(x->names, cases[i].value, cases[i].isa, out);
		assert_string_equal(out, cases[i].text);
	}
}

static void no_names(void **state)
{
	(void)state;
	expect_text("\"%d\", REC->x", 0, NULL);
	expect_text("\"%s\", REC->x ? \"yes\" : \"no\"", 0, NULL);
	expect_text("\"%s\", __print_symbolic(REC->y, { 0, \"A\" })", 0, NULL);
	expect_text("\"%s\", __print_symbolic(REC->x, { 0, \"A\"", 0, NULL);
	expect_text("\"%s\", __print_symbolic(REC->x, { UNKNOWN, \"A\" })", 0, NULL);
	expect_text("\"unfinished", 0, NULL);
	expect_text("", 0, NULL);
}

static void shown_in_hex_or_as_function(void **state)
{
	static const char text[] = COMMON
		"\tfield:unsigned long site;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 ret;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:const char * name;\toffset:24;\tsize:8;\tsigned:0;\n"
		"\tfield:u64 plain;\toffset:32;\tsize:8;\tsigned:0;\n"
		"\nprint fmt: \"100%% %pS ret=%08llx %s %llu\", (void *)REC->site, "
		"((unsigned long)(REC->ret)), REC->name, REC->plain\n";
	struct format format = parse(text);

	(void)state;
	assert_true(field_of(&format, "site")->is_function);
	assert_int_equal(field_of(&format, "site")->kind, FIELD_HEX);
	assert_int_equal(field_of(&format, "ret")->kind, FIELD_HEX);
	assert_int_equal(field_of(&format, "name")->kind, FIELD_TEXT_POINTER);
	assert_int_equal(field_of(&format, "plain")->kind, FIELD_UNSIGNED);
}

/* Each makes no sense; the field behind it does. */
static void damaged_lines(void **state)
{
	static const char *const lines[] = {
		"field:int a; offset:99999; size:4; signed:1;",
		"field:int a; offset:8; size:2147483648; signed:1;",
		"field:int a; offset:-8; size:4; signed:1;",
		"field:int a; offset:8; signed:1;",
		"field:int; offset:8; size:4;",
		"field:; offset:8; size:4; signed:1;",
		"field:__data_loc char[] a; offset:8; size:2; signed:1;",
		"field:[][][] a; offset:8; size:2; signed:1",
		"field",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		char text[512];
		struct format format;

		snprintf(text, sizeof(text), COMMON "\t%s\n\tfield:int b; offset:12; size:4; signed:1;\n",
		         lines[i]);
		format = parse(text);
		assert_null(format_find(&format, "a"));
		field_of(&format, "b");
	}
}

/* Deep and long expressions end neither in a crash nor in an hour. */
static void deep_expressions(void **state)
{
	static const char *const parts[] = { "(", "-", "1+(", "REC->x+", "REC->x?1:", "{", "\\\"",
		                             "__print_flags(REC->x,\"|\",{1,\"" };

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const size_t length = strlen(parts[i]), count = 1000000 / length;
		static const char start[] = ONE("int x", "4") "print fmt: \"%d\", ";
		char *text = malloc(sizeof(start) + count * length);

		assert_non_null(text);
		memcpy(text, start, sizeof(start));
		for (size_t j = 0; j < count; j++)
			memcpy(text + sizeof(start) - 1 + j * length, parts[i], length);
		text[sizeof(start) - 1 + count * length] = '\0';
		parse(text);
		arena_release(&arena);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(fields_of_all_kinds, release),
		cmocka_unit_test_teardown(values_in_both_byte_orders, release),
		cmocka_unit_test_teardown(names_of_values, release),
		cmocka_unit_test_teardown(another_field_decides, release),
		cmocka_unit_test_teardown(no_names, release),
		cmocka_unit_test_teardown(shown_in_hex_or_as_function, release),
		cmocka_unit_test_teardown(damaged_lines, release),
		cmocka_unit_test_teardown(deep_expressions, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
