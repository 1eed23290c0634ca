/*
 * Programs whose names depend on the moment; each runs until it is killed.
 *   names spin NAME           calls the function FUNCTION of this program, under the name NAME
 *   names library FILE        calls `shared` of a library
 *   names map                 runs code that its perf map calls `before`, and as soon as a file `swapped` is there,
 *                             `after`. x86-64
 */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef FUNCTION
#define FUNCTION plain
#endif

__attribute__((noinline)) unsigned FUNCTION(unsigned count)
{
	volatile unsigned sum = 0;

	while (count--)
		sum += count;
	return sum;
}

/* xor eax, eax; inc eax; dec edi; jnz; ret */
static const unsigned char code[] = { 0x31, 0xc0, 0xff, 0xc0, 0xff, 0xcf, 0x75, 0xfa, 0xc3 };

static void spin(unsigned (*run)(unsigned), const char *until)
{
	const struct timespec pause = { .tv_nsec = 3000000 };

	while (access(until, F_OK) != 0) {
		run(1000000);
		nanosleep(&pause, NULL);
	}
}

static void name_code(const void *page, const char *name)
{
	char path[40];
	FILE *file;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(path, "a");
	if (file) {
		fprintf(file, "%lx %zx %s\n", (unsigned long)(uintptr_t)page, sizeof(code), name);
		fclose(file);
	}
}

static void map(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned (*run)(unsigned);

	memcpy(page, code, sizeof(code));
	memcpy(&run, &page, sizeof(run));
	name_code(page, "before");
	spin(run, "swapped");
	name_code(page, "after");
	spin(run, "ended");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "spin")) {
		prctl(PR_SET_NAME, argv[2]);
		spin(FUNCTION, "ended");
	} else if (argc == 3 && !strcmp(argv[1], "library")) {
		void *library = dlopen(argv[2], RTLD_NOW);
		void *at = library ? dlsym(library, "shared") : NULL;
		unsigned (*run)(unsigned);

		prctl(PR_SET_NAME, "library");
		memcpy(&run, &at, sizeof(run));
		if (run)
			spin(run, "ended");
	} else if (argc == 2 && !strcmp(argv[1], "map")) {
		prctl(PR_SET_NAME, "map");
		map();
	}
	return 0;
}
