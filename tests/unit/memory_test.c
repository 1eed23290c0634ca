/* Memory that comes before it is written. */
#define _DEFAULT_SOURCE

#include "util/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 64
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

struct region {
	uint8_t *data;
	size_t page, size;
};

static struct region map_pages(void)
{
	struct region region = { .page = (size_t)sysconf(_SC_PAGESIZE) };

	region.size = PAGES * region.page;
	region.data = mmap(NULL, region.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(region.data, MAP_FAILED);
	/* else one large page could be more than was asked for; a kernel without them refuses */
	madvise(region.data, region.size, MADV_NOHUGEPAGE);
	return region;
}

/* Which pages are in memory, as '1' and '0'. */
static const char *present(const struct region *region, char text[PAGES + 1])
{
	unsigned char pages[PAGES];

	assert_int_equal(mincore(region->data, region->size, pages), 0);
	for (size_t i = 0; i < PAGES; i++)
		text[i] = pages[i] & 1 ? '1' : '0';
	text[PAGES] = '\0';
	return text;
}

/* Whether the kernel can, since Linux 5.14, and tells what is there; emulators may do neither. */
static bool kernel_can(void)
{
	struct region region = map_pages();
	char before[PAGES + 1], after[PAGES + 1];
	bool can;

	present(&region, before);
	can = madvise(region.data, region.page, MADV_POPULATE_WRITE) == 0;
	present(&region, after);
	munmap(region.data, region.size);
	return can && before[0] == '0' && after[0] == '1' && after[1] == '0';
}

static void whole_pages_come(void **state)
{
	struct region region = map_pages();
	char text[PAGES + 1], wanted[PAGES + 1];

	(void)state;
	if (!kernel_can())
		skip();
	memset(wanted, '0', PAGES);
	wanted[PAGES] = '\0';
	assert_string_equal(present(&region, text), wanted);
	/* of those at both ends only a part will be written: they may hold something else */
	memory_populate(region.data + 3 * region.page + 1, 5 * region.page);
	memset(wanted + 4, '1', 4);
	assert_string_equal(present(&region, text), wanted);
	memory_populate(region.data + 20 * region.page, 2 * region.page);
	memset(wanted + 20, '1', 2);
	assert_string_equal(present(&region, text), wanted);
	/* none of them is whole */
	memory_populate(region.data + 30 * region.page + 1, region.page);
	memory_populate(region.data + 40 * region.page, region.page - 1);
	memory_populate(region.data + 50 * region.page, 0);
	memory_populate(region.data + 60 * region.page - 1, 1);
	assert_string_equal(present(&region, text), wanted);
	munmap(region.data, region.size);
}

static void contents_stay(void **state)
{
	struct region region = map_pages();

	(void)state;
	memset(region.data, 'x', region.size / 2);
	memory_populate(region.data, region.size);
	for (size_t i = 0; i < region.size; i++)
		assert_int_equal(region.data[i], i < region.size / 2 ? 'x' : 0);
	munmap(region.data, region.size);
}

/* What cannot be had is left to the one who writes. */
static void refusals_say_nothing(void **state)
{
	struct region region = map_pages();

	(void)state;
	assert_int_equal(mprotect(region.data, region.size, PROT_NONE), 0);
	errno = EDOM;
	memory_populate(region.data, region.size);
	assert_int_equal(errno, EDOM);
	munmap(region.data, region.size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_pages_come),
		cmocka_unit_test(contents_stay),
		cmocka_unit_test(refusals_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
