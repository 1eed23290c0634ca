/* --symbol-pack: what a pack names, of which binaries, and packs that are none. */
#include "decode/symbols/symbolpack.h"
#include "tests/unit/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER "build_id,binary,start,end,function,source_file,line,symbols,offset\n"
#define ID "aabbccddeeff00112233445566778899aabbccdd"

static struct symbol_pack *parse(const char *text, struct err *err)
{
	size_t size = strlen(text);
	char *copy = malloc(size + 1);

	memcpy(copy, text, size);
	*err = (struct err){ .code = ERR_NONE };
	return symbol_pack_parse(copy, size, "pack.csv", err);
}

static struct binary packed_binary(struct fixture *f, enum binary_kind kind, const char *name,
                                   uint8_t size)
{
	static const uint8_t id[] = { 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22, 0x33,
		                      0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd };
	struct binary binary = fixture_binary(f, kind, name);

	memcpy(binary.build_id.bytes, id, sizeof(id));
	binary.build_id.size = size;
	return binary;
}

/* What symbols_load() and its symbols make of a pack, when the binary's file is not there. */
static const char rows[] =
	HEADER
	ID ",/bin/x,0x401000,0x401100,outer,/src/a.c,7,symtab,0x1000\n"
	ID ",/bin/x,0x401040,0x401050,inner,/src/b.c,,dynsym,0x1040\n"
	ID ",/bin/x,0x400f00,0x401200,[function at 0x400f00],,,stripped,0xf00\n"
	ID ",/bin/x,0x401045,0x401300,[function at 0x401045],,,stripped,0x1045\n"
	ID ",/bin/x,0x401000,0x401010,shorter,,,symtab,0x1000\n"
	ID ",/bin/x,,,[unknown],,,no-symbol,\n"
	ID ",/bin/x,,,inlined,/src/a.c,,inline,\n"
	ID ",/bin/other,0x1000,0x1100,elsewhere,,,symtab,0x1000\n"
	",/bin/x,0x1000,0x2000,without an id,,,symtab,0x1000\n"
	"aabb,/bin/x,0x1000,0x2000,another id,,,symtab,0x1000\n";

static void names_by_build_id(void **state)
{
	struct binary binary;
	struct fixture f;
	char text[200];
	struct err err;
	struct symbol_pack *pack = parse(rows, &err);

	(void)state;
	assert_non_null(pack);
	assert_int_equal(symbol_pack_unusable(pack), 1);
	fixture_begin(&f);
	f.options.pack = pack;
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_answer(&f, 0x1020, text, sizeof(text)), "outer symtab");
	assert_string_equal(fixture_answer(&f, 0x1000, text, sizeof(text)), "shorter symtab");
	assert_string_equal(fixture_answer(&f, 0x1045, text, sizeof(text)), "inner dynsym");
	assert_string_equal(fixture_answer(&f, 0x1050, text, sizeof(text)), "outer symtab");
	assert_string_equal(fixture_answer(&f, 0x1100, text, sizeof(text)),
	                    "[function at 0x401045] stripped");
	assert_string_equal(fixture_answer(&f, 0xf00, text, sizeof(text)),
	                    "[function at 0x400f00] stripped");
	assert_string_equal(fixture_answer(&f, 0x1300, text, sizeof(text)), "- no-symbol");
	assert_string_equal(fixture_answer(&f, 0, text, sizeof(text)), "- no-symbol");
	assert_int_equal(symbols_link_addr(f.symbols, 0x1020), 0x401020);
	assert_int_equal(symbols_link_addr(f.symbols, 0x1400), 0x401400);
	/* a copy of the file at another path is named too; of several names its own is preferred */
	binary = packed_binary(&f, BINARY_FILE, "/copy/of/x", 20);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_answer(&f, 0x1020, text, sizeof(text)), "elsewhere symtab");
	binary = packed_binary(&f, BINARY_FILE, "/bin/other", 20);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_answer(&f, 0x1020, text, sizeof(text)), "elsewhere symtab");
	fixture_end(&f);
	symbol_pack_free(pack);
}

static void never_by_path(void **state)
{
	struct symbol_pack *pack;
	struct binary binary;
	struct fixture f;
	struct err err;

	(void)state;
	pack = parse(rows, &err);
	assert_non_null(pack);
	fixture_begin(&f);
	f.options.pack = pack;
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 0);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1234, NULL), "-");
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
	binary.build_id.bytes[19]++;
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1234, NULL), "-");
	assert_int_equal(f.reason, ORIGIN_FILE_MISSING);
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
	binary.guest = true;
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1234, NULL), "-");
	assert_int_equal(f.reason, ORIGIN_GUEST);
	/* an id that is padded with zeros is the same as the short one */
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
	memset(binary.build_id.bytes + 2, 0, 18);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x1234, NULL), "another id");
	fixture_end(&f);
	symbol_pack_free(pack);
}

/* The kernel is found from where it starts: it lies elsewhere after the next start of the machine. */
static void kernel_and_module(void **state)
{
	static const uint64_t addrs[] = { 0xffffffff9c000040, 0xffffffff9c00005f, 0xffffffff9c000060 };
	struct symbol_pack *pack;
	struct binary binary;
	struct fixture f;
	struct err err;
	char path[200];

	(void)state;
	pack = parse(HEADER ID ",[kernel.kallsyms],0xffffffff81000040,0xffffffff81000060,schedule,,,kallsyms,0x40\n",
	             &err);
	assert_non_null(pack);
	fixture_begin(&f);
	f.options.pack = pack;
	binary = packed_binary(&f, BINARY_KERNEL, "[kernel.kallsyms]", 20);
	binary.start = 0xffffffff9c000000;
	/* the kernel is searched only if the pack lacks one of the addresses */
	f.options.vmlinux = fixture_path(&f, "vmlinux", path);
	f.addrs = addrs;
	for (f.addr_count = ARRAY_SIZE(addrs); f.addr_count >= 2; f.addr_count--) {
		assert_true(fixture_load(&f, &binary));
		assert_int_equal(strstr(f.said, "not used") != NULL, f.addr_count == 3);
	}
	assert_string_equal(fixture_name(&f, 0xffffffff9c000041, NULL), "schedule");
	assert_string_equal(fixture_name(&f, 0xffffffff81000041, NULL), "-");
	assert_int_equal(symbols_link_addr(f.symbols, 0xffffffff9c000041), 0xffffffff81000041);
	binary = packed_binary(&f, BINARY_MODULE, "[kernel.kallsyms]", 20);
	binary.start = 0xffffffffc0000000;
	f.addrs = NULL;
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, 0x41, NULL), "schedule");
	fixture_end(&f);
	symbol_pack_free(pack);
}

/* Names are those that were written, whatever bytes they have. */
static void odd_names(void **state)
{
	static const struct {
		const char *written, *name;
	} odd[] = {
		{ "a\\x1b[1m\\xff", "a\033[1m\xff" },
		{ "\\x5cx41", "\\x41" },
		{ "\\x00", "\\x00" },
		{ "\\xg1\\x1", "\\xg1\\x1" },
		{ "back\\slash\\", "back\\slash\\" },
		{ "'=quoted", "'=quoted" },
		{ "\"a,\"\"b\"\"\"", "a,\"b\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		struct symbol_pack *pack;
		struct binary binary;
		struct fixture f;
		char text[300];
		struct err err;

		snprintf(text, sizeof(text), HEADER ID ",/bin/x,0x0,0x10,%s,%s,3,symtab,0x0\n",
		         odd[i].written, odd[i].written);
		pack = parse(text, &err);
		assert_non_null(pack);
		fixture_begin(&f);
		f.options.pack = pack;
		binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
		assert_true(fixture_load(&f, &binary));
		assert_string_equal(fixture_name(&f, 0, NULL), odd[i].name);
		assert_string_equal(symbols_find(f.symbols, 0, &f.reason, &err)->packed->file,
		                    odd[i].name);
		assert_int_equal(symbols_find(f.symbols, 0, &f.reason, &err)->packed->line, 3);
		fixture_end(&f);
		symbol_pack_free(pack);
	}
}

static void none_is_told(void **state)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{ "", "pack.csv: expected a header row, found nothing" },
		{ "\177ELF\n", "found no column 'build_id'" },
		{ "build_id,binary,start,end,function,symbols\n", "found no column 'offset'" },
		{ HEADER "xy,/b,,,f,,,symtab,\n", "line 2: build_id: expected a build id, found 'xy'" },
		{ HEADER ID "00,/b,,,f,,,symtab,\n", "build_id: expected a build id" },
		{ HEADER "aab,/b,,,f,,,symtab,\n", "build_id: expected a build id" },
		{ HEADER "aa,/b,,,f,,,magic,\n", "symbols: expected a word of results.csv" },
		{ HEADER "aa,/b,12,0x2,f,,,symtab,0x1\n", "start: expected an address" },
		{ HEADER "aa,/b,0x12345678123456781,0x2,f,,,symtab,0x1\n", "start: expected an address" },
		{ HEADER "aa,/b,0x2,0x1,f,,,symtab,0x1\n", "end: expected an address" },
		{ HEADER "aa,/b,0x1,,f,,,symtab,0x1\n", "end: expected an address" },
		{ HEADER "aa,/b,0x1,0x2,f,,,symtab,\n", "offset: expected an address" },
		{ HEADER "aa,/b,0x1,0x2,f,,x,symtab,0x1\n", "line: expected a number" },
		{ HEADER "\naa,/b\n", "line 3: symbols: expected a word" },
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_null(parse(wrong[i].text, &err));
		assert_int_equal(err.code, ERR_FORMAT);
		if (!strstr(err.text, wrong[i].message))
			fail_msg("'%s' instead of '%s'", err.text, wrong[i].message);
	}
	assert_null(symbol_pack_read("/no/such/pack.csv", &err));
}

/* Bounds that reach round the end of all addresses, and many functions in one another. */
static void extremes(void **state)
{
	struct symbol_pack *pack;
	struct binary binary;
	struct fixture f;
	struct err err;

	(void)state;
	pack = parse(HEADER ID ",/bin/x,0x0,0xffffffffffffffff,all,,99999999999,symtab,0xfffffffffffffff0\n"
	             ID ",/bin/x,0x1,0x1,empty,,,symtab,0x5\n", &err);
	assert_non_null(pack);
	fixture_begin(&f);
	f.options.pack = pack;
	binary = packed_binary(&f, BINARY_FILE, "/bin/x", 20);
	assert_true(fixture_load(&f, &binary));
	assert_string_equal(fixture_name(&f, UINT64_MAX - 1, NULL), "all");
	assert_string_equal(fixture_name(&f, 5, NULL), "-");
	fixture_end(&f);
	symbol_pack_free(pack);
}

static void refused_memory(void **state)
{
	struct symbol_pack *pack = NULL;
	unsigned failed = 0;
	struct err err;

	(void)state;
	for (unsigned long n = 2; !pack; n++) { /* the first one is the test's own */
		refuse_allocation(n);
		pack = parse(rows, &err);
		refuse_allocation(0);
		assert_true(pack || err.code == ERR_NOMEM);
		failed += !pack;
	}
	assert_true(failed >= 3);
	symbol_pack_free(pack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_by_build_id), cmocka_unit_test(never_by_path),
		cmocka_unit_test(kernel_and_module), cmocka_unit_test(odd_names),
		cmocka_unit_test(none_is_told),      cmocka_unit_test(extremes),
		cmocka_unit_test(refused_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
