/* The places of samples, found by their addresses: for samples.csv, which has a row for each
 * sample. */
#ifndef READPERF_DECODE_TABLES_SAMPLEPLACES_H
#define READPERF_DECODE_TABLES_SAMPLEPLACES_H

#include "decode/machine/places.h"
#include "decode/naming/placenames.h"

/* A place, and all that most rows need of it. */
struct sample_place {
	uint64_t addr;
	uint32_t binary;          /* UINT32_MAX: no place */
	uint32_t place, function; /* numbers */
	bool has_line;            /* it has a source file or a line */
};

/*
 * Finds the functions of samples by the addresses of their places; a binary search among all places
 * would take a third of the time for printing.
 */
struct sample_places {
	/* open-addressed; no more than three of four are in use, the others hold no place */
	struct sample_place *slots;
	size_t slot_count; /* a power of two */
	uint64_t seed;     /* of the hash */
};

/* Borrows nothing. False with err set when memory is refused; then there is nothing to release. */
bool sample_places_init(struct sample_places *places, const struct places *all,
                        const struct place_names *names, struct err *err);
void sample_places_release(struct sample_places *places);

/* Where to begin to look for a place. */
static inline const struct sample_place *sample_places_slot(const struct sample_places *places,
                                                            uint32_t binary, uint64_t addr)
{
	return &places->slots[hash_keyed(places->seed, addr + binary * (places->seed | 1)) &
	                      (places->slot_count - 1)];
}

/* The place, which must exist, given its slot. */
static inline const struct sample_place *sample_places_find(const struct sample_places *places,
                                                            const struct sample_place *slot,
                                                            uint32_t binary, uint64_t addr)
{
	while (slot->addr != addr || slot->binary != binary)
		if (++slot == places->slots + places->slot_count)
			slot = places->slots;
	return slot;
}

#endif
