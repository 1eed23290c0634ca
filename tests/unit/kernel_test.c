/*
 * Where the kernel's names come from, and where its addresses were: the recorded kernel ran at
 * another place than it was linked for, by the difference of the reference symbol's two addresses.
 */
#define _XOPEN_SOURCE 700
#include "decode/symbols/kernel.h"

#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#define LINKED UINT64_C(0xffffffff81000000)
#define RAN UINT64_C(0xffffffff9a200000) /* 0x19200000 further up */

static const uint8_t id[20] = "0123456789abcdefghij";
#define ID_PATH ".build-id/30/313233343536373839616263646566" "6768696a"

struct vmlinux {
	const uint8_t *build_id;
	bool stripped, dwarf, nameless;
};

static void put_vmlinux(struct fixture *f, const char *path, const struct vmlinux *v)
{
	static const struct elf_name names[] = {
		{ "_text", LINKED, 0, STT_NOTYPE, STB_GLOBAL, 1 },
		{ "startup_64", LINKED, 0x80, STT_FUNC, STB_GLOBAL, 1 },
		{ "__pfx_do_work", LINKED + 0xf0, 0x10, STT_FUNC, STB_LOCAL, 1 },
		{ "do_work", LINKED + 0x100, 0x40, STT_FUNC, STB_LOCAL, 1 },
		{ "some_data", LINKED + 0x1000, 0x40, STT_OBJECT, STB_GLOBAL, 1 },
	};
	struct elf_whole whole = { .wide = true, .type = ET_EXEC, .machine = EM_X86_64 };
	struct image symbols, text, note, image;

	elf_name_images(&symbols, &text, &whole, names, sizeof(names) / sizeof(names[0]));
	elf_build_id_image(&note, false, v->build_id ? v->build_id : id, 20);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .size = 0x10 },
		{ .name = ".notes", .type = 7, .flags = 2, .data = note.data,
		  .size = v->build_id ? note.size : 0 },
		{ .name = v->dwarf ? ".debug_info" : ".comment", .type = 1, .data = "DWARF", .size = 6 },
		{ .name = ".strtab", .type = 3, .data = text.data, .size = text.size },
		{ .name = ".symtab", .type = 2, .data = symbols.data, .size = symbols.size,
		  .link = v->nameless ? 44 : 4, .entry_size = 24 },
	};

	whole.parts = parts;
	whole.count = v->stripped ? 4 : 5;
	elf_image(&image, &whole);
	fixture_image(f, path, &image);
	image_release(&symbols), image_release(&text), image_release(&note);
}

/* As recorded: build_id NULL and ref_addr 0 where the recording does not tell. */
static struct binary kernel(struct fixture *f, const uint8_t *build_id, uint64_t ref_addr)
{
	struct binary binary = fixture_binary(f, BINARY_KERNEL, "[kernel.kallsyms]");

	binary.path = STRING_EMPTY;
	binary.ref_name = strings_put_text(&f->strings, ref_addr ? "_text" : "", &f->err);
	binary.ref_addr = ref_addr;
	if (build_id) {
		memcpy(binary.build_id.bytes, build_id, PERF_BUILD_ID_SIZE);
		binary.build_id.size = PERF_BUILD_ID_SIZE;
	}
	return binary;
}

static void expect(struct fixture *f, uint64_t addr, const char *wanted)
{
	char found[200];

	assert_string_equal(fixture_answer(f, addr, found, sizeof(found)), wanted);
}

static void expect_reason(struct fixture *f, const struct binary *binary, const char *reason)
{
	assert_true(fixture_load(f, binary));
	assert_string_equal(symbol_origin_name(f->reason), reason);
}

static bool finds_symbols(struct fixture *f, const struct binary *binary)
{
	assert_true(fixture_load(f, binary));
	return f->reason == ORIGIN_NO_SYMBOL;
}

/* --vmlinux: its addresses plus 0x19200000 are the recorded ones. */
static void given_vmlinux(void **state)
{
	static const struct vmlinux plain = { NULL, false, true, false };
	struct binary binary;
	struct fixture f;
	char path[200];

	(void)state;
	fixture_begin(&f);
	put_vmlinux(&f, "elsewhere/vmlinux", &plain);
	f.options.vmlinux = fixture_path(&f, "elsewhere/vmlinux", path);
	binary = kernel(&f, NULL, RAN);
	assert_true(fixture_load(&f, &binary));
	expect(&f, UINT64_C(0xffffffff9a200000), "startup_64 vmlinux");
	expect(&f, UINT64_C(0xffffffff9a2000f0), "do_work vmlinux"); /* the padding before it */
	expect(&f, UINT64_C(0xffffffff9a200100), "do_work vmlinux");
	expect(&f, UINT64_C(0xffffffff9a20013f), "do_work vmlinux");
	expect(&f, UINT64_C(0xffffffff9a200140), "- no-symbol");
	expect(&f, UINT64_C(0xffffffff81000100), "- no-symbol");
	assert_true(symbols_link_addr(f.symbols, UINT64_C(0xffffffff9a200108)) ==
	            UINT64_C(0xffffffff81000108));
	assert_string_equal(symbols_debug(f.symbols)->path, path);
	assert_string_equal(f.said, "");

	/* it ran where it was linked */
	binary = kernel(&f, NULL, LINKED);
	assert_true(fixture_load(&f, &binary));
	expect(&f, LINKED + 0x120, "do_work vmlinux");
	assert_true(symbols_link_addr(f.symbols, LINKED + 0x108) == LINKED + 0x108);

	/* further down than it was linked for */
	binary = kernel(&f, NULL, LINKED - 0x200000);
	assert_true(fixture_load(&f, &binary));
	expect(&f, UINT64_C(0xffffffff80e00120), "do_work vmlinux");

	/* kptr_restrict hid the place, or the file lacks the symbol: as it was linked */
	binary = kernel(&f, NULL, 0);
	assert_true(fixture_load(&f, &binary));
	expect(&f, LINKED + 0x120, "do_work vmlinux");
	binary = kernel(&f, NULL, RAN);
	binary.ref_name = strings_put_text(&f.strings, "_stext", &f.err);
	assert_true(fixture_load(&f, &binary));
	expect(&f, LINKED + 0x120, "do_work vmlinux");
	fixture_end(&f);
}

/* A file of --vmlinux that cannot be used: a warning, and no names from it. */
static void useless_vmlinux(void **state)
{
	static const uint8_t other[20] = "another build id ...";
	static const struct vmlinux wrong = { other, false, false, false };
	static const struct vmlinux stripped = { id, true, false, false };
	static const struct vmlinux nameless = { id, false, false, true };
	struct binary binary;
	struct fixture f;
	char path[200];

	(void)state;
	fixture_begin(&f);
	f.options.vmlinux = fixture_path(&f, "vmlinux", path);
	binary = kernel(&f, id, RAN);
	put_vmlinux(&f, "vmlinux", &wrong);
	expect_reason(&f, &binary, "build-id-mismatch");
	assert_non_null(strstr(f.said, "has another build id than the recorded kernel: not used"));
	put_vmlinux(&f, "vmlinux", &stripped);
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "vmlinux: no kernel symbols in it: not used"));
	put_vmlinux(&f, "vmlinux", &nameless);
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "vmlinux: kernel symbols: symbol table without names"));
	fixture_text(&f, "vmlinux", "text");
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "no kernel symbols in it: not used"));
	f.options.vmlinux = fixture_path(&f, "nothing", path);
	expect_reason(&f, &binary, "kernel-hidden");
	fixture_end(&f);
}

/* Each place alone. Only a build id proves a file whose name has no release. */
static void places(void **state)
{
	static const struct {
		const char *path;
		bool without_id; /* believed by the release alone */
	} cases[] = {
		{ "boot/vmlinux", false },
		{ "boot/vmlinux-6.1.0", true },
		{ "usr/lib/debug/boot/vmlinux-6.1.0", true },
		{ "lib/modules/6.1.0/build/vmlinux", true },
		{ "usr/lib/debug/lib/modules/6.1.0/vmlinux", true },
		{ "usr/lib/debug/boot/vmlinux-6.1.0.debug", true },
		{ "vmlinux", false },
		{ "usr/lib/debug/" ID_PATH ".debug", false },
		{ "cache/" ID_PATH "/elf", false },
		{ "cache/" ID_PATH "/debug", false },
		{ "cache/" ID_PATH "/vmlinux", false },
		{ "cache/" ID_PATH, false },
	};
	static const uint8_t other[20] = "another build id ...";

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct vmlinux with = { id, false, false, false };
		struct binary binary;
		struct fixture f;

		print_message("# %s\n", cases[i].path);
		fixture_begin(&f);
		f.options.osrelease = "6.1.0";
		put_vmlinux(&f, cases[i].path, &with);
		binary = kernel(&f, id, RAN);
		assert_true(fixture_load(&f, &binary));
		expect(&f, RAN + 0x100, "do_work vmlinux");
		assert_null(symbols_debug(f.symbols)->path);
		binary = kernel(&f, other, RAN);
		assert_false(finds_symbols(&f, &binary));
		binary = kernel(&f, NULL, RAN);
		assert_int_equal(finds_symbols(&f, &binary), cases[i].without_id);
		f.options.osrelease = "6.1.1";
		assert_false(finds_symbols(&f, &binary));
		f.options.osrelease = "../boot/vmlinux-6.1.0";
		assert_false(finds_symbols(&f, &binary));
		fixture_end(&f);
	}
}

static const char list[] = "ffffffff81000000 T _text\n"
			   "ffffffff81000100 t listed\n"
			   "ffffffff81000140 t behind_it\n";

/* Lists, where there is no vmlinux: a kernel that ran elsewhere is found by _text. */
static void lists(void **state)
{
	struct binary binary;
	struct fixture f;
	char path[200], recording[200];

	(void)state;
	fixture_begin(&f);
	binary = kernel(&f, id, RAN);
	expect_reason(&f, &binary, "kernel-hidden");
	/* one in the recording itself, of the same start of the kernel */
	f.options.recorded_list = "ffffffff9a200000 T _text\nffffffff9a200100 t recorded\nbehind";
	f.options.recorded_list_size = strlen(f.options.recorded_list) - 6;
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "recorded kallsyms");
	f.options.recorded_list = "ffffffff91200000 T _text\nffffffff91200100 t recorded\n";
	f.options.recorded_list_size = strlen(f.options.recorded_list);
	expect_reason(&f, &binary, "kernel-hidden");
	f.options.recorded_list_size = 0;
	fixture_text(&f, "cache/" ID_PATH "/kallsyms", list);
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	expect(&f, RAN + 0x140, "behind_it kallsyms");
	expect(&f, LINKED + 0x120, "- no-symbol");

	/* that of the same boot is better */
	fixture_text(&f, "rec/kcore_dir/kallsyms", "ffffffff9a200000 T _text\nffffffff9a200100 t core\n");
	f.options.files.recording = fixture_path(&f, "rec/perf.data", recording);
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "core kallsyms");
	fixture_text(&f, "rec/kcore_dir/kallsyms", "ffffffff91200000 T _text\nffffffff91200100 t core\n");
	binary = kernel(&f, id, LINKED);
	assert_true(fixture_load(&f, &binary));
	expect(&f, LINKED + 0x120, "listed kallsyms");

	/* what was named is taken alone, and no vmlinux is looked for */
	put_vmlinux(&f, "boot/vmlinux", &(struct vmlinux){ id, false, false, false });
	fixture_text(&f, "named", "ffffffff81000000 T _text\nffffffff81000100 t named\n");
	f.options.kallsyms = fixture_path(&f, "named", path);
	assert_true(fixture_load(&f, &binary));
	expect(&f, LINKED + 0x120, "named kallsyms");
	fixture_text(&f, "named", "0000000000000000 T _text\n0000000000000000 t named\n");
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "named: all addresses in it are 0"));
	fixture_text(&f, "named", "no list\n");
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "named: line 1: expected ADDRESS TYPE NAME, as in /proc/kallsyms, found 'no list'"));
	fixture_text(&f, "named", "");
	expect_reason(&f, &binary, "kernel-hidden");
	assert_non_null(strstr(f.said, "named: no kernel symbols in it"));
	f.options.kallsyms = fixture_path(&f, "nothing", path);
	expect_reason(&f, &binary, "kernel-hidden");
	fixture_end(&f);
}

/* A cache from before perf made folders: a list is the build id's own file. */
static void old_cache(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "cache/" ID_PATH, list);
	binary = kernel(&f, id, RAN);
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	fixture_end(&f);
}

/* perf record --kcore makes a folder, of which either the data file or the folder is named. */
static void kcore_dirs(void **state)
{
	char before[1000], path[200];
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	binary = kernel(&f, NULL, RAN);
	fixture_text(&f, "rec/kcore_dir/kallsyms", list);
	fixture_text(&f, "rec/data", "");
	f.options.files.recording = fixture_path(&f, "rec", path);
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	f.options.files.recording = fixture_path(&f, "rec/data", path);
	assert_true(fixture_load(&f, &binary));
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(fixture_path(&f, "rec", path)), 0);
	f.options.files.recording = "data";
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	f.options.files.recording = "-";
	assert_false(finds_symbols(&f, &binary));
	assert_int_equal(chdir(before), 0);
	fixture_end(&f);
}

/* One list is read once for the kernel and its modules. */
static void shared_list(void **state)
{
	struct binary binary;
	struct fixture f;
	char path[200];

	(void)state;
	fixture_begin(&f);
	fixture_text(&f, "named", list);
	f.options.kallsyms = fixture_path(&f, "named", path);
	f.options.cache = &(struct symbol_cache){ .searched = false };
	binary = kernel(&f, NULL, RAN);
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	fixture_text(&f, "named", "nothing any more");
	assert_true(fixture_load(&f, &binary));
	expect(&f, RAN + 0x120, "listed kallsyms");
	symbols_free(f.symbols);
	f.symbols = NULL;
	symbol_cache_release(f.options.cache);
	fixture_end(&f);
}

static bool list_is_readable(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long addr = 0, sum = 0;
	char line[300];

	for (int i = 0; file && i < 100 && fgets(line, sizeof(line), file); i++)
		if (sscanf(line, "%llx", &addr) == 1)
			sum |= addr;
	if (file)
		fclose(file);
	return sum != 0;
}

/* The running kernel's list: only with its build id, or, if none is known, its release. */
static void running_kernel(void **state)
{
	struct utsname name;
	struct build_id own;
	struct binary binary;
	struct fixture f;

	(void)state;
	if (!list_is_readable() || uname(&name))
		skip();
	fixture_begin(&f);
	f.options.osrelease = name.release;
	binary = kernel(&f, NULL, 0);
	assert_true(fixture_load(&f, &binary));
	assert_non_null(strstr(f.said, "does not identify its kernel: taken to be the running one"));
	f.options.osrelease = "0.0.1";
	expect_reason(&f, &binary, "kernel-hidden");
	assert_true(running_build_id("/sys/kernel/notes", &own, &f.err));
	if (own.size) {
		binary.build_id = own;
		assert_true(fixture_load(&f, &binary));
		assert_non_null(strstr(f.said, "does not say where its kernel was (kernel.kptr_restrict)"));
		binary.build_id.bytes[0] ^= 1;
		f.options.osrelease = name.release;
		expect_reason(&f, &binary, "kernel-hidden");
		f.options.kallsyms = "/proc/kallsyms";
		expect_reason(&f, &binary, "build-id-mismatch");
		assert_non_null(strstr(f.said, "/proc/kallsyms: is of another kernel than the recorded one: not used"));
		binary.build_id = own;
		assert_true(fixture_load(&f, &binary));
	}
	fixture_end(&f);
}

/* Every allocation refused once, with a vmlinux and with a list. */
static void refused(void **state)
{
	struct binary binary;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	f.options.osrelease = "6.1.0";
	binary = kernel(&f, id, RAN);
	for (int way = 0; way < 2; way++) {
		struct refused_loads loads = { 0 };

		if (way)
			put_vmlinux(&f, "usr/lib/debug/" ID_PATH ".debug",
			            &(struct vmlinux){ id, false, true, false });
		else
			fixture_text(&f, "cache/" ID_PATH "/kallsyms", list);
		while (fixture_load_refused(&f, &binary, &loads)) {
			/* if one of two sources failed the other names, but there is a warning */
			if (loads.loaded)
				assert_string_not_equal(fixture_name(&f, RAN + 0x120, NULL), "-");
			else
				assert_int_equal(f.err.code, ERR_NOMEM);
		}
		assert_true(loads.failed > 10);
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_vmlinux),  cmocka_unit_test(useless_vmlinux),
		cmocka_unit_test(places),         cmocka_unit_test(lists),
		cmocka_unit_test(old_cache),      cmocka_unit_test(kcore_dirs),
		cmocka_unit_test(shared_list),    cmocka_unit_test(running_kernel),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
