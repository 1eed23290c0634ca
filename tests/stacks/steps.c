/*
 * Runs a program instruction by instruction, and writes a recording with a sample, registers and a copy of the stack,
 * at each instruction that is reached for the first or second time. What the call chains are it knows from the calls and
 * returns that it has seen: a line for each sample, its time, address and return addresses, the innermost first.
 * usage: steps RECORDING STACKS STEPS PROGRAM [ARGUMENT]...     x86-64 only
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
#define COPY 16384
#define DEPTH_MAX 10000
#define SEEN_MAX (1u << 20)
#define REGISTERS 0xff0fffu /* all but the segments ds to gs */

struct call {
	uint64_t slot, back; /* where the return address lies, and it */
};

struct stepper {
	pid_t pid;
	int memory;
	FILE *recording, *stacks;
	uint64_t time;
	char *maps; /* text of /proc/PID/maps that has been recorded */
	struct call calls[DEPTH_MAX];
	size_t depth;
	struct {
		uint64_t ip;
		unsigned count;
	} seen[SEEN_MAX]; /* open addressing */
};

static void put_record(struct stepper *s, uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const struct perf_event_header header = { type, misc, (uint16_t)(sizeof(header) + size) };

	fwrite(&header, sizeof(header), 1, s->recording);
	fwrite(body, 1, size, s->recording);
}

static void put_map(struct stepper *s, const char *line)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char name[600];
	} map = { .pid = (uint32_t)s->pid, .tid = (uint32_t)s->pid, .protection = 5, .flags = 2, .name = "//anon" };
	unsigned long start, end, offset, inode;
	char rights[8];

	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %590[^\n]", &start, &end, rights, &offset, &map.major, &map.minor,
	           &inode, map.name) < 7 || rights[2] != 'x')
		return;
	map.start = start, map.size = end - start, map.offset = offset, map.inode = inode;
	put_record(s, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &map, 64 + ((strlen(map.name) + 8) & ~(size_t)7));
}

/* Records what is mapped now and was not before. */
static void put_maps(struct stepper *s)
{
	char path[64], *line = NULL, *maps = NULL;
	size_t capacity = 0, size = 0;
	FILE *in, *out = open_memstream(&maps, &size);

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)s->pid);
	in = fopen(path, "r");
	while (in && getline(&line, &capacity, in) > 0) {
		fputs(line, out);
		if (!s->maps || !strstr(s->maps, line))
			put_map(s, line);
	}
	if (in)
		fclose(in);
	fclose(out);
	free(line);
	free(s->maps);
	s->maps = maps;
}

static void put_sample(struct stepper *s, const struct user_regs_struct *r)
{
	static struct {
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time, period, abi, registers[20], size;
		uint8_t stack[COPY];
		uint64_t used;
	} sample;
	const uint64_t registers[] = { r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->rbp, r->rsp, r->rip, r->eflags,
		                       r->cs,  r->ss,  r->r8,  r->r9,  r->r10, r->r11, r->r12, r->r13, r->r14, r->r15 };
	ssize_t used = pread(s->memory, sample.stack, COPY, (off_t)r->rsp);

	sample.ip = r->rip;
	sample.pid = sample.tid = (uint32_t)s->pid;
	sample.time = ++s->time;
	sample.period = 1;
	sample.abi = PERF_SAMPLE_REGS_ABI_64;
	memcpy(sample.registers, registers, sizeof(registers));
	sample.size = COPY;
	sample.used = used > 0 ? (uint64_t)used & ~(uint64_t)7 : 0;
	put_record(s, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, &sample, sizeof(sample));
	fprintf(s->stacks, "%lu %llx", (unsigned long)s->time, r->rip);
	for (size_t i = s->depth; i-- > 0;)
		fprintf(s->stacks, " %lx", (unsigned long)s->calls[i].back);
	fputc('\n', s->stacks);
}

/* Whether this is the first or second time at the address. */
static bool is_new(struct stepper *s, uint64_t ip)
{
	size_t slot = (ip * 0x9e3779b97f4a7c15u) >> 44;

	while (s->seen[slot].ip && s->seen[slot].ip != ip)
		slot = (slot + 1) % SEEN_MAX;
	s->seen[slot].ip = ip;
	return s->seen[slot].count++ < 2;
}

static bool is_call(const uint8_t *code)
{
	while (*code == 0xf2 || *code == 0x3e || *code == 0x66 || (*code & 0xf0) == 0x40) /* prefixes */
		code++;
	return *code == 0xe8 || (*code == 0xff && (code[1] >> 3 & 7) == 2);
}

/* Follows calls and returns; false: the program has ended. */
static bool step(struct stepper *s, struct user_regs_struct *r)
{
	const struct user_regs_struct before = *r;
	uint8_t code[16] = { 0 };
	uint64_t back = 0;
	int status;

	pread(s->memory, code, sizeof(code) - 1, (off_t)r->rip);
	if (ptrace(PTRACE_SINGLESTEP, s->pid, NULL, NULL) || waitpid(s->pid, &status, 0) < 0 || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGS, s->pid, NULL, r))
		return false;
	if (code[0] == 0x0f && code[1] == 0x05) /* a system call */
		put_maps(s);
	while (s->depth && s->calls[s->depth - 1].slot < r->rsp)
		s->depth--;
	if (r->rsp == before.rsp - 8 && is_call(code) && s->depth < DEPTH_MAX &&
	    pread(s->memory, &back, sizeof(back), (off_t)r->rsp) == sizeof(back))
		s->calls[s->depth++] = (struct call){ r->rsp, back };
	return true;
}

/* The header of the file, the attr of its one event, and a COMM record. */
static void begin(struct stepper *s)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.sample_regs_user = REGISTERS, .sample_stack_user = COPY, .mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1
	};
	const uint64_t header[] = { 104, sizeof(attr) + 16, 104, sizeof(attr) + 16, 104 + sizeof(attr) + 16, 0,
		                    0,   0,                 0,   0,                 0,                      0 };
	const uint64_t no_ids[2] = { 0, 0 };
	const struct {
		uint32_t pid, tid;
		char name[8];
	} comm = { (uint32_t)s->pid, (uint32_t)s->pid, "steps" };

	fwrite("PERFILE2", 8, 1, s->recording);
	fwrite(header, sizeof(header), 1, s->recording);
	fwrite(&attr, sizeof(attr), 1, s->recording);
	fwrite(no_ids, sizeof(no_ids), 1, s->recording);
	put_record(s, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm));
	put_maps(s);
}

/* Writes the size of the records into the header. */
static void end(struct stepper *s)
{
	uint64_t size = (uint64_t)ftell(s->recording) - (104 + sizeof(struct perf_event_attr) + 16);

	fseek(s->recording, 48, SEEK_SET);
	fwrite(&size, sizeof(size), 1, s->recording);
	fclose(s->recording);
	fclose(s->stacks);
}

int main(int argc, char **argv)
{
	struct stepper *s = calloc(1, sizeof(*s));
	struct user_regs_struct r;
	char path[64];
	int status;

	if (!s || argc < 5)
		return 2;
	s->recording = fopen(argv[1], "w");
	s->stacks = fopen(argv[2], "w");
	s->pid = fork();
	if (!s->pid) {
		personality(ADDR_NO_RANDOMIZE);
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL) && freopen("/dev/null", "w", stdout))
			execv(argv[4], argv + 4);
		_exit(1);
	}
	if (!s->recording || !s->stacks || waitpid(s->pid, &status, 0) < 0 || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_GETREGS, s->pid, NULL, &r))
		return 1;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)s->pid);
	s->memory = open(path, O_RDONLY);
	begin(s);
	for (long left = atol(argv[3]); left > 0; left--) {
		if (is_new(s, r.rip))
			put_sample(s, &r);
		if (!step(s, &r))
			break;
	}
	kill(s->pid, SIGKILL);
	end(s);
	return 0;
}
#else
int main(void)
{
	return 1;
}
#endif
