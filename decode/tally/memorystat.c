#include "decode/tally/memorystat.h"

#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void memorystat_init(struct memorystat *stat, struct session *session, struct mappings *mappings)
{
	memset(stat, 0, sizeof(*stat));
	stat->session = session;
	stat->mappings = mappings;
	tuples_init(&stat->accesses, sizeof(struct access_key));
}

void memorystat_release(struct memorystat *stat)
{
	map_release(&stat->programs);
	tuples_release(&stat->accesses);
	free(stat->sums);
	stat->sums = NULL;
}

bool memorystat_has(const struct session *session, uint32_t event)
{
	return event < session->event_count &&
	       session->events[event].attr.sample_type & PERF_SAMPLE_DATA_SRC;
}

bool memorystat_has_parts(const struct session *session, uint32_t event)
{
	return event < session->event_count &&
	       session->events[event].attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT;
}

/*
 * The pages behind the data of a file that it has no bytes for (.bss) are anonymous memory right
 * behind its mapping. Other memory may be there, too, which only the file can tell.
 */
static void find_bss(const struct memorystat *stat, struct placed *data, uint16_t misc,
                     uint64_t addr)
{
	const enum cpu_mode mode = cpu_mode_of(misc);
	const struct mappings *mappings = stat->mappings;
	const struct binary *binaries = mappings->binaries->items;
	struct space *space = mappings->processes->items[data->process].space;
	const struct space_map *map;
	struct space_map here, left;

	if ((mode != MODE_USER && mode != MODE_KERNEL) ||
	    binaries[data->binary].kind != BINARY_SPECIAL || !space)
		return;
	map = space_find(space, addr);
	if (!map ||
	    strcmp(strings_get(mappings->strings, binaries[map->binary].name), "//anon") != 0)
		return;
	here = *map;
	if (!space_last_before(space, here.start, &left) || left.end != here.start ||
	    binaries[left.binary].kind != BINARY_FILE)
		return;
	data->binary = left.binary;
	data->addr = left.pgoff + (addr - left.start);
}

/*
 * Whether an address that no process has mapped may be the kernel's. If no record says where that
 * is, it is taken to be everywhere, which is right for code that it runs, but not for data.
 */
static bool may_be_kernels(struct mappings *mappings, uint64_t addr)
{
	const struct space_map *map;

	if (addr >> 63)
		return true;
	map = mappings->kernel_binary == UINT32_MAX ? NULL : mapping_kernel_find(mappings, addr);
	return map && map->start;
}

static bool find_data(struct memorystat *stat, struct placed *data, uint16_t misc, uint64_t addr,
                      struct err *err)
{
	const enum cpu_mode mode = cpu_mode_of(misc);

	if (mode != MODE_USER && mode != MODE_KERNEL)
		return placing_find(stat->mappings, data, misc, addr, err);
	if (!placing_find(stat->mappings, data, PERF_CPUMODE_USER, addr, err))
		return false;
	if (data->binary == UNKNOWN_BINARY && may_be_kernels(stat->mappings, addr))
		return placing_find(stat->mappings, data, PERF_CPUMODE_KERNEL, addr, err);
	return true;
}

/* The number of the program that the process runs now; MAP_NONE with err set. */
static uint32_t program_of(struct memorystat *stat, uint32_t process, struct err *err)
{
	const uint32_t execs = stat->mappings->processes->items[process].execs;

	return map_number(&stat->programs, (uint64_t)process << 32 | execs, err);
}

bool memorystat_add(struct memorystat *stat, const struct record *record,
                    const struct placed *placed, struct err *err)
{
	const struct record_sample *sample = &record->sample;
	const bool parts = memorystat_has_parts(stat->session, record->event);
	const uint64_t weight = parts ? (uint32_t)sample->weight : sample->weight;
	const size_t before = stat->accesses.count;
	struct placed data = { .process = placed->process };
	struct access_key key = { .ip = placed->addr,
		                  .addr = sample->addr,
		                  .physical = sample->physical,
		                  .source = sample->data_source,
		                  .ip_binary = placed->binary,
		                  .pid = record->pid,
		                  .tid = record->tid,
		                  .cpu = record->cpu,
		                  .event = record->event,
		                  .exact = (record->misc & PERF_MISC_EXACT_IP) != 0 };
	struct access_sum *sum;
	uint32_t number, program;

	if (!memorystat_has(stat->session, record->event) || sample->damaged)
		return true;
	if (!find_data(stat, &data, record->misc, sample->addr, err))
		return false;
	key.mapped_binary = data.binary;
	find_bss(stat, &data, record->misc, sample->addr);
	key.data = data.addr;
	key.data_binary = data.binary;
	program = program_of(stat, placed->process, err);
	key.program = program & INT32_MAX;
	number = program == MAP_NONE ? MAP_NONE : tuples_put(&stat->accesses, &key, err);
	if (number == MAP_NONE ||
	    !vec_room(&stat->sums, number, &stat->capacity, sizeof(*sum), err))
		return false;
	sum = &stat->sums[number];
	if (number == before)
		*sum = (struct access_sum){ 0 };
	sum->samples++;
	sum->period += sample->period;
	sum->weight += weight;
	sum->weight_max = u64_max(sum->weight_max, weight);
	sum->cost += weight ? weight : 1;
	if (parts) {
		sum->second += (uint16_t)(sample->weight >> 32);
		sum->third += sample->weight >> 48;
	}
	return true;
}
