/*
 * Keys by which whole chains are recognised: hashes with a random seed. Chains with equal keys have
 * equal frames, and ended in the same way.
 *
 * In:  a chain; or, so that its frames need not be made, the list of addresses that was recorded.
 * Out: the key.
 */
#ifndef READPERF_DECODE_STACKS_CHAINKEY_H
#define READPERF_DECODE_STACKS_CHAINKEY_H

#include "decode/stacks/chain.h"

/* The two hashes that together are a key. */
struct chain_key {
	uint64_t hash;  /* 0: no key */
	uint32_t check; /* part of the other hash */
};

/* A sample's chain as it was recorded, with all that its frames depend on. */
struct chain_list {
	const uint8_t *words; /* addresses and markers, of 8 bytes */
	uint64_t count;
	uint64_t ip;         /* of the sample */
	uint64_t addr;       /* the same in the binary's address space */
	uint32_t binary;     /* that the sample is in */
	uint16_t misc;       /* of the record */
	bool swap;           /* the words are in the other byte order */
	struct space *space; /* of the process, or NULL */
	const struct mappings *mappings;
};

/*
 * The key of a chain that was recorded as a list; none if its user part follows in another record.
 * Addresses of processes are hashed as places in binaries: the addresses differ between processes
 * of one program.
 */
struct chain_key chain_list_key(const struct chain_list *list, uint64_t seed, uint32_t event,
                                uint32_t group);
/* The key of any chain. */
struct chain_key chain_key(const struct chain *chain, uint64_t seed, uint32_t event,
                           uint32_t group);

#endif
