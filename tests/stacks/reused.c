/*
 * A compiler that uses memory again: in each round other functions lie at the same two addresses, a caller and what it
 * calls, and a jitdump file in the current folder says so. x86-64.
 * usage: reused ROUNDS
 */
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define LEAF_AT 256

/* push rbp; mov rbp, rsp; call LEAF_AT; pop rbp; ret */
static const unsigned char caller[] = { 0x55, 0x48, 0x89, 0xe5, 0xe8, LEAF_AT - 9 & 0xff, LEAF_AT - 9 >> 8, 0, 0, 0x5d, 0xc3 };
/* push rbp; mov rbp, rsp; mov eax, edi; dec eax; jnz; pop rbp; ret */
static const unsigned char leaf[] = { 0x55, 0x48, 0x89, 0xe5, 0x89, 0xf8, 0xff, 0xc8, 0x75, 0xfc, 0x5d, 0xc3 };

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void load(FILE *dump, const unsigned char *code, size_t size, const char *kind, int round)
{
	static uint64_t index;
	char name[32];
	size_t length = (size_t)snprintf(name, sizeof(name), "jit_%s_%d", kind, round) + 1;
	uint32_t head[2] = { 0, (uint32_t)(56 + length + size) }, ids[2] = { (uint32_t)getpid(), (uint32_t)getpid() };
	uint64_t time = now(), rest[4] = { (uintptr_t)code, (uintptr_t)code, size, index++ };

	fwrite(head, sizeof(head), 1, dump);
	fwrite(&time, sizeof(time), 1, dump);
	fwrite(ids, sizeof(ids), 1, dump);
	fwrite(rest, sizeof(rest), 1, dump);
	fwrite(name, length, 1, dump);
	fwrite(code, size, 1, dump);
}

static FILE *open_dump(void)
{
	uint32_t head[6] = { 0x4a695444, 1, 40, 62, 0, (uint32_t)getpid() };
	uint64_t rest[2] = { now(), 0 };
	char path[40];
	FILE *dump;

	snprintf(path, sizeof(path), "jit-%d.dump", (int)getpid());
	dump = fopen(path, "w+");
	if (!dump || mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		exit(1);
	fwrite(head, sizeof(head), 1, dump);
	fwrite(rest, sizeof(rest), 1, dump);
	return dump;
}

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *dump = open_dump();
	void (*run)(uint32_t);

	memcpy(&run, &page, sizeof(run));
	for (int i = 0; i < rounds; i++) {
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
		memcpy(page, caller, sizeof(caller));
		memcpy(page + LEAF_AT, leaf, sizeof(leaf));
		mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		load(dump, page, sizeof(caller), "caller", i);
		load(dump, page + LEAF_AT, sizeof(leaf), "leaf", i);
		run(20000000);
	}
	return fclose(dump) != 0;
}
