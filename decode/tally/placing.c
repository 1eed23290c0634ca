#include "decode/tally/placing.h"

/* map: the mapping that covers the address, or NULL */
static void put_place(struct placed *placed, uint64_t ip, const struct space_map *map)
{
	placed->binary = map ? map->binary : 0;
	placed->addr = ip + (map ? map->pgoff - map->start : 0);
}

bool placing_find(const struct placing *placing, struct placed *placed, uint16_t misc, uint64_t ip,
                  struct err *err)
{
	const struct space_map *map = NULL;
	uint32_t unmapped = 0; /* binary for unmapped addresses */
	struct space *space;

	switch (misc & PERF_MISC_CPUMODE_MASK) {
	case PERF_CPUMODE_KERNEL:
		if (placing->mappings->kernel_binary == UINT32_MAX &&
		    !mapping_default_kernel(placing->mappings, err))
			return false;
		map = mapping_kernel_find(placing->mappings, ip);
		break;
	case PERF_CPUMODE_USER:
		space = placing->processes->items[placed->process].space;
		map = space ? space_find(space, ip) : NULL;
		break;
	case PERF_CPUMODE_GUEST_KERNEL:
		unmapped = placing->guest_kernel;
		break;
	case PERF_CPUMODE_GUEST_USER:
		unmapped = placing->guest_user;
		break;
	case PERF_CPUMODE_HYPERVISOR:
		unmapped = placing->hypervisor;
		break;
	default:
		break;
	}
	put_place(placed, ip, map);
	if (!map)
		placed->binary = unmapped;
	return true;
}

bool placing_find_all(const struct placing *placing, const struct sample *samples, size_t count,
                      struct placed *placed, struct err *err)
{
	uint32_t process = PROCESS_NONE;
	struct space *space = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		uint16_t mode = sample->misc & PERF_MISC_CPUMODE_MASK;

		/* the process cannot change between samples, only in records between them */
		if (i == 0 || sample->pid != sample[-1].pid || sample->tid != sample[-1].tid) {
			process = processes_get(placing->processes, sample->pid, sample->tid, err);
			if (process == PROCESS_NONE)
				return false;
			space = placing->processes->items[process].space;
		}
		placed[i].process = process;
		if (mode == PERF_CPUMODE_KERNEL && placing->mappings->kernel_binary != UINT32_MAX) {
			put_place(&placed[i], sample->ip,
			          mapping_kernel_find(placing->mappings, sample->ip));
		} else if (mode == PERF_CPUMODE_USER && space &&
		           space_is_at_hint(space, sample->ip)) {
			put_place(&placed[i], sample->ip, &space->hint);
		} else if (!placing_find(placing, &placed[i], sample->misc, sample->ip, err)) {
			return false;
		}
	}
	return true;
}
