/*
 * Keys by which chains are recognised: hashes of 64 bits with a random seed, so that two of a
 * million chains have the same one in less than one of ten million recordings.
 *
 * In:  a chain; or, so that its frames need not be made, the list of addresses that was recorded.
 * Out: the keys.
 */
#ifndef READPERF_DECODE_STACKS_CHAINKEY_H
#define READPERF_DECODE_STACKS_CHAINKEY_H

#include "decode/stacks/chain.h"

struct chain_keys {
	/* equal: the frames, the end and the group are equal; 0: there are no keys */
	uint64_t whole;
	/* equal: all frames but the innermost one, and the end, are equal */
	uint64_t callers;
};

/* A sample's chain as it was recorded, with all that its frames depend on. */
struct chain_list {
	const uint8_t *words; /* addresses and markers, of 8 bytes */
	uint64_t count;
	const struct event_attr *attr; /* of the event: how its chains end */
	uint64_t ip;                   /* of the sample */
	uint64_t addr;                 /* the same in the binary's address space */
	uint32_t binary;               /* that the sample is in */
	uint16_t misc;                 /* of the record */
	bool swap;                     /* the words are in the other byte order */
	struct space *space;           /* of the process, or NULL */
	const struct mappings *mappings;
};

/*
 * The keys of a chain that was recorded as a list; none if its user part follows in another record.
 * Addresses of processes are hashed as places in binaries: the addresses differ between processes
 * of one program.
 */
struct chain_keys chain_list_keys(const struct chain_list *list, uint64_t seed, uint32_t group);
/* The keys of any chain. */
struct chain_keys chain_keys(const struct chain *chain, uint64_t seed, uint32_t group);

#endif
