#include "decode/tally/placing.h"

#include "decode/machine/cpumode.h"

/* map: the mapping that covers the address, or NULL */
static void put_place(struct placed *placed, uint64_t ip, const struct space_map *map)
{
	placed->binary = map ? map->binary : UNKNOWN_BINARY;
	placed->addr = ip + (map ? map->pgoff - map->start : 0);
}

bool placing_find(struct mappings *mappings, struct placed *placed, uint16_t misc, uint64_t ip,
                  struct err *err)
{
	const enum cpu_mode mode = cpu_mode_of(misc);
	const struct space_map *map = NULL;
	struct space *space;

	if (mode == MODE_KERNEL) {
		if (mappings->kernel_binary == UINT32_MAX && !mapping_default_kernel(mappings, err))
			return false;
		map = mapping_kernel_find(mappings, ip);
	} else if (mode == MODE_USER) {
		space = mappings->processes->items[placed->process].space;
		map = space ? space_find(space, ip) : NULL;
	}
	put_place(placed, ip, map);
	if (!map)
		placed->binary = binary_without_map(mode);
	return true;
}

bool placing_find_all(struct mappings *mappings, const struct sample *samples, size_t count,
                      struct placed *placed, struct err *err)
{
	uint32_t process = PROCESS_NONE;
	struct space *space = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct sample *sample = &samples[i];
		uint16_t mode = sample->misc & PERF_MISC_CPUMODE_MASK;

		/* the process cannot change between samples, only in records between them */
		if (i == 0 || sample->pid != sample[-1].pid || sample->tid != sample[-1].tid) {
			process = processes_get(mappings->processes, sample->pid, sample->tid, err);
			if (process == PROCESS_NONE)
				return false;
			space = mappings->processes->items[process].space;
		}
		placed[i].process = process;
		if (mode == PERF_CPUMODE_KERNEL && mappings->kernel_binary != UINT32_MAX) {
			put_place(&placed[i], sample->ip,
			          mapping_kernel_find(mappings, sample->ip));
		} else if (mode == PERF_CPUMODE_USER && space &&
		           space_is_at_hint(space, sample->ip)) {
			put_place(&placed[i], sample->ip, &space->hint);
		} else if (!placing_find(mappings, &placed[i], sample->misc, sample->ip, err)) {
			return false;
		}
	}
	return true;
}
