/*
 * Fork, exec, threads, a rename and a process of its own that outlives its parent:
 *   family ── child (spin_child) ── grandchild (spin_grandchild, renamed "renamed")
 *      ├──── exec of primes
 *      └──── threads "left" and "right" (spin_left, spin_right)
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPINNER(name)                                                    \
	__attribute__((noinline)) static unsigned long name(long rounds) \
	{                                                                \
		unsigned long x = 88172645463325252UL;                   \
		for (long i = 0; i < rounds; i++) {                      \
			x ^= x << 13;                                    \
			x ^= x >> 7;                                     \
			x ^= x << 17;                                    \
		}                                                        \
		return x;                                                \
	}

SPINNER(spin_parent)
SPINNER(spin_child)
SPINNER(spin_grandchild)
SPINNER(spin_left)
SPINNER(spin_right)

#include "spin.h" /* behind code, as in primes.c */

static volatile unsigned long sink[4];

static void *left(void *unused)
{
	pthread_setname_np(pthread_self(), "left");
	sink[0] = spin_left(40000000) + header_mix(1, 10000000);
	return unused;
}

static void *right(void *unused)
{
	pthread_setname_np(pthread_self(), "right");
	sink[1] = spin_right(80000000);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	pid_t child, other;

	if (argc < 2) {
		fprintf(stderr, "usage: family PROGRAM\n");
		return 2;
	}
	child = fork();
	if (child == 0) {
		if (fork() == 0) {
			prctl(PR_SET_NAME, "renamed");
			_exit((int)(spin_grandchild(60000000) & 1));
		}
		sink[3] = spin_child(30000000);
		_exit(0);
	}
	other = fork();
	if (other == 0) {
		execl(argv[1], argv[1], "3", (char *)NULL);
		_exit(127);
	}
	pthread_create(&threads[0], NULL, left, NULL);
	pthread_create(&threads[1], NULL, right, NULL);
	sink[2] = spin_parent(50000000);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	waitpid(child, NULL, 0);
	waitpid(other, NULL, 0);
	return 0;
}
