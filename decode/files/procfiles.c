#define _GNU_SOURCE /* syscall(), MSG_CMSG_CLOEXEC */

#include "decode/files/procfiles.h"

#include "decode/files/rootfs.h"
#include "util/text.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT_SIZE (2 * PATH_MAX) /* a root and a path, each with its NUL */
#define WAIT_SECONDS 2           /* for an answer: a file system may be stuck */

static bool is_of_process(const char *path)
{
	return path && text_starts(path, "/proc/");
}

/* --- messages with a descriptor; -1: without one */

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

static ssize_t send_with(int to, const void *data, size_t size, int fd)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = size };
	union control control = { .header = { .cmsg_level = SOL_SOCKET,
		                              .cmsg_type = SCM_RIGHTS,
		                              .cmsg_len = CMSG_LEN(sizeof(fd)) } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control.room);
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(to, &message, MSG_NOSIGNAL);
}

static ssize_t receive_with(int from, void *data, size_t size, int *fd)
{
	struct iovec part = { .iov_base = data, .iov_len = size };
	union control control = { .header = { .cmsg_len = 0 } };
	struct msghdr message = { .msg_iov = &part,
		                  .msg_iovlen = 1,
		                  .msg_control = &control,
		                  .msg_controllen = sizeof(control.room) };
	const ssize_t got = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *header = got >= 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*fd = -1;
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	return got;
}

/* --- the helper */

/* text: a root, which may be empty, and a path. */
static void answer(int to, const char *text, size_t size)
{
	const size_t root = strnlen(text, size) + 1;
	const char *path = text + root;
	int error = ENOENT, fd = -1;

	if (root < size && !text[size - 1] && is_of_process(*text ? text : path)) {
		fd = rootfs_open(text, path);
		error = fd < 0 ? errno : 0;
	}
	send_with(to, &error, sizeof(error), fd);
	if (fd >= 0)
		close(fd);
}

static void close_all_but(int kept)
{
	const int first = kept == 0 ? 0 : dup2(kept, 0);

	if (first < 0 || syscall(SYS_close_range, 1u, ~0u, 0u) == 0)
		return;
	for (int fd = 1, most = (int)sysconf(_SC_OPEN_MAX); fd < most; fd++)
		close(fd);
}

static void serve_questions(int questions)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP };
	const struct rlimit nothing = { 0, 0 };
	char text[TEXT_SIZE];

	/* it must live as long as the processes of slices, and writes nothing */
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &nothing);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	close_all_but(questions);
	for (;;) {
		int to;
		const ssize_t got = receive_with(0, text, sizeof(text), &to);

		if (got <= 0 && to < 0 && !(got < 0 && errno == EINTR))
			_exit(0);
		if (got > 0 && to >= 0)
			answer(to, text, (size_t)got);
		if (to >= 0)
			close(to);
	}
}

/* Questions go through a socket; each has the socket for its answer with it. */
int proc_files_start(void)
{
	int ends[2];
	pid_t process;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return 0;
	process = fork();
	if (process == 0) {
		close(ends[0]);
		serve_questions(ends[1]);
	}
	close(ends[1]);
	if (process > 0 && ends[0] > 0)
		return ends[0];
	close(ends[0]);
	return 0;
}

/* --- those who ask */

static int ask(int helper, const char *root, const char *path)
{
	const size_t root_size = strlen(root) + 1, path_size = strlen(path) + 1;
	const struct timeval patience = { .tv_sec = WAIT_SECONDS };
	int ends[2], fd = -1, error = EACCES;
	char text[TEXT_SIZE];

	errno = ENAMETOOLONG;
	if (root_size > PATH_MAX || path_size > PATH_MAX ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	memcpy(text, root, root_size);
	memcpy(text + root_size, path, path_size);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (send_with(helper, text, root_size + path_size, ends[1]) > 0) {
		close(ends[1]);
		ends[1] = -1;
		if (receive_with(ends[0], &error, sizeof(error), &fd) != sizeof(error))
			error = EACCES;
	}
	if (ends[1] >= 0)
		close(ends[1]);
	close(ends[0]);
	errno = error;
	return fd;
}

int proc_files_open(int helper, const char *root, const char *path)
{
	const bool has_root = root && *root;
	const int fd = rootfs_open(root, path);

	if (fd >= 0 || !helper || (errno != EACCES && errno != EPERM) ||
	    !is_of_process(has_root ? root : path))
		return fd;
	return ask(helper, has_root ? root : "", path);
}
