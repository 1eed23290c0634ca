/*
 * Debug information of kinds that the compilers at hand do not write: offsets of 64 bits, machines
 * with several operations in an instruction, functions that the compiler made up, abbreviations of
 * nothing. By hand, as dwarf_test.c.
 */
#include "tests/unit/dwarfmaker.h"

/* The 64-bit format: lengths and offsets have 8 bytes, behind a mark of 4. */
static void wide_offsets(void **state)
{
	static const uint16_t unit[] = { NAME, F_STRING, COMP_DIR, F_STRING, STMT_LIST, F_OFFSET, LOW,
		                         F_ADDR, HIGH, F_DATA8, 0 };
	struct sections s;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	image_u32(&s.info, UINT32_MAX);
	image_u64(&s.info, 0);
	image_u16(&s.info, 4);
	image_u64(&s.info, 0);
	image_u8(&s.info, 8);
	abbrev(&s.abbrev, 1, 0x11, true, unit);
	abbrev(&s.abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s.abbrev, 0);
	image_bytes(&s.info, "\1a.c\0/dir", 10);
	image_u64(&s.info, 0);
	image_u64(&s.info, CODE);
	image_u64(&s.info, TEXT_SIZE);
	function_die(&s.info, CODE, 0x1000);
	uleb(&s.info, 0);
	image_patch(&s.info, 4, s.info.size - 12, 8);
	image_u32(&s.line, UINT32_MAX);
	image_u64(&s.line, 0);
	image_u16(&s.line, 4);
	image_u64(&s.line, 0);
	image_bytes(&s.line, "\1\1\1\373\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 18);
	image_bytes(&s.line, "\0a.c\0\0\0\0\0", 9);
	image_patch(&s.line, 14, s.line.size - 22, 8);
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\3\11\1\2\20\0\1\1", 8); /* line 10, for 16 bytes */
	image_patch(&s.line, 4, s.line.size - 12, 8);
	put_program(&f, &s);
	expect_file(&f, "64-bit format", CODE, "/dir/a.c");
	expect_line(&f, 0, "/dir/a.c", 10);
	expect_line(&f, 15, "/dir/a.c", 10);
	expect_line(&f, 16, "", 0);
	fixture_end(&f);
}

/*
 * Two operations in an instruction of four bytes. Each special opcode goes one operation on: the
 * first stays at the address, the second goes to the next.
 */
static void two_operations(void **state)
{
	struct sections s;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	line_begin(&s.line);
	image_patch(&s.line, 10, 4, 1); /* shortest instruction */
	image_patch(&s.line, 11, 2, 1); /* operations in it */
	set_address(&s.line, CODE);
	image_u8(&s.line, 1);
	image_u8(&s.line, 13 + 14 + 5 + 1); /* one operation, one line */
	image_u8(&s.line, 13 + 14 + 5 + 1);
	image_bytes(&s.line, "\2\2\0\1\1", 5); /* two operations, the end */
	line_end(&s.line);
	line_program(&f, &s);
	expect_line(&f, 0, "/dir/a.c", 2); /* of two rows at one address the later */
	expect_line(&f, 3, "/dir/a.c", 2);
	expect_line(&f, 4, "/dir/a.c", 3);
	expect_line(&f, 7, "/dir/a.c", 3);
	expect_line(&f, 8, "", 0);
	fixture_end(&f);
}

/*
 * Three rows at the address where code without a DIE begins, the later ones of what was inlined: the
 * function is where the first one says, the address where the last one does.
 */
static void first_row(void **state)
{
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = begin_unit(&s, 4);
	put_unit(&s);
	uleb(&s.abbrev, 0);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	line_begin(&s.line);
	image_bytes(&s.line, "\0\10\3in.h\0\0\0\0", 12); /* file 2 */
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\3\6\1\4\2\3\1\1\3\1\1", 11); /* a.c:7, in.h:8, in.h:9 */
	image_bytes(&s.line, "\2\10\4\1\1\2\10\0\1\1", 10); /* a.c:9, for 8 bytes each */
	line_end(&s.line);
	put_program(&f, &s);
	expect_file(&f, "where it begins", CODE, "/dir/a.c");
	expect_line(&f, 0, "/dir/in.h", 9);
	expect_file(&f, "in the midst of a row", CODE + 1, "/dir/in.h");
	expect_file(&f, "at a row of its own", CODE + 8, "/dir/a.c");
	expect_line(&f, 8, "/dir/a.c", 9);
	expect_file(&f, "behind all rows", CODE + 16, "");
	fixture_end(&f);
}

/* What runs static constructors says that it is artificial, and no file: it is the unit's own. */
static void artificial(void **state)
{
	static const uint16_t pairs[] = { NAME, F_STRING, ARTIFICIAL, 0xc, LOW, F_ADDR, HIGH, F_DATA8, 0 };

	(void)state;
	for (unsigned version = 4; version <= 5; version++) {
		struct sections s;
		struct fixture f;
		size_t start;

		fixture_begin(&f);
		begin(&s);
		start = begin_unit(&s, version);
		put_unit(&s);
		abbrev(&s.abbrev, 2, 0x2e, false, pairs);
		uleb(&s.abbrev, 0);
		image_bytes(&s.info, "\2_GLOBAL__sub_I_x\0\1", 19);
		image_u64(&s.info, CODE + 0x10);
		image_u64(&s.info, 0x10);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		plain_line(&s, version);
		put_program(&f, &s);
		expect_file(&f, "artificial", CODE + 0x10, "/dir/a.c");
		assert_string_equal(look(&f, CODE + 0x10).function, "_GLOBAL__sub_I_x");
		expect_file(&f, "beside it", CODE + 0x20, "");
		fixture_end(&f);
	}
}

/*
 * A function with another one inside, and with a class whose function is elsewhere: what is inside
 * is skipped only if the reference to the DIE behind it is plausible, and is found in any case.
 */
static void inside_functions(void **state)
{
	static const uint16_t outer[] = { DECL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, SIBLING, F_REF4,
		                          NAME, F_DATA1, 0 };
	static const uint16_t texts[] = { DECL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, SIBLING, F_REF4,
		                          NAME, F_STRING, 0 };
	static const uint16_t class[] = { DECL_FILE, F_DATA1, 0 }, declared[] = { NAME, F_STRING, 0 };
	static const uint16_t code[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const struct {
		const uint16_t *outer;
		uint32_t sibling; /* 0: the right one */
	} kinds[] = { { outer, 0 }, { texts, 0 }, { outer, 1 }, { outer, UINT32_MAX }, { outer, 0x1000 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t start, sibling, inside, end;
		struct sections s;
		struct fixture f;

		fixture_begin(&f);
		begin(&s);
		start = begin_unit(&s, 4);
		put_unit(&s);
		abbrev(&s.abbrev, 2, 0x2e, false, function_pairs);
		abbrev(&s.abbrev, 3, 0x2e, true, kinds[i].outer);
		abbrev(&s.abbrev, 4, 0x13, true, class);
		abbrev(&s.abbrev, 5, 0x2e, false, declared);
		abbrev(&s.abbrev, 6, 0x2e, false, code);
		uleb(&s.abbrev, 0);
		image_bytes(&s.info, "\3\1", 2);
		image_u64(&s.info, CODE);
		image_u64(&s.info, 0x10);
		sibling = s.info.size;
		image_u32(&s.info, kinds[i].sibling);
		image_u8(&s.info, 0);
		function_die(&s.info, CODE + 0x20, 0x10);
		image_bytes(&s.info, "\4\1", 2);
		inside = s.info.size;
		image_bytes(&s.info, "\5operator()\0\0\0", 14);
		end = s.info.size;
		if (!kinds[i].sibling)
			image_patch(&s.info, sibling, end - start, 4);
		image_u8(&s.info, 6);
		image_u32(&s.info, (uint32_t)(inside - start));
		image_u64(&s.info, CODE + 0x40);
		image_u64(&s.info, 0x10);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		plain_line(&s, 4);
		put_program(&f, &s);
		expect_file(&f, "outer", CODE, "/dir/a.c");
		expect_file(&f, "inner", CODE + 0x20, "/dir/a.c");
		expect_file(&f, "of a class inside", CODE + 0x40, "/dir/a.c");
		expect_file(&f, "beside them", CODE + 0x60, "");
		fixture_end(&f);
	}
}

/* Scopes without names, functions declared in functions, and both in C, where names stand alone. */
static void scopes(void **state)
{
	static const uint16_t unit[] = { LANGUAGE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const uint16_t code[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const uint16_t named[] = { NAME, F_STRING, 0 }, placed[] = { DECL_LINE, F_DATA1, 0 };
	static const struct {
		uint8_t language;
		const char *names[4];
	} kinds[] = {
		{ 0x04, { "a::(anonymous namespace)::g", "a::g", "a::{lambda()#1}::operator()",
		          "a::f::{unnamed:8:0}::h" } },
		{ 0x0c, { "g", "g", "operator()", "h" } },
	};

	(void)state;
	for (size_t kind = 0; kind < 2; kind++) {
		size_t start, declared[4];
		struct sections s;
		struct fixture f;

		fixture_begin(&f);
		begin(&s);
		start = begin_unit(&s, 4);
		abbrev(&s.abbrev, 1, 0x11, true, unit);
		abbrev(&s.abbrev, 2, 0x2e, false, code);
		abbrev(&s.abbrev, 3, 0x39, true, named);
		abbrev(&s.abbrev, 4, 0x39, true, named + 2);
		abbrev(&s.abbrev, 5, 0x2e, false, named);
		abbrev(&s.abbrev, 6, 0x2e, true, named);
		abbrev(&s.abbrev, 7, 0x13, true, placed);
		uleb(&s.abbrev, 0);
		image_u8(&s.info, 1);
		image_u8(&s.info, kinds[kind].language);
		image_u64(&s.info, CODE);
		image_u64(&s.info, TEXT_SIZE);
		image_bytes(&s.info, "\3a\0\4", 4);
		declared[0] = s.info.size;
		image_bytes(&s.info, "\5g\0\0\6f", 7);
		declared[1] = s.info.size;
		image_bytes(&s.info, "\5g\0\7\10", 5);
		declared[3] = s.info.size;
		image_bytes(&s.info, "\5h\0\0\0\7\7", 7);
		declared[2] = s.info.size;
		image_bytes(&s.info, "\5operator()\0\0\0", 14);
		for (size_t i = 0; i < 4; i++) {
			image_u8(&s.info, 2);
			image_u32(&s.info, (uint32_t)declared[i]);
			image_u64(&s.info, CODE + 16 * i);
			image_u64(&s.info, 16);
		}
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		put_program(&f, &s);
		for (size_t i = 0; i < 4; i++)
			assert_string_equal(look(&f, CODE + 16 * i).function, kinds[kind].names[i]);
		fixture_end(&f);
	}
}

/* A parameter of a lambda whose type is not there, as in a damaged file or without the file of types. */
static void missing_types(void **state)
{
	static const uint16_t placed[] = { DECL_LINE, F_DATA1, 0 }, named[] = { NAME, F_STRING, 0 };
	static const uint16_t code[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	enum { TYPE = 0x49, F_REF_SIG8 = 0x20, F_GNU_REF_ALT = 0x1f20 };
	static const struct {
		uint16_t form;
		size_t size;
	} kinds[] = { { F_REF4, 4 }, { F_REF_ADDR, 4 }, { F_REF_SIG8, 8 }, { F_GNU_REF_ALT, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const uint16_t typed[] = { TYPE, kinds[i].form, 0 };
		size_t start, declared;
		struct sections s;
		struct fixture f;

		fixture_begin(&f);
		begin(&s);
		start = unit_begin(&s.info, 0);
		abbrev(&s.abbrev, 1, 0x11, true, unit_pairs);
		abbrev(&s.abbrev, 2, 0x13, true, placed);
		abbrev(&s.abbrev, 3, 0x2e, true, named);
		abbrev(&s.abbrev, 4, 0x05, false, typed);
		abbrev(&s.abbrev, 5, 0x2e, false, code);
		uleb(&s.abbrev, 0);
		unit_die(&s.info, 1, CODE, TEXT_SIZE);
		image_bytes(&s.info, "\2\11", 2);
		declared = s.info.size;
		image_bytes(&s.info, "\3operator()\0\4", 13);
		for (size_t j = 0; j < kinds[i].size; j++)
			image_u8(&s.info, 0x7f);
		image_bytes(&s.info, "\0\0\5", 3);
		image_u32(&s.info, (uint32_t)declared);
		image_u64(&s.info, CODE);
		image_u64(&s.info, 16);
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		put_program(&f, &s);
		assert_string_equal(look(&f, CODE).function, "{lambda(void)#1}::operator()");
		fixture_end(&f);
	}
}

/* The first abbreviation has no attributes, so that there is no first step to read its DIEs. */
static void no_attributes(void **state)
{
	static const uint16_t none[] = { 0 };
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = unit_begin(&s.info, 0);
	abbrev(&s.abbrev, 9, 0x18, false, none);
	abbrev(&s.abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s.abbrev, 2, 0x2e, false, function_pairs);
	uleb(&s.abbrev, 0);
	unit_die(&s.info, 1, CODE, TEXT_SIZE);
	uleb(&s.info, 9);
	function_die(&s.info, CODE, 0x10);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	plain_line(&s, 4);
	put_program(&f, &s);
	assert_string_equal(look(&f, CODE).function, "f");
	fixture_end(&f);
}

/*
 * Functions that are instances of one DIE with very many attributes, which have no bytes in it:
 * reading it for each function must not take endless time, so it is read for the first ones only.
 */
static void many_attributes(void **state)
{
	static const uint16_t instance[] = { ORIGIN, F_REF4, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	enum { FUNCTIONS = 400, ATTRIBUTES = 200000, EXTERNAL = 0x3f, F_FLAG_PRESENT = 0x19 };
	struct source_function functions[FUNCTIONS] = { { .file = 0 } };
	struct source_query query = { .functions = functions, .function_count = FUNCTIONS };
	size_t start, origin, answered = 0;
	struct sections s;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = unit_begin(&s.info, 0);
	abbrev(&s.abbrev, 1, 0x11, true, unit_pairs);
	abbrev(&s.abbrev, 2, 0x2e, false, instance);
	image_bytes(&s.abbrev, "\3\x2e\0", 3);
	for (int i = 0; i < ATTRIBUTES; i++) {
		uleb(&s.abbrev, EXTERNAL);
		uleb(&s.abbrev, F_FLAG_PRESENT);
	}
	image_bytes(&s.abbrev, "\x3a\x0b\0\0", 4);
	uleb(&s.abbrev, 0);
	unit_die(&s.info, 1, CODE, TEXT_SIZE);
	origin = s.info.size - start;
	image_bytes(&s.info, "\3\1", 2);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		functions[i].entry = CODE + 16 * i;
		uleb(&s.info, 2);
		image_u32(&s.info, (uint32_t)origin);
		image_u64(&s.info, CODE + 16 * i);
		image_u64(&s.info, 16);
	}
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	plain_line(&s, 4);
	put_program(&f, &s);
	look_up(&f, &query);
	for (size_t i = 0; i < FUNCTIONS; i++)
		answered += !strcmp(strings_get(&f.strings, functions[i].file), "a.c");
	assert_in_range(answered, 1, FUNCTIONS / 2);
	fixture_end(&f);
}

/* A unit without addresses, as perf inject --jit writes it: they are taken from its line table. */
static void no_addresses(void **state)
{
	static const uint16_t unit[] = { STMT_LIST, F_OFFSET, 0 };
	struct sections s;
	struct fixture f;
	size_t start;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = unit_begin(&s.info, 0);
	abbrev(&s.abbrev, 1, 0x11, true, unit);
	uleb(&s.abbrev, 0);
	uleb(&s.info, 1);
	image_u32(&s.info, 0);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	line_begin(&s.line);
	image_bytes(&s.line, "\0\13\3/jit.js\0\0\0\0", 13); /* file 2 */
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\4\2\3\11\1\2\20\0\1\1", 10); /* line 10, for 16 bytes */
	line_end(&s.line);
	put_program(&f, &s);
	expect_file(&f, "by its row", CODE, "/jit.js");
	expect_line(&f, 15, "/jit.js", 10);
	expect_line(&f, 16, "", 0);
	fixture_end(&f);
}

/*
 * DWARF 2 has no ranges: of a unit with code in two sections (-gdwarf-2 -gstrict-dwarf) it says where
 * one of them is, or nothing. Its functions and rows say the rest.
 */
static void code_elsewhere(void **state)
{
	static const uint16_t one[] = { NAME, F_STRING, STMT_LIST, F_OFFSET, LOW, F_ADDR, HIGH, F_ADDR, 0 };
	static const uint16_t none[] = { NAME, F_STRING, STMT_LIST, F_OFFSET, 0 };
	static const uint16_t function[] = { NAME, F_STRING, DECL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_ADDR, 0 };

	(void)state;
	for (int says = 0; says < 2; says++) {
		struct sections s;
		struct fixture f;
		size_t start;

		fixture_begin(&f);
		begin(&s);
		start = unit_begin(&s.info, 0);
		image_patch(&s.info, start + 4, 2, 2); /* the version */
		abbrev(&s.abbrev, 1, 0x11, true, says ? one : none);
		abbrev(&s.abbrev, 2, 0x2e, false, function);
		uleb(&s.abbrev, 0);
		image_bytes(&s.info, "\1a.c", 5);
		image_u32(&s.info, 0);
		if (says) {
			image_u64(&s.info, CODE);
			image_u64(&s.info, CODE + 16);
		}
		for (uint64_t at = 0; at < 0x200; at += 0x100) {
			image_bytes(&s.info, at ? "\2far\0\1" : "\2near\0\1", at ? 6 : 7);
			image_u64(&s.info, CODE + at);
			image_u64(&s.info, CODE + at + 16);
		}
		uleb(&s.info, 0);
		unit_end(&s.info, start);
		line_begin(&s.line);
		for (uint64_t at = 0; at < 0x200; at += 0x100) {
			set_address(&s.line, CODE + at);
			image_bytes(&s.line, "\3\11\1\2\20\0\1\1", 8); /* line 10, for 16 bytes */
		}
		line_end(&s.line);
		put_program(&f, &s);
		for (uint64_t at = 0; at < 0x200; at += 0x100) {
			expect_file(&f, "defined", CODE + at, "a.c");
			expect_line(&f, at + 5, "a.c", 10);
			assert_string_equal(look(&f, CODE + at + 5).function, at ? "far" : "near");
			expect_line(&f, at + 16, "", 0);
		}
		fixture_end(&f);
	}
}

/*
 * Functions that are described in more other units than there are tables of abbreviations in the
 * cache, and have no file there: their unit is read once more, for what is inside of them and was
 * skipped, and then for what was inlined into them. The last one begins with an inlined call, which
 * is in a.c; the rows are in.h's.
 */
static void many_tables(void **state)
{
	static const uint16_t code[] = { ORIGIN, F_REF_ADDR, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const uint16_t outer[] = { ORIGIN, F_REF_ADDR, LOW, F_ADDR, HIGH, F_DATA8, SIBLING, F_REF4, 0 };
	static const uint16_t call[] = { CALL_FILE, F_DATA1, LOW, F_ADDR, HIGH, F_DATA8, 0 };
	static const uint16_t other[] = { LANGUAGE, F_DATA1, 0 }, named[] = { NAME, F_STRING, 0 };
	enum { UNITS = 70, MORE = 100 };
	struct source_function functions[UNITS] = { { .file = 0 } };
	struct source_query query = { .functions = functions, .function_count = UNITS };
	size_t start, sibling, references[UNITS];
	struct sections s;
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	begin(&s);
	start = begin_unit(&s, 4);
	put_unit(&s);
	abbrev(&s.abbrev, 2, 0x2e, false, code);
	abbrev(&s.abbrev, 3, 0x2e, true, outer);
	abbrev(&s.abbrev, MORE, 0x1d, false, call);
	uleb(&s.abbrev, 0);
	for (size_t i = 0; i < UNITS; i++) {
		functions[i].entry = CODE + 16 * i;
		uleb(&s.info, i + 1 < UNITS ? 2 : 3);
		references[i] = s.info.size;
		image_u32(&s.info, 0);
		image_u64(&s.info, CODE + 16 * i);
		image_u64(&s.info, 16);
	}
	sibling = s.info.size;
	image_u32(&s.info, 0);
	uleb(&s.info, MORE);
	uleb(&s.info, 1);
	image_u64(&s.info, CODE + 16 * (UNITS - 1));
	image_u64(&s.info, 16);
	uleb(&s.info, 0);
	image_patch(&s.info, sibling, s.info.size - start, 4);
	uleb(&s.info, 0);
	unit_end(&s.info, start);
	for (size_t i = 0; i < UNITS; i++) {
		start = unit_begin(&s.info, (uint32_t)s.abbrev.size);
		abbrev(&s.abbrev, 1, 0x11, true, other);
		abbrev(&s.abbrev, 2, 0x2e, false, named);
		/* more than the first unit has, with its numbers */
		for (uint64_t number = 3; number <= MORE; number++)
			abbrev(&s.abbrev, number, 0x34, false, named);
		uleb(&s.abbrev, 0);
		image_bytes(&s.info, "\1\14", 2);
		image_patch(&s.info, references[i], s.info.size, 4);
		image_bytes(&s.info, "\2g\0\0", 4);
		unit_end(&s.info, start);
	}
	line_begin(&s.line);
	image_bytes(&s.line, "\0\10\3in.h\0\0\0\0", 12); /* file 2 */
	set_address(&s.line, CODE);
	image_bytes(&s.line, "\4\2\1\2", 4); /* one row for all of them */
	uleb(&s.line, TEXT_SIZE);
	image_bytes(&s.line, "\0\1\1", 3);
	line_end(&s.line);
	put_program(&f, &s);
	look_up(&f, &query);
	for (size_t i = 0; i < UNITS; i++)
		assert_string_equal(strings_get(&f.strings, functions[i].file),
		                    i + 1 < UNITS ? "/dir/in.h" : "/dir/a.c");
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_addresses),
		cmocka_unit_test(code_elsewhere),
		cmocka_unit_test(wide_offsets),
		cmocka_unit_test(two_operations),
		cmocka_unit_test(first_row),
		cmocka_unit_test(scopes),
		cmocka_unit_test(missing_types),
		cmocka_unit_test(artificial),
		cmocka_unit_test(inside_functions),
		cmocka_unit_test(no_attributes),
		cmocka_unit_test(many_attributes), cmocka_unit_test(many_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
