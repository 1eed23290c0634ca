/*
 * Whole chains that were seen, each known by a key that includes its event and group: most samples
 * have a chain that was seen before, and counting it is finding it here.
 *
 *      chain --> key --> whole chain: node, samples, period --> cell (event, group, node)
 *
 * In:  chains, in the order of their samples.
 * Out: cells, when all are counted, or the table is full.
 *
 * The key is a hash of binaries and addresses in them, not of addresses as recorded: processes that
 * run the same program share their chains. Of 1.0 million samples of 28,105 processes 951,155 had a
 * new list of addresses, but 29,945 a new chain.
 */
#ifndef READPERF_DECODE_TALLY_WHOLECHAINS_H
#define READPERF_DECODE_TALLY_WHOLECHAINS_H

#include "decode/stacks/chainkey.h"
#include "decode/tally/funcstat.h"

struct whole_chain {
	uint64_t hash; /* 0: the slot is free */
	uint64_t period;
	uint32_t check;
	uint32_t samples; /* not added to a cell yet, like period */
	uint32_t node;
	uint32_t kind; /* of its cell */
};

struct whole_chains {
	struct whole_chain *items; /* open-addressed */
	size_t slot_count, used;   /* slot_count: a power of two */
	uint64_t seed;             /* of the keys */
	struct cells *cells;       /* borrowed */
};

/*
 * cells: to which samples are added in the end. False with err set when memory is refused; the same
 * holds for all functions below.
 */
bool whole_chains_init(struct whole_chains *chains, struct cells *cells, struct err *err);
void whole_chains_release(struct whole_chains *chains);

/* The chain with that key, or the free slot where it belongs. Valid until another one is added. */
static inline struct whole_chain *whole_chains_find(const struct whole_chains *chains,
                                                    const struct chain_key *key)
{
	const size_t mask = chains->slot_count - 1;
	size_t at = (size_t)key->hash & mask;

	while (chains->items[at].hash &&
	       (chains->items[at].hash != key->hash || chains->items[at].check != key->check))
		at = (at + 1) & mask;
	return &chains->items[at];
}

/*
 * Starts to fetch what whole_chains_find() will look at. Measured on 1.0 million samples with call
 * chains (120 MB, 40,000 whole chains), without it: on an idle machine 241 ms of wall time instead
 * of 229 (5 %, least of 9 runs; 247 instead of 236 when repeated), on two busy CPUs 506 ms of CPU
 * time instead of 423 (median of 15 runs).
 */
static inline void whole_chains_prefetch(const struct whole_chains *chains,
                                         const struct chain_key *key)
{
	__builtin_prefetch(&chains->items[key->hash & (chains->slot_count - 1)], 1);
}

/* Adds a chain that was not found. NULL with err set. */
struct whole_chain *whole_chains_put(struct whole_chains *chains, const struct chain_key *key,
                                     uint32_t kind, uint32_t node, struct err *err);

/* Adds the samples of a chain to its cell. */
bool whole_chain_count(struct whole_chains *chains, struct whole_chain *chain, struct err *err);

/* Counts one more sample of a chain. */
static inline bool whole_chain_add(struct whole_chains *chains, struct whole_chain *chain,
                                   uint64_t period, struct err *err)
{
	chain->period += period;
	return ++chain->samples != UINT32_MAX || whole_chain_count(chains, chain, err);
}

/* Adds all samples to their cells, and forgets all chains. */
bool whole_chains_flush(struct whole_chains *chains, struct err *err);

#endif
