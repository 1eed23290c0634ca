/*
 * Four threads with thread-local variables. Each prints the truth about itself: its tid, "pointer" and its thread
 * pointer, and for each variable its tid, name, address and size. Then they run for 0.15 s each. With an argument the program
 * then runs itself in its place, without it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef LIBRARY
__thread long of_library[8] = { 3 };
#else
__thread int counter = 5;
static __thread long table[32] = { 1 };
__thread char buffer[300] __attribute__((aligned(128)));
static __thread short small;
extern __thread long of_library[8];

char plain[64] = "1", other[64] = "2", zeroed[50000];

static pthread_barrier_t all;

static void print(const char *name, const void *address, unsigned long size)
{
	printf("%ld %s %p %lu\n", syscall(SYS_gettid), name, address, size);
}

__attribute__((noinline)) static void count(int i)
{
	char text[16];

	counter += i;
	table[3] ^= counter;
	small++;
	buffer[5] += (char)i;
	plain[1] += other[1]++;
	zeroed[i]++;
	snprintf(text, sizeof(text), "%d", counter);
}

static void *work(void *unused)
{
	struct timespec start, now;

	print("pointer", __builtin_thread_pointer(), 0);
	print("counter", &counter, sizeof(counter));
	print("table", table, sizeof(table));
	print("buffer", buffer, sizeof(buffer));
	print("small", &small, sizeof(small));
	print("of_library", of_library, sizeof(of_library));
	fflush(stdout);
	pthread_barrier_wait(&all);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
	do {
		for (int i = 0; i < 10000; i++)
			count(i);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 150);
	pthread_barrier_wait(&all); /* until all have run, no stack is used again */
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t others[3];

	pthread_barrier_init(&all, 0, 4);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&others[i], 0, work, 0))
			return 1;
	work(0);
	for (int i = 0; i < 3; i++)
		pthread_join(others[i], 0);
	if (count > 1)
		execl(arguments[0], arguments[0], (char *)0);
	return count > 1;
}
#endif
