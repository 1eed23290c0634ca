#include "decode/tally/wholechains.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 4096
#define MOST_SLOTS ((size_t)1 << 19) /* 16 MB; when it is full, all chains are forgotten */

bool whole_chains_init(struct whole_chains *chains, struct cells *cells, struct err *err)
{
	*chains = (struct whole_chains){ .cells = cells,
		                         .slot_count = FIRST_SLOTS,
		                         .seed = hash_seed() };
	chains->items = calloc(FIRST_SLOTS, sizeof(*chains->items));
	return chains->items || err_nomem(err, FIRST_SLOTS * sizeof(*chains->items));
}

void whole_chains_release(struct whole_chains *chains)
{
	free(chains->items);
	memset(chains, 0, sizeof(*chains));
}

bool whole_chain_count(struct whole_chains *chains, struct whole_chain *chain, struct err *err)
{
	const uint32_t samples = chain->samples;
	const uint64_t period = chain->period;

	chain->samples = 0;
	chain->period = 0;
	return !samples ||
	       cells_add_many(chains->cells, chain->kind, chain->node, samples, period, err);
}

/* Doubles the table. */
static bool grow_chains(struct whole_chains *chains, struct err *err)
{
	const size_t old_count = chains->slot_count;
	struct whole_chain *old = chains->items;
	struct whole_chain *items = calloc(2 * old_count, sizeof(*items));

	if (!items)
		return err_nomem(err, 2 * old_count * sizeof(*items));
	chains->items = items;
	chains->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++) {
		const struct chain_key key = { old[i].hash, old[i].check };

		if (key.hash)
			*whole_chains_find(chains, &key) = old[i];
	}
	free(old);
	return true;
}

struct whole_chain *whole_chains_put(struct whole_chains *chains, const struct chain_key *key,
                                     uint32_t kind, uint32_t node, struct err *err)
{
	struct whole_chain *chain;

	if (chains->used >= chains->slot_count / 4 * 3 &&
	    !(chains->slot_count < MOST_SLOTS ? grow_chains(chains, err)
	                                      : whole_chains_flush(chains, err)))
		return NULL;
	chain = whole_chains_find(chains, key);
	chains->used++;
	*chain = (struct whole_chain){
		.hash = key->hash, .check = key->check, .node = node, .kind = kind
	};
	return chain;
}

bool whole_chains_flush(struct whole_chains *chains, struct err *err)
{
	/* the first time, most chains have a cell of their own */
	if (!chains->cells->count && !cells_reserve(chains->cells, chains->used, err))
		return false;
	for (size_t i = 0; i < chains->slot_count; i++)
		if (!whole_chain_count(chains, &chains->items[i], err))
			return false;
	memset(chains->items, 0, chains->slot_count * sizeof(*chains->items));
	chains->used = 0;
	return true;
}
