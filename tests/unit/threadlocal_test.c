/* Thread pointers by instructions anywhere in a file, also in its last bytes. */
#include "decode/threadlocal/threadlocal.c"
#include "tests/unit/bytes.h"
#include "tests/unit/elfimage.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define POINTER UINT64_C(0x7f0000001000)

/* mov %fs:0xfffffffffffffffc,%eax */
static const uint8_t access_below[] = { 0x64, 0x8b, 0x04, 0x25, 0xfc, 0xff, 0xff, 0xff };

/*
 * How many threads' pointers are known by an access that this instruction makes, of which the file
 * has so many bytes, and so many others behind it.
 */
static size_t threads_found(size_t size, size_t behind)
{
	const struct elf_whole whole = { .wide = true, .type = ET_DYN, .machine = EM_X86_64 };
	struct access_key key = { .addr = POINTER - 4, .exact = true };
	struct memorystat stat = { .accesses = { .size = 0 } };
	const struct thread_source source = { .stat = &stat };
	struct program program = { .binary = UNKNOWN_BINARY };
	uint32_t order = 0;
	struct err err = { .code = ERR_NONE };
	struct finder finder = { .source = &source, .programs = &program, .order = &order, .err = &err };
	struct image image;
	struct elf elf;
	size_t found;

	elf_image(&image, &whole);
	key.ip = image.size;
	image_bytes(&image, access_below, size);
	image_zeros(&image, behind);
	assert_true(elf_open_memory(&elf, exact_copy(image.data, image.size), image.size, &err));
	tuples_init(&stat.accesses, sizeof(key));
	assert_int_equal(tuples_put(&stat.accesses, &key, &err), 0);
	assert_true(read_file(&finder, &elf, 0, 1));
	found = finder.thread_count;
	if (found)
		assert_true(finder.threads[0].pointer == POINTER);
	map_release(&finder.numbers);
	free(finder.threads);
	tuples_release(&stat.accesses);
	elf_close(&elf);
	image_release(&image);
	return found;
}

static void test_end_of_file(void **state)
{
	(void)state;
	for (size_t behind = 0; behind < 2 * FS_OPERAND_MOST; behind++)
		assert_int_equal(threads_found(sizeof(access_below), behind), 1);
	/* the file was cut */
	for (size_t size = 0; size < sizeof(access_below); size++)
		assert_int_equal(threads_found(size, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_end_of_file),
	};

	return cmocka_run_group_tests_name("threadlocal", tests, NULL, NULL);
}
