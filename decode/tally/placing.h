/*
 * Where samples fell: an address of a process, or of the kernel, becomes an address of a binary.
 *
 * In:  the sample's process, mode and address; what is mapped at that moment.
 * Out: the binary, and the address in the binary's own address space.
 */
#ifndef READPERF_DECODE_TALLY_PLACING_H
#define READPERF_DECODE_TALLY_PLACING_H

#include "decode/machine/mapping.h"
#include "decode/select/request.h"
#include "perffile/record/handler.h"

struct placing {
	struct processes *processes;                   /* borrowed */
	struct mappings *mappings;                     /* borrowed */
	uint32_t guest_kernel, guest_user, hypervisor; /* binaries */
};

struct placed {
	uint32_t process, binary;
	uint64_t addr; /* in the binary's address space */
};

/*
 * Finds the binary of an address of placed->process, as misc, the sample's cpumode, tells; format
 * reference, 8.3. False with err set when memory is refused.
 */
bool placing_find(const struct placing *placing, struct placed *placed, uint16_t misc, uint64_t ip,
                  struct err *err);
/* The same for samples, and their processes, between which no other record lies. */
bool placing_find_all(const struct placing *placing, const struct sample *samples, size_t count,
                      struct placed *placed, struct err *err);

/* The mode that misc tells. */
enum select_mode placing_mode(uint16_t misc);

#endif
