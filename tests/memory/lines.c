/* Two threads that write the same cache lines, for half a second. */
#include <pthread.h>
#include <time.h>

struct line {
	long value;
	char rest[56];
} __attribute__((aligned(64)));

struct line table[8] = { { 1, "" } };
long small[16] = { 1 };

static void *work(void *unused)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 10000; i++) {
			__atomic_fetch_add(&table[i & 7].value, i, __ATOMIC_RELAXED);
			__atomic_fetch_add(&small[i & 15], i, __ATOMIC_RELAXED);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 500);
	return unused;
}

int main(void)
{
	pthread_t other;

	if (pthread_create(&other, 0, work, 0))
		return 1;
	work(0);
	return pthread_join(other, 0);
}
