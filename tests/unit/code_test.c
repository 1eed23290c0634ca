/*
 * Instructions by objdump: what it prints of code whose instructions are known, and what hostile
 * programs in its place do.
 */
#include "decode/code/code.h"
#include "decode/code/codefile.h"
#include "decode/code/objdumpparse.h"
#include "decode/code/target.h"
#include "decode/symbols/elfcode.h"
#include "util/helper.h"
#include "util/sandbox.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const struct code_machine x86 = { .machine = EM_X86_64, .wide = true };

/* A disassembly, and the warnings of it. */
struct tried {
	struct strings strings;
	struct diag diag;
	struct err err;
	char warning[ERR_TEXT_SIZE];
	unsigned warnings;
};

static void note_warning(void *context, uint64_t offset, const char *text)
{
	struct tried *tried = context;

	(void)offset;
	tried->warnings++;
	snprintf(tried->warning, sizeof(tried->warning), "%s", text);
}

static void begin(struct tried *tried)
{
	memset(tried, 0, sizeof(*tried));
	assert_true(strings_init(&tried->strings, &tried->err));
	diag_init(&tried->diag, note_warning, tried);
}

static void end(struct tried *tried, struct code_function *functions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		code_function_release(&functions[i]);
	strings_release(&tried->strings);
	diag_release(&tried->diag);
}

static void run(struct tried *tried, struct code_function *functions, size_t count,
                const struct code_machine *machine, const char *program)
{
	const struct code_options options = { .program = program };

	assert_true(code_disassemble(functions, count, machine, &options, &tried->strings,
	                             &tried->diag, &tried->err));
	diag_finish(&tried->diag);
}

static const char *text_of(const struct tried *tried, const struct code_function *function,
                           size_t number)
{
	return strings_get(&tried->strings, function->instructions[number].text);
}

/* push %rbp; call 0x402000; je 0x401008; ret */
static const uint8_t caller[] = { 0x55, 0xe8, 0xfa, 0x0f, 0x00, 0x00, 0x74, 0x00, 0xc3 };
/* jmp *%rax; nop */
static const uint8_t jumper[] = { 0xff, 0xe0, 0x90 };

static void test_known_code(void **state)
{
	struct code_function functions[] = {
		{ .addr = 0x401000, .bytes = caller, .size = sizeof(caller) },
		{ .addr = 0x8, .bytes = jumper, .size = sizeof(jumper) },
		/* the same address again, as of another binary */
		{ .addr = 0x401000, .bytes = jumper, .size = sizeof(jumper) },
	};
	struct tried tried;

	(void)state;
	begin(&tried);
	run(&tried, functions, 3, &x86, NULL);
	assert_int_equal(tried.warnings, 0);
	assert_int_equal(functions[0].count, 4);
	assert_int_equal(functions[0].instructions[0].addr, 0x401000);
	assert_string_equal(text_of(&tried, &functions[0], 0), "push   %rbp");
	assert_string_equal(text_of(&tried, &functions[0], 1), "call   0x402000");
	assert_true(functions[0].instructions[1].has_target);
	assert_int_equal(functions[0].instructions[1].target, 0x402000);
	assert_string_equal(text_of(&tried, &functions[0], 2), "je     0x401008");
	assert_int_equal(functions[0].instructions[2].target, 0x401008);
	assert_string_equal(text_of(&tried, &functions[0], 3), "ret");
	assert_int_equal(functions[0].instructions[3].addr, 0x401008);
	assert_int_equal(functions[1].count, 2);
	assert_string_equal(text_of(&tried, &functions[1], 0), "jmp    *%rax");
	assert_false(functions[1].instructions[0].has_target);
	assert_int_equal(functions[2].count, 2);
	assert_int_equal(functions[2].instructions[1].addr, 0x401002);
	end(&tried, functions, 3);
}

static void test_targets(void **state)
{
	static const struct {
		uint16_t machine;
		const char *text;
		uint64_t target; /* 0: none */
	} cases[] = {
		{ EM_X86_64, "call   0x401050", 0x401050 },
		{ EM_X86_64, "bnd jmp 0x401050", 0x401050 },
		{ EM_X86_64, "notrack jmp *%rax", 0 },
		{ EM_X86_64, "jne,pn 0x10", 0x10 },
		{ EM_X86_64, "jmp    *0x2fe2(%rip)        # 0x404018", 0 },
		{ EM_X86_64, "lea    0x2fe2(%rip),%rdi        # 0x404018", 0 },
		{ EM_X86_64, "mov    %eax,0x404018", 0 },
		{ EM_X86_64, "bnd", 0 },
		{ EM_X86_64, "", 0 },
		{ EM_386, "loop   0x8048000", 0x8048000 },
		{ EM_AARCH64, "cbz x0, 0x40", 0x40 },
		{ EM_AARCH64, "tbnz w0, #3, 0x44", 0x44 },
		{ EM_AARCH64, "b.lt 0x40", 0x40 },
		{ EM_AARCH64, "adrp x0, 0x411000", 0 },
		{ EM_AARCH64, "blr x8", 0 },
		{ EM_ARM, "ble.n 0x1c", 0x1c },
		{ EM_ARM, "bic r0, r0, #0x10", 0 },
		{ EM_RISCV, "blt s0, s2, 0x14", 0x14 },
		{ EM_RISCV, "jalr ra", 0 },
		{ EM_S390, "brasl %r14,0x26", 0x26 },
		{ EM_S390, "cgrje %r1,%r2,0x100", 0x100 },
		{ EM_PPC64, "bdnz 0x40", 0x40 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t target = 0;
		bool found = code_direct_target(cases[i].machine, cases[i].text, &target);

		assert_int_equal(found, cases[i].target != 0);
		assert_int_equal(found ? target : 0, cases[i].target);
	}
}

/* Lines that may come, and what is taken of them. */
static void test_foreign_lines(void **state)
{
	static const char output[] =
		"  401000:\tnop\n" /* before any section */
		"Disassembly of section f7:\n"
		"  401000:\tnop\n" /* there is no such function */
		"Disassembly of section f0:\n"
		"0000000000401000 <f0>:\n"
		"  401000:\tcall\t401050 <$t+0x50>  \r\n"
		"  401000:\tnop\n" /* not ascending */
		"  401002:\n"
		"401003 <x>:\tnop\n"
		"f0:\tnop\n"
		"  401004 \tnop\n"
		"  401005:nop\n"
		"  12345678901234567:\tnop\n"
		"  401009:\tnop\n" /* behind the end */
		"  400fff:\tnop\n"
		"401006:      \tb.lt\t0x40 <f+0x40>      \t@ imm = #0\n"
		"Disassembly of section f0:\n"
		"  401007:\tnop\n" /* the same section again */
		"Disassembly of section .text:\n"
		"  401008:\tnop\n"
		"Disassembly of section f1:\n"
		"      8:\tmov %eax,(%rax) <\n"
		"      9:\tcut off";
	struct code_function functions[] = {
		{ .addr = 0x401000, .bytes = caller, .size = sizeof(caller) },
		{ .addr = 0x8, .bytes = jumper, .size = sizeof(jumper) },
	};
	struct objdump_parser parser = { .functions = functions,
		                         .count = 2,
		                         .machine = EM_ARM };
	struct tried tried;

	(void)state;
	begin(&tried);
	parser.strings = &tried.strings;
	for (size_t i = 0; i < sizeof(output) - 1; i += 3)
		assert_true(objdump_feed(&parser, output + i,
		                         sizeof(output) - 1 - i < 3 ? sizeof(output) - 1 - i : 3,
		                         &tried.err));
	assert_int_equal(functions[0].count, 2);
	assert_string_equal(text_of(&tried, &functions[0], 0), "call 0x401050");
	assert_int_equal(functions[0].instructions[1].addr, 0x401006);
	assert_string_equal(text_of(&tried, &functions[0], 1), "b.lt 0x40");
	assert_int_equal(functions[0].instructions[1].target, 0x40);
	assert_int_equal(functions[1].count, 1);
	assert_string_equal(text_of(&tried, &functions[1], 0), "mov %eax,(%rax) <");
	assert_false(parser.unable);
	assert_true(objdump_feed(&parser, "\nobjdump: can't disassemble for architecture UNKNOWN!\n",
	                         54, &tried.err));
	assert_true(parser.unable);
	end(&tried, functions, 2);
}

/* Names of addresses, which are those of the small file, and remarks of the disassembler behind them. */
static void test_names_in_lines(void **state)
{
	static const char output[] =
		"Disassembly of section f0:\n"
		"  401000:\tb.ne\t401008 <f0+0x8>  // b.any\n"
		"  401002:\tldr\tr7, [pc, #52]\t@ (401008 <$d+0x8>)\n"
		"  401004:\tlea 0x10(%rip),%rax        # 0x401018 <f0+0x18>\n"
		"  401006:\tadd <x> 12 <y\n";
	static const char *const expected[] = { "b.ne 0x401008  // b.any",
		                                "ldr r7, [pc, #52] @ (0x401008)",
		                                "lea 0x10(%rip),%rax        # 0x401018",
		                                "0xadd 12 <y" };
	struct code_function function = { .addr = 0x401000,
		                          .bytes = caller,
		                          .size = sizeof(caller) };
	struct objdump_parser parser = { .functions = &function,
		                         .count = 1,
		                         .machine = EM_AARCH64 };
	struct tried tried;

	(void)state;
	begin(&tried);
	parser.strings = &tried.strings;
	assert_true(objdump_feed(&parser, output, sizeof(output) - 1, &tried.err));
	assert_int_equal(function.count, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_string_equal(text_of(&tried, &function, i), expected[i]);
	assert_true(function.instructions[0].has_target);
	assert_int_equal(function.instructions[0].target, 0x401008);
	end(&tried, &function, 1);
}

/* Writes a script that is run instead of objdump; NAME. */
static void write_script(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fprintf(file, "#!/bin/sh\n%s\n", text);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

/* Whether programs can be kept from writing here: not in every container. */
static bool has_sandbox(void)
{
	int status = 0;
	const pid_t child = fork();

	if (child == 0)
		_exit(sandbox_enter(&(struct sandbox){ .output = NULL }) ? 0 : 1);
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	return status == 0;
}

static void test_hostile_programs(void **state)
{
	static const struct {
		const char *script, *warning;
		size_t counts[2];
	} cases[] = {
		{ "exit 3", "failed with exit status 3: functions without instructions: 2", { 0 } },
		{ "kill -11 $$", "was ended by signal 11", { 0 } },
		{ "yes", "wrote too much", { 0 } },
		{ "echo 'Disassembly of section f0:'; yes '  401000:\tnop'", "wrote too much", { 0 } },
		{ "yes | tr '\\n' x", "wrote too much", { 0 } },
		/* the first function alone is fine */
		{ "objdump \"$@\" | sed '/section f1/,$d'; objdump -h $4 | grep -q \" f1 \" && kill -9 $$; "
		  "exit 0",
		  "was ended by signal 9: functions without instructions: 1",
		  { 4, 0 } },
		{ "echo \"objdump: can't disassemble for architecture UNKNOWN!\"",
		  "does not know the machine",
		  { 0 } },
		/* it cannot write a file */
		{ "echo 'Disassembly of section f0:'; echo '  401000:\tx'; echo x >\"$0.made\"",
		  "functions without instructions: 2",
		  { 0 } },
		{ "exec >&-; exec 2>&-; sleep 100", "wrote nothing any more", { 0 } },
	};
	char path[] = "/tmp/code_test.XXXXXX", script[64], made[80];

	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(script, sizeof(script), "%s/objdump", path);
	snprintf(made, sizeof(made), "%s.made", script);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct code_function functions[] = {
			{ .addr = 0x401000, .bytes = caller, .size = sizeof(caller) },
			{ .addr = 0x8, .bytes = jumper, .size = sizeof(jumper) },
		};
		struct tried tried;

		write_script(script, cases[i].script);
		begin(&tried);
		run(&tried, functions, 2, &x86, script);
		if (!strstr(tried.warning, cases[i].warning))
			fail_msg("%s: %s", cases[i].script, tried.warning);
		assert_int_equal(tried.warnings, 1);
		for (size_t k = 0; k < 2; k++)
			if (functions[k].count != cases[i].counts[k])
				fail_msg("%s: function %zu has %zu", cases[i].script, k,
				         functions[k].count);
		end(&tried, functions, 2);
	}
	assert_int_equal(access(made, F_OK) == 0, !has_sandbox());
	unlink(made);
	unlink(script);
	assert_int_equal(rmdir(path), 0);
}

static void test_no_program(void **state)
{
	struct code_function function = { .addr = 1, .bytes = caller, .size = sizeof(caller) };
	struct tried tried;
	char *path;

	(void)state;
	begin(&tried);
	run(&tried, &function, 1, &x86, "/nowhere/objdump");
	assert_non_null(strstr(tried.warning,
	                       "--objdump=/nowhere/objdump: cannot be started: No such file"));
	run(&tried, &function, 1, &(struct code_machine){ .machine = 60000, .wide = true }, NULL);
	assert_non_null(strstr(tried.warning, "no objdump here knows ELF machine 60000, so"));
	assert_non_null(strstr(tried.warning, "install binutils-multiarch"));
	assert_int_equal(function.count, 0);
	path = strdup(getenv("PATH"));
	setenv("PATH", "/nowhere", 1);
	run(&tried, &function, 1, &x86, NULL);
	setenv("PATH", path, 1);
	free(path);
	assert_non_null(strstr(tried.warning, "there is no objdump here"));
	assert_non_null(strstr(tried.warning, "install binutils,"));
	end(&tried, &function, 1);
}

/* Other machines, where a program here knows them. */
static void test_other_machines(void **state)
{
	/* push {r4, lr} of Thumb, nop, bl 0x10; and mov r0, r0; bl 0x10 of ARM */
	static const uint8_t thumb[] = { 0x10, 0xb5, 0x00, 0xbf, 0x00, 0xf0, 0x04, 0xf8 };
	static const uint8_t arm[] = { 0x00, 0x00, 0xa0, 0xe1, 0x01, 0x00, 0x00, 0xeb };
	static const uint8_t stg[] = { 0xe3, 0x20, 0xf0, 0x80, 0x00, 0x24, 0x07, 0xfe };
	static const struct code_mark t = { .kind = 't' }, a = { .kind = 'a' };
	struct code_function functions[] = {
		{ .addr = 0, .bytes = thumb, .size = sizeof(thumb), .marks = &t, .mark_count = 1 },
		{ .addr = 0, .bytes = arm, .size = sizeof(arm), .marks = &a, .mark_count = 1 },
	};
	struct code_function mainframe = { .addr = 0x1000, .bytes = stg, .size = sizeof(stg) };
	struct tried tried;

	(void)state;
	begin(&tried);
	run(&tried, functions, 2, &(struct code_machine){ .machine = EM_ARM, .flags = 0x5000400 },
	    NULL);
	if (!tried.warnings) {
		assert_int_equal(functions[0].count, 3);
		assert_string_equal(text_of(&tried, &functions[0], 0), "push {r4, lr}");
		assert_int_equal(functions[0].instructions[2].addr, 4);
		assert_int_equal(functions[0].instructions[2].target, 0x10);
		assert_int_equal(functions[1].count, 2);
		assert_int_equal(functions[1].instructions[1].target, 0x10);
	}
	tried.warnings = 0;
	run(&tried, &mainframe, 1,
	    &(struct code_machine){ .machine = EM_S390, .wide = true, .big_endian = true }, NULL);
	if (!tried.warnings) {
		assert_int_equal(mainframe.count, 2);
		/* llvm-objdump has a blank behind the comma */
		assert_memory_equal(text_of(&tried, &mainframe, 0), "stg %r2,", 8);
		assert_non_null(strstr(text_of(&tried, &mainframe, 0), "128(%r15)"));
		assert_string_equal(text_of(&tried, &mainframe, 1), "br %r14");
	}
	code_function_release(&mainframe);
	end(&tried, functions, 2);
}

/* The attributes of a binary are in the small file, where and as what objdump searches them. */
static void test_attributes(void **state)
{
	static const struct {
		uint16_t machine;
		bool wide;
		const char *name;
	} cases[] = { { EM_RISCV, true, ".riscv.attributes" }, { EM_ARM, false, ".ARM.attributes" } };
	static const uint8_t nop[] = { 0, 0, 0, 0 }, attributes[] = "A made";
	static const struct code_mark marks[] = { { 0x1000, 'x', "rv64i2p1_v1p0" }, { 0x1002, 'd', NULL } };
	const struct code_function function = {
		.addr = 0x1000, .bytes = nop, .size = sizeof(nop), .marks = marks, .mark_count = 2
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct code_machine machine = { .machine = cases[i].machine, .wide = cases[i].wide };

		for (int with = 0; with < 2; with++) {
			const struct elf_section *section;
			struct err err = { .code = ERR_NONE };
			struct elf_mark *found;
			uint8_t *texts;
			size_t count;
			struct elf elf;

			machine.attributes = with ? attributes : NULL;
			machine.attribute_size = with ? sizeof(attributes) : 0;
			assert_true(elf_open(&elf, code_file_make(&function, 0, 1, &machine, &err), &err));
			section = elf_find_section(&elf, cases[i].name);
			assert_int_equal(section != NULL, with);
			if (with) {
				uint8_t bytes[sizeof(attributes)];

				assert_int_equal(section->type, 0x70000003);
				assert_int_equal(section->size, sizeof(attributes));
				assert_true(elf_read(&elf, section->offset, bytes, sizeof(bytes), &err));
				assert_memory_equal(bytes, attributes, sizeof(bytes));
			}
			/* its marks can be read as those of a binary; ARM has no $x */
			assert_true(elf_read_marks(&elf, &found, &count, &texts, &err));
			assert_int_equal(count, cases[i].machine == EM_ARM ? 1 : 2);
			assert_int_equal(found[count - 1].addr, 0x1002);
			assert_int_equal(found[count - 1].kind, 'd');
			assert_null(found[count - 1].extensions);
			if (count == 2)
				assert_string_equal(found[0].extensions, "rv64i2p1_v1p0");
			free(found);
			free(texts);
			elf_close(&elf);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_code),    cmocka_unit_test(test_targets),
		cmocka_unit_test(test_foreign_lines), cmocka_unit_test(test_names_in_lines), cmocka_unit_test(test_hostile_programs),
		cmocka_unit_test(test_no_program),    cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
