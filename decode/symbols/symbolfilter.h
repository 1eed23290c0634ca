/*
 * Finds out which symbols of a large table can matter to some addresses, so that the others need
 * not be kept and sorted. The space of addresses is cut into buckets of equal size:
 *
 *   all symbols --note()--> symbols of each bucket --close()--> wanted buckets --wants()--> symbols
 *
 * A lookup finds the same in the symbols of the wanted buckets as in all: these have the symbols
 * that cover an address and what starts where they do, the nearest ones before it and behind it.
 */
#ifndef READPERF_DECODE_SYMBOLS_SYMBOLFILTER_H
#define READPERF_DECODE_SYMBOLS_SYMBOLFILTER_H

#include "util/errhandler.h"

#define SYMBOL_NEIGHBOURS 32 /* symbols before an address that lookups may want to see */

struct symbol_filter {
	const uint64_t *addrs; /* ascending; borrowed */
	size_t addr_count;
	unsigned shift; /* a bucket has 2^shift addresses; the last one also what is behind it */
	size_t bucket_count;
	size_t asked_count; /* buckets with addresses */
	struct symbol_bucket {
		uint32_t symbols;
		bool asked;  /* an address is in it */
		bool wanted; /* its symbols are */
	} * buckets;
	uint32_t *bucket_of; /* of each symbol its bucket's number + 1; 0: it was not noted */
	bool closed;
};

/*
 * symbols: how many there are; end: where most of them end. symbol_filter_release() in any case.
 * False with err set.
 */
bool symbol_filter_init(struct symbol_filter *filter, const uint64_t *addrs, size_t addr_count,
                        size_t symbols, uint64_t end, struct err *err);
void symbol_filter_release(struct symbol_filter *filter);
/*
 * number: of the symbol; size: 0 if it is not known. is_neighbour: it is a function for sure, and
 * no marker or label that may be left out.
 */
void symbol_filter_note(struct symbol_filter *filter, size_t number, uint64_t start, uint64_t size,
                        bool is_neighbour);
/* All in the bucket of a symbol that was noted are wanted, whatever the addresses are. */
void symbol_filter_want(struct symbol_filter *filter, size_t number);
/* After the last symbol. */
void symbol_filter_close(struct symbol_filter *filter);
/* Whether one of count symbols, from the first one on, is wanted. */
bool symbol_filter_wants(const struct symbol_filter *filter, size_t first, size_t count);

#endif
