/* Files, pipes, folders and packed files as input, and the messages when they cannot be read. */
#define _GNU_SOURCE /* mkdtemp(), memfd_create() */
#include "perffile/input/lookahead.h"
#include "tests/inputbytes.h"
#include "tests/unit/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct tried {
	struct input input;
	struct diag diag;
	struct err err;
	unsigned warnings;
	bool ok;
};

static void note(void *context, uint64_t offset, const char *text)
{
	struct tried *tried = context;

	(void)offset;
	(void)text;
	tried->warnings++;
}

static void try(struct tried *tried, const char *path, const char *temp)
{
	memset(tried, 0, sizeof(*tried));
	diag_init(&tried->diag, note, tried);
	tried->ok = input_open(&tried->input, path, temp, &tried->diag, &tried->err);
}

static void done(struct tried *tried)
{
	input_close(&tried->input);
	diag_release(&tried->diag);
}

static void expect_refused(const char *path, const char *temp, const char *says)
{
	struct tried tried;

	try(&tried, path, temp);
	assert_false(tried.ok);
	if (!strstr(tried.err.text, says))
		fail_msg("%s: expected \"%s\", found \"%s\"", path, says, tried.err.text);
	done(&tried);
}

/* A pipe that holds size bytes, as a path that must be closed. */
static int make_pipe(char path[64], const void *data, size_t size)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], data, size), size);
	close(ends[1]);
	snprintf(path, 64, "/dev/fd/%d", ends[0]);
	return ends[0];
}

static void put_header(struct image *image)
{
	const struct test_attr attr = { .sample_type = FLAG(2), .flags = FLAG(18) };

	image_init(image, false);
	file_begin(image, &attr, 1, 104);
	put_sample(image, FLAG(2), 2, &(struct test_fields){ .time = 1 });
	file_end(image);
}

/* What gzip makes of 40 bytes 5, which are no text. */
static const uint8_t packed_bytes[] = {
	0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x63, 0x65,
	0x25, 0x0e, 0x00, 0x00, 0x71, 0x65, 0x5c, 0xfc, 0x28, 0x00, 0x00, 0x00,
};

static void what_is_not_there(void **state)
{
	(void)state;
	expect_refused("/nonexistent/perf.data", "/tmp", "cannot open: No such file or directory");
	expect_refused("/dev/null", "/tmp", "is empty: expected a perf.data recording");
}

/* The first bytes of a process' memory cannot be read. */
static void what_cannot_be_read(void **state)
{
	(void)state;
	if (access("/proc/self/mem", R_OK) != 0)
		skip();
	expect_refused("/proc/self/mem", "/tmp", "cannot read");
}

static void short_files(void **state)
{
	char path[64], says[80];

	(void)state;
	for (size_t size = 1; size < 16; size++) {
		write_temporary(path, "PERFILE2........", size);
		snprintf(says, sizeof(says), "expected a perf.data recording, found only %zu bytes", size);
		expect_refused(path, "/tmp", says);
		unlink(path);
	}
}

/* The message about a file of another kind says what kind it is. */
static void other_files(void **state)
{
	static const struct {
		const char *bytes, *says;
	} cases[] = {
		{ "\177ELF\2\1\1", "is an ELF file" },
		{ "BZh91AY&SY.........", "pass --buildid-dir=cache" },
		{ "PK\3\4", "is a zip archive" },
		{ "SQLite format 3", "is a database of SQLite" },
		{ "\n {\"meta\": 1, \"threads\": []}", "is JSON" },
		{ "\xef\xbb\xbf[1, 2, 3]", "is JSON" },
		{ "<?xml version=\"1.0\"?><svg/>", "is XML or HTML" },
		{ "# To display the perf.data header info, please use", "is text, as perf report" },
		{ "hi\n", "is a text file; expected a perf.data recording" },
		{ "k\xc3\xa4se und brot, ganz einfach", "is a text file" },
		{ "PERF", "expected a perf.data recording, found only 4 bytes" },
		{ "\1\2\3", "expected a perf.data recording, found only 3 bytes" },
	};
#ifdef HAVE_ZLIB
	static const uint8_t packed_text[] = { 0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xcb, 0xc8, 0xe4, 0xca, 0x00, 0x23, 0x00, 0xcb, 0x08, 0x70, 0x67, 0x09, 0x00, 0x00, 0x00 };
#endif
	char path[64], zeros[600] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = strlen(cases[i].bytes);
		int pipe;

		write_temporary(path, cases[i].bytes, size);
		expect_refused(path, "/tmp", cases[i].says);
		unlink(path);
		pipe = make_pipe(path, cases[i].bytes, size);
		expect_refused(path, "/tmp", cases[i].says);
		close(pipe);
	}
	write_temporary(path, zeros, sizeof(zeros));
	expect_refused(path, "/tmp", "begins with zeros");
	unlink(path);
	memcpy(zeros + 257, "ustar", 5);
	write_temporary(path, zeros, sizeof(zeros));
	expect_refused(path, "/tmp", "is a tar archive");
	unlink(path);
#ifdef HAVE_ZLIB
	write_temporary(path, packed_text, sizeof(packed_text));
	expect_refused(path, "/tmp", "unpacked, it is a text file");
	unlink(path);
#endif
}

/* Reading at a place is all or nothing. */
static void reads_behind_the_end(void **state)
{
	const uint8_t bytes[100] = "PERFILE2";
	struct input input;
	struct err err = { 0 };
	uint8_t buffer[60];

	(void)state;
	assert_true(input_open_bytes(&input, bytes, sizeof(bytes), false, &err));
	assert_true(input_read_at(&input, buffer, 50, 50, &err));
	assert_false(input_read_at(&input, buffer, 51, 50, &err));
	assert_string_equal(err.text, "expected 1 more bytes, found the end");
	assert_int_equal(err.offset, 100);
	input_close(&input);
}

/* The layout that needs seeking is copied when it comes through a pipe; nothing is left of the copy. */
static void a_file_through_a_pipe(void **state)
{
	struct tried tried;
	struct image image;
	char path[64], folder[] = "/tmp/readperf-input.XXXXXX";
	uint8_t *copy;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	put_header(&image);
	fd = make_pipe(path, image.data, image.size);
	try(&tried, path, folder);
	assert_true(tried.ok);
	assert_true(tried.input.seekable);
	assert_int_equal(tried.input.files[0].size, image.size);
	copy = malloc(image.size);
	assert_non_null(copy);
	assert_true(input_read_at(&tried.input, copy, image.size, 0, &tried.err));
	assert_memory_equal(copy, image.data, image.size);
	free(copy);
	assert_int_equal(rmdir(folder), 0);
	done(&tried);
	close(fd);
	image_release(&image);
}

/* A pipe's own layout is copied only if that is asked for. */
static void a_pipe_that_is_copied(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2), .flags = FLAG(18) };
	struct tried tried;
	struct image image;
	uint8_t copy[1000];
	char path[64];
	int fd;

	(void)state;
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	assert_true(image.size <= sizeof(copy));
	for (int i = 0; i < 2; i++) {
		const char *temp = i ? "/nonexistent" : "/tmp";

		fd = make_pipe(path, image.data, image.size);
		try(&tried, path, "/nonexistent");
		assert_true(tried.ok);
		assert_false(tried.input.seekable);
		assert_int_equal(input_spool(&tried.input, temp, &tried.err), !i);
		assert_int_equal(tried.input.seekable, !i);
		if (!i) {
			assert_int_equal(tried.input.files[0].size, image.size);
			assert_true(input_read_at(&tried.input, copy, image.size, 0, &tried.err));
			assert_memory_equal(copy, image.data, image.size);
			/* once is enough */
			assert_true(input_spool(&tried.input, "/nonexistent", &tried.err));
		}
		done(&tried);
		close(fd);
	}
	image_release(&image);
}

static void put_announcement(struct image *image, uint32_t type, uint32_t value, size_t behind)
{
	size_t start = record_begin(image, type, 0);

	image_u32(image, value);
	image_u32(image, 0);
	record_end(image, start);
	for (size_t i = 0; i < behind; i++)
		image_bytes(image, "x", 1);
}

static void expect_announced(const struct image *image, size_t size, bool expected)
{
	struct tried tried;
	uint8_t copy[1000];
	char path[64];
	bool found;
	int fd;

	assert_true(size <= sizeof(copy));
	for (int spooled = 0; spooled < 2; spooled++) {
		uint64_t at = sizeof(tried.input.head);
		ssize_t got = 1;

		fd = make_pipe(path, image->data, size);
		try(&tried, path, "/nonexistent");
		assert_true(tried.ok);
		assert_true(input_announces(&tried.input, 70, 4, &found, &tried.err));
		assert_int_equal(found, expected);
		if (spooled)
			assert_true(input_spool(&tried.input, "/tmp", &tried.err));
		/* what was looked at is still there, and what follows */
		memcpy(copy, tried.input.head, at);
		while (got > 0 && at < sizeof(copy)) {
			got = input_read(&tried.input, 0, copy + at, sizeof(copy) - at, at);
			assert_true(got >= 0);
			at += (uint64_t)got;
		}
		assert_int_equal(at, size);
		assert_memory_equal(copy, image->data, size);
		done(&tried);
		close(fd);
	}
}

/* What the tool announces before the first record of the kernel, wherever the pipe is cut. */
static void announcements(void **state)
{
	const struct test_attr attr = { .sample_type = FLAG(2), .flags = FLAG(18) };
	struct image image;
	size_t end;

	(void)state;
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		image_init(&image, big_endian);
		pipe_begin(&image, &attr, 1);
		record_end(&image, record_begin(&image, 68, 0));
		put_announcement(&image, 70, 3, 0);
		put_announcement(&image, 66, 20, 20);
		put_announcement(&image, 70, 4, 0);
		end = image.size;
		put_sample(&image, FLAG(2), 2, &(struct test_fields){ .time = 1 });
		for (size_t size = 16; size <= image.size; size++)
			expect_announced(&image, size, size >= end);
		image_release(&image);
	}
	/* behind a record of the kernel, or a trace, there is none */
	for (uint32_t type = 1; type <= 71; type += 70) {
		image_init(&image, false);
		pipe_begin(&image, &attr, 1);
		put_announcement(&image, type, 0, 0);
		put_announcement(&image, 70, 4, 0);
		expect_announced(&image, image.size, false);
		image_release(&image);
	}
	/* more is announced to follow than is looked at */
	image_init(&image, false);
	pipe_begin(&image, &attr, 1);
	put_announcement(&image, 66, UINT32_MAX, 0);
	put_announcement(&image, 70, 4, 0);
	expect_announced(&image, image.size, false);
	image_release(&image);
}

/* Where no temporary file can be, neither such a pipe nor a packed file can be read. */
static void temporary_files_that_cannot_be(void **state)
{
	struct image image;
	char path[64], *long_name = malloc(5001);
	int fd;

	(void)state;
	assert_non_null(long_name);
	memset(long_name, 'x', 5000);
	long_name[5000] = '\0';
	put_header(&image);
	for (int i = 0; i < 2; i++) {
		const char *temp = i ? long_name : "/nonexistent";
		const char *says = i ? "the folder for temporary files has too long a name: xxx"
		                     : "cannot make a temporary file in /nonexistent: No such file or directory";

		fd = make_pipe(path, image.data, image.size);
		expect_refused(path, temp, says);
		close(fd);
		fd = make_pipe(path, packed_bytes, sizeof(packed_bytes));
		expect_refused(path, temp, says);
		close(fd);
		write_temporary(path, packed_bytes, sizeof(packed_bytes));
		expect_refused(path, temp, says);
		unlink(path);
	}
	free(long_name);
	image_release(&image);
}

/* A temporary file that cannot be written: files may have 10 bytes for a while. */
static void temporary_files_that_are_full(void **state)
{
	struct rlimit before, small;
	struct image image;
	char path[64];
	int fd;

	(void)state;
	put_header(&image);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	for (rlim_t most = 10; most <= 100; most += 90) {
		fd = make_pipe(path, image.data, image.size);
		small = before;
		small.rlim_cur = most;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		/* of what was read to see what it is, and of what comes then */
		expect_refused(path, "/tmp", "cannot write the temporary copy of the input: File too large");
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		close(fd);
	}
#ifdef HAVE_ZLIB
	write_temporary(path, packed_bytes, sizeof(packed_bytes));
	small.rlim_cur = 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	expect_refused(path, "/tmp", "cannot write unpacked data: File too large");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	unlink(path);
#endif
	image_release(&image);
}

#ifdef HAVE_ZLIB
/* A packed file whose end is missing holds as much as can be unpacked, if that is anything. */
static void packed_and_cut(void **state)
{
	struct tried tried;
	char path[64];

	(void)state;
	for (size_t size = 10; size <= sizeof(packed_bytes); size++) {
		write_temporary(path, packed_bytes, size);
		try(&tried, path, "/tmp");
		if (tried.ok) {
			assert_int_equal(tried.input.files[0].size, 40);
			assert_memory_equal(tried.input.head, "\5\5\5\5\5\5\5\5\5\5\5\5\5\5\5\5", 16);
			assert_int_equal(tried.input.packed, size);
			assert_int_equal(tried.input.cut, size < sizeof(packed_bytes));
			assert_int_equal(tried.warnings, size < sizeof(packed_bytes));
		} else {
			assert_string_equal(tried.err.text, "packed data ends early");
		}
		assert_true(tried.ok || size < 16);
		done(&tried);
		unlink(path);
	}
}
#endif

/* --- the folder of `perf record --threads` */

static void in_folder(char *path, const char *folder, const char *name)
{
	snprintf(path, 128, "%s/%s", folder, name);
}

static void put_file(const char *folder, const char *name, const struct image *image)
{
	char path[128];
	FILE *file;

	in_folder(path, folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(image->data, 1, image->size, file), image->size);
	fclose(file);
}

static void folders(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.10", "data.9", "data.09", "data.x", "data.",
		                             "data.99999999999999999999", "other" };
	char folder[] = "/tmp/readperf-input.XXXXXX", path[128];
	struct tried tried;
	struct image image;

	(void)state;
	assert_non_null(mkdtemp(folder));
	expect_refused(folder, "/tmp", "is a directory without the file data of a perf recording");
	put_header(&image);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put_file(folder, names[i], &image);
	try(&tried, folder, "/tmp");
	assert_true(tried.ok);
	assert_true(tried.input.directory);
	assert_int_equal(tried.input.file_count, 4);
	for (size_t i = 0; i < 4; i++) {
		static const char *const order[] = { "/data", "/data.0", "/data.9", "/data.10" };

		assert_string_equal(strrchr(tried.input.files[i].path, '/'), order[i]);
		assert_int_equal(tried.input.files[i].size, image.size);
	}
	done(&tried);
	in_folder(path, folder, "data.0");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0); /* nothing that could block */
	expect_refused(folder, "/tmp", "data.0: expected a regular file");
	unlink(path);
	assert_int_equal(symlink("/nonexistent", path), 0);
	expect_refused(folder, "/tmp", "data.0: No such file or directory");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		in_folder(path, folder, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(folder), 0);
	image_release(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(what_cannot_be_read),
		cmocka_unit_test(short_files),
		cmocka_unit_test(other_files),
		cmocka_unit_test(reads_behind_the_end),
		cmocka_unit_test(a_file_through_a_pipe),
		cmocka_unit_test(a_pipe_that_is_copied),
		cmocka_unit_test(announcements),
		cmocka_unit_test(temporary_files_that_cannot_be),
		cmocka_unit_test(temporary_files_that_are_full),
#ifdef HAVE_ZLIB
		cmocka_unit_test(packed_and_cut),
#endif
		cmocka_unit_test(folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
