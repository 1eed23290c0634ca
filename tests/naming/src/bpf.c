/* Runs a small BPF program many times; its code in the kernel is named by KSYMBOL records alone. */
#define _DEFAULT_SOURCE
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STEPS 2000

static struct bpf_insn step(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t value)
{
	struct bpf_insn made = { .code = code, .dst_reg = to & 15, .src_reg = from & 15, .off = offset, .imm = value };

	return made;
}

int main(void)
{
	static struct bpf_insn code[STEPS + 2];
	static char license[] = "GPL";
	uint8_t packet[64] = { 0 };
	union bpf_attr load, run;
	long program;

	code[0] = step(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1);
	for (int i = 1; i <= STEPS; i++)
		code[i] = step(BPF_ALU64 | BPF_XOR | BPF_K, 0, 0, 0, i);
	code[STEPS + 1] = step(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	memset(&load, 0, sizeof(load));
	load.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	load.insns = (uintptr_t)code;
	load.insn_cnt = STEPS + 2;
	load.license = (uintptr_t)license;
	load.log_level = 0;
	memcpy(load.prog_name, "hot_filter", sizeof("hot_filter"));
	program = syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof(load));
	if (program < 0) {
		perror("bpf");
		return 3;
	}
	memset(&run, 0, sizeof(run));
	run.test.prog_fd = (uint32_t)program;
	run.test.data_in = (uintptr_t)packet;
	run.test.data_size_in = sizeof(packet);
	run.test.repeat = 300000;
	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &run, sizeof(run)) ? 4 : 0;
}
