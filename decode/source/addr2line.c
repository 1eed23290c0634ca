#define _GNU_SOURCE /* memfd_create(), pipe2() */

#include "decode/source/addr2line.h"

#include "decode/source/addr2lineparse.h"
#include "util/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * How long addr2line may be silent; before its first answer it may have to read all debug
 * information.
 */
enum { SILENCE_MS = 30000, SILENCE_PER_ADDR_MS = 2, SILENCE_MAX_MS = 600000 };
enum { READ_SIZE = 1 << 16 };

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* Starts addr2line with these descriptors as its input and output. Returns 0 or an errno. */
static int spawn_addr2line(pid_t *pid, const char *path, int in, int out)
{
	char name[] = "addr2line", a[] = "-a", f[] = "-f", i[] = "-i", e[] = "-e";
	char *file = strdup(path), **environment = helper_environment();
	char *arguments[] = { name, a, f, i, e, file, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int error = ENOMEM;

	if (posix_spawnattr_init(&attr) != 0)
		goto out;
	/* the child would inherit blocked signals, and could then only be killed */
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	if (file && environment && posix_spawn_file_actions_init(&actions) == 0) {
		if (!posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) &&
		    !posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) &&
		    !posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
		                                      O_WRONLY, 0))
			error = posix_spawnp(pid, name, &actions, &attr, arguments, environment);
		posix_spawn_file_actions_destroy(&actions);
	}
	posix_spawnattr_destroy(&attr);
out:
	free(file);
	free(environment);
	return error;
}

/*
 * An unnamed file with the addresses, from which addr2line reads them while its answers are read
 * here. -1 with errno set if there is no room for it.
 */
static int write_addresses(const struct source_query *query)
{
	int fd = memfd_create("addresses", MFD_CLOEXEC);
	bool ok = fd >= 0;

	for (size_t i = 0; ok && i < answers_wanted(query); i++)
		ok = dprintf(fd, "0x%" PRIx64 "\n", answer_addr(query, i)) >= 0;
	if (ok && !lseek(fd, 0, SEEK_SET))
		return fd;
	close_fd(fd);
	return -1;
}

/* *from: the end of the pipe with the answers. Returns 0 or an errno. */
static int start_addr2line(const struct source_query *query, pid_t *pid, int *from)
{
	int in = write_addresses(query), out[2] = { -1, -1 }, error;

	if (in < 0 || pipe2(out, O_CLOEXEC))
		error = errno;
	else
		error = spawn_addr2line(pid, query->path, in, out[1]);
	close_fd(in);
	close_fd(out[1]);
	if (error)
		close_fd(out[0]);
	*from = out[0];
	return error;
}

static int longest_silence(const struct source_query *query)
{
	uint64_t ms = SILENCE_MS + (uint64_t)answers_wanted(query) * SILENCE_PER_ADDR_MS;

	return (int)u64_min(ms, SILENCE_MAX_MS);
}

/*
 * Reads the answers until the last one. Returns NULL if addr2line ended normally, otherwise what
 * went wrong. *ok: false if memory was refused.
 */
static const char *read_answers(int from, struct answer_parser *parser, bool *ok, struct err *err)
{
	char *buffer = malloc(READ_SIZE);
	const char *wrong = NULL;

	*ok = buffer || err_nomem(err, READ_SIZE);
	while (*ok && !wrong) {
		struct pollfd fds = { .fd = from, .events = POLLIN };
		int ready = poll(&fds, 1, longest_silence(parser->query));
		ssize_t size = ready > 0 ? read(from, buffer, READ_SIZE) : -1;

		if (!ready)
			wrong = "does not answer";
		else if (size < 0 && errno == EINTR)
			continue;
		else if (size <= 0)
			break;
		else
			*ok = parser_feed(parser, buffer, (size_t)size, err);
		if (parser->nonsense)
			wrong = "gives answers that make no sense";
	}
	free(buffer);
	return wrong;
}

/*
 * Ends addr2line. It is killed, because one that closed its output without ending would block us;
 * the answers show whether everything went well.
 */
static void end_addr2line(pid_t pid, int from)
{
	close(from);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

bool addr2line_lookup(struct source_query *query, struct diag *diag, struct err *err)
{
	struct answer_parser parser = { .query = query };
	const size_t wanted = answers_wanted(query);
	const char *wrong;
	bool ok = true;
	int from, error;
	pid_t pid;

	source_clear(query);
	if (!wanted)
		return true;
	error = start_addr2line(query, &pid, &from);
	if (error == ENOMEM)
		return err_nomem(err, 1);
	if (error) {
		diag_warn(diag, ERR_NO_OFFSET,
		          "addr2line cannot be started, source files stay unknown: %s",
		          strerror(error));
		return true;
	}
	wrong = read_answers(from, &parser, &ok, err);
	ok = ok && (wrong || parser_finish(&parser, err));
	end_addr2line(pid, from);
	if (ok && !wrong && parser.answered < wanted)
		wrong = "failed";
	if (ok && wrong)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: addr2line %s, %zu of %zu addresses stay unknown", query->path, wrong,
		          wanted - parser.answered, wanted);
	parser_release(&parser);
	return ok;
}
