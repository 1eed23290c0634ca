/*
 * Code of the kernel that fields of tracepoints point to, such as call_site of kmalloc. Each place
 * is known by a number, and gets a name after the last record.
 *
 * In:  addresses, and the mappings at that moment.
 * Out: places, and later their names: place_list_name_pointed().
 */
#ifndef READPERF_DECODE_TALLY_POINTEDCODE_H
#define READPERF_DECODE_TALLY_POINTEDCODE_H

#include "decode/machine/mapping.h"
#include "util/tuples.h"

#define POINTED_RECENT 1024 /* a power of two */

struct pointed_place {
	uint64_t addr; /* in the binary's address space */
	uint64_t binary;
};

struct pointed_code {
	struct mappings *mappings; /* borrowed */
	struct tuples places;      /* struct pointed_place, by number */
	struct pointed_address {
		uint64_t addr, changes; /* changes: of the kernel's mappings, as they were then */
		uint64_t number;        /* one more; 0: none is kept */
	} * recent;                     /* those that were asked for last */
	uint32_t *names;                /* owned; strings, by number; NULL: not named yet */
};

void pointed_code_init(struct pointed_code *code, struct mappings *mappings);
void pointed_code_release(struct pointed_code *code);
/* The number of the place at an address of the kernel. MAP_NONE with err set: memory is refused. */
uint32_t pointed_code_put(struct pointed_code *code, uint64_t addr, struct err *err);

#endif
