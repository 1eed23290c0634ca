/* aux.csv of hand-made records. */
#include "decode/tables/auxprinter.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TYPE (FLAG(1) | FLAG(2) | FLAG(7)) /* TID TIME CPU */

static void put_aux(struct image *image, uint64_t time, uint64_t offset, uint64_t size, uint64_t flags)
{
	const struct test_fields fields = { .pid = 5, .tid = 6, .time = time, .cpu = 3 };
	size_t start = record_begin(image, 11, 0);

	image_u64(image, offset);
	image_u64(image, size);
	image_u64(image, flags);
	image_trailer(image, TYPE, &fields);
	record_end(image, start);
}

static void test_records(void **state)
{
	const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18) };
	struct aux_records records = { .count = 0 };
	struct record_handler handler = aux_collector.handler(&records);
	struct opened opened;
	struct image image;
	size_t start;

	(void)state;
	for (int big = 0; big < 2; big++) {
		image_init(&image, big);
		file_begin(&image, &attr, 1, 104);
		put_aux(&image, 20, 0x1000, UINT64_MAX, 8 | 4);
		put_aux(&image, 10, 0, 0x1000, 0x0100 | 2 | 1);
		start = record_begin(&image, 11, 0); /* too short */
		image_u64(&image, 1);
		record_end(&image, start);
		put_sample(&image, TYPE, 2, &(struct test_fields){ .time = 15 });
		file_end(&image);
		assert_true(opened_file(&opened, &image));
		opened.read = true;
		assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
		assert_int_equal(records.count, 2);
		assert_int_equal(records.items[0].time, 10);
		assert_int_equal(records.items[0].offset, 0);
		assert_int_equal(records.items[0].size, 0x1000);
		assert_int_equal(records.items[0].flags, 0x103);
		assert_int_equal(records.items[1].size, UINT64_MAX);
		assert_int_equal(records.items[1].flags, 12);
		assert_int_equal(records.items[1].cpu, 3);
		assert_int_equal(records.items[1].pid, 5);
		assert_int_equal(records.items[1].tid, 6);
		aux_collector.close(&records);
		records = (struct aux_records){ .count = 0 };
		opened_close(&opened);
		image_release(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_records) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
