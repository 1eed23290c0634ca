/*
 * Code without unwind tables: where the return address is at each instruction of stubs that were copied by hand, and of
 * those that the linkers here write. GNU ld's own tables for x86-64 say the same of its stubs.
 */
#include "decode/stacks/stackfiles.h"
#include "decode/stacks/unwind.h"

#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ADDR 0x1000u
#define NONE (-1)

/* Makes stubs with one section that has a copy of the bytes, so that a sanitizer sees reads behind its end. */
static struct stub_code make_stubs(enum cfi_machine machine, bool plt, const char *bytes, size_t size)
{
	struct stub_code stubs = { .machine = machine, .count = 1 };

	stubs.sections[0] = (struct stub_section){ .addr = ADDR, .size = size, .plt = plt, .code = malloc(size + !size) };
	assert_non_null(stubs.sections[0].code);
	memcpy(stubs.sections[0].code, bytes, size);
	return stubs;
}

/* Words from the stack pointer to the CFA at an address. On x86-64 the return address is in the last of them. */
static int depth_at(const struct stub_code *stubs, uint64_t addr)
{
	const bool x86 = stubs->machine == CFI_X86_64;
	struct cfi_row row;

	if (!stub_code_row(stubs, addr, &row))
		return NONE;
	assert_int_equal(row.cfa.where, CFI_REGISTER_OFFSET);
	assert_int_equal(row.cfa.reg, x86 ? X86_RSP : ARM_SP);
	assert_int_equal(row.return_register, x86 ? X86_RIP : ARM_LR);
	assert_int_equal(row.registers[row.return_register].where, row.cfa.value ? CFI_SAVED : CFI_UNCHANGED);
	assert_int_equal(row.registers[row.return_register].value, row.cfa.value ? -8 : 0);
	return (int)(row.cfa.value / 8);
}

struct place {
	size_t at;
	int depth;
};

static void check(enum cfi_machine machine, bool plt, const char *bytes, size_t size, const struct place *places)
{
	struct stub_code stubs = make_stubs(machine, plt, bytes, size);

	for (; places->at != SIZE_MAX; places++)
		assert_int_equal(depth_at(&stubs, ADDR + places->at), places->depth);
	assert_int_equal(depth_at(&stubs, ADDR - 1), NONE);
	assert_int_equal(depth_at(&stubs, ADDR + size), NONE);
	stub_code_release(&stubs);
	/* any part of it may be all that there is */
	for (size_t part = 0; part < size; part++) {
		stubs = make_stubs(machine, plt, bytes, part);
		for (size_t at = 0; at < part; at++)
			depth_at(&stubs, ADDR + at);
		stub_code_release(&stubs);
	}
}

#define CHECK(machine, plt, bytes, ...) \
	check(machine, plt, bytes, sizeof(bytes) - 1, (const struct place[]){ __VA_ARGS__, { SIZE_MAX, 0 } })

static void test_x86(void **state)
{
	(void)state;
	/* lld: push link_map; jmp *resolver; nop / jmp *slot; push $0; jmp first */
	CHECK(CFI_X86_64, true,
	      "\xff\x35\x62\x2e\x00\x00\xff\x25\x64\x2e\x00\x00\x0f\x1f\x40\x00"
	      "\xff\x25\x62\x2e\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff",
	      { 0, 2 }, { 6, 3 }, { 12, NONE }, { 16, 1 }, { 22, 1 }, { 27, 2 });
	/* lld with -z force-ibt: endbr64; push $1; jmp first; xchg / endbr64; jmp *slot; nop */
	CHECK(CFI_X86_64, true,
	      "\xf3\x0f\x1e\xfa\x68\x01\x00\x00\x00\xe9\xd2\xff\xff\xff\x66\x90"
	      "\xf3\x0f\x1e\xfa\xff\x25\x46\x22\x00\x00\x66\x0f\x1f\x44\x00\x00",
	      { 0, 1 }, { 4, 1 }, { 9, 2 }, { 14, NONE }, { 16, 1 }, { 20, 1 }, { 26, NONE });
	/* mold: endbr64; push %r11; push link_map; jmp *resolver; int3 / endbr64; mov $2, %r11d; jmp *slot */
	CHECK(CFI_X86_64, true,
	      "\xf3\x0f\x1e\xfa\x41\x53\xff\x35\x4c\x72\x01\x00\xff\x25\x4e\x72\x01\x00\xcc\xcc"
	      "\xf3\x0f\x1e\xfa\x41\xbb\x02\x00\x00\x00\xff\x25\x4e\x72\x01\x00",
	      { 0, 1 }, { 4, 1 }, { 6, 2 }, { 12, 3 }, { 18, NONE }, { 20, 1 }, { 24, 1 }, { 30, 1 });
}

static void test_init(void **state)
{
	(void)state;
	/* _init: sub; mov; test; je; call *%rax; add; ret */
	CHECK(CFI_X86_64, false,
	      "\x48\x83\xec\x08\x48\x8b\x05\x31\x12\x00\x00\x48\x85\xc0\x74\x02\xff\xd0\x48\x83\xc4\x08\xc3",
	      { 0, 1 }, { 4, 2 }, { 11, 2 }, { 17, 2 }, { 18, 2 }, { 22, 1 });
	/* _fini with endbr64 */
	CHECK(CFI_X86_64, false, "\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x83\xc4\x08\xc3", { 0, 1 }, { 4, 1 }, { 8, 2 },
	      { 12, 1 });
	/* any other code is not known */
	CHECK(CFI_X86_64, false, "\x50\x48\x83\xec\x08\x48\x83\xc4\x08\x58\xc3", { 0, NONE }, { 1, NONE }, { 10, NONE });
	CHECK(CFI_AARCH64, false, "\xfd\x7b\xbf\xa9\xc0\x03\x5f\xd6", { 0, NONE }, { 4, NONE });
}

static void test_arm(void **state)
{
	(void)state;
	/* stp x16, x30, [sp, #-16]!; adrp; ldr; add; br x17; nop / adrp; ldr; add; br x17 */
	CHECK(CFI_AARCH64, true,
	      "\xf0\x7b\xbf\xa9\xf0\x00\x00\xf0\x11\xfe\x47\xf9\x10\xe2\x3f\x91\x20\x02\x1f\xd6\x1f\x20\x03\xd5"
	      "\x10\x01\x00\x90\x11\x02\x40\xf9\x10\x02\x00\x91\x20\x02\x1f\xd6",
	      { 0, 0 }, { 4, 2 }, { 8, 2 }, { 16, 2 }, { 17, NONE }, { 24, 0 }, { 28, 0 }, { 36, 0 });
}

/* Whether an instruction, as objdump prints it, only fills the space between stubs. */
static bool is_padding(const char *text)
{
	static const char *const names[] = { "nop", "xchg", "int3", "data16" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(text, names[i], strlen(names[i])))
			return true;
	return false;
}

/* What the unwind tables of the file say, for linkers as an expression with the address; NONE: nothing. */
static int described(struct cfi_file *file, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	struct cfi_registers registers = { .known = 0 };
	const struct unwind_stack nothing = { .size = 0 };
	struct cfi_evaluation evaluation = { .registers = &registers, .stack = &nothing };
	uint64_t cfa;
	struct cfi_row row;

	if (!cfi_find_row(&file->eh, addr, &row, &err))
		return NONE;
	cfi_set(&registers, X86_RSP, 0);
	cfi_set(&registers, X86_RIP, addr);
	if (row.cfa.where == CFI_EXPRESSION && cfi_evaluate(&evaluation, &row.cfa, &cfa))
		return (int)(cfa / 8);
	return row.cfa.where == CFI_REGISTER_OFFSET && row.cfa.reg == X86_RSP ? (int)(row.cfa.value / 8) : NONE;
}

/* Every instruction of the stubs has a row, which is that of the tables, if the linker wrote them. */
static void check_linked(struct fixture *f, const char *command, const char *objdump, bool described_too)
{
	static const char *const sections[] = { ".plt", ".plt.sec", ".plt.got" };
	size_t rows = 0, same = 0;
	struct err err = { .code = ERR_NONE };
	struct cfi_file file;
	struct elf elf;
	char path[200];

	if (!fixture_run(f, ".", "%s -O1 few.c -o linked", command))
		return;
	assert_true(elf_open(&elf, open(fixture_path(f, "linked", path), O_RDONLY | O_CLOEXEC), &err));
	assert_true(cfi_file_load(&file, &elf, NULL, &err));
	elf_close(&elf);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		char line[300], log[200];
		FILE *listed;

		if (!fixture_run(f, ".", "%s --no-show-raw-insn -d -j %s linked", objdump, sections[i]))
			continue;
		listed = fopen(fixture_path(f, "log", log), "r");
		assert_non_null(listed);
		while (fgets(line, sizeof(line), listed)) {
			uint64_t addr;
			char text[100];
			int depth, told;

			if (sscanf(line, " %lx: %99[^\n]", (unsigned long *)&addr, text) != 2 || is_padding(text))
				continue;
			depth = depth_at(&file.stubs, addr);
			told = described(&file, addr);
			if (depth == NONE || (told != NONE && told != depth))
				fail_msg("%s: %s: %d words, the tables say %d: %s", command, sections[i], depth, told, line);
			rows++;
			same += told == depth;
		}
		fclose(listed);
	}
	assert_true(rows > 4);
	assert_true(!described_too || same == rows);
	cfi_file_release(&file);
}

static void test_linkers(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	if (!fixture_has("objdump") || !fixture_has("cc") || sizeof(void *) != 8) {
		fixture_end(&f);
		skip();
	}
	fixture_text(&f, "few.c",
	             "extern int puts(const char *), getpid(void), rand(void);\n"
	             "int main(int c, char **v) { return puts(v[0]) + getpid() + rand() + c; }\n");
#ifdef __x86_64__
	check_linked(&f, "cc -fuse-ld=bfd -Wl,-z,lazy", "objdump", true);
	check_linked(&f, "cc -fuse-ld=bfd -Wl,-z,lazy -Wl,-z,ibtplt -fcf-protection", "objdump", true);
	check_linked(&f, "cc -fuse-ld=lld", "objdump", false);
	check_linked(&f, "cc -fuse-ld=lld -Wl,-z,force-ibt", "objdump", false);
	check_linked(&f, "cc -fuse-ld=mold", "objdump", false);
#endif
	check_linked(&f, "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-objdump", false);
	check_linked(&f, "aarch64-linux-gnu-gcc -mbranch-protection=standard -Wl,-z,force-bti", "aarch64-linux-gnu-objdump",
	             false);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_init),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_linkers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
