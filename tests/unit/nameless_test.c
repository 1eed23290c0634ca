/* Functions of a stripped program are divided at the bounds that the symbols of the same program give. */
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char source[] =
	"#include <stdlib.h>\n"
	"static int __attribute__((noinline)) small(int n) { return n * 3; }\n"
	"static int __attribute__((noinline)) large(int n) { int s = 0;\n"
	"  for (int i = 0; i < n; i++) s += small(i) ^ atoi(\"12\"); return s; }\n"
	"int exported(int n) { return large(n) + rand(); }\n"
	"int main(int n, char **a) { (void)a; return exported(n); }\n";

/* Each function that nm lists with a size: its first and last byte, and none behind it. */
static void compare_with_nm(struct fixture *f)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/program");
	struct err err = { .code = ERR_NONE };
	char line[300], name[200], path[200], wanted[60], answer[200];
	uint64_t addr, size, offset;
	size_t count = 0;
	struct elf elf;
	FILE *listed;

	assert_true(fixture_load(f, &binary));
	assert_true(elf_open(&elf, open(fixture_path(f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	listed = fopen(fixture_path(f, "log", path), "r");
	assert_non_null(listed);
	while (fgets(line, sizeof(line), listed)) {
		if (sscanf(line, "%" SCNx64 " %" SCNx64 " %*[Tt] %199s", &addr, &size, name) != 3)
			continue;
		if (name[0] == '_')
			continue;
		count++;
		snprintf(wanted, sizeof(wanted), "[function at 0x%" PRIx64 "] stripped", addr);
		assert_true(elf_offset_of_addr(&elf, addr, &offset));
		assert_string_equal(fixture_answer(f, offset, answer, sizeof(answer)), wanted);
		assert_string_equal(fixture_answer(f, offset + size - 1, answer, sizeof(answer)),
		                    wanted);
	}
	fclose(listed);
	elf_close(&elf);
	assert_int_equal(count, 4);
}

static void test_stripped(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "program.c", source);
	if (!fixture_run(&f, ".", "cc -O2 -fno-inline program.c -o whole && strip -o program whole")) {
		fixture_end(&f);
		skip();
	}
	assert_true(fixture_run(&f, ".", "nm -S whole"));
	compare_with_nm(&f);
	fixture_end(&f);
}

/* Addresses outside of the code have no function, and refused memory is an error. */
static void test_refused(void **state)
{
	struct binary binary;
	struct fixture f;
	struct refused_loads loads = { 0 };

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "program.c", source);
	if (!fixture_run(&f, ".", "cc -O2 program.c -o program && strip program && "
	                          "readelf -SW program | sed -n 's/.* .text  *PROGBITS  *[0-9a-f]*  *"
	                          "\\([0-9a-f]*\\) .*/\\1/p'")) {
		fixture_end(&f);
		skip();
	}
	char path[200];
	uint64_t offset;
	FILE *file = fopen(fixture_path(&f, "log", path), "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%" SCNx64, &offset), 1);
	fclose(file);
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0, NULL), "-");
	while (fixture_load_refused(&f, &binary, &loads))
		assert_true(loads.loaded || f.err.code == ERR_NOMEM);
	assert_true(loads.failed > 10);
	assert_int_equal(strncmp(fixture_name(&f, offset, NULL), "[function at", 12), 0);
	fixture_end(&f);
}

/*
 * The byte before a function: in padding it stands for a return address that is the function's first byte. The last
 * byte of a call that does not return, and of other instructions, is the caller's.
 */
static void test_padding(void **state)
{
	static const char text[] =
		".text\n.p2align 5\n.type before,@function\nbefore: nop; ret\n.size before,.-before\n"
		".p2align 5,0xcc\n.type handler,@function\nhandler: nop; call before\n.size handler,.-handler\n"
		".type last,@function\nlast: ret\n.size last,.-last\n"
		".type zero,@function\nzero: nop; call *0x20(%rax)\n.byte 0xe8,0,0,0,0\n.size zero,.-zero\n"
		".type behind,@function\nbehind: ret\n.size behind,.-behind\n"
		".p2align 5\n.globl _start\n.type _start,@function\n_start: ret\n.size _start,.-_start\n";
	static const struct {
		const char *function, *wanted;
	} cases[] = { { "handler", "handler" }, { "last", "handler" }, { "zero", "last" },
		      { "behind", "zero" }, { "_start", "_start" } };
	struct err err = { .code = ERR_NONE };
	struct binary binary;
	struct fixture f;
	char path[200], name[100], line[200];
	uint64_t addr, offset;
	struct elf elf;
	size_t count = 0;
	FILE *listed;

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "program.s", text);
	if (!fixture_run(&f, ".", "as -o program.o program.s && ld -o program program.o && nm program")) {
		fixture_end(&f);
		skip();
	}
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	assert_true(fixture_load(&f, &binary));
	assert_true(elf_open(&elf, open(fixture_path(&f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	listed = fopen(fixture_path(&f, "log", path), "r");
	assert_non_null(listed);
	while (fgets(line, sizeof(line), listed))
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
			if (sscanf(line, "%" SCNx64 " %*[Tt] %99s", &addr, name) == 2 &&
			    !strcmp(name, cases[i].function)) {
				assert_true(elf_offset_of_addr(&elf, addr, &offset));
				assert_string_equal(fixture_name(&f, offset - 1, NULL), cases[i].wanted);
				count++;
			}
	fclose(listed);
	elf_close(&elf);
	if (elf.machine == EM_X86_64)
		assert_int_equal(count, ARRAY_SIZE(cases));
	fixture_end(&f);
}

/*
 * Without an entry in .eh_frame a function goes from one that is known, or from the first instruction of the program,
 * to the next; nothing is known of a large gap.
 */
static void test_gaps(void **state)
{
	static const char text[] =
		".text\n.type first,@function\nfirst: .fill 16,1,0xc3\n.size first,16\n.fill 16,1,0xc3\n"
		".globl begin\nbegin: .fill 16,1,0xc3\n"
		".type last,@function\nlast: .fill 16,1,0xc3\n.size last,16\n.fill 5000,1,0xc3\n";
	static const struct {
		unsigned from, to; /* bytes of .text */
		bool known;
	} gaps[] = { { 16, 32, true }, { 32, 48, true }, { 64, 5064, false } };
	struct err err = { .code = ERR_NONE };
	const struct elf_section *code;
	struct binary binary;
	struct fixture f;
	char path[200], wanted[60];
	struct elf elf;

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "program.s", text);
	if (!fixture_run(&f, ".", "as -o program.o program.s && ld -e begin -o program program.o && strip -N begin program")) {
		fixture_end(&f);
		skip();
	}
	binary = fixture_binary(&f, BINARY_FILE, "/program");
	assert_true(fixture_load(&f, &binary));
	assert_true(elf_open(&elf, open(fixture_path(&f, "program", path), O_RDONLY | O_CLOEXEC), &err));
	code = elf_find_section(&elf, ".text");
	for (size_t i = 0; i < ARRAY_SIZE(gaps); i++) {
		strcpy(wanted, "-");
		if (gaps[i].known)
			snprintf(wanted, sizeof(wanted), "[function at 0x%" PRIx64 "]", code->addr + gaps[i].from);
		assert_string_equal(fixture_name(&f, code->offset + gaps[i].from, NULL), wanted);
		assert_string_equal(fixture_name(&f, code->offset + gaps[i].to - 1, NULL), wanted);
	}
	assert_string_equal(fixture_name(&f, code->offset + 48, NULL), "last");
	elf_close(&elf);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
