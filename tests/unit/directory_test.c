/* Directories of perf record --threads: a header file and bare record streams, one for each thread. */
#define _DEFAULT_SOURCE /* mkdtemp() */
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define SMALL (FLAG(0) | FLAG(1) | FLAG(2) | FLAG(6) | FLAG(8)) /* IP TID TIME ID PERIOD */

static const struct test_attr one_event = { .sample_type = SMALL, .flags = FLAG(18), .ids = { 10 }, .id_count = 1 };

struct folder {
	char path[40];
	struct opened opened;
	struct seen_list list;
	char said[8][100]; /* the beginnings of warnings */
	size_t said_count;
};

static void note_part(void *context, uint64_t offset, const char *text)
{
	struct folder *folder = context;

	(void)offset;
	assert_true(folder->said_count < ARRAY_SIZE(folder->said));
	snprintf(folder->said[folder->said_count++], sizeof(folder->said[0]), "%.99s", text);
}

static void write_in(const struct folder *folder, const char *name, const struct image *image)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	if (image->size)
		assert_int_equal(fwrite(image->data, 1, image->size, file), image->size);
	fclose(file);
}

static void write_thread_file(const struct folder *folder, uint32_t number, const struct image *image)
{
	char name[20];

	snprintf(name, sizeof(name), "data.%u", (unsigned)number);
	write_in(folder, name, image);
}

/* With the file of the header, which holds one record without a time. */
static void begin(struct folder *folder)
{
	struct image image;

	*folder = (struct folder){ .path = "/tmp/readperf-unit-dir.XXXXXX" };
	assert_non_null(mkdtemp(folder->path));
	image_init(&image, false);
	file_begin(&image, &one_event, 1, 104);
	put_comm(&image, SMALL, 0, "main", &(struct test_fields){ .pid = 5, .tid = 5 });
	file_end(&image);
	write_in(folder, "data", &image);
	image_release(&image);
}

/* Expects this number of records, those without a time first. */
static void read_all(struct folder *folder, size_t files, size_t count)
{
	struct opened *opened = &folder->opened;

	diag_init(&opened->diag, note_part, folder);
	session_init(&opened->session, &opened->diag);
	assert_true(input_open(&opened->input, folder->path, "/tmp", &opened->diag, &opened->err));
	assert_true(session_open(&opened->session, &opened->input, &opened->err));
	assert_int_equal(opened->input.file_count, files);
	assert_true(read_seen(opened, &folder->list));
	assert_int_equal(folder->list.items[0].record.type, 3);
	assert_int_equal(folder->list.count, count);
	for (size_t i = 0; i < count; i++)
		if (folder->list.items[i].record.time == TIME_NONE)
			folder->list.items[i].record.time = 0;
	assert_true(seen_in_order(&folder->list));
	assert_int_equal(opened->summary.late, 0);
}

static void end(struct folder *folder)
{
	char command[100];

	seen_release(&folder->list);
	opened_close(&folder->opened);
	snprintf(command, sizeof(command), "rm -rf %s", folder->path);
	assert_int_equal(system(command), 0);
}

static void directories_are_one_recording(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 2, 10 };
	struct folder folder;
	struct image image;

	(void)state;
	begin(&folder);
	for (uint32_t thread = 0; thread < 4; thread++) {
		image_init(&image, false);
		for (uint32_t i = 0; i < 3000; i++) {
			struct test_fields f = { .ip = thread, .time = 1000 + 7 * (uint64_t)(i / 2) + thread % 2, .id = 10 };

			put_sample(&image, SMALL, 2, &f);
		}
		write_thread_file(&folder, numbers[thread], &image);
		image_release(&image);
	}
	/* threads that recorded nothing; the last two are no part of the recording */
	image_init(&image, false);
	for (uint32_t number = 3; number < 10; number++)
		write_thread_file(&folder, number, &image);
	write_in(&folder, "data.old", &image);
	write_in(&folder, "notes", &image);
	image_release(&image);
	read_all(&folder, 12, 12001);
	/* by number, not by name: data.10 is behind data.2 */
	assert_int_equal(folder.list.items[1].record.sample.ip, 0);
	for (size_t i = 1; i < folder.list.count; i++)
		assert_int_equal((folder.list.items[i].record.nr - 1) / 3000, folder.list.items[i].record.sample.ip);
	end(&folder);
}

/* With many files the block buffers of all of them together would be too large for so small a recording. */
static void a_file_for_each_of_many_processors(void **state)
{
	enum { FILES = 700, RECORDS = 100 };
	struct rlimit limit;
	struct folder folder;
	struct image image;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < FILES + 300) {
		print_message("no more than %llu open files\n", (unsigned long long)limit.rlim_max);
		skip();
	}
	/* as where a process may have 1,024, and a machine more processors */
	limit.rlim_cur = FILES / 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	begin(&folder);
	for (uint32_t thread = 0; thread < FILES; thread++) {
		image_init(&image, false);
		for (uint32_t i = 0; i < RECORDS; i++) {
			struct test_fields f = { .ip = thread, .time = 1000 + (uint64_t)i * FILES + thread, .id = 10 };

			put_sample(&image, SMALL, 2, &f);
		}
		write_thread_file(&folder, thread, &image);
		image_release(&image);
	}
	read_all(&folder, FILES + 1, FILES * RECORDS + 1);
	end(&folder);
}

/* The same damage in each of three parts: each is said in its turn, with the part's name. */
static void damage_of_each_part_is_said(void **state)
{
	struct folder folder;
	struct image image;

	(void)state;
	begin(&folder);
	for (uint32_t part = 0; part < 3; part++) {
		struct test_fields f = { .ip = part, .time = 1000 + part, .id = 10 };
		size_t start;

		image_init(&image, false);
		put_sample(&image, SMALL, 2, &f);
		start = record_begin(&image, 9, 2); /* too short for a sample */
		image_u64(&image, 0);
		record_end(&image, start);
		image_u64(&image, 9); /* a record of size 0: nothing behind it can be read */
		image_u64(&image, 0);
		write_thread_file(&folder, part, &image);
		image_release(&image);
	}
	read_all(&folder, 4, 7);
	assert_true(folder.opened.summary.broken);
	assert_int_equal(folder.said_count, 6);
	for (int part = 0; part < 3; part++) {
		char name[20];

		snprintf(name, sizeof(name), "data.%d: ", part);
		assert_memory_equal(folder.said[2 * part], name, strlen(name));
		assert_non_null(strstr(folder.said[2 * part], "SAMPLE record"));
		assert_memory_equal(folder.said[2 * part + 1], name, strlen(name));
	}
	end(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_of_each_part_is_said),
		cmocka_unit_test(directories_are_one_recording),
		cmocka_unit_test(a_file_for_each_of_many_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
