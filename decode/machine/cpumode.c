#include "decode/machine/cpumode.h"

#include "util/origperf.h"

enum cpu_mode cpu_mode_of(uint16_t misc)
{
	switch (misc & PERF_MISC_CPUMODE_MASK) {
	case PERF_CPUMODE_KERNEL:
		return MODE_KERNEL;
	case PERF_CPUMODE_USER:
		return MODE_USER;
	case PERF_CPUMODE_GUEST_KERNEL:
		return MODE_GUEST_KERNEL;
	case PERF_CPUMODE_GUEST_USER:
		return MODE_GUEST_USER;
	case PERF_CPUMODE_HYPERVISOR:
		return MODE_HYPERVISOR;
	default:
		return MODE_UNKNOWN;
	}
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
