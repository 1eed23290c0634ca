/*
 * Time and memory follow the input: recordings of 2 MB that once made a product of two of their
 * counts. Each must be read in a few seconds under any sanitizer, where it once took minutes.
 */
#include "tests/fuzz/recording.c"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <time.h>

#define SIZE ((size_t)2 << 20)
#define SECONDS_MAX 10

#define TYPE (FLAG(0) | FLAG(1) | FLAG(2)) /* IP TID TIME */

static const struct test_attr attr = { .sample_type = TYPE, .flags = FLAG(18), .period = 1 };

typedef void fill(struct image *image, uint64_t number, struct test_fields *fields);

static void run_filled(fill *put, bool pipe)
{
	struct test_fields fields = { .pid = 1, .tid = 1 };
	clock_t start = clock();
	struct image image;

	image_init(&image, false);
	if (pipe)
		pipe_begin(&image, &attr, 1);
	else
		file_begin(&image, &attr, 1, 104);
	for (uint64_t number = 1; image.size < SIZE; number++) {
		fields.time = number;
		put(&image, number, &fields);
	}
	if (!pipe)
		file_end(&image);
	run_recording(image.data, image.size, false);
	image_release(&image);
	assert_in_range((clock() - start) / CLOCKS_PER_SEC, 0, SECONDS_MAX);
}

static void put_descending(struct image *image, uint64_t number, struct test_fields *fields)
{
	put_mmap(image, TYPE, 2, "/a", 0x100000000000 - (number << 12), 0x1000, 0, fields);
}

/* Half of the file: one process maps; the other half: its forks each map one file of their own. */
static void put_forks(struct image *image, uint64_t number, struct test_fields *fields)
{
	if (image->size < SIZE / 2) {
		put_mmap(image, TYPE, 2, "/a", number << 12, 0x1000, 0, fields);
		return;
	}
	fields->pid = fields->tid = (uint32_t)number + 10;
	put_task(image, 7, TYPE, 1, 0, fields);
	put_mmap(image, TYPE, 2, "/a", 0x700000000000, 0x1000, 0, fields);
}

static void put_kernels(struct image *image, uint64_t number, struct test_fields *fields)
{
	if (image->size < SIZE / 2)
		put_mmap(image, TYPE, 1, "[m]", number << 12, 0x1000, 0, fields);
	else
		put_mmap(image, TYPE, 1, "[kernel.kallsyms]_text", number << 12, (uint64_t)1 << 50, number,
		         fields);
}

/* One path and inode, and a new generation each time. */
static void put_generations(struct image *image, uint64_t number, struct test_fields *fields)
{
	size_t start = record_begin(image, 10, 2);

	image_u32(image, 1);
	image_u32(image, 1);
	image_u64(image, number << 12);
	image_u64(image, 0x1000);
	image_u64(image, 0);
	image_u32(image, 8);
	image_u32(image, 1);
	image_u64(image, 42);
	image_u64(image, number);
	image_u32(image, 5);
	image_u32(image, 2);
	image_text8(image, "/a");
	image_trailer(image, TYPE, fields);
	record_end(image, start);
}

static void put_kernel_symbols(struct image *image, uint64_t number, struct test_fields *fields)
{
	size_t start = record_begin(image, 17, 0);

	image_u64(image, UINT64_MAX - (number << 6));
	image_u32(image, 64);
	image_u32(image, 1);
	image_text8(image, "bpf");
	image_trailer(image, TYPE, fields);
	record_end(image, start);
}

static void put_processes(struct image *image, uint64_t number, struct test_fields *fields)
{
	fields->pid = fields->tid = (uint32_t)number;
	fields->ip = number;
	put_sample(image, TYPE, 2, fields);
}

static void put_types(struct image *image, uint64_t number, struct test_fields *fields)
{
	(void)fields;
	record_end(image, record_begin(image, (uint32_t)(number * 2654435761u) | 0x10000, 0));
}

static void put_attr(struct image *image, uint64_t id)
{
	struct test_attr another = attr;
	size_t start = record_begin(image, 64, 0);

	another.config = another.ids[0] = id;
	another.id_count = 1;
	another.sample_type |= FLAG(6);
	image_attr(image, &another);
	image_u64(image, id);
	record_end(image, start);
}

/* Attrs and records in turn: events are named before somebody sees a record. */
static void put_attrs(struct image *image, uint64_t number, struct test_fields *fields)
{
	fields->time = 0;
	put_attr(image, number);
	put_comm(image, TYPE | FLAG(6), 0, "turn", fields);
}

/* Half of the file: events; the other half: records of none that has samples. */
static void put_comms(struct image *image, uint64_t number, struct test_fields *fields)
{
	if (image->size < SIZE / 2) {
		put_attr(image, number);
		return;
	}
	put_comm(image, TYPE | FLAG(6), 0, "comm", fields);
}

/* Half of the file: events; the other half: their samples, in processes of their own. */
static void put_counts(struct image *image, uint64_t number, struct test_fields *fields)
{
	if (image->size < SIZE / 2) {
		put_attr(image, number);
		return;
	}
	fields->id = 1 + number % 8000;
	fields->pid = fields->tid = (uint32_t)(number / 8000 + number);
	put_sample(image, TYPE | FLAG(6), 2, fields);
}

#define BOUNDED(name, pipe)                  \
	static void name(void **state)       \
	{                                    \
		(void)state;                 \
		run_filled(put_##name, pipe); \
	}

BOUNDED(descending, false)
BOUNDED(forks, false)
BOUNDED(kernels, false)
BOUNDED(generations, false)
BOUNDED(kernel_symbols, false)
BOUNDED(processes, false)
BOUNDED(types, false)
BOUNDED(attrs, true)
BOUNDED(comms, true)
BOUNDED(counts, true)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descending),     cmocka_unit_test(forks),
		cmocka_unit_test(kernels),        cmocka_unit_test(generations),
		cmocka_unit_test(kernel_symbols), cmocka_unit_test(processes),
		cmocka_unit_test(types),          cmocka_unit_test(attrs),
		cmocka_unit_test(comms),          cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
