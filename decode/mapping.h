/* Which binary a mapping shows: the names of MMAP and KSYMBOL records. Format reference, 8.4 to 8.6. */
#ifndef READPERF_DECODE_MAPPING_H
#define READPERF_DECODE_MAPPING_H

#include "decode/buildstat.h"

bool mapping_mmap(struct buildstat *stat, const struct record *record, struct err *err);
bool mapping_ksymbol(struct buildstat *stat, const struct record *record, struct err *err);
/* What covers a kernel address, or NULL. Lives until the next lookup, or the next record. */
static inline const struct space_map *mapping_kernel_find(struct buildstat *stat, uint64_t addr)
{
	const struct space_map *map = space_find(stat->kernel, addr);

	/* modules and the rest lie inside of the kernel's old shapes */
	if (!map && addr >= stat->kernel_map.start && addr < stat->kernel_map.end)
		map = &stat->kernel_map;
	return map;
}
/* No record told where the kernel is: it is taken to be everywhere. */
bool mapping_default_kernel(struct buildstat *stat, struct err *err);
/* Gives the binaries the build ids of the BUILD_ID table, where their maps had none. */
bool mapping_build_ids(struct buildstat *stat, struct err *err);

#endif
