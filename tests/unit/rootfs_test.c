/* Opening below a root, which no path and no link may leave. */
#define _XOPEN_SOURCE 700
#include "decode/files/rootfs.h"

#include "tests/unit/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

/* The files say where they lie. root/ is the root, what is beside it must stay unseen. */
static void make_tree(struct fixture *f)
{
	char path[200], name[20], target[20];
	struct sockaddr_un place = { .sun_family = AF_UNIX };
	int fd;

	fixture_begin(f);
	fixture_text(f, "outside", "outside");
	fixture_text(f, "root/file", "file");
	fixture_text(f, "root/a/b/deep", "deep");
	fixture_text(f, "root/etc/passwd", "not the real one");
	fixture_link(f, "root/absolute", "/a/b/deep");
	fixture_link(f, "root/relative", "a/b/deep");
	fixture_link(f, "root/a/up", "../file");
	fixture_link(f, "root/a/b/far", "../../../../../../../../file");
	fixture_link(f, "root/out", "../outside");
	fixture_link(f, "root/folder", "/a/b");
	fixture_link(f, "root/a/b/back", "/folder");
	fixture_link(f, "root/self", "self");
	fixture_link(f, "root/one", "two");
	fixture_link(f, "root/two", "/one");
	fixture_link(f, "root/dangling", "/nowhere");
	fixture_link(f, "root/slash", "file/");
	fixture_link(f, "root/c0", "file");
	for (int i = 1; i <= 45; i++) {
		snprintf(name, sizeof(name), "root/c%d", i);
		snprintf(target, sizeof(target), "c%d", i - 1);
		fixture_link(f, name, target);
	}
	assert_int_equal(mkfifo(fixture_path(f, "root/fifo", path), 0600), 0);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	snprintf(place.sun_path, sizeof(place.sun_path), "%s/root/socket", f->root);
	assert_int_equal(bind(fd, (struct sockaddr *)&place, sizeof(place)), 0);
	close(fd);
	snprintf(f->cache, sizeof(f->cache), "%s/root", f->root);
}

/* What the file below root says, or the error. */
static const char *content(const char *root, const char *path, char *text)
{
	int fd = rootfs_open(root, path);
	ssize_t length;

	if (fd < 0)
		return strerror(errno);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	length = read(fd, text, 99);
	close(fd);
	assert_true(length >= 0);
	text[length] = '\0';
	return text;
}

static const struct {
	const char *path, *content; /* NULL: an error */
	int error;                  /* 0: whichever */
} cases[] = {
	{ "/file", "file", 0 },
	{ "file", "file", 0 },
	{ "//./a/.//b/./deep", "deep", 0 },
	{ "/absolute", "deep", 0 },
	{ "/relative", "deep", 0 },
	{ "/a/up", "file", 0 },
	{ "/a/b/far", "file", 0 },
	{ "/folder/deep", "deep", 0 },
	{ "/folder/back/back/deep", "deep", 0 },
	{ "/folder/../b/deep", "deep", 0 },
	{ "/a/../../../file", "file", 0 },
	{ "../../../../../../etc/passwd", "not the real one", 0 },
	{ "/c39", "file", 0 },
	{ "/c40", NULL, ELOOP },
	{ "/c45", NULL, ELOOP },
	{ "/self", NULL, ELOOP },
	{ "/one", NULL, ELOOP },
	{ "/self/file", NULL, ELOOP },
	{ "/out", NULL, ENOENT },
	{ "/../outside", NULL, ENOENT },
	{ "/dangling", NULL, ENOENT },
	{ "/nothing", NULL, ENOENT },
	{ "/nothing/file", NULL, ENOENT },
	{ "/file/below", NULL, ENOTDIR },
	{ "/file/../file", NULL, ENOTDIR },
	{ "/fifo", NULL, EINVAL },
	{ "/socket", NULL, EINVAL },
	{ "/a", NULL, 0 },
	{ "/folder", NULL, 0 },
	{ "/a/..", NULL, 0 },
	{ "/a/.", NULL, 0 },
	{ "/", NULL, 0 },
	{ "", NULL, 0 },
};

static void below_root(void **state)
{
	struct fixture f;
	char text[100];

	(void)state;
	make_tree(&f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *found = content(f.cache, cases[i].path, text);

		if (cases[i].content
		            ? strcmp(found, cases[i].content) != 0
		            : found == text || (cases[i].error && strcmp(found, strerror(cases[i].error)) != 0))
			fail_msg("%s: %s", cases[i].path, found);
	}
	fixture_end(&f);
}

/* Names and depths that no file has. */
static void extremes(void **state)
{
	char text[100], deep[2100], name[310];
	struct fixture f;

	(void)state;
	make_tree(&f);
	memset(name, 'n', 300);
	name[300] = '\0';
	deep[0] = '\0';
	for (int i = 0; i < 400; i++)
		strcat(deep, "a/../");
	strcat(deep, "file");
	assert_ptr_not_equal(content(f.cache, name, text), text);
	assert_string_equal(content(f.cache, deep, text), "file");
	assert_ptr_not_equal(content("/no/such/readperf-root", "/file", text), text);
	fixture_end(&f);
}

/* Without a root. */
static void plain_paths(void **state)
{
	char path[200], text[100];
	struct fixture f;

	(void)state;
	make_tree(&f);
	assert_string_equal(content(NULL, fixture_path(&f, "root/file", path), text), "file");
	assert_string_equal(content("", fixture_path(&f, "root/out", path), text), "outside");
	assert_string_equal(content(NULL, fixture_path(&f, "root/fifo", path), text), strerror(EINVAL));
	assert_string_equal(content(NULL, fixture_path(&f, "root/socket", path), text), strerror(EINVAL));
	assert_string_equal(content(NULL, fixture_path(&f, "root/self", path), text), strerror(ELOOP));
	assert_string_equal(content(NULL, "/dev/null", text), strerror(EINVAL));
	assert_string_equal(content(NULL, "/", text), strerror(EINVAL));
	fixture_end(&f);
}

/* Pipes and devices are never opened: it would wake a pipe's writer, or make a device act. */
static void pipes_are_not_opened(void **state)
{
	char path[200], text[100], event[1000];
	struct fixture f;
	int watch;

	(void)state;
	make_tree(&f);
	watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch < 0)
		skip();
	assert_true(inotify_add_watch(watch, fixture_path(&f, "root/fifo", path), IN_OPEN) >= 0);
	assert_ptr_not_equal(content(f.cache, "/fifo", text), text);
	assert_ptr_not_equal(content(NULL, path, text), text);
	assert_true(read(watch, event, sizeof(event)) < 0 && errno == EAGAIN);
	/* the check itself works: an open pipe is noticed */
	close(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	assert_true(read(watch, event, sizeof(event)) > 0);
	close(watch);
	fixture_end(&f);
}

/* The path under which it can be opened again is the real one. */
static void paths(void **state)
{
	char path[200], *found;
	struct fixture f;
	int fd;

	(void)state;
	make_tree(&f);
	fd = rootfs_open(f.cache, "/folder/deep");
	assert_true(fd >= 0);
	found = rootfs_path(fd, f.cache, "/folder/deep", &f.err);
	assert_string_equal(found, fixture_path(&f, "root/a/b/deep", path));
	free(found);
	found = rootfs_path(fd, NULL, "/as/it/is", &f.err);
	assert_string_equal(found, "/as/it/is");
	free(found);
	close(fd);
	/* where /proc does not tell */
	found = rootfs_path(-1, f.cache, "/folder/deep", &f.err);
	assert_string_equal(found, fixture_path(&f, "root//folder/deep", path));
	free(found);
	fixture_end(&f);
}

static char *slurp(struct fixture *f, const char *path, size_t cap, size_t *size)
{
	char text[200];
	int fd = rootfs_open(NULL, fixture_path(f, path, text));

	assert_true(fd >= 0);
	f->err.code = ERR_NONE;
	return rootfs_slurp(fd, cap, size, &f->err);
}

static void whole_files(void **state)
{
	size_t size = 200000, got;
	char *big = malloc(size), *found;
	struct fixture f;
	int fd;

	(void)state;
	make_tree(&f);
	memset(big, 'x', size);
	fixture_put(&f, "big", big, size);
	fixture_put(&f, "empty", "", 0);
	found = slurp(&f, "big", 300000, &got);
	assert_non_null(found);
	assert_int_equal(got, size);
	assert_memory_equal(found, big, size);
	assert_int_equal(found[size], 0);
	free(found);
	found = slurp(&f, "empty", 100, &got);
	assert_int_equal(got, 0);
	assert_string_equal(found, "");
	free(found);
	/* exactly as much as is allowed, and a byte more */
	found = slurp(&f, "big", size, &got);
	assert_int_equal(got, size);
	free(found);
	assert_null(slurp(&f, "big", size - 1, &got));
	assert_int_equal(f.err.code, ERR_LIMIT);
	assert_string_equal(f.err.text, "more than 199999 bytes");
	/* a file that does not tell its size, of more bytes than are read at first */
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		f.err.code = ERR_NONE;
		found = rootfs_slurp(fd, (size_t)1 << 20, &got, &f.err);
		assert_non_null(found);
		assert_int_equal(strlen(found), got);
		assert_non_null(strstr(found, "rootfs_test"));
		free(found);
	}
	/* a folder cannot be read */
	fd = open(f.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f.err.code = ERR_NONE;
	assert_null(rootfs_slurp(fd, 100, &got, &f.err));
	assert_int_equal(f.err.code, ERR_IO);
	for (unsigned long n = 1; n <= 2; n++) {
		refuse_allocation(n);
		found = slurp(&f, "big", 300000, &got);
		refuse_allocation(0);
		assert_true(found || f.err.code == ERR_NOMEM);
		free(found);
	}
	free(big);
	fixture_end(&f);
}

static void refused(void **state)
{
	char text[100];
	struct fixture f;

	(void)state;
	make_tree(&f);
	for (unsigned long n = 1;; n++) {
		const char *found;

		refuse_allocation(n);
		found = content(f.cache, "/folder/back/back/deep", text);
		if (allocations_seen() < n)
			break;
		assert_string_equal(found, strerror(ENOMEM));
	}
	refuse_allocation(0);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(below_root),   cmocka_unit_test(extremes),
		cmocka_unit_test(plain_paths), cmocka_unit_test(pipes_are_not_opened),
		cmocka_unit_test(paths),       cmocka_unit_test(whole_files),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
