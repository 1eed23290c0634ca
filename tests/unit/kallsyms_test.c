#include "decode/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char list[] = "ffffffff81000000 T startup_64\n"
			   "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000040 t local_one\n"
			   "ffffffff81000048 r a_constant\n"
			   "ffffffff81000050 W weak_one\n"
			   "ffffffffa0001010 t second\t[mod_b]\n"
			   "ffffffffa0000000 t init_a\t[mod_a]\n"
			   "ffffffffa0000080 T other_a\t[mod_a]\n"
			   "ffffffffa0001000 t first\t[mod_b]";

static bool parse(struct kallsyms *kallsyms, const char *text, const char *ref, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };

	return kallsyms_parse(kallsyms, strdup(text), strlen(text), ref, addr, &err);
}

static const char *name_at(const struct kallsyms *kallsyms, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(&kallsyms->table, addr);

	return symbol ? symbol->name : "-";
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
	assert_string_equal(name_at(&kallsyms, 0xffffffff8100004f), "local_one");
	/* the kernel's last symbol ends with the page after its own */
	assert_string_equal(name_at(&kallsyms, 0xffffffff81001fff), "weak_one");
	assert_string_equal(name_at(&kallsyms, 0xffffffff81002000), "-");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa0000fff), "other_a");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa000100f), "first");
	assert_string_equal(name_at(&kallsyms, 0xffffffffa0001010), "second");
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

static void test_module(void **state)
{
	struct err err = { .code = ERR_NONE };
	struct kallsyms kallsyms;
	struct symtable table;

	(void)state;
	symtable_init(&table);
	assert_true(parse(&kallsyms, list, "", 0));
	assert_true(kallsyms_put_module(&kallsyms, "[mod_b]", 0xffffffffa0001000, &table, &err));
	assert_true(symtable_finish(&table, &err));
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
		cmocka_unit_test(test_names),  cmocka_unit_test(test_moved),
		cmocka_unit_test(test_module), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
