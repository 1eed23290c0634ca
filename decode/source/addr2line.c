#include "decode/source/addr2line.h"

#include "decode/source/addr2lineparse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * How long addr2line may be silent; before its first answer it may have to read all debug
 * information.
 */
enum { SILENCE_MS = 30000, SILENCE_PER_POINT_MS = 2, SILENCE_MAX_MS = 600000 };
enum { READ_SIZE = 1 << 16, TEXT_MAX = 32 };

extern char **environ;

struct addr2line {
	pid_t pid;
	int to, from;        /* our ends of its standard input and output; -1: closed */
	size_t sent;         /* points that were sent completely */
	char text[TEXT_MAX]; /* the address being sent */
	size_t text_size, text_sent;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/*
 * Duplicates a descriptor to a number above the three standard ones, so that setting these up in
 * the child cannot overwrite it, and closes it in other children.
 */
static bool lift_fd(int *fd)
{
	int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

	if (lifted < 0)
		return false;
	close(*fd);
	*fd = lifted;
	return true;
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Our environment with the C locale, and without the servers that addr2line would ask by itself. */
static char **make_environment(void)
{
	static const char locale[] = "LC_ALL=C";
	size_t count = 0, used = 0;
	char **made;

	while (environ && environ[count])
		count++;
	made = malloc((count + 2) * sizeof(*made) + sizeof(locale));
	if (!made)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!starts_with(environ[i], "LC_ALL=") && !starts_with(environ[i], "LANGUAGE=") &&
		    !starts_with(environ[i], "DEBUGINFOD_URLS="))
			made[used++] = environ[i];
	made[used] = memcpy(made + count + 2, locale, sizeof(locale));
	made[used + 1] = NULL;
	return made;
}

/* Starts addr2line with these descriptors as its input and output. Returns 0 or an errno. */
static int spawn_addr2line(pid_t *pid, const char *path, int in, int out)
{
	char name[] = "addr2line", a[] = "-a", f[] = "-f", i[] = "-i", e[] = "-e";
	char *file = strdup(path), **environment = make_environment();
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

/* Its input is a socket, because writing to a socket can be done without raising SIGPIPE. */
static int start_addr2line(struct addr2line *child, const char *path)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, error = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, in) != 0 || pipe(out) != 0 || !lift_fd(&in[0]) ||
	    !lift_fd(&in[1]) || !lift_fd(&out[0]) || !lift_fd(&out[1]))
		error = errno;
	if (!error)
		error = spawn_addr2line(&child->pid, path, in[1], out[1]);
	close_fd(&in[1]);
	close_fd(&out[1]);
	child->to = in[0];
	child->from = out[0];
	if (error) {
		close_fd(&child->to);
		close_fd(&child->from);
	}
	return error;
}

/* Sends addresses as long as addr2line accepts them without blocking. */
static void send_points(struct addr2line *child, const struct source_points *points)
{
	while (child->to >= 0) {
		ssize_t done;

		if (child->text_sent == child->text_size) {
			if (child->sent == points->count) {
				close_fd(&child->to);
				return;
			}
			child->text_sent = 0;
			child->text_size = (size_t)snprintf(child->text, TEXT_MAX,
			                                    "0x%" PRIx64 "\n",
			                                    points->items[child->sent++].addr);
		}
		done = send(child->to, child->text + child->text_sent,
		            child->text_size - child->text_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done >= 0)
			child->text_sent += (size_t)done;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		else if (errno != EINTR)
			close_fd(&child->to);
	}
}

static int longest_silence(const struct source_points *points)
{
	uint64_t ms = SILENCE_MS + (uint64_t)points->count * SILENCE_PER_POINT_MS;

	return (int)u64_min(ms, SILENCE_MAX_MS);
}

/*
 * Sends addresses and reads answers until the last one. Returns NULL if addr2line ended normally,
 * otherwise what went wrong. *ok: false if memory was refused.
 */
static const char *talk_to_addr2line(struct addr2line *child, struct answer_parser *parser,
                                     bool *ok, struct err *err)
{
	const struct source_points *points = parser->points;
	char *buffer = malloc(READ_SIZE);
	const char *wrong = NULL;

	*ok = buffer || err_nomem(err, READ_SIZE);
	while (*ok && !wrong) {
		struct pollfd fds[2] = { { child->from, POLLIN, 0 }, { child->to, POLLOUT, 0 } };
		int ready = poll(fds, 2, longest_silence(points));
		ssize_t size = 0;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0) {
			wrong = "does not answer";
			break;
		}
		if (fds[1].revents)
			send_points(child, points);
		if (!fds[0].revents)
			continue;
		do
			size = read(child->from, buffer, READ_SIZE);
		while (size < 0 && errno == EINTR);
		if (size <= 0)
			break;
		*ok = parser_feed(parser, buffer, (size_t)size, err);
		if (*ok && parser->nonsense)
			wrong = "gives answers that make no sense";
	}
	free(buffer);
	return wrong;
}

/*
 * Ends addr2line. It is killed, because one that closed its output without ending would block us;
 * the answers show whether everything went well.
 */
static void end_addr2line(struct addr2line *child)
{
	close_fd(&child->to);
	close_fd(&child->from);
	kill(child->pid, SIGKILL);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static bool ask_addr2line(struct source_query *query, struct source_points *points,
                          struct diag *diag, struct err *err)
{
	struct addr2line child = { .to = -1, .from = -1 };
	struct answer_parser parser;
	const char *wrong;
	bool ok = true;
	int error = start_addr2line(&child, query->path);

	if (error == ENOMEM)
		return err_nomem(err, 1);
	if (error) {
		diag_warn(diag, ERR_NO_OFFSET,
		          "addr2line cannot be started, source files stay unknown: %s",
		          strerror(error));
		return true;
	}
	parser = (struct answer_parser){ .query = query, .points = points };
	wrong = talk_to_addr2line(&child, &parser, &ok, err);
	ok = ok && (wrong || parser_finish(&parser, err));
	end_addr2line(&child);
	if (ok && !wrong && parser.answered < points->count)
		wrong = "failed";
	if (ok && wrong)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: addr2line %s, %zu of %zu addresses stay unknown", query->path, wrong,
		          points->count - parser.answered, points->count);
	parser_release(&parser);
	return ok;
}

bool addr2line_lookup(struct source_query *query, struct diag *diag, struct err *err)
{
	struct source_points points = { 0 };
	bool ok = true;

	source_clear(query);
	if (query->function_count || query->addr_count)
		ok = source_points_make(&points, query, err) &&
		     ask_addr2line(query, &points, diag, err);
	free(points.items);
	return ok;
}
