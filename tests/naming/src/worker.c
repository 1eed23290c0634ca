/*
 * Work for recordings whose names are known: worker MODE [ARGUMENT]. Every mode spends most of its
 * time in functions named hot_*; the mode says how their code is loaded.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 12000000ull
#define NOINLINE __attribute__((noinline))

volatile uint64_t sink;

/* In a loop that no compiler shortens. */
#define WORK(step)                                                                                 \
	uint64_t sum = sink;                                                                       \
	for (uint64_t i = 0; i < rounds; i++)                                                      \
		sum = sum * 6364136223846793005ull + (step);                                       \
	sink = sum

NOINLINE void hot_global(uint64_t rounds)
{
	WORK(i);
}

static NOINLINE void hot_static(uint64_t rounds)
{
	WORK(i ^ 3);
}

void hot_alias(uint64_t rounds) __attribute__((alias("hot_global")));

static void work(void)
{
	hot_global(ROUNDS);
	hot_static(ROUNDS);
}

static void *hot_thread(void *name)
{
	prctl(PR_SET_NAME, name);
	work();
	return NULL;
}

static void threads(void)
{
	static char names[][8] = { "one", "two", "three" };
	pthread_t ids[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&ids[i], NULL, hot_thread, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(ids[i], NULL);
}

static void forks(void)
{
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			work();
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		continue;
}

static void clocks(void)
{
	struct timespec now;
	uint64_t sum = 0;

	for (int i = 0; i < 6000000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += (uint64_t)now.tv_nsec;
	}
	sink = sum;
}

/* A function of a few bytes: eax counts down from edi. */
static const unsigned char loop_code[] = { 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };

static unsigned char *code_pages(void)
{
	unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code + 64, loop_code, sizeof(loop_code));
	memcpy(code + 4096, loop_code, sizeof(loop_code));
	mprotect(code, 8192, PROT_READ | PROT_EXEC);
	return code;
}

static void run_code(unsigned char *place)
{
	void (*code)(uint32_t);

	memcpy(&code, &place, sizeof(code));
	for (int i = 0; i < 40; i++)
		code(5000000);
}

static void jit(const char *dir)
{
	unsigned char *code = code_pages();
	char path[4096];
	FILE *map;

	snprintf(path, sizeof(path), "%s/perf-%d.map", dir ? dir : "/tmp", (int)getpid());
	map = fopen(path, "w");
	if (map) {
		fprintf(map, "%lx %zx jit first of two\n", (unsigned long)(code + 64), sizeof(loop_code));
		fprintf(map, "%lx %zx jit_second\n", (unsigned long)(code + 4096), sizeof(loop_code));
		fclose(map);
	}
	run_code(code + 64);
	run_code(code + 4096);
}

/* The same program again, from a file without a name. */
static void memfd(const char *self)
{
	static char name[] = "worker", mode[] = "plain";
	char *arguments[] = { name, mode, NULL };
	extern char **environ;
	int out = memfd_create("nameless", 0), in = open(self, O_RDONLY);
	char block[65536];
	ssize_t size;

	while ((size = read(in, block, sizeof(block))) > 0)
		if (write(out, block, (size_t)size) != size)
			return;
	fexecve(out, arguments, environ);
}

/* The text on anonymous pages, as programs do that want huge ones. */
static void remap(void)
{
	uintptr_t page = (uintptr_t)hot_global & ~(uintptr_t)4095;
	char *copy = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, (void *)page, 4096);
	mprotect(copy, 4096, PROT_READ | PROT_EXEC);
	mremap(copy, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)page);
	work();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain", *argument = argc > 2 ? argv[2] : NULL;

	if (!strcmp(mode, "threads"))
		threads();
	else if (!strcmp(mode, "forks"))
		forks();
	else if (!strcmp(mode, "clocks"))
		clocks();
	else if (!strcmp(mode, "jit"))
		jit(argument);
	else if (!strcmp(mode, "memfd"))
		memfd(argument);
	else if (!strcmp(mode, "remap"))
		remap();
	else if (!strcmp(mode, "rename"))
		hot_thread("other");
	else if (!strcmp(mode, "unlink") && unlink(argument) == 0)
		work();
	else if (!strcmp(mode, "chain")) {
		work();
		execl(argument, argument, "plain", (char *)NULL);
	} else
		work();
	if (argc > 3)
		pause();
	return 0;
}
