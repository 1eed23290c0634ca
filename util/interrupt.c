#define _GNU_SOURCE /* pipe2() */

#include "util/interrupt.h"

#include "util/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * Signals that are not caught: those that stop or continue a process or have no effect, and those
 * that a bug of our own raises, which must end the process at the place of the bug. SIGKILL and
 * SIGSTOP cannot be blocked.
 */
static const int left_alone[] = { SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGCHLD, SIGURG, SIGWINCH,
	                          SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS };

static void choose_signals(sigset_t *set)
{
	struct sigaction action;

	sigfillset(set);
	for (size_t i = 0; i < ARRAY_SIZE(left_alone); i++)
		sigdelset(set, left_alone[i]);
	/* a filled set does not contain the signals that the C library uses itself */
	for (int number = 1; number <= SIGRTMAX; number++)
		if (sigismember(set, number) == 1 &&
		    (sigaction(number, NULL, &action) != 0 || action.sa_handler != SIG_DFL))
			sigdelset(set, number);
}

/* Ends the process as the signal would have done, after cleaning up. */
static void end_by_signal(const struct interrupt *interrupt, int number)
{
	interrupt->clean_up(interrupt->context);
	pthread_sigmask(SIG_UNBLOCK, &interrupt->guarded, NULL);
	raise(number);
	_exit(128 + number);
}

static void *wait_for_signal(void *context)
{
	const struct interrupt *interrupt = context;
	struct pollfd ready[] = { { .fd = interrupt->signals, .events = POLLIN },
		                  { .fd = interrupt->stop[0], .events = POLLIN } };
	struct signalfd_siginfo info;

	for (;;) {
		if (poll(ready, ARRAY_SIZE(ready), -1) < 0 && errno != EINTR)
			return NULL;
		if (ready[0].revents &&
		    read(interrupt->signals, &info, sizeof(info)) == sizeof(info))
			end_by_signal(interrupt, (int)info.ssi_signo);
		if (ready[1].revents)
			return NULL;
	}
}

void interrupt_init(struct interrupt *interrupt, void (*clean_up)(void *context), void *context)
{
	memset(interrupt, 0, sizeof(*interrupt));
	interrupt->clean_up = clean_up;
	interrupt->context = context;
	choose_signals(&interrupt->guarded);
	interrupt->signals = signalfd(-1, &interrupt->guarded, SFD_CLOEXEC | SFD_NONBLOCK);
	if (pipe2(interrupt->stop, O_CLOEXEC) != 0)
		interrupt->stop[0] = interrupt->stop[1] = -1;
	pthread_sigmask(SIG_BLOCK, &interrupt->guarded, &interrupt->before);
	interrupt->running = interrupt->signals >= 0 && interrupt->stop[0] >= 0 &&
	                     thread_start(&interrupt->thread, THREAD_SMALL, wait_for_signal,
	                                  interrupt);
	if (!interrupt->running)
		pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void interrupt_release(struct interrupt *interrupt)
{
	if (!interrupt->clean_up)
		return; /* never started */
	/* closing the writing end of the pipe is the one way to wake the thread that cannot fail */
	close_if_open(interrupt->stop[1]);
	if (interrupt->running) {
		pthread_join(interrupt->thread, NULL);
		pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
	}
	close_if_open(interrupt->stop[0]);
	close_if_open(interrupt->signals);
	memset(interrupt, 0, sizeof(*interrupt));
}
