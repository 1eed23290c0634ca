/*
 * The same program with its debug information in other places must give the same answers for each
 * of its addresses: split (-gsplit-dwarf) in .dwo files and packages, shared by dwz, not linked as
 * in kernel modules. The plain program is the truth here; addr2line_test.c and tests/naming compare
 * that with others. What a tool is missing for is skipped.
 */
#include "decode/dwarf/dwarf.h"
#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char header_text[] =
	"static inline int square(int x)\n"
	"{\n"
	"	int y = x * x;\n"
	"	return y > 77 ? y - 5 : y;\n"
	"}\n"
	"static inline int twice(int x)\n"
	"{\n"
	"	return square(x) + square(x + 1);\n"
	"}\n"
	"struct pair {\n"
	"	int one, other;\n"
	"};\n"
	"static inline int both(const struct pair *pair)\n"
	"{\n"
	"	return pair->one ^ square(pair->other);\n"
	"}\n"
	"int first(int n);\n"
	"int seldom(int n);\n"
	"int second(int n);\n"
	"int starts(int n);\n"
	"int ends(int n);\n";

static const char first_text[] =
	"#include \"inline.h\"\n"
	"int first(int n)\n"
	"{\n"
	"	struct pair pair = { n, n + 1 };\n"
	"	int sum = both(&pair);\n"
	"	for (int i = 0; i < n; i++)\n"
	"		sum += square(i) ^ twice(n);\n"
	"	return sum;\n"
	"}\n"
	"__attribute__((section(\".text.cold\"))) int seldom(int n)\n"
	"{\n"
	"	return square(n) - (n ^ 1);\n"
	"}\n";

static const char second_text[] =
	"#include \"inline.h\"\n"
	"static int __attribute__((noinline)) helper(int n)\n"
	"{\n"
	"	struct pair pair = { 3, n };\n"
	"	return twice(n) + both(&pair);\n"
	"}\n"
	"int second(int n)\n"
	"{\n"
	"	if (n < 0)\n"
	"		return seldom(n);\n"
	"	return helper(n) + first(square(n));\n"
	"}\n"
	"__attribute__((section(\".init.text\"))) int starts(int n)\n"
	"{\n"
	"	return square(n) + helper(n);\n"
	"}\n"
	"__attribute__((section(\".exit.text\"))) int ends(int n)\n"
	"{\n"
	"	return twice(n) - 1;\n"
	"}\n";

static const char third_text[] =
	"#include \"inline.h\"\n"
	"int main(int count, char **words)\n"
	"{\n"
	"	return first(count) + second(square(count)) + starts(count) + ends(words[0][0]);\n"
	"}\n";

/* As the kernel loads a module: what stays from 0 on, in the order of the file. */
static const char script_text[] =
	"SECTIONS {\n"
	"	.text 0 : { *(.text) }\n"
	"	.text.cold : { *(.text.cold) }\n"
	"	.exit.text : { *(.exit.text) }\n"
	"	.init.text 0x100000 : { *(.init.text) }\n"
	"	.rodata 0x200000 : { *(.rodata*) }\n"
	"	/DISCARD/ : { *(.eh_frame) *(.comment) *(.note*) *(.ARM*) *(.rela.eh_frame) }\n"
	"}\n";

/* The compiler's option that compresses debug information, if readperf was built with the library. */
#ifdef HAVE_ZLIB
#define PACKED "-gz"
#else
#define PACKED ""
#endif

static void begin(struct fixture *f)
{
	fixture_begin(f);
	f->options.files.want_debug = true;
	fixture_text(f, "src/inline.h", header_text);
	fixture_text(f, "src/first.c", first_text);
	fixture_text(f, "src/second.c", second_text);
	fixture_text(f, "src/third.c", third_text);
	fixture_text(f, "src/module.ld", script_text);
}

/* Which allocation the next lookup is refused, 0 for none, and how many it made. */
static unsigned long refused, allocations;

/* All answers about [low, low + size), a line for each. Malloc'd. */
static char *answers(struct fixture *f, const char *path, const char *binary, const char *symfs,
                     uint64_t low, uint64_t size)
{
	struct source_query query = { .path = path, .binary = binary, .symfs = symfs };
	char *text = NULL;
	size_t text_size;
	FILE *out = open_memstream(&text, &text_size);
	bool answered, unreadable;

	assert_non_null(out);
	query.strings = &f->strings;
	query.inlines = true;
	query.function_count = query.addr_count = (size_t)size;
	query.functions = calloc(query.addr_count, sizeof(*query.functions));
	query.addrs = calloc(query.addr_count, sizeof(*query.addrs));
	assert_true(query.functions && query.addrs);
	for (uint64_t i = 0; i < size; i++)
		query.functions[i].entry = query.addrs[i].addr = low + i;
	f->err = (struct err){ .code = ERR_NONE };
	refuse_allocation(refused);
	answered = dwarf_lookup(&query, &unreadable, &f->diag, &f->err);
	assert_int_equal(answered, f->err.code == ERR_NONE);
	allocations = allocations_seen();
	refuse_allocation(0);
	for (uint64_t i = 0; answered && i < size; i++) {
		const struct source_addr *addr = &query.addrs[i];

		fprintf(out, "%" PRIx64 " %s %s:%u", low + i,
		        strings_get(&f->strings, query.functions[i].file),
		        strings_get(&f->strings, addr->file), addr->line);
		for (uint32_t j = 0; j < addr->frame_count; j++) {
			const struct source_frame *frame = &query.frames[addr->frame + j];

			fprintf(out, " %s %s:%u %s", strings_get(&f->strings, frame->function),
			        strings_get(&f->strings, frame->file), frame->line,
			        strings_get(&f->strings, frame->decl_file));
		}
		fputc('\n', out);
	}
	fclose(out);
	free(query.functions);
	free(query.addrs);
	free(query.frames);
	return text;
}

/* The place of .text; false: there is no such file. */
static bool code_of(const struct fixture *f, const char *path, uint64_t *low, uint64_t *size)
{
	const struct elf_section *section;
	struct err err = { .code = ERR_NONE };
	char text[200];
	struct elf elf;
	int fd = open(fixture_path(f, path, text), O_RDONLY);

	if (fd < 0)
		return false;
	assert_true(elf_open(&elf, fd, &err));
	section = elf_find_section(&elf, ".text");
	assert_non_null(section);
	*low = section->addr;
	*size = section->size;
	elf_close(&elf);
	return true;
}

/* The answers about the .text of a program below root, without --symfs. */
static char *program(struct fixture *f, const char *path)
{
	uint64_t low, size;
	char text[200];

	assert_true(code_of(f, path, &low, &size));
	return answers(f, fixture_path(f, path, text), NULL, NULL, low, size);
}

/* Frees ours. Says the first line that is another, and where that was asked. */
static void same_at(char *ours, const char *truth, int line)
{
	size_t same = 0, start = 0;

	while (ours[same] && ours[same] == truth[same])
		if (ours[same++] == '\n')
			start = same;
	if (ours[same] != truth[same]) {
		print_message("line %d: %.*s\nshould be: %.*s\n", line,
		              (int)strcspn(ours + start, "\n"), ours + start,
		              (int)strcspn(truth + start, "\n"), truth + start);
		fail();
	}
	free(ours);
}

#define assert_same(ours, truth) same_at(ours, truth, __LINE__)

/* Asserts that the answers are neither empty nor complete. */
static void assert_less(char *ours, const char *truth)
{
	assert_int_not_equal(strcmp(ours, truth), 0);
	assert_null(strstr(ours, "square"));
	free(ours);
}

/* --- split */

/* Where the parts of a program may be that was built as bin/split from src/obj. */
static void check_places(struct fixture *f, const char *truth, const char *missing)
{
	char path[200], root[200], other[200];
	uint64_t low, size;

	assert_true(code_of(f, "bin/split", &low, &size));
	/* beside the binary, by their base names */
	assert_true(fixture_run(f, "src", "mv obj away && cp away/*.dwo ../bin"));
	assert_same(program(f, "bin/split"), truth);
	assert_true(fixture_run(f, "src", "rm ../bin/*.dwo"));
	assert_same(program(f, "bin/split"), missing);
	/* below another root: where the compiler put them, or beside the binary */
	assert_true(fixture_run(f, "src", "mkdir -p ../other$PWD/obj ../other/bin &&"
	                   " cp ../bin/split ../other/bin"));
	fixture_path(f, "other/bin/split", path);
	fixture_path(f, "other", root);
	assert_same(answers(f, path, NULL, root, low, size), missing);
	assert_true(fixture_run(f, "src", "mkdir obj && cp away/*.dwo obj"));
	assert_same(answers(f, path, NULL, root, low, size), missing);
	assert_true(fixture_run(f, "src", "cp away/*.dwo ../other$PWD/obj && rm -r obj"));
	assert_same(answers(f, path, NULL, root, low, size), truth);
	assert_true(fixture_run(f, "src", "mv ../other$PWD/obj/*.dwo ../other/bin"));
	assert_same(answers(f, path, NULL, root, low, size), truth);
	/* links that lead out of that root are not followed */
	assert_true(fixture_run(f, "src", "rm ../other/bin/*.dwo && ln -s \"$PWD\"/away/*.dwo ../other/bin"));
	assert_same(answers(f, path, NULL, root, low, size), missing);
	/* beside the binary, whose debug file is elsewhere */
	assert_true(fixture_run(f, "src", "mkdir ../debug && cp ../bin/split ../debug/x.debug &&"
	                   " cp away/*.dwo ../bin"));
	fixture_path(f, "debug/x.debug", path);
	fixture_path(f, "bin/split", other);
	assert_same(answers(f, path, NULL, NULL, low, size), missing);
	assert_same(answers(f, path, other, NULL, low, size), truth);
	/* files of that name, but of other units */
	assert_true(fixture_run(f, "src", "rm ../bin/third.dwo && cp away/first.dwo ../bin/second.dwo &&"
	                   " cp away/second.dwo ../bin/first.dwo"));
	assert_same(program(f, "bin/split"), missing);
	assert_true(fixture_run(f, "src", "rm ../bin/*.dwo && mv away obj"));
}

/* A package beside the binary, or beside its debug file. */
static void check_package(struct fixture *f, const char *truth, const char *missing)
{
	char path[200], other[200];
	uint64_t low, size;

	assert_true(code_of(f, "bin/split", &low, &size));
	assert_true(fixture_run(f, "src", "mv obj away && mv package ../bin/split.dwp"));
	assert_same(program(f, "bin/split"), truth);
	fixture_path(f, "debug/x.debug", path);
	fixture_path(f, "bin/split", other);
	assert_same(answers(f, path, NULL, NULL, low, size), missing);
	assert_same(answers(f, path, other, NULL, low, size), truth);
	assert_true(fixture_run(f, "src", "mv ../bin/split.dwp ../debug"));
	assert_same(answers(f, path, other, NULL, low, size), truth);
	assert_true(fixture_run(f, "src", "mv ../debug/split.dwp ../debug/x.debug.dwp"));
	assert_same(answers(f, path, NULL, NULL, low, size), truth);
	/* --symfs */
	assert_true(fixture_run(f, "src", "cp ../debug/x.debug.dwp ../other/bin/split.dwp"));
	fixture_path(f, "other/bin/split", path);
	fixture_path(f, "other", other);
	assert_same(answers(f, path, NULL, other, low, size), truth);
	assert_true(fixture_run(f, "src", "cd ../other/bin && mv split.dwp ../.. && ln -s ../../split.dwp ."));
	assert_same(answers(f, path, NULL, other, low, size), missing);
	assert_true(fixture_run(f, "src", "mv ../split.dwp package && mv away obj &&"
	                   " rm ../debug/*.dwp ../other/bin/split.dwp"));
}

/*
 * Each word of the index is made 0, a large number, or another: whatever is found then, reading
 * ends, and nothing is read that is not there.
 */
static void check_damage(struct fixture *f, const char *truth)
{
	static const uint32_t values[] = { 0, 1, 0x7fffffff, UINT32_MAX };
	const struct elf_section *section;
	uint8_t *data;
	char path[200];
	struct elf elf;
	int fd;

	assert_true(fixture_run(f, "src", "mv obj away && cp package ../bin/split.dwp"));
	fd = open(fixture_path(f, "bin/split.dwp", path), O_RDWR);
	assert_true(fd >= 0);
	assert_true(elf_open(&elf, dup(fd), &f->err));
	section = elf_find_section(&elf, ".debug_cu_index");
	assert_non_null(section);
	data = elf_section_data(&elf, section, &f->err);
	assert_non_null(data);
	for (uint64_t at = 0; at + 4 <= section->size; at += 4)
		for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
			off_t place = (off_t)(section->offset + at);

			assert_int_equal(pwrite(fd, &values[i], 4, place), 4);
			free(program(f, "bin/split"));
			assert_int_equal(pwrite(fd, data + at, 4, place), 4);
		}
	assert_same(program(f, "bin/split"), truth);
	for (unsigned cut = 1; cut < 10; cut++) {
		assert_int_equal(ftruncate(fd, (off_t)(elf.size - elf.size / 10 * cut)), 0);
		free(program(f, "bin/split"));
	}
	free(data);
	elf_close(&elf);
	close(fd);
	assert_true(fixture_run(f, "src", "rm ../bin/split.dwp && mv away obj"));
}

/* Each allocation is refused once: an error, or an answer, but nothing lost. */
static void check_memory(struct fixture *f)
{
	unsigned long all;
	uint64_t low, size;
	char path[200];

	assert_true(code_of(f, "bin/split", &low, &size));
	fixture_path(f, "bin/split", path);
	free(answers(f, path, NULL, NULL, low, size));
	all = allocations;
	assert_true(all > 10);
	for (refused = 1; refused <= all; refused++)
		free(answers(f, path, NULL, NULL, low, size));
	refused = 0;
}

/*
 * One compiler, one version of DWARF, with packages from packer if that is not NULL. False: it
 * cannot be done here.
 */
static bool split(const char *compiler, int version, const char *more, const char *packer)
{
	char *truth, *missing;
	bool done = true;
	struct fixture f;

	begin(&f);
	if (!fixture_run(&f, "src", "mkdir obj ../bin && for unit in first second third; do"
	             " %s -O2 -g -gdwarf-%d %s -c $unit.c -o obj/$unit.o || exit 1;"
	             " done && %s obj/*.o -o ../bin/plain",
	         compiler, version, more, compiler) ||
	    !fixture_run(&f, "src", "for unit in first second third; do"
	             " %s -O2 -g -gdwarf-%d %s -gsplit-dwarf -c $unit.c -o obj/$unit.o || exit 1;"
	             " done && %s obj/*.o -o ../bin/split",
	         compiler, version, more, compiler)) {
		fixture_end(&f);
		return false;
	}
	truth = program(&f, "bin/plain");
	assert_non_null(strstr(truth, "square"));
	assert_same(program(&f, "bin/split"), truth);
	assert_string_equal(f.said, "");
	assert_true(fixture_run(&f, "src", "mv obj away"));
	missing = program(&f, "bin/split");
	/* said once, with the first name; the other two are counted */
	assert_non_null(strstr(f.said, "/obj/"));
	assert_non_null(strstr(f.said, ".dwo is missing, or of another build\n"));
	assert_ptr_equal(strchr(f.said, '\n'), strrchr(f.said, '\n'));
	assert_int_equal(f.diag.formats->kinds->count, 3);
	assert_less(strdup(missing), truth);
	assert_true(fixture_run(&f, "src", "mv away obj"));
	if (!packer)
		check_places(&f, truth, missing);
	/* binutils 2.40 cannot pack DWARF 5, and llvm-dwp 14 runs for ever with some ids */
	else if (fixture_run(&f, "src", "timeout 2 %s -e ../bin/split -o package", packer)) {
		assert_true(fixture_run(&f, "src", "mkdir -p ../other/bin ../debug &&"
		                    " cp ../bin/split ../other/bin &&"
		                    " cp ../bin/split ../debug/x.debug"));
		check_package(&f, truth, missing);
		check_damage(&f, truth);
		assert_true(fixture_run(&f, "src", "cp package ../bin/split.dwp"));
	} else {
		done = false;
	}
	check_memory(&f);
	free(truth);
	free(missing);
	fixture_end(&f);
	return done;
}

/* *state: the program that makes packages, or NULL for .dwo files. */
static void test_split(void **state)
{
	static const char *const compilers[] = { "cc", "clang" };
	static const char *const more[] = { "", PACKED, "-x c++ -fdebug-types-section" };
	const char *packer = *state;
	bool any = false;

	if (packer && !fixture_has(packer)) {
		print_message("no %s\n", packer);
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++)
		for (int version = 4; version <= 5; version++)
			for (size_t j = 0; fixture_has(compilers[i]) && j < ARRAY_SIZE(more); j++)
				if (!fixture_is_quick() || (i + (size_t)version) % ARRAY_SIZE(more) == j)
					any |= split(compilers[i], version, more[j], packer);
	if (!any) {
		print_message("nothing here splits debug information\n");
		skip();
	}
}

/* --- dwz */

static void test_dwz(void **state)
{
	/* the last one writes .debug_sup instead of .gnu_debugaltlink */
	static const char *const options[][2] = { { "-gdwarf-4", "" },
		                                  { "-gdwarf-5", "" },
		                                  { "-gdwarf-5", "--dwarf-5" } };
	char *truth, *missing, *outside, path[200], root[200];
	uint64_t low, size;
	struct fixture f;

	(void)state;
	if (!fixture_has("dwz")) {
		print_message("no dwz\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		begin(&f);
		assert_true(fixture_run(&f, "src", "cc -O2 -g %s first.c second.c third.c -o ../plain &&"
		                    " cd .. && cp plain one && dwz one && cp plain two &&"
		                    " cp plain three && dwz %s -m common two three",
		                options[i][0], options[i][1]));
		truth = program(&f, "plain");
		assert_same(program(&f, "one"), truth);
		assert_same(program(&f, "two"), truth);
		assert_same(program(&f, "three"), truth);
		assert_string_equal(f.said, "");
		/* below --symfs; but a debug file that is elsewhere leads to no file beside it */
		assert_true(fixture_run(&f, "src", "mkdir ../other"));
		assert_true(code_of(&f, "two", &low, &size));
		fixture_path(&f, "two", path);
		fixture_path(&f, "", root);
		assert_same(answers(&f, path, NULL, root, low, size), truth);
		fixture_path(&f, "other", root);
		outside = answers(&f, path, NULL, root, low, size);
		/* without the common file less is known, and nothing else; but that it is missing is said */
		assert_non_null(strstr(f.said, "/two: the debug information that it shares with others, common, is missing"));
		assert_true(fixture_run(&f, "src", "rm ../common"));
		missing = program(&f, "two");
		assert_int_not_equal(strcmp(missing, truth), 0);
		assert_same(outside, missing);
		free(missing);
		free(truth);
		fixture_end(&f);
	}
}

/* The common file may have texts alone. */
static void test_common_texts(void **state)
{
	struct fixture f;
	char *truth;

	(void)state;
	if (!fixture_has("dwz"))
		skip();
	for (int version = 4; version <= 5; version++) {
		begin(&f);
		fixture_text(&f, "src/small.c",
		             "static __attribute__((noinline)) long first(long n) { return n * 3; }\n"
		             "static __attribute__((noinline)) long then(long n) { return n * 5; }\n"
		             "int main(int n, char **v) { (void)v; return (int)(first(n) + then(n)); }\n");
		assert_true(fixture_run(&f, "src", "cc -O1 -g -gdwarf-%d small.c -o ../plain && cd .. && cp plain one &&"
		                    " cp plain two && dwz -m common one two && test -f common",
		                version));
		truth = program(&f, "plain");
		assert_same(program(&f, "one"), truth);
		assert_string_equal(f.said, "");
		free(truth);
		fixture_end(&f);
	}
}

/* --- modules */

/* The answers about the module at this path. */
static char *module(struct fixture *f, uint64_t size)
{
	struct binary binary = fixture_binary(f, BINARY_MODULE, "/lib/modules/6.1.0/kernel/m.ko");
	char *name = strdup("[m]");

	assert_non_null(name);
	binary.name = strings_put_text(&f->strings, name, &f->err);
	free(name);
	assert_true(fixture_load(f, &binary));
	if (!symbols_debug(f->symbols)->path)
		return strdup("no debug information");
	return answers(f, symbols_debug(f->symbols)->path, NULL, f->root, 0, size);
}

#define PLACE "../lib/modules/6.1.0/kernel"

/* False: these tools cannot do it here. */
static bool modules(const char *compiler, const char *linker, const char *flags)
{
	uint64_t low, size;
	struct fixture f;
	char *truth, path[200];

	begin(&f);
	if (!fixture_run(&f, "src", "mkdir -p " PLACE " && %s %s -O2 -g -ffreestanding -fno-pic"
	             " -c first.c second.c && %s -r --build-id first.o second.o -o " PLACE "/m.ko &&"
	             " %s -T module.ld -e first " PLACE "/m.ko -o ../linked",
	         compiler, flags, linker, linker)) {
		fixture_end(&f);
		return false;
	}
	assert_true(code_of(&f, "linked", &low, &size));
	assert_int_equal(low, 0);
	/* sections of cold code and of the module's exit stand behind it */
	size += 40;
	truth = answers(&f, fixture_path(&f, "linked", path), NULL, NULL, 0, size);
	assert_non_null(strstr(truth, "square"));
	assert_non_null(strstr(truth, "seldom"));
	assert_same(module(&f, size), truth);
	if (fixture_has("xz") && fixture_run(&f, "src", "xz -k " PLACE "/m.ko && mv " PLACE "/m.ko.xz " PLACE "/m.ko"))
		assert_same(module(&f, size), truth);
	free(truth);
	fixture_end(&f);
	return true;
}

static void test_modules(void **state)
{
	static const struct {
		const char *compiler, *linker, *flags;
	} tools[] = {
		{ "cc", "ld", "-gdwarf-4" },
		{ "cc", "ld", "-gdwarf-5" },
		{ "cc", "ld", "-gdwarf-5 " PACKED },
		{ "clang", "ld.lld", "-target x86_64-linux-gnu" },
		{ "clang", "ld.lld", "-target i386-linux-gnu" },
		{ "clang", "ld.lld", "-target aarch64-linux-gnu" },
		{ "clang", "ld.lld", "-target arm-linux-gnueabi" },
		{ "clang", "ld.lld", "-target powerpc64le-linux-gnu" },
		{ "clang", "ld.lld", "-target powerpc64-linux-gnu -mabi=elfv2" },
		{ "s390x-linux-gnu-gcc", "s390x-linux-gnu-ld", "" },
	};
	bool any = false;

	(void)state;
#ifndef HAVE_ZLIB
	skip(); /* modules are packed, too */
#endif
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		bool done = modules(tools[i].compiler, tools[i].linker, tools[i].flags);

		any |= done;
		if (!done)
			print_message("%s %s: makes no module here\n", tools[i].compiler,
			              tools[i].flags);
	}
	if (!any)
		skip();
}

int main(void)
{
	static char binutils[] = "dwp", llvm[] = "llvm-dwp";
	const struct CMUnitTest tests[] = {
		{ "test_split", test_split, NULL, NULL, NULL },
		{ "test_dwp", test_split, NULL, NULL, binutils },
		{ "test_llvm_dwp", test_split, NULL, NULL, llvm },
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_common_texts),
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
