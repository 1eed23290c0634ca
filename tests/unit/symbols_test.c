/* Binaries that are no files: what the recording itself names, the vdso, guests. */
#include "decode/symbols/symbols.h"

#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT 0x400u

static const uint8_t id[20] = "0123456789abcdefghij";
#define CACHED "cache/.build-id/30/313233343536373839616263646566" "6768696a"

static void expect(struct fixture *f, const struct binary *binary, uint64_t addr, const char *wanted)
{
	char found[200];

	fixture_load(f, binary);
	assert_int_equal(f->err.code, ERR_NONE);
	assert_string_equal(fixture_answer(f, addr, found, sizeof(found)), wanted);
}

/* A KSYMBOL record is its own symbol, from its first byte on. */
static void named_by_the_recording(void **state)
{
	struct binary binary;
	struct fixture f;
	struct refused_loads loads = { 0 };

	(void)state;
	fixture_begin(&f);
	binary = fixture_binary(&f, BINARY_KSYMBOL, "bpf_prog_6deef7357e7b4530_filter");
	expect(&f, &binary, 0, "bpf_prog_6deef7357e7b4530_filter bpf");
	expect(&f, &binary, 0xfff, "bpf_prog_6deef7357e7b4530_filter bpf");
	while (fixture_load_refused(&f, &binary, &loads)) {
		assert_true(loads.loaded || f.err.code == ERR_NOMEM);
	}
	assert_true(loads.failed >= 3);
	fixture_end(&f);
}

static void without_names(void **state)
{
	static const struct {
		enum binary_kind kind;
		bool guest;
		const char *wanted;
	} cases[] = {
		{ BINARY_UNKNOWN, false, "- no-map" },      { BINARY_SPECIAL, false, "- no-symbol" },
		{ BINARY_FILE, true, "- guest" },           { BINARY_KERNEL, true, "- guest" },
		{ BINARY_KSYMBOL, true, "- guest" },        { BINARY_FILE, false, "- file-missing" },
		{ BINARY_MODULE, false, "- file-missing" }, { BINARY_KERNEL, false, "- kernel-hidden" },
		{ BINARY_JIT, false, "- no-perf-map" },     { BINARY_VDSO, false, "- file-missing" },
	};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct binary binary = fixture_binary(&f, cases[i].kind, "[name]");

		binary.guest = cases[i].guest;
		expect(&f, &binary, 0x1000, cases[i].wanted);
		assert_int_equal(symbols_link_addr(f.symbols, 0x1234), 0x1234);
	}
	fixture_end(&f);
}

static void put_vdso(struct fixture *f, const char *path, const void *build_id, bool nameless)
{
	static const struct elf_name name = { "__vdso_time", ELF_BASE + TEXT, 0x40, STT_FUNC,
		                              STB_GLOBAL, 1 };
	struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct image symbols, names, note, image;

	elf_name_images(&symbols, &names, &whole, &name, 1);
	elf_build_id_image(&note, false, build_id, 20);

	const struct elf_part parts[] = {
		{ .name = ".text", .type = 1, .flags = 6, .addr = ELF_BASE + TEXT, .size = 0x60 },
		{ .name = ".note", .type = 7, .data = note.data, .size = note.size },
		{ .name = ".dynstr", .type = 3, .data = names.data, .size = names.size },
		{ .name = ".dynsym", .type = 11, .data = symbols.data, .size = symbols.size,
		  .link = nameless ? 77 : 3, .entry_size = 24 },
	};

	whole.parts = parts;
	whole.count = 4;
	elf_image(&image, &whole);
	fixture_image(f, path, &image);
	image_release(&symbols), image_release(&names), image_release(&note);
}

/* The recorded vdso is in the build-id cache, under one of three names; ours is another. */
static void cached_vdso(void **state)
{
	static const char *const paths[] = { CACHED "/vdso", CACHED "/elf", CACHED };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct binary binary;
		struct fixture f;
		struct refused_loads loads = { 0 };

		fixture_begin(&f);
		put_vdso(&f, paths[i], id, false);
		binary = fixture_binary(&f, BINARY_VDSO, "[vdso]");
		memcpy(binary.build_id.bytes, id, 20);
		binary.build_id.size = 20;
		expect(&f, &binary, TEXT + 0x10, "__vdso_time dynsym");
		expect(&f, &binary, TEXT + 0x50, "[function at 0x10440] no-symbol");
		expect(&f, &binary, TEXT + 0x60, "- no-symbol");
		while (fixture_load_refused(&f, &binary, &loads)) {
			assert_true(loads.loaded || f.err.code == ERR_NOMEM || f.reason == ORIGIN_FILE_MISSING);
		}
		assert_true(loads.failed > 5);
		/* another build, no names, no ELF file */
		put_vdso(&f, paths[i], "another build id ...", false);
		expect(&f, &binary, TEXT + 0x10, "- file-missing");
		put_vdso(&f, paths[i], id, true);
		expect(&f, &binary, TEXT + 0x10, "- stripped");
		fixture_text(&f, paths[i], "damaged");
		expect(&f, &binary, TEXT + 0x10, "- file-missing");
		fixture_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(named_by_the_recording),
		cmocka_unit_test(without_names),
		cmocka_unit_test(cached_vdso),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
