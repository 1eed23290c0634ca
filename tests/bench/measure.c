/*
 * Runs a command and appends one line to a file: what it cost.
 *
 *   measure RESULTS RECORDING READER ROUND LIMIT COMMAND [ARGUMENT]...
 *
 * After LIMIT seconds the command and all that it started are killed; the exit status is then that of timeout(1).
 * The line: recording, reader, round, wall s, user s, system s, peak KB, exit status; tabs between.
 * The peak is that of the largest process among the command and its children. The command's
 * standard output goes to /dev/null, its standard error to RESULTS.log.
 */
#define _DEFAULT_SOURCE
#define _GNU_SOURCE /* wait4 */

#include <errno.h>
#include <fcntl.h>
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

static void on_alarm(int number)
{
	(void)number;
}

/* Waits for the process, which leads its group: the exit status, or -1. */
static int wait_for(pid_t pid, unsigned limit, struct rusage *used)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int status;
	pid_t got;

	sigaction(SIGALRM, &action, NULL);
	alarm(limit);
	got = wait4(pid, &status, 0, used);
	if (got == pid)
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (errno != EINTR)
		return -1;
	kill(-pid, SIGKILL);
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

int main(int argc, char **argv)
{
	struct rusage used;
	double start;
	double wall;
	pid_t pid;
	FILE *f;
	int status;

	if (argc < 7) {
		fputs("usage: measure RESULTS RECORDING READER ROUND LIMIT COMMAND [ARGUMENT]...\n",
		      stderr);
		return 2;
	}
	start = now();
	pid = fork();
	if (pid == 0)
		child(argv[1], argv + 6);
	status = pid < 0 ? -1 : wait_for(pid, (unsigned)atoi(argv[5]), &used);
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
