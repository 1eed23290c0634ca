#define _GNU_SOURCE /* pipe2() */

#include "util/helper.h"

#include "util/sandbox.h"
#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 16, FILE_NUMBER = 3, END_WAIT_MS = 1000 };

extern char **environ;

/* A running helper. */
struct running {
	pid_t pid;
	int output;    /* the end of the pipe with its output */
	int64_t began; /* ms */
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

char **helper_environment(void)
{
	static const char locale[] = "LC_ALL=C";
	size_t count = 0, used = 0;
	char **made;

	while (environ && environ[count])
		count++;
	made = malloc((count + 2) * sizeof(*made) + sizeof(locale));
	for (size_t i = 0; made && i < count; i++)
		if (!text_starts(environ[i], "LC_ALL=") && !text_starts(environ[i], "LANGUAGE=") &&
		    !text_starts(environ[i], "DEBUGINFOD_URLS="))
			made[used++] = environ[i];
	if (made) {
		made[used] = memcpy(made + count + 2, locale, sizeof(locale));
		made[used + 1] = NULL;
	}
	return made;
}

enum { PATH_SIZE = 4096, READABLE_MOST = 24 };

/* The program, and what it may read. */
struct program {
	char path[PATH_SIZE];
	char interpreter[PATH_SIZE]; /* of a script */
	char libraries[PATH_SIZE];   /* beside the folder of the program, as conda has them */
	char *searched;              /* malloc'd: LD_LIBRARY_PATH, cut into folders */
	const char *readable[READABLE_MOST + 1];
	size_t readable_count;
};

/* Sets the path of a program that is searched as execvp() does. Returns 0 or an errno. */
static int find_program(const char *name, char path[PATH_SIZE])
{
	const char *folder = getenv("PATH");
	int error = ENOENT;

	if (strchr(name, '/'))
		return snprintf(path, PATH_SIZE, "%s", name) < PATH_SIZE ? 0 : ENAMETOOLONG;
	for (folder = folder ? folder : "/bin:/usr/bin";; folder++) {
		const size_t length = strcspn(folder, ":");

		if (snprintf(path, PATH_SIZE, "%.*s%s%s", (int)length, folder, length ? "/" : "",
		             name) < PATH_SIZE) {
			if (access(path, X_OK) == 0)
				return 0;
			error = errno == EACCES ? EACCES : error;
		}
		folder += length;
		if (!*folder)
			return error;
	}
}

static void add_readable(struct program *program, const char *path)
{
	if (*path && program->readable_count < READABLE_MOST)
		program->readable[program->readable_count++] = path;
}

/* A script needs its interpreter and the programs that it calls. */
static void add_interpreter(struct program *program)
{
	const int fd = open(program->path, O_RDONLY | O_CLOEXEC);
	const ssize_t size = fd >= 0 ? read(fd, program->interpreter, PATH_SIZE - 1) : -1;
	char *start = program->interpreter;

	if (fd >= 0)
		close(fd);
	program->interpreter[size > 0 ? size : 0] = '\0';
	if (size < 2 || memcmp(start, "#!", 2) != 0)
		return;
	start += 2 + strspn(start + 2, " \t");
	start[strcspn(start, " \t\n")] = '\0';
	add_readable(program, start);
	add_readable(program, "/bin");
	add_readable(program, "/usr/bin");
}

/* The folders that the loader may find libraries in. */
static void add_libraries(struct program *program)
{
	static const char *const folders[] = {
		"/lib",       "/lib32",     "/lib64",          "/libx32",        "/usr/lib",
		"/usr/lib32", "/usr/lib64", "/usr/libx32",     "/usr/local/lib", "/usr/local/lib64",
		"/nix/store", "/gnu/store", "/etc/ld.so.cache"
	};
	const char *slash = strrchr(program->path, '/');
	const char *searched = getenv("LD_LIBRARY_PATH");
	char *folder, *rest;

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		add_readable(program, folders[i]);
	if (slash && snprintf(program->libraries, PATH_SIZE, "%.*s/../lib",
	                      (int)(slash - program->path), program->path) < PATH_SIZE)
		add_readable(program, program->libraries);
	program->searched = searched ? strdup(searched) : NULL;
	for (rest = program->searched; (folder = strsep(&rest, ":"));)
		add_readable(program, folder);
}

/* Returns 0 or an errno. */
static int prepare_program(const char *name, struct program *program)
{
	const int error = find_program(name, program->path);

	if (error)
		return error;
	add_readable(program, program->path);
	add_interpreter(program);
	add_libraries(program);
	return 0;
}

/* In the child, which shares nothing with us any more; only calls that are safe after fork(). */
static void restrict_child(const struct helper *helper, const struct program *program)
{
	const struct sandbox nothing = { .readable = program->readable };
	const struct rlimit none_at_all = { 0, 0 };
	const struct rlimit memory = { helper->memory_most, helper->memory_most };
	const rlim_t time = (rlim_t)helper->time_most / 1000 + 1;
	const struct rlimit seconds = { time, time };
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* where this is refused, the limit is a lower one already */
	setrlimit(RLIMIT_CORE, &none_at_all);
	setrlimit(RLIMIT_FSIZE, &none_at_all);
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_CPU, &seconds);
	sandbox_enter(&nothing);
}

/* Sets the child's descriptors: no input, the output, and the file. False with errno set. */
static bool set_descriptors(int null, int output, int file)
{
	/* none of the three may be where another one is to be */
	int high_null = fcntl(null, F_DUPFD_CLOEXEC, 10);
	int high_output = fcntl(output, F_DUPFD_CLOEXEC, 10);
	int high_file = fcntl(file, F_DUPFD_CLOEXEC, 10);

	return high_null >= 0 && high_output >= 0 && high_file >= 0 &&
	       dup2(high_null, STDIN_FILENO) >= 0 && dup2(high_output, STDOUT_FILENO) >= 0 &&
	       dup2(high_output, STDERR_FILENO) >= 0 && dup2(high_file, FILE_NUMBER) >= 0;
}

/* In the child. Tells through the pipe `report` why the program could not be started. */
static _Noreturn void become_helper(const struct helper *helper, const struct program *program,
                                    char **environment, int null, int output, int report)
{
	char *const *arguments;
	int high_report = fcntl(report, F_DUPFD_CLOEXEC, 10), error;

	/* execve() does not change them */
	memcpy(&arguments, &helper->arguments, sizeof(arguments));
	if (high_report >= 0 && set_descriptors(null, output, helper->file)) {
		restrict_child(helper, program);
		execve(program->path, arguments, environment);
	}
	error = errno;
	if (write(high_report >= 0 ? high_report : report, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* Returns 0, or the errno of starting it. */
static int start_helper(const struct helper *helper, struct running *running)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), error = 0;
	int output[2] = { -1, -1 }, report[2] = { -1, -1 };
	char **environment = helper_environment();
	struct program *program = calloc(1, sizeof(*program)); /* too large for a stack */

	running->pid = -1;
	running->output = -1;
	error = environment && program ? prepare_program(helper->arguments[0], program) : ENOMEM;
	if (!error && (null < 0 || pipe2(output, O_CLOEXEC) || pipe2(report, O_CLOEXEC) ||
	               (running->pid = fork()) < 0))
		error = errno;
	if (running->pid == 0)
		become_helper(helper, program, environment, null, output[1], report[1]);
	if (running->pid > 0) {
		setpgid(running->pid, running->pid); /* whoever of the two is first */
		close(report[1]);
		report[1] = -1;
		/* nothing comes if the program was started */
		if (read(report[0], &error, sizeof(error)) != sizeof(error))
			error = 0;
		running->output = output[0];
		output[0] = -1;
	}
	close_pair(output);
	close_pair(report);
	if (null >= 0)
		close(null);
	if (program)
		free(program->searched);
	free(program);
	free(environment);
	return error;
}

/* Reads its output until the end, or until it has to be stopped. */
static bool read_output(const struct helper *helper, const struct running *running,
                        struct helper_result *result, struct err *err)
{
	char *buffer = malloc(READ_SIZE);
	uint64_t left = helper->output_most;

	if (!buffer)
		return err_nomem(err, READ_SIZE);
	result->end = HELPER_SUCCESS;
	while (result->end == HELPER_SUCCESS) {
		struct pollfd fds = { .fd = running->output, .events = POLLIN };
		int64_t rest = running->began + helper->time_most - now_ms();
		bool last = rest < helper->silence_most;
		int ready = rest > 0 ? poll(&fds, 1, last ? (int)rest : helper->silence_most) : 0;
		ssize_t size = ready > 0 ? read(running->output, buffer, READ_SIZE) : -1;

		if (!ready)
			result->end = last ? HELPER_LATE : HELPER_SILENT;
		else if (size < 0 && errno == EINTR)
			continue;
		else if (size <= 0)
			break;
		else if ((uint64_t)size > left)
			result->end = HELPER_TOO_MUCH;
		else if (!helper->take(helper->context, buffer, (size_t)size, err))
			result->end = HELPER_STOPPED;
		left -= result->end == HELPER_SUCCESS ? (uint64_t)size : 0;
	}
	free(buffer);
	return err->code == ERR_NONE;
}

/* Waits a moment for it to end by itself, and ends it and all that it started. */
static void end_helper(const struct running *running, struct helper_result *result)
{
	const int64_t last = now_ms() + (result->end == HELPER_SUCCESS ? END_WAIT_MS : 0);
	int status = 0;
	pid_t ended;

	close(running->output);
	do {
		ended = waitpid(running->pid, &status, WNOHANG);
		if (ended == 0)
			nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
	} while (ended == 0 && now_ms() < last);
	kill(-running->pid, SIGKILL);
	while (!ended && waitpid(running->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (result->end != HELPER_SUCCESS)
		return;
	if (!ended) {
		result->end = HELPER_SILENT; /* it closed its output, but did not end */
	} else if (WIFSIGNALED(status)) {
		result->end = HELPER_SIGNAL;
		result->number = WTERMSIG(status);
	} else if (WEXITSTATUS(status)) {
		result->end = HELPER_FAILURE;
		result->number = WEXITSTATUS(status);
	}
}

bool helper_run(const struct helper *helper, struct helper_result *result, struct err *err)
{
	struct running running = { .began = now_ms() };
	bool ok;

	memset(result, 0, sizeof(*result));
	result->number = start_helper(helper, &running);
	if (result->number) {
		result->end = HELPER_MISSING;
		if (running.pid > 0) {
			struct helper_result ignored = { .end = HELPER_STOPPED };

			end_helper(&running, &ignored);
		}
		return result->number != ENOMEM || err_nomem(err, READ_SIZE);
	}
	ok = read_output(helper, &running, result, err);
	end_helper(&running, result);
	result->time = (int)(now_ms() - running.began);
	return ok;
}

const char *helper_end_text(const struct helper_result *result, char text[HELPER_TEXT_SIZE])
{
	static const char *const words[] = {
		[HELPER_SUCCESS] = "ended",
		[HELPER_FAILURE] = "failed with exit status",
		[HELPER_SIGNAL] = "was ended by signal",
		[HELPER_MISSING] = "cannot be started",
		[HELPER_SILENT] = "was stopped, as it wrote nothing any more",
		[HELPER_LATE] = "was stopped, as it took too long",
		[HELPER_TOO_MUCH] = "was stopped, as it wrote too much",
		[HELPER_STOPPED] = "was stopped, as its output made no sense",
	};

	if (result->end == HELPER_MISSING)
		snprintf(text, HELPER_TEXT_SIZE, "%s: %s", words[result->end],
		         strerror(result->number));
	else if (result->end == HELPER_FAILURE || result->end == HELPER_SIGNAL)
		snprintf(text, HELPER_TEXT_SIZE, "%s %d", words[result->end], result->number);
	else
		snprintf(text, HELPER_TEXT_SIZE, "%s", words[result->end]);
	return text;
}
