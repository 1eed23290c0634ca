/*
 * Which binary a mapping shows, by the names of MMAP and KSYMBOL records, and where the kernel and
 * its modules are. Format reference, 8.4 to 8.6.
 */
#ifndef READPERF_DECODE_MACHINE_MAPPING_H
#define READPERF_DECODE_MACHINE_MAPPING_H

#include "decode/machine/processes.h"
#include "perffile/session/session.h"

struct mappings {
	struct processes *processes; /* borrowed: whose spaces get the mappings */
	struct binaries *binaries;   /* borrowed: what was mapped is put there */
	struct strings *strings;     /* borrowed */
	struct space *kernel;        /* the kernel's modules, what KSYMBOL told */
	struct space_map kernel_map; /* the kernel itself, below all of them */
	uint32_t kernel_binary;      /* UINT32_MAX: no record told where the kernel is */
	bool anonymous_code;  /* some was mapped: only then a mapping may change what another shows
	                       */
	struct map jit_dumps; /* pid -> string, path of the process's jitdump file */
};

/* False with err set when memory is refused, as by all that follow. mappings_release() in any case.
 */
bool mappings_init(struct mappings *mappings, struct processes *processes,
                   struct binaries *binaries, struct strings *strings, struct err *err);
/* Before the processes are released. */
void mappings_release(struct mappings *mappings);
/* What an MMAP or MMAP2 record maps, and a KSYMBOL record. */
bool mapping_mmap(struct mappings *mappings, const struct record *record, struct err *err);
bool mapping_ksymbol(struct mappings *mappings, const struct record *record, struct err *err);
/* What covers a kernel address, or NULL. Lives until the next lookup, or the next record. */
static inline const struct space_map *mapping_kernel_find(const struct mappings *mappings,
                                                          uint64_t addr)
{
	const struct space_map *map = space_find(mappings->kernel, addr);

	/* modules and the rest lie inside of the kernel's old shapes */
	if (!map && addr >= mappings->kernel_map.start && addr < mappings->kernel_map.end)
		map = &mappings->kernel_map;
	return map;
}
/* No record told where the kernel is: it is taken to be everywhere. */
bool mapping_default_kernel(struct mappings *mappings, struct err *err);
/*
 * After the last record: what only the session's features tell of the binaries, their build ids
 * above all.
 */
bool mapping_finish(struct mappings *mappings, struct session *session, struct err *err);

#endif
