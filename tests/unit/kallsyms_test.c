#include "decode/symbols/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char list[] = "ffffffff81000000 T startup_64\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000040 t local_one\n"
			   "ffffffff81000048 r a_constant\n"
			   "ffffffff8100004c t __pfx_weak_one\n"
			   "ffffffff81000050 W weak_one\n"
			   "ffffffffa0001010 t second\t[mod_b]\n"
			   "ffffffffa0000000 t init_a\t[mod_a]\n"
			   "ffffffffa0000080 T other_a\t[mod_a]\n"
			   "ffffffffa0001000 t first\t[mod_b]";

static bool parse(struct kallsyms *kallsyms, const char *text, const char *ref, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	const struct kallsyms_request request = {
		.text = text, .size = strlen(text), .ref_name = ref, .ref_addr = addr
	};

	return kallsyms_read(kallsyms, &request, &err);
}

static const char *name_at(struct kallsyms *kallsyms, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(&kallsyms->table, addr);

	return symbol ? symbol->name : "-";
}

/* Reads the text from a file. */
static bool read_list(struct kallsyms *kallsyms, const char *text, const struct kallsyms_request *asked)
{
	struct kallsyms_request request = *asked;
	struct err err = { .code = ERR_NONE };
	FILE *file = tmpfile();
	bool ok;

	assert_non_null(file);
	assert_int_equal(write(fileno(file), text, strlen(text)), (ssize_t)strlen(text));
	assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
	request.fd = fileno(file);
	ok = kallsyms_read(kallsyms, &request, &err);
	fclose(file);
	return ok;
}

static void test_names(void **state)
{
	struct kallsyms kallsyms;

	(void)state;
	assert_true(parse(&kallsyms, list, "_text", 0xffffffff81000000));
	assert_false(kallsyms.hidden);
	assert_int_equal(kallsyms.delta, 0);
	/* only the last name of an address has a size */
	assert_string_equal(name_at(&kallsyms, 0xffffffff8100003f), "_text");
	assert_string_equal(name_at(&kallsyms, 0xffffffff8100004b), "local_one");
	/* padding belongs to the function behind it */
	assert_string_equal(name_at(&kallsyms, 0xffffffff8100004f), "weak_one");
	/* the kernel's last symbol ends with the page after its own */
	assert_string_equal(name_at(&kallsyms, 0xffffffff81001fff), "weak_one");
	assert_string_equal(name_at(&kallsyms, 0xffffffff81002000), "-");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa0000fff), "other_a");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa000100f), "first");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa0001010), "second");
	kallsyms_release(&kallsyms);
}

/* Marks of assemblers, which lists have of modules, do not end the function that they are in. */
static void test_labels(void **state)
{
	struct kallsyms kallsyms;

	(void)state;
	assert_true(parse(&kallsyms, "1000 t run\t[m]\n1004 t $x\t[m]\n1008 t .L12\t[m]\n"
	                             "100c t L0\t[m]\n1010 t L1\t[m]\n", "_text", 0));
	assert_string_equal(name_at(&kallsyms, 0x100f), "run");
	assert_string_equal(name_at(&kallsyms, 0x1010), "L1");
	kallsyms_release(&kallsyms);
}

/* A list of another boot: the kernel is somewhere else. */
static void test_moved(void **state)
{
	struct kallsyms kallsyms;

	(void)state;
	assert_true(parse(&kallsyms, list, "_text", 0xffffffff9a000000));
	assert_string_equal(name_at(&kallsyms, 0xffffffff9a000041), "local_one");
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000041), "-");
	kallsyms_release(&kallsyms);
}

/* A list that was edited where lines end with CR LF. */
static void test_line_ends(void **state)
{
	char text[2 * sizeof(list)], *to = text;
	struct kallsyms kallsyms;

	(void)state;
	for (const char *from = list; *from; from++) {
		if (*from == '\n')
			*to++ = '\r';
		*to++ = *from;
	}
	strcpy(to, "\r\n\r\n");
	assert_true(parse(&kallsyms, text, "_text", 0xffffffff9a000000));
	assert_string_equal(name_at(&kallsyms, 0xffffffff9a000041), "local_one");
	assert_int_equal(kallsyms.other_lines, 1);
	assert_int_equal(kallsyms.other_line, 12);
	assert_string_equal(kallsyms.other_text, "");
	kallsyms_release(&kallsyms);
}

static void test_other_boot(void **state)
{
	struct kallsyms_request request = { .ref_name = "_text", .ref_addr = 0xffffffff9a000000 };
	struct kallsyms kallsyms;

	(void)state;
	assert_true(read_list(&kallsyms, list, &request));
	assert_string_equal(name_at(&kallsyms, 0xffffffff9a000041), "local_one");
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000041), "-");
	kallsyms_release(&kallsyms);
	request.same_boot = true;
	assert_true(read_list(&kallsyms, list, &request));
	assert_int_equal(kallsyms.table.count, 0);
	assert_int_not_equal(kallsyms.delta, 0);
	kallsyms_release(&kallsyms);
	request.ref_addr = 0xffffffff81000000;
	assert_true(read_list(&kallsyms, list, &request));
	assert_int_equal(kallsyms.delta, 0);
	assert_string_equal(name_at(&kallsyms, 0xffffffff81000041), "local_one");
	kallsyms_release(&kallsyms);
	/* names that begin or end like the reference are others */
	request.ref_addr = 0x3000;
	assert_true(read_list(&kallsyms, "1000 T _text2\n2000 T a_text\n4000 T _text\n", &request));
	assert_int_equal(kallsyms.delta, 0x1000);
	kallsyms_release(&kallsyms);
}

/* A small number from a sequence that is the same in every run. */
static unsigned draw(uint32_t *seed, unsigned below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* The kernel is below, one module behind the other. */
static const char *module_at(uint64_t addr)
{
	return addr < 0x9000 ? "" : addr < 0xe000 ? "\t[a]" : "\t[b]";
}

/* Lines with few distinct addresses, mostly in order, so that all neighbourhoods occur. */
static char *drawn_list(uint32_t *seed)
{
	static const char types[] = "TtWwDdbr";
	char *text = malloc(4096);
	unsigned count = 1 + draw(seed, 12), addr = 0x5000, used = 0;
	unsigned disorder = draw(seed, 3) ? 0 : 3;

	for (unsigned i = 0; i < count; i++) {
		addr += 0x900 * draw(seed, 4);
		if (disorder && !draw(seed, disorder))
			addr = 0x5000 + 0x900 * draw(seed, 32);
		used += (unsigned)sprintf(text + used, "%x %c s%u%s\n", addr,
		                          types[draw(seed, sizeof(types) - 1)], i, module_at(addr));
	}
	return text;
}

static void compare_modules(const struct kallsyms *all, const struct kallsyms *some,
                            const struct kallsyms_request *request)
{
	const struct kallsyms *lists[] = { all, some };
	struct symtable tables[2];
	struct err err = { .code = ERR_NONE };

	for (int i = 0; i < 2; i++) {
		tables[i] = (struct symtable){ 0 };
		assert_true(kallsyms_put_module(lists[i], "[a]", 0x9000, &tables[i], &err));
		symtable_finish(&tables[i]);
	}
	for (size_t i = 0; i < request->addr_count; i++) {
		const struct symbol *x = symtable_find(&tables[0], request->addrs[i] - 0x9000);
		const struct symbol *y = symtable_find(&tables[1], request->addrs[i] - 0x9000);

		if (strcmp(module_at(request->addrs[i]), "\t[a]") != 0)
			continue;
		assert_string_equal(x ? x->name : "-", y ? y->name : "-");
	}
	symtable_release(&tables[0]);
	symtable_release(&tables[1]);
}

/* What is kept for some addresses answers them as the whole list does. */
static void test_wanted(void **state)
{
	uint32_t seed = 1;
	size_t kept = 0, whole = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char *text = drawn_list(&seed);
		uint64_t addrs[4];
		struct kallsyms_request request = { .ref_name = "",
		                              .addrs = addrs,
		                              .addr_count = 1 + draw(&seed, 4) };
		struct kallsyms all, some;

		/* at the places of symbols, just before and just behind them */
		for (unsigned i = 0, place = draw(&seed, 4); i < request.addr_count; i++) {
			addrs[i] = 0x4fff + 0x900 * place + draw(&seed, 3);
			place += 1 + draw(&seed, 8);
		}
		assert_true(read_list(&some, text, &request));
		assert_true(parse(&all, text, "", 0));
		for (size_t i = 0; i < request.addr_count; i++)
			assert_string_equal(name_at(&some, addrs[i]), name_at(&all, addrs[i]));
		compare_modules(&all, &some, &request);
		kept += some.table.count;
		whole += all.table.count;
		kallsyms_release(&all);
		kallsyms_release(&some);
		free(text);
	}
	assert_in_range(kept, whole / 3, whole * 9 / 10);
}

/* Of the running kernel's list all that is needed is kept, and nothing else. */
static void test_in_order(void **state)
{
	static const char ordered[] = "0 A percpu\n5000 T start\n6000 t same\n6000 T b\n7000 T c\n5500 T late\n";
	static const char disordered[] = "5000 T start\n4000 T back\n7000 T c\n5500 T late\n";
	uint64_t addr = 0x5600;
	struct kallsyms_request request = { .ref_name = "", .addrs = &addr, .addr_count = 1 };
	struct kallsyms kallsyms;

	(void)state;
	assert_true(read_list(&kallsyms, ordered, &request));
	assert_string_equal(name_at(&kallsyms, 0x5600), "late");
	kallsyms_release(&kallsyms);
	request.in_order = true;
	assert_true(read_list(&kallsyms, ordered, &request));
	assert_string_equal(name_at(&kallsyms, 0x5600), "start");
	kallsyms_release(&kallsyms);
	addr = 0x6000;
	assert_true(read_list(&kallsyms, ordered, &request));
	assert_string_equal(name_at(&kallsyms, 0x6000), "b");
	assert_string_equal(name_at(&kallsyms, 0x6fff), "b");
	kallsyms_release(&kallsyms);
	addr = 0x5600;
	assert_true(read_list(&kallsyms, disordered, &request));
	assert_string_equal(name_at(&kallsyms, 0x5600), "late");
	kallsyms_release(&kallsyms);
	/* addresses of modules, above the kernel or below, which no record mapped */
	addr = 0x9010;
	assert_true(read_list(&kallsyms, "5000 T a\n6000 T b\na000 t new\t[new]\n9000 t old\t[old]\n", &request));
	assert_string_equal(name_at(&kallsyms, 0x9010), "old");
	kallsyms_release(&kallsyms);
	addr = 0x1010;
	assert_true(read_list(&kallsyms, "0 D percpu\n5000 T a\n6000 T b\n1000 t low\t[low]\n", &request));
	assert_string_equal(name_at(&kallsyms, 0x1010), "low");
	kallsyms_release(&kallsyms);
	/* before the reference symbol was there, nothing is known */
	request.ref_name = "late";
	request.ref_addr = 0x15500;
	addr = 0x15600;
	assert_true(read_list(&kallsyms, ordered, &request));
	assert_string_equal(name_at(&kallsyms, 0x15600), "start");
	kallsyms_release(&kallsyms);
}

/* Lines that lie across the blocks in which a file is read, and one that is longer than a block. */
static void test_long(void **state)
{
	enum { LINES = 20000, LONG = 100000 };
	const uint64_t addrs[] = { 0x10000 + 16 * 3 + 3, 0x10000 + 16 * 15000,
		                   0x10000 + 16 * 15001 };
	struct kallsyms_request request = { .ref_name = "" };
	char *text = malloc(LINES * 20 + LONG + 20);
	size_t used = 0, long_name = 0;
	struct kallsyms all, some;

	(void)state;
	for (unsigned i = 0; i < LINES; i++) {
		used += (size_t)sprintf(text + used, "%x t n%u", 0x10000 + 16 * i, i);
		if (i == 15000) {
			long_name = used - 6;
			memset(text + used, 'x', LONG);
			used += LONG;
		}
		text[used++] = '\n';
	}
	text[used] = '\0';
	assert_true(read_list(&all, text, &request));
	assert_int_equal(all.table.count, LINES);
	for (unsigned i = 0; i < LINES; i += 7) {
		char name[20];

		sprintf(name, "n%u", i);
		assert_string_equal(name_at(&all, 0x10000 + 16 * i + i % 16), name);
	}
	request.addrs = addrs;
	request.addr_count = ARRAY_SIZE(addrs);
	assert_true(read_list(&some, text, &request));
	/* and the last one of each block */
	assert_in_range(some.table.count, 4, 8 + used / 65536 + 1);
	for (size_t i = 0; i < ARRAY_SIZE(addrs); i++)
		assert_string_equal(name_at(&some, addrs[i]), name_at(&all, addrs[i]));
	assert_int_equal(strlen(name_at(&some, addrs[1])), LONG + 6);
	assert_memory_equal(name_at(&some, addrs[1]), text + long_name, LONG + 6);
	kallsyms_release(&all);
	kallsyms_release(&some);
	free(text);
}

static void test_module(void **state)
{
	struct err err = { .code = ERR_NONE };
	struct kallsyms kallsyms;
	struct symtable table;

	(void)state;
	table = (struct symtable){ 0 };
	assert_true(parse(&kallsyms, list, "", 0));
	assert_true(kallsyms_put_module(&kallsyms, "[mod_b]", 0xffffffffa0001000, &table, &err));
	symtable_finish(&table);
	assert_int_equal(table.count, 2);
	assert_string_equal(symtable_find(&table, 8)->name, "first");
	assert_string_equal(symtable_find(&table, 0x10)->name, "second");
	symtable_release(&table);
	kallsyms_release(&kallsyms);
}

static void test_hidden(void **state)
{
	struct kallsyms kallsyms;

	(void)state;
	assert_true(parse(&kallsyms, "0000000000000000 T _text\n0000000000000000 t x\n", "_text", 1));
	assert_true(kallsyms.hidden);
	assert_int_equal(kallsyms.table.count, 0);
	kallsyms_release(&kallsyms);
}

/* Lines that are none, and every end of the text. */
static void test_damage(void **state)
{
	static const char odd[] = "\n\n zzz\nffffffff81000000\nffffffff81000000 T\n"
				  "ffffffff81000000 T \nffffffff81000000 TT name\n"
				  "ffffffff81000010 t \t[x]\n12345678901234567890 t big\n[x]\n\t\n";
	struct kallsyms kallsyms;
	char text[sizeof(list) + sizeof(odd)];

	(void)state;
	for (size_t size = 0; size < sizeof(odd); size++) {
		memcpy(text, odd, size);
		text[size] = '\0';
		assert_true(parse(&kallsyms, text, "_text", 5));
		name_at(&kallsyms, 0xffffffff81000010);
		kallsyms_release(&kallsyms);
	}
	for (size_t size = 0; size < sizeof(list); size++) {
		memcpy(text, list, size);
		text[size] = '\0';
		assert_true(parse(&kallsyms, text, "_text", 0xffffffff81000000));
		kallsyms_release(&kallsyms);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_labels), cmocka_unit_test(test_moved), cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_other_boot), cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_module), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
