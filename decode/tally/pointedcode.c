#include "decode/tally/pointedcode.h"

#include "decode/tally/placing.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

void pointed_code_init(struct pointed_code *code, struct mappings *mappings)
{
	*code = (struct pointed_code){ .mappings = mappings };
	tuples_init(&code->places, sizeof(struct pointed_place));
}

void pointed_code_release(struct pointed_code *code)
{
	tuples_release(&code->places);
	free(code->recent);
	free(code->names);
	memset(code, 0, sizeof(*code));
}

static uint32_t put_code(struct pointed_code *code, uint64_t addr, struct err *err)
{
	struct placed placed = { .process = 0 };
	struct pointed_place place;

	/* of the kernel, which is the same in every process */
	if (!placing_find(code->mappings, &placed, PERF_CPUMODE_KERNEL, addr, err))
		return MAP_NONE;
	place = (struct pointed_place){ placed.addr, placed.binary };
	return tuples_put(&code->places, &place, err);
}

uint32_t pointed_code_put(struct pointed_code *code, uint64_t addr, struct err *err)
{
	struct pointed_address *recent;
	uint32_t number;

	if (!code->recent && !(code->recent = vec_new(POINTED_RECENT, sizeof(*code->recent), err)))
		return MAP_NONE;
	recent = &code->recent[(addr ^ addr >> 10) % POINTED_RECENT];
	if (recent->number && recent->addr == addr &&
	    recent->changes == code->mappings->kernel_changes)
		return (uint32_t)(recent->number - 1);
	number = put_code(code, addr, err);
	if (number != MAP_NONE)
		*recent = (struct pointed_address){ addr, code->mappings->kernel_changes,
			                            (uint64_t)number + 1 };
	return number;
}
