/* Where code ran: the cpumode bits in the misc field of a record. */
#ifndef READPERF_DECODE_MACHINE_CPUMODE_H
#define READPERF_DECODE_MACHINE_CPUMODE_H

#include "util/types.h"

enum cpu_mode {
	MODE_USER,
	MODE_KERNEL,
	MODE_GUEST_USER,
	MODE_GUEST_KERNEL,
	MODE_HYPERVISOR,
	MODE_UNKNOWN
};

/* misc: of a record's header. */
enum cpu_mode cpu_mode_of(uint16_t misc);
/* "user", "kernel" ...; empty for MODE_UNKNOWN. */
const char *cpu_mode_name(enum cpu_mode mode);

#endif
