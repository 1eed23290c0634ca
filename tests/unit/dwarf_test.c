/*
 * Debug information whose every byte is put here by hand, and what it says of addresses: forms that
 * compilers at hand do not write, ranges of each kind, every opcode of line programs. Expected
 * values are worked out from the DWARF standard, versions 4 and 5.
 */
#include "decode/dwarf/dwarf.h"

#include "tests/unit/dwarfmaker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { F_UDATA = 0xf, F_SDATA = 0xd, F_DATA2 = 5, F_DATA4 = 6, F_IMPLICIT = 0x21, F_ADDRX = 0x1b,
       F_RNGLISTX = 0x23 };

struct form {
	const char *name;
	unsigned version; /* 4 or 5; 0: both */
	uint16_t number;
	const char *bytes;
	size_t size;
	int constant;     /* what follows in the abbreviation: 0 nothing, 1 a value */
};

static void put_attribute(struct image *abbrevs, uint64_t name, const struct form *form)
{
	uleb(abbrevs, name);
	uleb(abbrevs, form->number);
	if (form->constant)
		image_u8(abbrevs, 0x42);
}

/* A variable and two functions, the first two with this form among what they say. */
static void form_program(struct sections *s, unsigned version, const struct form *form)
{
	size_t start = begin_unit(s, version);

	put_unit(s);
	/* what stands behind the form is of a fixed size: a text would take a byte too many or few */
	image_bytes(&s->abbrev, "\2\x34\0\3\x8", 5); /* variable: name */
	put_attribute(&s->abbrev, CONST_VALUE, form);
	image_zeros(&s->abbrev, 2);
	image_bytes(&s->abbrev, "\3\x2e\0\3\x8\x3a\xb", 7); /* subprogram: name, declared in */
	put_attribute(&s->abbrev, CONST_VALUE, form);
	image_bytes(&s->abbrev, "\x11\x1\x12\x7\0\0", 6); /* from, to */
	image_bytes(&s->abbrev, "\4\x2e\0\x3\x8\x3a\xb\x11\x1\x12\x7\0\0\0", 14);
	image_bytes(&s->info, "\2v", 3);
	image_bytes(&s->info, form->bytes, form->size);
	image_bytes(&s->info, "\3first\0\1", 8);
	image_bytes(&s->info, form->bytes, form->size);
	image_u64(&s->info, CODE + 0x10);
	image_u64(&s->info, 0x10);
	uleb(&s->info, 4);
	image_bytes(&s->info, "second\0\1", 8);
	image_u64(&s->info, CODE + 0x40);
	image_u64(&s->info, 0x10);
	uleb(&s->info, 0);
	unit_end(&s->info, start);
	plain_line(s, version);
	image_bytes(&s->str, "text", 5);
	image_bytes(&s->line_str, "text", 5);
}

/* An attribute that is not used is skipped by exactly its size. */
static void forms_that_are_passed(void **state)
{
	static const struct form forms[] = {
		{ "addr", 0, 0x01, "\1\2\3\4\5\6\7\10", 8, 0 },
		{ "block2", 0, 0x03, "\3\0abc", 5, 0 }, { "block4", 0, 0x04, "\3\0\0\0abc", 7, 0 },
		{ "data2", 0, 0x05, "ab", 2, 0 }, { "data4", 0, 0x06, "abcd", 4, 0 },
		{ "data8", 0, 0x07, "abcdefgh", 8, 0 }, { "string", 0, 0x08, "text", 5, 0 },
		{ "block", 0, 0x09, "\3abc", 4, 0 }, { "block1", 0, 0x0a, "\3abc", 4, 0 },
		{ "data1", 0, 0x0b, "a", 1, 0 }, { "flag", 0, 0x0c, "\1", 1, 0 },
		{ "sdata", 0, 0x0d, "\377\377\177", 3, 0 }, { "strp", 0, 0x0e, "\0\0\0\0", 4, 0 },
		{ "udata", 0, 0x0f, "\377\377\1", 3, 0 }, { "ref_addr", 0, 0x10, "\1\0\0\0", 4, 0 },
		{ "ref1", 0, 0x11, "a", 1, 0 }, { "ref2", 0, 0x12, "ab", 2, 0 },
		{ "ref4", 0, 0x13, "abcd", 4, 0 }, { "ref8", 0, 0x14, "abcdefgh", 8, 0 },
		{ "ref_udata", 0, 0x15, "\377\1", 2, 0 },
		{ "indirect data2", 0, 0x16, "\5ab", 3, 0 },
		{ "sec_offset", 0, 0x17, "\0\0\0\0", 4, 0 }, { "exprloc", 0, 0x18, "\3abc", 4, 0 },
		{ "flag_present", 0, 0x19, "", 0, 0 }, { "ref_sig8", 0, 0x20, "abcdefgh", 8, 0 },
		{ "strx", 5, 0x1a, "\377\1", 2, 0 }, { "addrx", 5, 0x1b, "\377\1", 2, 0 },
		{ "data16", 5, 0x1e, "abcdefghijklmnop", 16, 0 },
		{ "line_strp", 5, 0x1f, "\0\0\0\0", 4, 0 }, { "implicit_const", 5, 0x21, "", 0, 1 },
		{ "loclistx", 5, 0x22, "\377\1", 2, 0 }, { "rnglistx", 5, 0x23, "\377\1", 2, 0 },
		{ "strx1", 5, 0x25, "a", 1, 0 }, { "strx2", 5, 0x26, "ab", 2, 0 },
		{ "strx3", 5, 0x27, "abc", 3, 0 }, { "strx4", 5, 0x28, "abcd", 4, 0 },
		{ "addrx1", 5, 0x29, "a", 1, 0 }, { "addrx2", 5, 0x2a, "ab", 2, 0 },
		{ "addrx3", 5, 0x2b, "abc", 3, 0 }, { "addrx4", 5, 0x2c, "abcd", 4, 0 },
		{ "GNU_addr_index", 4, 0x1f01, "\377\1", 2, 0 },
		{ "GNU_str_index", 4, 0x1f02, "\377\1", 2, 0 },
		{ "GNU_ref_alt", 4, 0x1f20, "\0\0\0\0", 4, 0 },
		{ "GNU_strp_alt", 4, 0x1f21, "\0\0\0\0", 4, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		for (unsigned version = 4; version <= 5; version++) {
			struct sections sections;
			struct fixture f;

			if (forms[i].version && forms[i].version != version)
				continue;
			fixture_begin(&f);
			begin(&sections);
			form_program(&sections, version, &forms[i]);
			put_program(&f, &sections);
			expect_file(&f, forms[i].name, CODE + 0x10, "/dir/a.c");
			expect_file(&f, forms[i].name, CODE + 0x40, "/dir/a.c");
			expect_file(&f, forms[i].name, CODE + 0x20, "");
			assert_string_equal(look(&f, CODE + 0x1f).function, "first");
			assert_string_equal(look(&f, CODE + 0x4f).function, "second");
			fixture_end(&f);
		}
	}
}

/* An unknown form: nothing behind it can be read, what came before stays. */
static void unknown_form(void **state)
{
	static const struct form form = { "unknown", 4, 0x7777, "abcd", 4, 0 };
	struct sections sections;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&sections);
	form_program(&sections, 4, &form);
	put_program(&f, &sections);
	expect_file(&f, form.name, CODE + 0x10, "");
	expect_file(&f, form.name, CODE + 0x40, "");
	fixture_end(&f);
}

/* A function of 0x20 bytes from CODE + 0x10, said in every form that there is for both ends. */
static void forms_of_code(void **state)
{
	static const struct {
		struct form low, high;
	} cases[] = {
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "addr", 0, 0x01, NULL, 0, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "data1", 0, 0x0b, " ", 1, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "data2", 0, 0x05, " \0", 2, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "data4", 0, 0x06, " \0\0\0", 4, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "udata", 0, 0x0f, "\240\200\0", 3, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "sdata", 0, 0x0d, " ", 1, 0 } },
		{ { "addr", 0, 0x01, NULL, 0, 0 }, { "indirect", 0, 0x16, "\x0b ", 2, 0 } },
		{ { "addrx", 5, 0x1b, "\1", 1, 0 }, { "addrx", 5, 0x1b, "\2", 1, 0 } },
		{ { "addrx1", 5, 0x29, "\1", 1, 0 }, { "addrx1", 5, 0x29, "\2", 1, 0 } },
		{ { "addrx2", 5, 0x2a, "\1\0", 2, 0 }, { "addrx2", 5, 0x2a, "\2\0", 2, 0 } },
		{ { "addrx3", 5, 0x2b, "\1\0\0", 3, 0 }, { "addrx3", 5, 0x2b, "\2\0\0", 3, 0 } },
		{ { "addrx4", 5, 0x2c, "\1\0\0\0", 4, 0 }, { "addrx4", 5, 0x2c, "\2\0\0\0", 4, 0 } },
		{ { "addrx", 5, 0x1b, "\1", 1, 0 }, { "data1", 5, 0x0b, " ", 1, 0 } },
		{ { "addrx", 5, 0x1b, "\1", 1, 0 }, { "indirect addrx", 5, 0x16, "\x1b\2", 2, 0 } },
		{ { "indirect addrx", 5, 0x16, "\x1b\1", 2, 0 }, { "data1", 5, 0x0b, " ", 1, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sections s;
		struct fixture f;
		size_t start;
		unsigned version = cases[i].low.version ? cases[i].low.version : 5;

		fixture_begin(&f);
		begin(&s);
		start = begin_unit(&s, version);
		put_unit(&s);
		image_bytes(&s.abbrev, "\2\x2e\0\x3\x8\x3a\xb", 7);
		put_attribute(&s.abbrev, LOW, &cases[i].low);
		put_attribute(&s.abbrev, HIGH, &cases[i].high);
		image_zeros(&s.abbrev, 3);
		image_bytes(&s.info, "\2first\0\1", 8);
		if (cases[i].low.bytes)
			image_bytes(&s.info, cases[i].low.bytes, cases[i].low.size);
		else
			image_u64(&s.info, CODE + 0x10);
		if (cases[i].high.bytes)
			image_bytes(&s.info, cases[i].high.bytes, cases[i].high.size);
		else
			image_u64(&s.info, CODE + 0x30);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		plain_line(&s, version);
		image_bytes(&s.addr, "\x1c\0\0\0\5\0\10\0", 8);
		image_u64(&s.addr, 0);
		image_u64(&s.addr, CODE + 0x10);
		image_u64(&s.addr, CODE + 0x30);
		put_program(&f, &s);
		print_message("# %s %s\n", cases[i].low.name, cases[i].high.name);
		expect_file(&f, "before", CODE + 0x0f, "");
		expect_file(&f, "first", CODE + 0x10, "/dir/a.c");
		expect_file(&f, "last", CODE + 0x2f, "/dir/a.c");
		expect_file(&f, "behind", CODE + 0x30, "");
		fixture_end(&f);
	}
}

/* --- ranges */

/* Every kind of entry: from CODE, 0x10 to 0x18, 0x20 to 0x28 and so on up to 0x68. */
static void rnglists(void **state)
{
	static const uint16_t offset[] = { NAME, F_STRING, DECL_FILE, F_DATA1, RANGES, F_OFFSET, 0 };
	static const uint16_t number[] = { NAME, F_STRING, DECL_FILE, F_DATA1, RANGES, F_RNGLISTX, 0 };

	(void)state;
	for (int by_number = 0; by_number < 2; by_number++) {
		struct sections s;
		struct fixture f;
		size_t start;

		fixture_begin(&f);
		begin(&s);
		start = begin_unit(&s, 5);
		put_unit(&s);
		abbrev(&s.abbrev, 2, 0x2e, false, by_number ? number : offset);
		uleb(&s.abbrev, 0);
		image_bytes(&s.info, "\2first\0\1", 8);
		if (by_number)
			uleb(&s.info, 1);
		else
			image_u32(&s.info, 12 + 8);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		plain_line(&s, 5);
		image_bytes(&s.addr, "\x2c\0\0\0\5\0\10\0", 8);
		image_u64(&s.addr, CODE + 0x20);
		image_u64(&s.addr, CODE + 0x28);
		image_u64(&s.addr, CODE + 0x30);
		image_u64(&s.addr, CODE + 0x40);
		/* length, version, size of addresses, of segments, two offsets that count from here */
		image_bytes(&s.rnglists, "\0\1\0\0\5\0\10\0\2\0\0\0", 12);
		image_u32(&s.rnglists, 7); /* an index into the middle of the offsets: no valid list */
		image_u32(&s.rnglists, 8);
		image_bytes(&s.rnglists, "\4\x10\x18", 3); /* offset_pair, from the unit's address */
		image_bytes(&s.rnglists, "\2\0\1", 3);     /* startx_endx */
		image_bytes(&s.rnglists, "\3\2\10", 3);    /* startx_length */
		image_bytes(&s.rnglists, "\1\3", 2);       /* base_addressx */
		image_bytes(&s.rnglists, "\4\0\10", 3);
		image_u8(&s.rnglists, 5); /* base_address */
		image_u64(&s.rnglists, CODE + 0x50);
		image_bytes(&s.rnglists, "\4\0\10", 3);
		image_u8(&s.rnglists, 6); /* start_end */
		image_u64(&s.rnglists, CODE + 0x60);
		image_u64(&s.rnglists, CODE + 0x68);
		image_u8(&s.rnglists, 7); /* start_length */
		image_u64(&s.rnglists, CODE + 0x70);
		uleb(&s.rnglists, 8);
		image_u8(&s.rnglists, 0);
		image_u8(&s.rnglists, 7); /* behind the end */
		image_u64(&s.rnglists, CODE + 0x80);
		uleb(&s.rnglists, 8);
		put_program(&f, &s);
		for (uint64_t at = 0; at < 0x90; at++)
			expect_file(&f, by_number ? "by number" : "by offset", CODE + at,
			            at >= 0x10 && at < 0x80 && at % 0x10 < 8 ? "/dir/a.c" : "");
		fixture_end(&f);
	}
}

/* DWARF 4: pairs that count from the unit's address, or from one that a pair gives. */
static void old_ranges(void **state)
{
	static const uint16_t pairs[] = { NAME, F_STRING, DECL_FILE, F_DATA1, RANGES, F_OFFSET, 0 };
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = begin_unit(&s, 4);
	put_unit(&s);
	abbrev(&s.abbrev, 2, 0x2e, false, pairs);
	uleb(&s.abbrev, 0);
	image_bytes(&s.info, "\2first\0\1", 8);
	image_u32(&s.info, 16);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	plain_line(&s, 4);
	image_zeros(&s.ranges, 16);
	image_u64(&s.ranges, 0x10);
	image_u64(&s.ranges, 0x18);
	image_u64(&s.ranges, UINT64_MAX);
	image_u64(&s.ranges, CODE + 0x100);
	image_u64(&s.ranges, 0x10);
	image_u64(&s.ranges, 0x18);
	image_zeros(&s.ranges, 16);
	image_u64(&s.ranges, 0x30);
	image_u64(&s.ranges, 0x38);
	put_program(&f, &s);
	for (uint64_t at = 0; at < 0x140; at++)
		expect_file(&f, "ranges", CODE + at,
		            (at >= 0x10 && at < 0x18) || (at >= 0x110 && at < 0x118) ? "/dir/a.c" : "");
	fixture_end(&f);
}

/* Abbreviations have numbers in no order, of which some have many digits, some are there twice. */
static void abbreviations_in_no_order(void **state)
{
	static const uint64_t codes[] = { 900, 3, 70000, 12, 5 };
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = begin_unit(&s, 4);
	put_unit(&s);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		abbrev(&s.abbrev, codes[i], 0x2e, false, function_pairs);
	uleb(&s.abbrev, 0);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		uleb(&s.info, codes[i]);
		image_bytes(&s.info, "f\0\1", 3);
		image_u64(&s.info, CODE + 0x10 * i);
		image_u64(&s.info, 0x10);
	}
	uleb(&s.info, 4); /* a number that is not there ends what can be read */
	function_die(&s.info, CODE + 0x100, 0x10);
	unit_end(&s.info, start);
	plain_line(&s, 4);
	put_program(&f, &s);
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		expect_file(&f, "abbreviation", CODE + 0x10 * i, "/dir/a.c");
	expect_file(&f, "behind", CODE + 0x100, "");
	fixture_end(&f);
}

/* --- line programs */

static void opcodes(void **state)
{
	struct sections s;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	line_begin(&s.line);
	image_bytes(&s.line, "\0\7\3b.c\0\0\0\0", 10); /* define_file: b.c is number 2 */
	s.line.size--;
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\3\11\1", 3);   /* line 1 + 9; a row at 0 */
	image_u8(&s.line, 34);                /* special: (34 - 13) / 14 = 1 further, line 12 */
	image_bytes(&s.line, "\10\1", 2);     /* const_add_pc: (255 - 13) / 14 = 17; a row at 18 */
	image_bytes(&s.line, "\11\x10\0", 3); /* fixed_advance_pc: 34 */
	image_bytes(&s.line, "\4\2\1", 3);    /* set_file 2; a row */
	image_bytes(&s.line, "\2\254\2", 3);  /* advance_pc 300: 334 */
	image_bytes(&s.line, "\3\173\1", 3);  /* line 12 - 5; a row */
	image_bytes(&s.line, "\6\7\12\13\14\5\5\177", 8); /* those that say nothing about lines */
	image_bytes(&s.line, "\0\4\200abc", 6); /* extended ones that nobody knows, */
	image_bytes(&s.line, "\0\2\4\7", 4);    /* a discriminator, */
	image_bytes(&s.line, "\0\0", 2);        /* and one of no size */
	image_bytes(&s.line, "\2\12\0\1\1", 5); /* the end at 344 */
	line_end(&s.line);
	line_program(&f, &s);
	expect_line(&f, 0, "/dir/a.c", 10);
	expect_line(&f, 1, "/dir/a.c", 12);
	expect_line(&f, 17, "/dir/a.c", 12);
	expect_line(&f, 33, "/dir/a.c", 12);
	expect_line(&f, 34, "/dir/b.c", 12);
	expect_line(&f, 333, "/dir/b.c", 12);
	expect_line(&f, 334, "/dir/b.c", 7);
	expect_line(&f, 343, "/dir/b.c", 7);
	expect_line(&f, 344, "", 0);
	fixture_end(&f);
}

/* Cut at every byte: the answers are the same or fewer, never others. */
static void cut_programs(void **state)
{
	struct sections s;
	struct fixture f;
	struct found whole = { .line = 0 }, found;

	(void)state;
	for (size_t cut = 0; cut < 60; cut++) {
		fixture_begin(&f);
		begin(&s);
		line_begin(&s.line);
		set_address(&s.line, CODE);
		image_bytes(&s.line, "\3\11\1\2\20\0\1\1", 8);
		line_end(&s.line);
		s.line.size -= cut < s.line.size ? cut : s.line.size;
		line_program(&f, &s);
		found = look(&f, CODE + 3);
		if (!cut)
			whole = found;
		assert_true(!found.line || found.line == whole.line);
		assert_true(!found.line_file[0] || !strcmp(found.line_file, "/dir/a.c"));
		assert_int_equal(whole.line, 10);
		fixture_end(&f);
	}
}

/* DWARF 5: the number of the file counts from 0, and each list says its own forms. */
static void lists_of_version_5(void **state)
{
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	image_u32(&s.line, 0);
	image_u16(&s.line, 5);
	image_u8(&s.line, 8);
	image_u8(&s.line, 0);
	image_u32(&s.line, 0);
	image_bytes(&s.line, "\1\1\1\373\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	image_bytes(&s.line, "\1\1\37", 3); /* directories: path as line_strp */
	image_u8(&s.line, 2);
	image_u32(&s.line, 0);
	image_u32(&s.line, 5);
	/* files: path as strp, directory as udata, MD5 as data16, and a vendor's attribute as block */
	image_bytes(&s.line, "\4\1\16\2\17\5\36\201\100\11", 10);
	image_u8(&s.line, 2);
	for (int i = 0; i < 2; i++) {
		image_u32(&s.line, (uint32_t)(4 * i));
		uleb(&s.line, (uint64_t)i);
		image_zeros(&s.line, 16);
		image_bytes(&s.line, "\3abc", 4);
	}
	image_patch(&s.line, 8, s.line.size - 12, 4);
	image_bytes(&s.line_str, "/dir\0sub", 9);
	image_bytes(&s.str, "a.c\0b.c", 8);
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\4\0\1\2\4\4\1\3\2\1\2\4\0\1\1", 15);
	line_end(&s.line);
	start = begin_unit(&s, 5);
	put_unit(&s);
	abbrev(&s.abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s.abbrev, 0);
	function_die(&s.info, CODE, 0x1000);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	put_program(&f, &s);
	expect_line(&f, 0, "/dir/a.c", 1);
	expect_line(&f, 4, "/dir/sub/b.c", 3);
	expect_line(&f, 7, "/dir/sub/b.c", 3);
	expect_line(&f, 8, "", 0);
	expect_file(&f, "decl_file 1", CODE, "/dir/sub/b.c");
	fixture_end(&f);
}

/* A line table with two directories and one file, number 1, and a row for line 8. */
static void path_line(struct sections *s, unsigned version, const char *const dirs[2],
                      const char *name, unsigned dir)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1 };
	struct image *line = &s->line;
	size_t header;

	image_u32(line, 0);
	image_u16(line, (uint16_t)version);
	if (version == 5)
		image_bytes(line, "\10\0", 2);
	header = line->size;
	image_u32(line, 0);
	image_bytes(line, "\1\1\1\373\16\15", 6);
	image_bytes(line, lengths, sizeof(lengths));
	if (version == 5) {
		image_bytes(line, "\1\1\10\2", 4); /* directories: path, as text */
		image_bytes(line, dirs[0], strlen(dirs[0]) + 1);
	}
	image_bytes(line, dirs[1], strlen(dirs[1]) + 1);
	if (version == 4)
		image_u8(line, 0);
	else
		image_bytes(line, "\2\1\10\2\13\2x\0", 9); /* files: path, directory */
	image_bytes(line, name, strlen(name) + 1);
	uleb(line, dir);
	if (version == 4)
		image_zeros(line, 3);
	image_patch(line, header, line->size - header - 4, 4);
	set_address(line, CODE);
	image_bytes(line, "\3\7\1\2\20\0\1\1", 8); /* line 1 + 7, a row, 16 bytes */
	line_end(line);
}

/* Go does not say where the functions are defined that it inlines: the row in their code does. */
static void inlined_without_file(void **state)
{
	static const uint16_t origin[] = { NAME, F_STRING, 0 };
	static const uint16_t call[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const char *const dirs[2] = { "", "sub" };
	struct sections s;
	struct fixture f;
	size_t start, inner;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	path_line(&s, 4, dirs, "x.go", 1);
	start = begin_unit(&s, 4);
	put_unit(&s);
	abbrev(&s.abbrev, 2, 0x2e, true, function_pairs);
	abbrev(&s.abbrev, 3, 0x2e, false, origin);
	abbrev(&s.abbrev, 4, 0x1d, false, call);
	uleb(&s.abbrev, 0);
	inner = s.info.size - start;
	uleb(&s.info, 3);
	image_bytes(&s.info, "inner", 6);
	function_die(&s.info, CODE, 0x10);
	uleb(&s.info, 4);
	image_u32(&s.info, (uint32_t)inner);
	image_u64(&s.info, CODE);
	image_u64(&s.info, 0x10);
	image_zeros(&s.info, 2);
	unit_end(&s.info, start);
	put_program(&f, &s);
	assert_string_equal(look(&f, CODE + 1).function, "f");
	assert_string_equal(look(&f, CODE + 1).inner_file, "/dir/sub/x.go");
	fixture_end(&f);
}

/*
 * Paths of DWARF 5, where directory 0 is the compilation's own as it stands (6.2.4), and of older
 * versions, where 0 stands for what the unit says. Compilers that are told to write relative paths
 * (-ffile-prefix-map) make both relative, as Debian's libc has them.
 */
static void paths(void **state)
{
	static const struct {
		unsigned version;
		const char *comp_dir, *own_dir, *other_dir, *name;
		unsigned dir;
		const char *path;
	} cases[] = {
		{ 5, "./stdlib", "./stdlib", "../include", "msort.c", 0, "./stdlib/msort.c" },
		{ 5, "./stdlib", "./stdlib", "../include", "x.h", 1, "./stdlib/../include/x.h" },
		{ 5, "/build", "/build", "sub", "msort.c", 0, "/build/msort.c" },
		{ 5, "/build", "/build", "sub", "x.h", 1, "/build/sub/x.h" },
		{ 5, "/build", ".", "sub", "msort.c", 0, "/build/./msort.c" },
		{ 5, "/", "/", "/usr//lib/", "x.h", 1, "/usr/lib/x.h" },
		{ 5, "/", "/", "usr/lib", "x.h", 1, "/usr/lib/x.h" },
		{ 5, "//", "//", "usr/lib", "x.h", 1, "/usr/lib/x.h" },
		{ 5, "/build", "/build", "sub", "/x.h", 1, "/x.h" },
		{ 5, "/build", "/build", "sub", "<built-in>", 0, "" },
		{ 5, "/build", "/build", "sub", "<no_file>", 1, "" },
		{ 5, ".", ".", "sub", "./<autogenerated>", 0, "" },
		{ 5, ".", ".", "sub", "<x>.c", 0, "./<x>.c" },
		{ 4, "./stdlib", "", "../include", "msort.c", 0, "./stdlib/msort.c" },
		{ 4, "./stdlib", "", "../include", "x.h", 1, "./stdlib/../include/x.h" },
		{ 4, "/", "", "usr/lib", "x.h", 1, "/usr/lib/x.h" },
		{ 4, "/build", "", "sub", "<built-in>", 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *dirs[2] = { cases[i].own_dir, cases[i].other_dir };
		bool known = cases[i].path[0] != '\0';
		unsigned version = cases[i].version;
		struct sections s;
		struct fixture f;
		size_t start;

		fixture_begin(&f);
		begin(&s);
		path_line(&s, version, dirs, cases[i].name, cases[i].dir);
		start = begin_unit(&s, version);
		put_unit_in(&s, cases[i].comp_dir);
		abbrev(&s.abbrev, 2, 0x2e, false, function_pairs);
		uleb(&s.abbrev, 0);
		function_die(&s.info, CODE, 0x1000);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		put_program(&f, &s);
		print_message("# version %u: %s in %s\n", version, cases[i].name,
		              dirs[cases[i].dir]);
		expect_line(&f, 0, cases[i].path, known ? 8 : 0);
		expect_file(&f, "decl_file 1", CODE, cases[i].path);
		fixture_end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),                 cmocka_unit_test(inlined_without_file),
                 cmocka_unit_test(forms_that_are_passed), cmocka_unit_test(unknown_form),
		cmocka_unit_test(forms_of_code),         cmocka_unit_test(rnglists),
		cmocka_unit_test(old_ranges),            cmocka_unit_test(abbreviations_in_no_order),
		cmocka_unit_test(opcodes),               cmocka_unit_test(cut_programs),
		cmocka_unit_test(lists_of_version_5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
