/* Threads that compute, sleep, wait for a lock and for a pipe; processes that exec and exit. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ends[2];

static void compute(long count)
{
	for (volatile long i = 0; i < count; i++)
		;
}

static void rest(long ns)
{
	nanosleep(&(struct timespec){ 0, ns }, NULL);
}

static void *take_turns(void *unused)
{
	for (int i = 0; i < 12; i++) {
		pthread_mutex_lock(&lock);
		compute(200000);
		rest(300000);
		pthread_mutex_unlock(&lock);
		compute(300000);
	}
	return unused;
}

static void *read_all(void *unused)
{
	char c;

	while (read(ends[0], &c, 1) == 1 && c != 'q')
		compute(50000);
	return unused;
}

int main(void)
{
	pthread_t threads[4];

	if (pipe(ends) != 0)
		return 1;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i < 3 ? take_turns : read_all, NULL);
	for (int i = 0; i < 30; i++) {
		if (write(ends[1], "x", 1) != 1)
			return 1;
		rest(500000);
	}
	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			compute(1000000);
			rest(1000000);
			if (i % 2)
				execl("/bin/true", "true", (char *)0);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	if (write(ends[1], "q", 1) != 1)
		return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
