/* Rules of unwind tables: made by hand, damaged, and of real files as readelf prints them. */
#include "decode/stacks/stackfiles.h"

#include "tests/unit/bytes.h"
#include "tests/unit/fixture.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FRAME_ADDR 0x10000u
#define CODE_ADDR 0x4000u
#define CODE_SIZE 0x100u

/* A .eh_frame or .debug_frame of one function with these instructions. */
struct made_table {
	bool debug;
	const char *augmentation; /* of .eh_frame; "zR" if NULL */
	const uint8_t *program;
	size_t size;
};

static void pad(struct image *image, size_t start)
{
	while ((image->size - start) % 8 != 4)
		image_u8(image, 0);
	image_patch(image, start, image->size - start - 4, 4);
}

/* CIE: code factor 1, data factor -8, return address in 16; CFA = rsp + 8, return address at CFA - 8. */
static void put_cie(struct image *image, const struct made_table *made)
{
	const char *augmentation = made->debug ? "" : made->augmentation ? made->augmentation : "zR";
	size_t start = image->size;

	image_u32(image, 0);
	image_u32(image, made->debug ? UINT32_MAX : 0);
	image_u8(image, made->debug ? 4 : 1);
	image_bytes(image, augmentation, strlen(augmentation) + 1);
	if (made->debug)
		image_u8(image, 8), image_u8(image, 0);
	image_u8(image, 1), image_u8(image, 0x78), image_u8(image, 16);
	if (augmentation[0] == 'z')
		image_u8(image, 1), image_u8(image, 0x1b); /* relative, 4 bytes, signed */
	image_u8(image, 0x0c), image_u8(image, 7), image_u8(image, 8);
	image_u8(image, 0x90), image_u8(image, 1);
	pad(image, start);
}

static void make_table(struct image *image, const struct made_table *made)
{
	size_t start;

	image_init(image, false);
	put_cie(image, made);
	start = image->size;
	image_u32(image, 0);
	if (made->debug) {
		image_u32(image, 0);
		image_u64(image, CODE_ADDR);
		image_u64(image, CODE_SIZE);
	} else {
		image_u32(image, (uint32_t)image->size);
		image_u32(image, CODE_ADDR - FRAME_ADDR - (uint32_t)image->size);
		image_u32(image, CODE_SIZE);
		image_u8(image, 0);
	}
	image_bytes(image, made->program, made->size);
	pad(image, start);
	if (!made->debug)
		image_u32(image, 0);
}

static struct frame_index index_of(const struct image *image, bool debug)
{
	return (struct frame_index){ .section = { .data = image->data,
		                                 .size = image->size,
		                                 .addr = debug ? 0 : FRAME_ADDR,
		                                 .eh = !debug,
		                                 .wide = true } };
}

static struct unwind_rule rule_at(struct frame_index *index, uint64_t addr)
{
	struct unwind_rule rule = { .kind = UNWIND_NONE };
	struct err err = { .code = ERR_NONE };
	struct cfi_row row;

	if (cfi_find_row(index, addr, &row, &err)) {
		cfi_shorten(CFI_X86_64, &row, &rule);
		assert_int_not_equal(rule.kind, UNWIND_NONE);
	}
	assert_int_equal(err.code, ERR_NONE);
	return rule;
}

/* push rbp; mov rbp, rsp; ...; pop rbp */
static const uint8_t usual[] = { 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x80,
	                         0x0a, 0x0c, 7,  8,    0xc6, 0x42, 0x0b };

static void check_usual(struct frame_index *index)
{
	struct unwind_rule rule;

	assert_int_equal(rule_at(index, CODE_ADDR - 1).kind, UNWIND_NONE);
	assert_int_equal(rule_at(index, CODE_ADDR + CODE_SIZE).kind, UNWIND_NONE);
	rule = rule_at(index, CODE_ADDR);
	assert_int_equal(rule.kind, UNWIND_SP);
	assert_int_equal(rule.cfa, 1);
	assert_int_equal(rule.fp, UNWIND_FP_SAME);
	assert_int_equal(rule.return_offset, -1);
	rule = rule_at(index, CODE_ADDR + 3);
	assert_int_equal(rule.kind, UNWIND_SP);
	assert_int_equal(rule.cfa, 2);
	assert_int_equal(rule.fp, UNWIND_FP_SAVED);
	assert_int_equal(rule.fp_offset, -2);
	rule = rule_at(index, CODE_ADDR + 4);
	assert_int_equal(rule.kind, UNWIND_FP);
	assert_int_equal(rule.cfa, 2);
	rule = rule_at(index, CODE_ADDR + 0x84); /* behind pop */
	assert_int_equal(rule.kind, UNWIND_SP);
	assert_int_equal(rule.cfa, 1);
	assert_int_equal(rule.fp, UNWIND_FP_SAME);
	rule = rule_at(index, CODE_ADDR + 0x86); /* remembered */
	assert_int_equal(rule.kind, UNWIND_FP);
	assert_int_equal(rule.fp, UNWIND_FP_SAVED);
}

static void test_usual(void **state)
{
	struct made_table made = { .program = usual, .size = sizeof(usual) };
	struct image image;
	struct frame_index index;

	(void)state;
	for (int debug = 0; debug < 2; debug++) {
		made.debug = debug;
		make_table(&image, &made);
		index = index_of(&image, debug);
		check_usual(&index);
		frame_index_release(&index);
		image_release(&image);
	}
}

/* A valid table in .eh_frame_hdr is used; without one, or with a damaged one, the section itself is read. */
static void test_header(void **state)
{
	struct made_table made = { .program = usual, .size = sizeof(usual) };
	const uint32_t entry = 28; /* of the FDE: behind the CIE */
	struct frame_section section;
	struct image image, header;
	struct frame_index index;

	(void)state;
	make_table(&image, &made);
	for (int odd = 0; odd < 4; odd++) {
		image_init(&header, false);
		image_u8(&header, odd == 1 ? 2 : 1);
		image_u8(&header, 0x1b), image_u8(&header, 0x03);
		image_u8(&header, odd == 2 ? 0x3c : 0x3b);
		image_u32(&header, (uint32_t)(FRAME_ADDR - 0x20004));
		image_u32(&header, odd == 3 ? 1000 : 1);
		image_u32(&header, (uint32_t)(CODE_ADDR - 0x20000));
		image_u32(&header, (uint32_t)(FRAME_ADDR + entry - 0x20000));
		index = index_of(&image, false);
		section = index.section;
		section.data = header.data;
		section.size = header.size;
		section.addr = 0x20000;
		frame_index_use_table(&index, &section);
		check_usual(&index);
		assert_int_equal(index.listed, odd != 0);
		frame_index_release(&index);
		image_release(&header);
	}
	image_release(&image);
}

/* endbr64 of _start, before its table says that it has no caller. A library may start with any function. */
static void test_entry(void **state)
{
	static const uint8_t start[] = { 0x44, 0x07, 16 };
	const struct made_table made[] = { { .program = start, .size = sizeof(start) },
		                           { .program = usual, .size = sizeof(usual) } };
	struct elf_segment segment = { .file_size = UINT64_MAX, .flags = PF_X };
	struct err err = { .code = ERR_NONE };
	struct image image;
	struct cfi_row row;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct cfi_file file = { .segments = &segment, .segment_count = 1 };

		make_table(&image, &made[i]);
		file.eh = index_of(&image, false);
		assert_int_equal(cfi_file_rule(&file, CODE_ADDR, &row, &err).kind, UNWIND_SP);
		file.entry = CODE_ADDR;
		assert_int_equal(cfi_file_rule(&file, CODE_ADDR, &row, &err).kind, i ? UNWIND_SP : UNWIND_END);
		assert_int_equal(cfi_file_rule(&file, CODE_ADDR + 4, &row, &err).kind, i ? UNWIND_FP : UNWIND_END);
		frame_index_release(&file.eh);
		image_release(&image);
	}
	assert_int_equal(err.code, ERR_NONE);
}

/* Each address has the rule of the section that covers it. */
static void test_both_sections(void **state)
{
	static const uint8_t other[] = { 0x0e, 32 };
	struct made_table eh = { .program = usual, .size = sizeof(usual) };
	struct made_table debug = { .debug = true, .program = other, .size = sizeof(other) };
	struct elf_segment segment = { .file_size = UINT64_MAX, .flags = PF_X };
	struct cfi_file file = { .segments = &segment, .segment_count = 1 };
	struct err err = { .code = ERR_NONE };
	struct image first, second;
	struct cfi_row row;

	(void)state;
	make_table(&first, &eh);
	make_table(&second, &debug);
	image_patch(&second, 20 + 8, CODE_ADDR + CODE_SIZE / 2, 8); /* behind the CIE */
	file.eh = index_of(&first, false);
	file.debug = index_of(&second, true);
	assert_int_equal(cfi_file_rule(&file, CODE_ADDR, &row, &err).cfa, 1);
	assert_int_equal(cfi_file_rule(&file, CODE_ADDR + CODE_SIZE - 1, &row, &err).kind, UNWIND_FP);
	assert_int_equal(cfi_file_rule(&file, CODE_ADDR + CODE_SIZE, &row, &err).cfa, 4);
	assert_int_equal(cfi_file_rule(&file, CODE_ADDR + 2 * CODE_SIZE, &row, &err).kind, UNWIND_NONE);
	assert_int_equal(err.code, ERR_NONE);
	frame_index_release(&file.eh);
	frame_index_release(&file.debug);
	image_release(&first);
	image_release(&second);
}

struct shape {
	const char *name;
	uint8_t program[48];
	size_t size;
	struct unwind_rule rule;
};

/* Rows that have a short form of their own, and some that have none. */
static const struct shape shapes[] = {
	{ "end", { 0x07, 16 }, 2, { .kind = UNWIND_END } },
	{ "plt",
	  { 0x0f, 11, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22 },
	  13,
	  { .kind = UNWIND_SLOW } },
	{ "other register", { 0x0c, 10, 0 }, 3, { .kind = UNWIND_SLOW } },
	{ "realigned",
	  { 0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0 },
	  10,
	  { .kind = UNWIND_DEREF_FP, .cfa = -1, .fp = UNWIND_FP_DEREF, .return_offset = -1 } },
	{ "no frame pointer", { 0x07, 6 }, 2, { .kind = UNWIND_SP, .cfa = 1, .fp = UNWIND_FP_UNDEFINED, .return_offset = -1 } },
	{ "odd offset", { 0x0e, 9 }, 2, { .kind = UNWIND_SLOW } },
	{ "large offset", { 0x0e, 0x80, 0x80, 0x80, 1 }, 5, { .kind = UNWIND_SLOW } },
	{ "return address elsewhere", { 0x90, 2 }, 2, { .kind = UNWIND_SP, .cfa = 1, .return_offset = -2 } },
	{ "in a register", { 0x09, 16, 2 }, 3, { .kind = UNWIND_SLOW } },
	{ "computed", { 0x14, 7, 0 }, 3, { .kind = UNWIND_SP, .cfa = 1, .return_offset = -1 } },
	{ "stack pointer saved", { 0x87, 3 }, 2, { .kind = UNWIND_SLOW } },
	{ "expression", { 0x0f, 2, 0x77, 8 }, 4, { .kind = UNWIND_SLOW } },
	{ "unknown instruction", { 0x3f }, 1, { .kind = UNWIND_NONE } },
	{ "nothing remembered", { 0x0b }, 1, { .kind = UNWIND_NONE } },
	{ "expression too long", { 0x0f, 0x7f }, 2, { .kind = UNWIND_NONE } },
};

static void test_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct made_table made = { .program = shapes[i].program, .size = shapes[i].size };
		const struct unwind_rule *want = &shapes[i].rule;
		struct unwind_rule rule;
		struct image image;
		struct frame_index index;

		make_table(&image, &made);
		index = index_of(&image, false);
		rule = rule_at(&index, CODE_ADDR + 1);
		if (rule.kind != want->kind)
			print_error("%s\n", shapes[i].name);
		assert_int_equal(rule.kind, want->kind);
		assert_int_equal(rule.cfa, want->cfa);
		assert_int_equal(rule.fp, want->fp);
		assert_int_equal(rule.return_offset, want->return_offset);
		frame_index_release(&index);
		image_release(&image);
	}
}

/* glibc's __restore_rt. */
static void test_signal(void **state)
{
	static const uint8_t program[] = { 0x0f, 4, 0x77, 0xa0, 0x01, 0x06, 0x10, 6,    3, 0x77,
		                           0xf8, 0, 0x10, 16,   3,    0x77, 0xa8, 0x01 };
	struct made_table made = { .augmentation = "zRS", .program = program, .size = sizeof(program) };
	struct err err = { .code = ERR_NONE };
	struct cfi_row row;
	struct image image;
	struct frame_index index;

	(void)state;
	make_table(&image, &made);
	index = index_of(&image, false);
	assert_true(cfi_find_row(&index, CODE_ADDR, &row, &err));
	assert_true(row.signal);
	assert_int_equal(rule_at(&index, CODE_ADDR).kind, UNWIND_SIGNAL);
	frame_index_release(&index);
	image_release(&image);
}

/* Limits that no compiler's output reaches: instructions per function, depth of the stack of remembered rows. */
static void test_limits(void **state)
{
	uint8_t *program = malloc(200000);
	struct made_table made = { .program = program, .size = 200000 };
	struct image image;
	struct frame_index index;

	(void)state;
	assert_non_null(program);
	for (unsigned i = 0; i < 3; i++) {
		memset(program, i == 0 ? 0 : 0x0a, made.size);
		if (i == 2)
			for (size_t j = 1; j < made.size; j += 2)
				program[j] = 0x0b;
		make_table(&image, &made);
		index = index_of(&image, false);
		assert_int_equal(rule_at(&index, CODE_ADDR).kind, UNWIND_NONE);
		frame_index_release(&index);
		image_release(&image);
	}
	free(program);
}

/* The offset of the CFA, 16, in as many bytes; which limits the steps for looking it up again and again. */
static void test_long_program(void **state)
{
	static const struct {
		size_t size;
		enum unwind_kind kind;
	} cases[] = { { 3, UNWIND_SP }, { 100000, UNWIND_SP }, { 200000, UNWIND_NONE } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t *program = malloc(cases[i].size);
		struct made_table made = { .program = program, .size = cases[i].size };
		struct image image;
		struct frame_index index;

		assert_non_null(program);
		memset(program, 0x80, made.size);
		program[0] = 0x0e;
		program[1] = 0x90;
		program[made.size - 1] = 0;
		make_table(&image, &made);
		index = index_of(&image, false);
		assert_int_equal(rule_at(&index, CODE_ADDR + 1).kind, cases[i].kind);
		frame_index_release(&index);
		image_release(&image);
		free(program);
	}
}

/* Expressions, in which jumps may go back, are short. */
static void test_long_expression(void **state)
{
	(void)state;
	for (uint8_t more = 0; more < 2; more++) {
		uint8_t program[3 + 257] = { 0x0f, 0x80, 2 }; /* 256 bytes */
		struct made_table made = { .program = program, .size = 3 + 256u + more };
		struct image image;
		struct frame_index index;

		memset(program + 3, 0x96, made.size - 3); /* nop */
		program[1] = (uint8_t)(program[1] + more);
		make_table(&image, &made);
		index = index_of(&image, false);
		assert_int_equal(rule_at(&index, CODE_ADDR + 1).kind, more ? UNWIND_NONE : UNWIND_SLOW);
		frame_index_release(&index);
		image_release(&image);
	}
}

/* Every prefix of the tables, and every byte changed: nothing outside of them is read. */
static void test_damage(void **state)
{
	struct made_table made = { .program = usual, .size = sizeof(usual) };
	struct image image;

	(void)state;
	for (int debug = 0; debug < 2; debug++) {
		made.debug = debug;
		make_table(&image, &made);
		for (size_t i = 0; i < image.size; i++) {
			struct image changed = image;
			struct frame_index index;

			changed.data = exact_copy(image.data, i);
			changed.size = i;
			index = index_of(&changed, debug);
			rule_at(&index, CODE_ADDR + 4);
			frame_index_release(&index);
			free(changed.data);
			changed.data = exact_copy(image.data, image.size);
			changed.size = image.size;
			changed.data[i] ^= 0xff;
			index = index_of(&changed, debug);
			rule_at(&index, CODE_ADDR + 4);
			frame_index_release(&index);
			free(changed.data);
		}
		image_release(&image);
	}
}

/* The name that readelf has for a rule of x86-64; "" for those that are not compared. */
static void name_rule(const struct cfi_rule *rule, char *text, size_t size)
{
	const char *base = rule->reg == X86_RSP ? "rsp" : rule->reg == X86_RBP ? "rbp" : "";

	*text = '\0';
	if (rule->where == CFI_SAVED)
		snprintf(text, size, "c%+" PRId64, rule->value);
	else if (rule->where == CFI_REGISTER_OFFSET && *base)
		snprintf(text, size, "%s%+" PRId64, base, rule->value);
	else if (rule->where == CFI_EXPRESSION)
		snprintf(text, size, "exp");
	else if (rule->where == CFI_UNCHANGED || rule->where == CFI_UNDEFINED)
		snprintf(text, size, "u");
}

static bool is_compared(const char *readelf)
{
	return !strncmp(readelf, "rsp", 3) || !strncmp(readelf, "rbp", 3) ||
	       !strncmp(readelf, "c-", 2) || !strcmp(readelf, "exp") || !strcmp(readelf, "u");
}

/* Which columns of readelf's table have what. */
struct columns {
	int cfa, rbp, ra, count;
};

static struct columns read_columns(char *line)
{
	struct columns columns = { -1, -1, -1, 0 };

	for (char *word = strtok(line, " \n"); word; word = strtok(NULL, " \n"), columns.count++) {
		if (!strcmp(word, "CFA"))
			columns.cfa = columns.count;
		else if (!strcmp(word, "rbp"))
			columns.rbp = columns.count;
		else if (!strcmp(word, "ra"))
			columns.ra = columns.count;
	}
	return columns;
}

/* Compares a line of readelf with our row at its address; false if such lines are not compared. */
static bool compare_line(struct cfi_file *file, char *line, const struct columns *columns)
{
	struct err err = { .code = ERR_NONE };
	char *words[40] = { NULL }, text[40];
	struct cfi_row row;
	uint64_t addr;
	int count = 0;

	for (char *word = strtok(line, " \n"); word && count < 40; word = strtok(NULL, " \n"))
		words[count++] = word;
	/* a register in another one makes readelf's columns run together */
	for (int i = 1; i < count; i++)
		if (!is_compared(words[i]))
			return false;
	addr = count ? strtoull(words[0], NULL, 16) : 0;
	if (count != columns->count ||
	    (!cfi_find_row(&file->eh, addr, &row, &err) && !cfi_find_row(&file->debug, addr, &row, &err)))
		return false;
	name_rule(&row.cfa, text, sizeof(text));
	assert_string_equal(text, words[columns->cfa]);
	if (columns->rbp >= 0) {
		name_rule(&row.registers[X86_RBP], text, sizeof(text));
		assert_string_equal(text, words[columns->rbp]);
	}
	name_rule(&row.registers[X86_RIP], text, sizeof(text));
	assert_string_equal(text, words[columns->ra]);
	return true;
}

static size_t compare_file(struct fixture *f, const char *path)
{
	struct columns columns = { -1, -1, -1, 0 };
	struct err err = { .code = ERR_NONE };
	struct cfi_file file;
	struct elf elf;
	char line[1000], log[200], last[20] = "";
	size_t count = 0;
	bool fde = false;
	FILE *listed;

	assert_true(fixture_run(f, ".", "readelf --wide --debug-dump=frames-interp %s", path));
	assert_true(elf_open(&elf, open(path, O_RDONLY | O_CLOEXEC), &err));
	assert_true(cfi_file_load(&file, &elf, NULL, &err));
	elf_close(&elf);
	listed = fopen(fixture_path(f, "log", log), "r");
	assert_non_null(listed);
	while (fgets(line, sizeof(line), listed)) {
		if (strstr(line, " FDE cie="))
			fde = true;
		else if (strstr(line, " CIE "))
			fde = false;
		else if (strstr(line, "   LOC "))
			columns = read_columns(line);
		else if (fde && strspn(line, "0123456789abcdef") == 16 && strncmp(line, last, 16)) {
			memcpy(last, line, 16);
			count += compare_line(&file, line, &columns);
		}
	}
	fclose(listed);
	cfi_file_release(&file);
	return count;
}

static void test_readelf(void **state)
{
	struct fixture f;
	char path[200], self[400];
	ssize_t length;

	(void)state;
	fixture_begin(&f);
	if (!fixture_has("readelf") || !fixture_has("cc") || sizeof(void *) != 8) {
		fixture_end(&f);
		skip();
	}
#ifdef __x86_64__
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	assert_true(length > 0);
	self[length] = '\0';
	assert_true(compare_file(&f, self) > 1000);
	fixture_text(&f, "few.c",
	              "extern int puts(const char *);\n"
	              "int twice(int n) { return puts(\"twice\") + puts(\"more\") + n; }\n"
	              "int main(int c, char **v) { (void)v; return twice(c) + twice(2); }\n");
	/* code with a .debug_frame alone, plain and packed, between files of C's start with .eh_frame */
#ifdef HAVE_ZLIB
	const int ways = 2;
#else
	const int ways = 1;
#endif
	for (int packed = 0; packed < ways; packed++) {
		assert_true(fixture_run(&f, ".", "cc -O1 -g %s -fno-asynchronous-unwind-tables "
		                        "-fno-unwind-tables few.c -o few",
		                        packed ? "-gz=zlib" : "-gz=none"));
		assert_true(compare_file(&f, fixture_path(&f, "few", path)) > 5);
	}
#else
	(void)path, (void)self, (void)length;
#endif
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),   cmocka_unit_test(test_header),
		cmocka_unit_test(test_both_sections), cmocka_unit_test(test_entry), cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_signal),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_long_program), cmocka_unit_test(test_long_expression),
		cmocka_unit_test(test_damage),  cmocka_unit_test(test_readelf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
