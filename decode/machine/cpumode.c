#include "decode/machine/cpumode.h"

#include "util/origperf.h"

enum cpu_mode cpu_mode_of(uint16_t misc)
{
	static const uint8_t modes[PERF_MISC_CPUMODE_MASK + 1] = {
		MODE_UNKNOWN,      MODE_KERNEL,     MODE_USER,    MODE_HYPERVISOR,
		MODE_GUEST_KERNEL, MODE_GUEST_USER, MODE_UNKNOWN, MODE_UNKNOWN,
	};

	return modes[misc & PERF_MISC_CPUMODE_MASK];
}

const char *cpu_mode_name(enum cpu_mode mode)
{
	static const char *const names[] = {
		[MODE_USER] = "user",
		[MODE_KERNEL] = "kernel",
		[MODE_GUEST_USER] = "guest-user",
		[MODE_GUEST_KERNEL] = "guest-kernel",
		[MODE_HYPERVISOR] = "hypervisor",
		[MODE_UNKNOWN] = "",
	};

	return names[mode];
}
