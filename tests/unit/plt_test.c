/*
 * Names of the stubs between a program and its libraries. Where a machine's linker puts which stub
 * is written here by hand, from what GNU ld and lld make and objdump -d prints of it.
 */
#include "decode/files/elf.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>


#define PLACE(offset) (ELF_BASE + (offset))
#define RELOCS 0x400
#define DYN_RELOCS 0x500
#define PLT 0x600
#define SEC 0x700
#define PLT_GOT 0x780
#define TEXT 0x800
#define GOT 0x900

struct reloc {
	uint64_t got;
	uint32_t symbol; /* 1: first, 2: second, 3: third; 0: none */
	uint64_t addend;
};

/* A program of which only the stubs matter. */
struct program {
	bool wide, big_endian, addends;
	uint16_t machine;
	size_t entry_size;   /* as the header of .plt says */
	size_t size;         /* of .plt */
	const uint8_t *code; /* of .plt; NULL: zeros */
	const uint8_t *sec, *plt_got;
	size_t sec_size, plt_got_size;
	const struct reloc *relocs, *dyn_relocs; /* NULL for relocs: three */
	size_t reloc_count, dyn_reloc_count;
	uint64_t reloc_offset; /* what the header says in place of the truth; 0: the truth */
	uint32_t dynstr;       /* the same for the number of .dynsym's names */
};

static const struct reloc three[] = { { PLACE(GOT + 0x18), 1, 0 },
	                              { PLACE(GOT + 0x20), 2, 0 },
	                              { PLACE(GOT + 0x28), 3, 0 } };

static void put_relocs(struct image *image, const struct program *p, const struct reloc *relocs,
                       size_t count)
{
	image_init(image, p->big_endian);
	for (size_t i = 0; i < count; i++) {
		elf_word(image, p->wide, relocs[i].got);
		if (p->wide)
			image_u64(image, (uint64_t)relocs[i].symbol << 32 | 7);
		else
			image_u32(image, relocs[i].symbol << 8 | 7);
		if (p->addends)
			elf_word(image, p->wide, relocs[i].addend);
	}
}

static void put_program(struct fixture *f, const struct program *p)
{
	static const struct elf_name dynamic[] = {
		{ "first", 0, 0, 2, 1, 0 }, { "second", 0, 0, 2, 1, 0 }, { "third", 0, 0, 2, 1, 0 }
	};
	static const struct elf_name own[] = {
		{ "memcpy@@GLIBC_2.14", PLACE(TEXT), 16, 10, 1, 9 },
	};
	size_t count = p->relocs ? p->reloc_count : 3;
	struct image dynsym, dynstr, symtab, strtab, relocs, dyn_relocs, image;
	struct elf_whole whole = { .wide = p->wide, .big_endian = p->big_endian,
		                   .machine = p->machine, .type = 3 };
	uint32_t type = p->addends ? 4 : 9;

	elf_name_images(&dynsym, &dynstr, &whole, dynamic, 3);
	elf_name_images(&symtab, &strtab, &whole, own, 1);
	put_relocs(&relocs, p, p->relocs ? p->relocs : three, count);
	put_relocs(&dyn_relocs, p, p->dyn_relocs, p->dyn_reloc_count);

	const struct elf_part parts[] = {
		{ .name = ".dynsym", .type = 11, .flags = 2, .addr = PLACE(0x200), .data = dynsym.data,
		  .size = dynsym.size, .link = p->dynstr ? p->dynstr : 2 },
		{ .name = ".dynstr", .type = 3, .flags = 2, .addr = PLACE(0x300), .data = dynstr.data,
		  .size = dynstr.size },
		{ .name = p->addends ? ".rela.plt" : ".rel.plt", .type = type, .flags = 2,
		  .addr = PLACE(RELOCS), .data = relocs.data, .size = relocs.size, .link = 1,
		  .said_offset = p->reloc_offset },
		{ .name = p->addends ? ".rela.dyn" : ".rel.dyn", .type = type, .flags = 2,
		  .addr = PLACE(DYN_RELOCS), .data = dyn_relocs.data, .size = dyn_relocs.size, .link = 1 },
		{ .name = ".plt", .type = 1, .flags = 6, .addr = PLACE(PLT), .data = p->code,
		  .size = p->size, .entry_size = p->entry_size },
		{ .name = ".plt.sec", .type = 1, .flags = 6, .addr = PLACE(SEC), .data = p->sec,
		  .size = p->sec_size, .entry_size = 16 },
		{ .name = ".plt.got", .type = 1, .flags = 6, .addr = PLACE(PLT_GOT), .data = p->plt_got,
		  .size = p->plt_got_size, .entry_size = 8 },
		{ .name = ".text", .type = 1, .flags = 6, .addr = PLACE(TEXT), .size = 0x40 },
		{ .name = ".got.plt", .type = 1, .flags = 3, .addr = PLACE(GOT), .size = 0x40 },
		{ .name = ".symtab", .type = 2, .data = symtab.data, .size = symtab.size, .link = 11 },
		{ .name = ".strtab", .type = 3, .data = strtab.data, .size = strtab.size },
	};

	whole.parts = parts;
	whole.count = sizeof(parts) / sizeof(parts[0]);
	elf_image(&image, &whole);
	fixture_image(f, "bin/program", &image);
	image_release(&dynsym), image_release(&dynstr), image_release(&symtab), image_release(&strtab);
	image_release(&relocs), image_release(&dyn_relocs);
}

static bool load(struct fixture *f)
{
	struct binary binary = fixture_binary(f, BINARY_FILE, "/bin/program");

	return fixture_load(f, &binary);
}

static void expect(struct fixture *f, uint64_t offset, const char *name)
{
	char found[200], wanted[200];

	fixture_answer(f, offset, found, sizeof(found));
	snprintf(wanted, sizeof(wanted), "%s %s", name, name[0] == '-' ? "no-symbol" : "plt");
	if (strcmp(found, wanted))
		fail_msg("%#llx is %s, not %s", (unsigned long long)offset, found, wanted);
}

static void begin(struct fixture *f, const struct program *p)
{
	fixture_begin(f);
	put_program(f, p);
	assert_true(load(f));
}

/* Machines whose stubs are all alike, in the order of the relocations. */
static void in_order(void **state)
{
	static const struct {
		const char *what;
		struct program program;
		size_t header, entry;
	} cases[] = {
		{ "arm, GNU ld", { .machine = EM_ARM, .size = 20 + 3 * 12 }, 20, 12 },
		{ "arm, lld", { .machine = EM_ARM, .size = 32 + 3 * 16 }, 32, 16 },
		{ "aarch64", { .machine = EM_AARCH64, .wide = true, .addends = true, .size = 32 + 3 * 16 },
		  32, 16 },
		{ "aarch64, branch protection",
		  { .machine = EM_AARCH64, .wide = true, .addends = true, .size = 32 + 3 * 24 }, 32, 24 },
		{ "aarch64, big-endian", { .machine = EM_AARCH64, .wide = true, .big_endian = true,
		                           .addends = true, .size = 32 + 3 * 16 }, 32, 16 },
		{ "riscv64", { .machine = EM_RISCV, .wide = true, .addends = true, .size = 32 + 3 * 16 },
		  32, 16 },
		{ "riscv32", { .machine = EM_RISCV, .addends = true, .size = 32 + 3 * 16 }, 32, 16 },
		{ "loongarch64",
		  { .machine = EM_LOONGARCH, .wide = true, .addends = true, .size = 32 + 3 * 16 }, 32, 16 },
		{ "sparc", { .machine = EM_SPARC, .big_endian = true, .addends = true,
		             .size = 48 + 3 * 12 }, 48, 12 },
		{ "sparc64", { .machine = EM_SPARCV9, .wide = true, .big_endian = true, .addends = true,
		               .size = 128 + 3 * 32 }, 128, 32 },
		{ "s390x", { .machine = EM_S390, .wide = true, .big_endian = true, .addends = true,
		             .entry_size = 32, .size = 32 + 3 * 32 }, 32, 32 },
		{ "without a header", { .machine = EM_MIPS, .wide = true, .addends = true, .entry_size = 16,
		                        .size = 3 * 16 }, 0, 16 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static const char *const names[] = { "first@plt", "second@plt", "third@plt" };
		struct fixture f;
		size_t at = PLT;

		print_message("# %s\n", cases[i].what);
		begin(&f, &cases[i].program);
		expect(&f, at - 1, "-");
		if (cases[i].header) {
			expect(&f, at, ".plt");
			expect(&f, at + cases[i].header - 1, ".plt");
		}
		at += cases[i].header;
		for (size_t n = 0; n < 3; n++, at += cases[i].entry) {
			expect(&f, at, names[n]);
			expect(&f, at + cases[i].entry - 1, names[n]);
		}
		expect(&f, at, "-");
		fixture_end(&f);
	}
}

/* Nobody says how long the stubs are, or there are fewer than relocations. */
static void unknown_sizes(void **state)
{
	static const struct program unknown = { .machine = EM_MIPS, .wide = true, .size = 64 };
	static const struct program less = { .machine = EM_AARCH64, .wide = true, .addends = true,
		                             .size = 32 + 8 };
	struct fixture f;

	(void)state;
	begin(&f, &unknown);
	expect(&f, PLT, "-");
	fixture_end(&f);
	begin(&f, &less);
	expect(&f, PLT, ".plt");
	expect(&f, PLT + 32, "first@plt");
	fixture_end(&f);
}

/* A slot without a symbol has the address of a function that chooses; its name, if it has one. */
static void resolvers(void **state)
{
	static const struct reloc relocs[] = { { PLACE(GOT), 0, PLACE(TEXT) },
		                               { PLACE(GOT + 8), 0, PLACE(TEXT + 0x20) },
		                               { PLACE(GOT + 16), 0, 0x999999 },
		                               { PLACE(GOT + 24), 77, 0x55 },
		                               { PLACE(GOT + 32), 2, 0 } };
	static const struct program p = { .machine = EM_AARCH64, .wide = true, .addends = true,
		                          .size = 32 + 5 * 16, .relocs = relocs, .reloc_count = 5 };
	struct fixture f;

	(void)state;
	begin(&f, &p);
	expect(&f, PLT + 32, "memcpy@plt");
	expect(&f, PLT + 48, "*ABS*+0x10820@plt");
	expect(&f, PLT + 64, "*ABS*+0x999999@plt");
	expect(&f, PLT + 80, "*ABS*+0x55@plt");
	expect(&f, PLT + 96, "second@plt");
	fixture_end(&f);
}

/* --- x86: each stub's own jump says which slot it takes */

/* Those of static programs: jmp *slot(%rip); xchg %ax,%ax, and no size in the header. */
static void x86_static(void **state)
{
	static const uint8_t code[] = {
		/* 0x10600: slot 0x10928, from 0x10606; slot 0x10918, from 0x1060e; slot 0x10920, from 0x10616 */
		0xff, 0x25, 0x22, 0x03, 0x00, 0x00, 0x66, 0x90, 0xff, 0x25, 0x0a, 0x03, 0x00, 0x00, 0x66, 0x90,
		0xff, 0x25, 0x0a, 0x03, 0x00, 0x00, 0x66, 0x90,
	};
	static const struct program p = { .machine = EM_X86_64, .wide = true, .addends = true,
		                          .code = code, .size = sizeof(code) };
	static const char *const names[] = { "third@plt", "first@plt", "second@plt" };
	struct fixture f;

	(void)state;
	begin(&f, &p);
	for (size_t i = 0; i < sizeof(code); i++)
		if (i % 8 < 7) /* the end of a nop is padding: symbols_find() */
			expect(&f, PLT + i, names[i / 8]);
	fixture_end(&f);
}

/* As GNU ld writes them: header, then jmp *slot(%rip); push; jmp header. Not in the slots' order. */
static void x86_lazy(void **state)
{
	static const uint8_t code[] = {
		0xff, 0x35, 0x02, 0x03, 0x00, 0x00, 0xff, 0x25, 0x04, 0x03, 0x00, 0x00, 0x0f, 0x1f, 0x40, 0,
		/* 0x10610: slot 0x10928, from 0x10616 */
		0xff, 0x25, 0x12, 0x03, 0x00, 0x00, 0x68, 2, 0, 0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff,
		/* 0x10620: slot 0x10918, from 0x10626 */
		0xff, 0x25, 0xf2, 0x02, 0x00, 0x00, 0x68, 0, 0, 0, 0, 0xe9, 0xd0, 0xff, 0xff, 0xff,
		/* 0x10630: no slot of any relocation */
		0xff, 0x25, 0xf2, 0x0f, 0x00, 0x00, 0x68, 0, 0, 0, 0, 0xe9, 0xd0, 0xff, 0xff, 0xff,
	};
	static const struct program p = { .machine = EM_X86_64, .wide = true, .addends = true,
		                          .entry_size = 16, .code = code, .size = sizeof(code) };
	struct fixture f;

	(void)state;
	begin(&f, &p);
	expect(&f, PLT, ".plt");
	expect(&f, PLT + 0x0b, ".plt");
	expect(&f, PLT + 0x0f, "third@plt"); /* the nop behind the jump is padding: symbols_find() */
	expect(&f, PLT + 0x10, "third@plt");
	expect(&f, PLT + 0x1f, "third@plt");
	expect(&f, PLT + 0x20, "first@plt");
	expect(&f, PLT + 0x30, ".plt");
	expect(&f, PLT + 0x40, "-");
	fixture_end(&f);
}

/* With IBT: .plt only pushes; .plt.sec has the jumps. .plt.got is for slots that .rela.dyn fills. */
static void x86_three_sections(void **state)
{
	static const uint8_t code[32] = { 0xff, 0x35, 0, 0, 0, 0, 0xf2, 0xff, 0x25, 1, 0, 0, 0, 0, 0, 0,
		                          0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0 };
	static const uint8_t sec[] = {
		/* 0x10700: endbr64; bnd jmp *slot 0x10920, from 0x1070b */
		0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x15, 0x02, 0x00, 0x00, 0, 0, 0, 0, 0,
		/* 0x10710: endbr64; jmp *slot 0x10918, from 0x1071a; cut short */
		0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xfe, 0x01, 0x00, 0x00, 0x66,
	};
	/* 0x10780: slot 0x10930, from 0x10786; 0x10788: nothing */
	static const uint8_t got[] = { 0xff, 0x25, 0xaa, 0x01, 0x00, 0x00, 0x66, 0x90, 0, 0, 0, 0, 0 };
	static const struct reloc dynamic[] = { { PLACE(GOT + 0x30), 3, 0 }, { PLACE(GOT + 0x38), 0, 0 } };
	static const struct program p = {
		.machine = EM_X86_64, .wide = true, .addends = true, .entry_size = 16, .code = code,
		.size = sizeof(code), .sec = sec, .sec_size = sizeof(sec), .plt_got = got,
		.plt_got_size = sizeof(got), .dyn_relocs = dynamic, .dyn_reloc_count = 2
	};
	struct fixture f;

	(void)state;
	begin(&f, &p);
	expect(&f, PLT, ".plt");
	expect(&f, PLT + 0x1f, ".plt");
	expect(&f, SEC, "second@plt");
	expect(&f, SEC + 0x10, "first@plt");
	expect(&f, SEC + 0x1a, "first@plt");
	expect(&f, SEC + 0x1b, "-");
	expect(&f, PLT_GOT, "third@plt");
	expect(&f, PLT_GOT + 8, ".plt.got");
	fixture_end(&f);
}

/* i386: an absolute slot, or one relative to .got.plt in %ebx. */
static void i386(void **state)
{
	static const uint8_t code[] = {
		0xff, 0x35, 4, 9, 1, 0, 0xff, 0x25, 8, 9, 1, 0, 0, 0, 0, 0,
		0xff, 0x25, 0x20, 0x09, 0x01, 0x00, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0, /* 0x10920 */
		0xff, 0xa3, 0x28, 0x00, 0x00, 0x00, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0, /* 0x10928 */
	};
	static const struct program p = { .machine = EM_386, .entry_size = 16, .code = code,
		                          .size = sizeof(code) };
	struct fixture f;

	(void)state;
	begin(&f, &p);
	expect(&f, PLT, ".plt");
	expect(&f, PLT + 0x10, "second@plt");
	expect(&f, PLT + 0x20, "third@plt");
	fixture_end(&f);
}

/* What is damaged costs the stubs' names and is said; the program's own stay. */
static void damaged(void **state)
{
	static const struct program outside = { .machine = EM_AARCH64, .wide = true, .addends = true,
		                                .size = 80, .reloc_offset = 0x7000000 };
	static const struct program nameless = { .machine = EM_AARCH64, .wide = true,
		                                 .addends = true, .size = 80, .dynstr = 99 };
	static const struct program elsewhere = { .machine = EM_AARCH64, .wide = true,
		                                  .addends = true, .size = 80, .dynstr = 9 };
	struct fixture f;

	(void)state;
	begin(&f, &outside);
	expect(&f, PLT, "-");
	assert_string_equal(fixture_name(&f, TEXT, NULL), "memcpy");
	assert_non_null(strstr(f.said, "ELF section is not in the file"));
	fixture_end(&f);
	begin(&f, &nameless);
	expect(&f, PLT + 32, "*ABS*+0x0@plt");
	fixture_end(&f);
	/* names that are all zeros: .got.plt as .dynstr */
	begin(&f, &elsewhere);
	expect(&f, PLT + 32, "*ABS*+0x0@plt");
	fixture_end(&f);
}

/* Many stubs of one function: together their names are far larger than the file. */
static void long_names(void **state)
{
	enum { STUBS = 2000, LENGTH = 20000 };
	static char name[LENGTH + 1];
	static struct reloc calls[STUBS];
	const struct elf_name dynamic = { name, 0, 0, STT_FUNC, STB_GLOBAL, 0 };
	struct elf_whole whole = { .wide = true, .machine = EM_AARCH64, .type = ET_DYN };
	struct program program = { .wide = true, .addends = true };
	struct image dynsym, dynstr, relocs, image;
	struct fixture f;

	(void)state;
	memset(name, 'n', LENGTH);
	for (size_t i = 0; i < STUBS; i++)
		calls[i] = (struct reloc){ PLACE(0x30000 + 8 * i), 1, 0 };
	elf_name_images(&dynsym, &dynstr, &whole, &dynamic, 1);
	put_relocs(&relocs, &program, calls, STUBS);

	const struct elf_part parts[] = {
		{ .name = ".dynsym", .type = SHT_DYNSYM, .flags = 2, .addr = PLACE(0x200),
		  .data = dynsym.data, .size = dynsym.size, .link = 2 },
		{ .name = ".dynstr", .type = SHT_STRTAB, .flags = 2, .addr = PLACE(0x1000),
		  .data = dynstr.data, .size = dynstr.size },
		{ .name = ".rela.plt", .type = SHT_RELA, .flags = 2, .addr = PLACE(0x10000),
		  .data = relocs.data, .size = relocs.size, .link = 1 },
		{ .name = ".plt", .type = SHT_PROGBITS, .flags = 6, .addr = PLACE(0x20000),
		  .size = 32 + 16 * STUBS },
	};

	whole.parts = parts;
	whole.count = sizeof(parts) / sizeof(parts[0]);
	elf_image(&image, &whole);
	fixture_begin(&f);
	fixture_image(&f, "bin/program", &image);
	image_release(&dynsym), image_release(&dynstr), image_release(&relocs);
	refuse_allocation(0);
	assert_true(load(&f));
	assert_in_range(allocated_bytes(), 0, 20000000);
	assert_non_null(strstr(f.said, "names lie over each other"));
	assert_int_equal(strspn(fixture_name(&f, 0x20020, NULL), "n"), LENGTH);
	fixture_end(&f);
}

/* Every allocation refused once: an error that says so, or everything as if nothing had been. */
static void refused(void **state)
{
	static const struct reloc dynamic[] = { { PLACE(GOT + 0x30), 3, 0 } };
	static const struct program p = { .machine = EM_X86_64, .wide = true, .addends = true,
		                          .entry_size = 16, .size = 64, .sec_size = 32,
		                          .plt_got_size = 16, .dyn_relocs = dynamic,
		                          .dyn_reloc_count = 1 };
	unsigned long total;
	struct fixture f;

	(void)state;
	begin(&f, &p);
	refuse_allocation(0);
	assert_true(load(&f));
	total = allocations_seen();
	assert_true(total > 10);
	for (unsigned long n = 1; n <= total; n++) {
		bool loaded;

		refuse_allocation(n);
		loaded = load(&f);
		refuse_allocation(0);
		if (loaded)
			assert_string_equal(fixture_name(&f, PLT, NULL), ".plt");
		else
			assert_int_equal(f.err.code, ERR_NOMEM);
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),  cmocka_unit_test(unknown_sizes),
		cmocka_unit_test(resolvers), cmocka_unit_test(x86_static), cmocka_unit_test(x86_lazy),
		cmocka_unit_test(x86_three_sections), cmocka_unit_test(i386),
		cmocka_unit_test(damaged),   cmocka_unit_test(long_names),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
