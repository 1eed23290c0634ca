#include "decode/machine/binaries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct build_id id_of(const char *bytes, uint8_t size)
{
	struct build_id id = { .size = size };

	memcpy(id.bytes, bytes, size);
	return id;
}

static void test_build_id(void **state)
{
	struct build_id none = { .size = 0 };
	struct build_id eight = id_of("\1\2\3\4\5\6\7\10", 8);
	struct build_id padded = id_of("\1\2\3\4\5\6\7\10\0\0\0\0\0\0\0\0\0\0\0", 20);
	struct build_id longer = id_of("\1\2\3\4\5\6\7\10\0\0\0\0\0\0\0\0\0\0\0\1", 20);
	struct build_id other = id_of("\1\2\3\4\5\6\7\11", 8);

	(void)state;
	assert_true(build_id_equal(&eight, &eight));
	assert_true(build_id_equal(&eight, &padded));
	assert_true(build_id_equal(&padded, &eight));
	assert_false(build_id_equal(&eight, &longer));
	assert_false(build_id_equal(&eight, &other));
	assert_false(build_id_equal(&none, &none));
	assert_false(build_id_equal(&none, &eight));
}

/* When the binaries of two records are the same. */
static void test_identity(void **state)
{
	struct err err = { .code = ERR_NONE };
	struct binaries binaries;
	struct strings strings;
	struct binary file, other;
	uint32_t first;

	(void)state;
	assert_true(strings_init(&strings, &err));
	assert_true(binaries_init(&binaries, &strings, &err));
	assert_int_equal(binaries.items[0].kind, BINARY_UNKNOWN);
	assert_string_equal(strings_get(&strings, binaries.items[0].name), "[unknown]");
	memset(&file, 0, sizeof(file));
	file.kind = BINARY_FILE;
	file.name = file.path = strings_put_text(&strings, "/bin/x", &err);
	file.inode = 7;
	file.pid = 3;
	first = binaries_put(&binaries, &file, &err);
	assert_int_equal(first, DAMAGED_BINARY + 1);
	other = file;
	other.pid = 4;
	assert_int_equal(binaries_put(&binaries, &other, &err), first);
	other.inode = 8;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 1);
	other.build_id = id_of("\1\2\3", 3);
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 2);
	other.inode = 9;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 2);
	other = file;
	other.kind = BINARY_JIT;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 3);
	other.pid = 99;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 4);
	other.kind = BINARY_MODULE;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 5);
	other.start = 4096;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 6);
	other.guest = true;
	assert_int_equal(binaries_put(&binaries, &other, &err), first + 7);
	/* through many growths each keeps its number */
	for (uint64_t i = 0; i < 2000; i++) {
		file.inode = 100 + i;
		assert_int_equal(binaries_put(&binaries, &file, &err), first + 8 + i);
	}
	file.inode = 100;
	assert_int_equal(binaries_put(&binaries, &file, &err), first + 8);
	binaries_release(&binaries);
	strings_release(&strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
