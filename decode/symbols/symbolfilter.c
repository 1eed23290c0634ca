#include "decode/symbols/symbolfilter.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

#define SYMBOLS_OF_BUCKET 16 /* on average, or up to half of that */

static uint32_t bucket_number(const struct symbol_filter *filter, uint64_t addr)
{
	return (uint32_t)u64_min(addr >> filter->shift, filter->bucket_count - 1);
}

static void ask_bucket(struct symbol_filter *filter, uint64_t addr)
{
	struct symbol_bucket *bucket = &filter->buckets[bucket_number(filter, addr)];

	filter->asked_count += !bucket->asked;
	bucket->asked = true;
}

bool symbol_filter_init(struct symbol_filter *filter, const uint64_t *addrs, size_t addr_count,
                        size_t symbols, uint64_t end, struct err *err)
{
	*filter = (struct symbol_filter){ .addrs = addrs, .addr_count = addr_count };
	while (end >> filter->shift > symbols / SYMBOLS_OF_BUCKET)
		filter->shift++;
	filter->bucket_count = (size_t)(end >> filter->shift) + 1;
	filter->buckets = vec_new(filter->bucket_count, sizeof(*filter->buckets), err);
	filter->bucket_of = vec_new(symbols, sizeof(*filter->bucket_of), err);
	if (!filter->buckets || !filter->bucket_of)
		return false;
	for (size_t i = 0; i < addr_count; i++) {
		ask_bucket(filter, addrs[i]);
		/* lookups also ask whether a function starts behind an address */
		ask_bucket(filter, u64_add_sat(addrs[i], 1));
	}
	return true;
}

void symbol_filter_release(struct symbol_filter *filter)
{
	free(filter->buckets);
	free(filter->bucket_of);
	filter->buckets = NULL;
	filter->bucket_of = NULL;
}

void symbol_filter_note(struct symbol_filter *filter, size_t number, uint64_t start, uint64_t size,
                        bool is_neighbour)
{
	const uint32_t here = bucket_number(filter, start);
	const uint64_t end = u64_add_sat(start, size);
	struct symbol_bucket *bucket = &filter->buckets[here];
	size_t next;

	filter->bucket_of[number] = here + 1;
	bucket->symbols += is_neighbour;
	/* an address in its own bucket makes it wanted, too */
	if (bucket->asked || bucket->wanted || bucket_number(filter, end) == here)
		return;
	next = search_below(filter->addrs, filter->addr_count, sizeof(*filter->addrs), start);
	bucket->wanted = next < filter->addr_count && filter->addrs[next] < end;
}

void symbol_filter_want(struct symbol_filter *filter, size_t number)
{
	filter->buckets[filter->bucket_of[number] - 1].wanted = true;
}

void symbol_filter_close(struct symbol_filter *filter)
{
	struct symbol_bucket *buckets = filter->buckets;
	uint64_t before = 0, behind = 0; /* so many symbols are still wanted */

	for (size_t i = filter->bucket_count; i-- > 0;) {
		buckets[i].wanted |= buckets[i].asked || before;
		/* of those in its own bucket it is not known on which side of the address they are
		 */
		before = buckets[i].asked ? SYMBOL_NEIGHBOURS + 1
		                          : before - u64_min(before, buckets[i].symbols);
	}
	for (size_t i = 0; i < filter->bucket_count; i++) {
		buckets[i].wanted |= behind;
		behind = buckets[i].asked ? 1 : behind - u64_min(behind, buckets[i].symbols);
	}
	filter->closed = true;
}

bool symbol_filter_wants(const struct symbol_filter *filter, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		if (filter->bucket_of[i] && filter->buckets[filter->bucket_of[i] - 1].wanted)
			return true;
	return false;
}
