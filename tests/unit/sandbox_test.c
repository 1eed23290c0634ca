/* What a sandboxed process can still do, and what it cannot. Each test is a process of its own. */
#define _DEFAULT_SOURCE /* mkdtemp() */

#include "util/sandbox.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_SANDBOX 77 /* exit status: the kernel has none */

static char base[64];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static int make_base(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/readperf-sandbox.XXXXXX");
	return !mkdtemp(base) || mkdir(path_of("out"), 0777) || mkdir(path_of("elsewhere"), 0777) ||
	       mkdir(path_of("documents"), 0777) || close(creat(path_of("documents/one"), 0666));
}

static int remove_base(void **state)
{
	static const char *const names[] = { "out/new", "out/temp", "elsewhere/new", "documents/one", "out", "elsewhere", "documents" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		remove(path_of(names[i]));
	return rmdir(base);
}

/* The exit status of a process that runs body behind the sandbox: 0 is fine, else a line. */
static void in_sandbox(int (*body)(void))
{
	char output[128];
	struct sandbox allowed = { .output = output, .junit = path_of("documents") };
	int status = 0;
	pid_t child = fork();

	snprintf(output, sizeof(output), "%s/out", base);
	if (child == 0)
		_exit(sandbox_enter(&allowed) ? body() : NO_SANDBOX);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_SANDBOX)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool can_make(const char *name)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int write_output(void)
{
	char from[128];

	if (!can_make("out/temp"))
		return __LINE__ % 64 + 1;
	snprintf(from, sizeof(from), "%s", path_of("out/temp"));
	if (rename(from, path_of("out/new")))
		return __LINE__ % 64 + 1;
	if (!can_make("out/new") || link(path_of("out/new"), from) || unlink(from))
		return __LINE__ % 64 + 1;
	return 0;
}

static int write_elsewhere(void)
{
	char from[128];

	if (can_make("elsewhere/new") || errno != EACCES)
		return __LINE__ % 64 + 1;
	if (mkdir(path_of("out/directory"), 0777) == 0 || symlink("/", path_of("out/link")) == 0)
		return __LINE__ % 64 + 1;
	if (!can_make("out/new"))
		return __LINE__ % 64 + 1;
	snprintf(from, sizeof(from), "%s", path_of("out/new"));
	if (rename(from, path_of("elsewhere/new")) == 0)
		return __LINE__ % 64 + 1;
	return rmdir(path_of("elsewhere")) == 0 ? __LINE__ % 64 + 1 : 0;
}

static int remove_document(void)
{
	if (can_make("documents/one") || can_make("documents/two"))
		return __LINE__ % 64 + 1;
	return unlink(path_of("documents/one")) == 0 ? 0 : __LINE__ % 64 + 1;
}

static int read_and_run(void)
{
	int fd = open("/proc/self/maps", O_RDONLY), status;
	pid_t child;

	if (fd < 0 || open("/dev/null", O_WRONLY) < 0)
		return __LINE__ % 64 + 1;
	child = fork();
	if (child == 0) {
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return __LINE__ % 64 + 1;
	return 0;
}

/* Refused by the sandbox, or (kernels before Landlock's ABI 4) by the port that nobody listens on. */
static int connect_out(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(1) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return 0;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return __LINE__ % 64 + 1;
	return errno == EACCES || errno == ECONNREFUSED ? 0 : __LINE__ % 64 + 1;
}

static void output_can_be_written(void **state)
{
	(void)state;
	in_sandbox(write_output);
}

static void nothing_else_can(void **state)
{
	(void)state;
	in_sandbox(write_elsewhere);
}

static void documents_can_be_removed(void **state)
{
	(void)state;
	in_sandbox(remove_document);
}

static void everything_can_be_read_and_run(void **state)
{
	(void)state;
	in_sandbox(read_and_run);
}

static void no_connection_is_made(void **state)
{
	(void)state;
	in_sandbox(connect_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_can_be_written),
		cmocka_unit_test(nothing_else_can),
		cmocka_unit_test(documents_can_be_removed),
		cmocka_unit_test(everything_can_be_read_and_run),
		cmocka_unit_test(no_connection_is_made),
	};

	return cmocka_run_group_tests(tests, make_base, remove_base);
}
