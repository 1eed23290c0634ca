/* buildids.csv of a recording whose MMAP2 records carry build ids: each pair once, in order. */
#define _DEFAULT_SOURCE /* mkstemp() */
#include "perffile/record/collector.h"

#include "tests/unit/fixture.h"
#include "tests/unit/tablefile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2)) /* IP TID TIME */
#define WITH_BUILD_ID (1u << 14)

static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18), .period = 1 };

static void put_map(struct image *image, uint16_t misc, const char *id, uint8_t size, const char *name)
{
	size_t start = record_begin(image, 10, misc);

	image_u32(image, 7);
	image_u32(image, 7);
	image_u64(image, 0x1000);
	image_u64(image, 0x1000);
	image_u64(image, 0);
	image_u8(image, size);
	image_zeros(image, 3);
	image_bytes(image, id, 20);
	image_u32(image, 5);
	image_u32(image, 2);
	image_text8(image, name);
	image_trailer(image, TYPE, &(struct test_fields){ .pid = 7, .tid = 7, .time = 1 });
	record_end(image, start);
}

/* The table as text; NULL if memory was refused. */
static char *table_of(const struct collection *kept, struct session *session, struct err *err)
{
	char path[] = "/tmp/readperf-unit.XXXXXX", *text = calloc(1, 4000);
	int fd = mkstemp(path);
	struct report report = { .session = session, .kept = kept };
	bool ok;

	assert_true(fd >= 0 && text);
	unlink(path);
	ok = table_to_file(fd, &buildids_table, &report, err);
	if (ok)
		assert_true(pread(fd, text, 3999, 0) > 0);
	close(fd);
	if (!ok)
		free(text);
	return ok ? text : NULL;
}

#define ID "0123456789abcdefghij"
#define HEX "30313233343536373839616263646566" "6768696a"

static void make(struct opened *opened, struct image *image, char *name)
{
	memset(name, 'n', 600);
	name[600] = '\0';
	image_init(image, false);
	file_begin(image, &attr, 1, 104);
	put_map(image, 2 | WITH_BUILD_ID, ID, 20, "/bin/program");
	put_map(image, 1 | WITH_BUILD_ID, ID, 20, "[kernel.kallsyms]_text");
	put_map(image, 4 | WITH_BUILD_ID, ID, 16, "[guest.kernel.kallsyms]_stext");
	put_map(image, 3 | WITH_BUILD_ID, ID, 2, "[hypervisor]");
	put_map(image, 5 | WITH_BUILD_ID, ID, 20, "guest,program");
	put_map(image, 0 | WITH_BUILD_ID, ID, 20, "unknown");
	put_map(image, 2, ID, 20, "/bin/without");
	put_map(image, 1 | WITH_BUILD_ID, ID, 20, "/bin/program"); /* the pair is known, as user */
	put_map(image, 2 | WITH_BUILD_ID, "another build id ...", 20, "/bin/program");
	put_map(image, 1 | WITH_BUILD_ID, ID, 20, "[kernel.kallsyms]");
	put_map(image, 2 | WITH_BUILD_ID, ID, 20, name);
	put_map(image, 2 | WITH_BUILD_ID, ID, 200, "/bin/long-id");
	file_end(image);
	assert_true(opened_file(opened, image));
}

static const char expected[] = "build_id,binary,mode\n"
			       HEX ",/bin/program,user\n"
			       HEX ",[kernel.kallsyms],kernel\n"
			       "30313233343536373839616263646566,[guest.kernel.kallsyms],guest-kernel\n"
			       "3031,[hypervisor],hypervisor\n"
			       HEX ",\"guest,program\",guest-user\n"
			       HEX ",unknown,\n"
			       "616e6f74686572206275696c64206964202e2e2e,/bin/program,user\n";

static void of_records(void **state)
{
	struct opened opened;
	struct collection kept = { .count = 0 };
	struct record_handler handler;
	struct err err = { .code = ERR_NONE };
	struct image image;
	char *text, name[601], rest[1000];
	unsigned refused = 0;

	(void)state;
	make(&opened, &image, name);
	assert_true(collection_add(&kept, buildids_table.collects, &opened.session, &err));
	handler = collection_handler(&kept, 0);
	opened.read = true;
	assert_true(perffile_read(&opened.session, &handler, 1, NULL, &opened.summary, &opened.err));
	text = table_of(&kept, &opened.session, &err);
	assert_non_null(text);
	assert_memory_equal(text, expected, sizeof(expected) - 1);
	snprintf(rest, sizeof(rest), HEX ",%s,user\n" HEX ",/bin/long-id,user\n", name);
	assert_string_equal(text + sizeof(expected) - 1, rest);
	for (unsigned long n = 1;; n++) {
		char *again;

		err.code = ERR_NONE;
		refuse_allocation(n + 1); /* the first is the test's own */
		again = table_of(&kept, &opened.session, &err);
		if (allocations_seen() < n + 1) {
			free(again);
			break;
		}
		refuse_allocation(0);
		refused += !again;
		if (again)
			assert_string_equal(again, text);
		else
			assert_int_equal(err.code, ERR_NOMEM);
		free(again);
	}
	refuse_allocation(0);
	assert_true(refused > 3);
	free(text);
	collection_release(&kept);
	opened_close(&opened);
	image_release(&image);
}

/* Memory that is refused while records are taken in. */
static void refused_records(void **state)
{
	struct err err;
	char name[700];

	(void)state;
	memset(name, 'n', sizeof(name));
	for (unsigned long n = 1;; n++) {
		struct collection kept = { .count = 0 };
		bool ok;

		err.code = ERR_NONE;
		refuse_allocation(n);
		ok = collection_add(&kept, buildids_table.collects, NULL, &err);
		for (unsigned i = 0; ok && i < 300; i++) {
			const uint8_t id[20] = { (uint8_t)i, (uint8_t)(i >> 8) };
			struct record record = { .type = PERF_RECORD_MMAP2, .misc = 2 };

			record.mmap.has_build_id = true;
			record.mmap.build_id.size = sizeof(id);
			memcpy(record.mmap.build_id.bytes, id, sizeof(id));
			record.mmap.name.text = name;
			record.mmap.name.length = sizeof(name);
			ok = collection_handler(&kept, 0).record(kept.items[0].kept, &record, &err);
		}
		collection_release(&kept);
		if (allocations_seen() < n)
			break;
		refuse_allocation(0);
		assert_false(ok);
		assert_int_equal(err.code, ERR_NOMEM);
	}
	refuse_allocation(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_records),
		cmocka_unit_test(refused_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
