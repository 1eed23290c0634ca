/*
 * Runs a command and appends one line to a file, with the time and memory that it took.
 *
 *   measure RESULTS RECORDING READER ROUND SECONDS COMMAND [ARGUMENT]...
 *
 * After so many seconds the command and all that it started are killed; the exit status is then that of timeout(1).
 * The line: recording, reader, round, wall s, user s, system s, peak KB, exit status; tabs between.
 * The peak is that of the largest process among the command and its children. The command's
 * standard output goes to /dev/null, its standard error to RESULTS.log.
 */
#define _DEFAULT_SOURCE
#define _GNU_SOURCE /* wait4 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The signal that came, or 0. */
static volatile sig_atomic_t came;

static void note_signal(int number)
{
	came = number;
}

/* Waits for the process, which leads its group: the exit status, or -1. A signal ends all of the group. */
static int wait_for(pid_t pid, unsigned limit, struct rusage *used)
{
	static const int ends[] = { SIGALRM, SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { .sa_handler = note_signal };
	int status;
	pid_t got;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaction(ends[i], &action, NULL);
	alarm(limit);
	got = wait4(pid, &status, 0, used);
	if (got == pid)
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (errno != EINTR)
		return -1;
	kill(-pid, SIGKILL);
	if (came != SIGALRM)
		_exit(128 + came);
	return wait4(pid, &status, 0, used) == pid ? 124 : -1;
}

static void child(const char *results, char **command)
{
	char log[4096];
	int out = open("/dev/null", O_WRONLY);
	int err;

	snprintf(log, sizeof(log), "%s.log", results);
	err = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
		_exit(126);
	setpgid(0, 0);
	execvp(command[0], command);
	_exit(127);
}

static int usage(void)
{
	fputs("usage: measure RESULTS RECORDING READER ROUND SECONDS COMMAND [ARGUMENT]...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long limit;
	char *rest;
	struct rusage used;
	double start;
	double wall;
	pid_t pid;
	FILE *f;
	int status;

	if (argc < 7)
		return usage();
	limit = strtoul(argv[5], &rest, 10);
	if (*rest || limit == 0 || limit > UINT_MAX)
		return usage();
	start = now();
	pid = fork();
	if (pid == 0)
		child(argv[1], argv + 6);
	status = pid < 0 ? -1 : wait_for(pid, (unsigned)limit, &used);
	wall = now() - start;
	if (status < 0) {
		perror("measure");
		return 1;
	}
	f = fopen(argv[1], "a");
	if (!f) {
		perror(argv[1]);
		return 1;
	}
	fprintf(f, "%s\t%s\t%s\t%.4f\t%.4f\t%.4f\t%ld\t%d\n", argv[2], argv[3], argv[4], wall,
	        seconds(used.ru_utime), seconds(used.ru_stime), used.ru_maxrss, status);
	return fclose(f) ? 1 : 0;
}
