#include "decode/dwarf/abbrev.h"

#include "util/vec.h"

#include <stdlib.h>

static int compare_codes(const void *a, const void *b)
{
	uint32_t x = ((const struct abbrev *)a)->code;
	uint32_t y = ((const struct abbrev *)b)->code;

	return x < y ? -1 : x > y;
}

/*
 * Reads the head of the next abbreviation. False at the end of the table, or of what can be read.
 */
static bool read_head(struct bytes *b, struct abbrev *abbrev)
{
	uint64_t code = bytes_uleb(b), tag = bytes_uleb(b);

	abbrev->code = (uint32_t)code;
	abbrev->tag = (uint16_t)u64_min(tag, UINT16_MAX);
	abbrev->children = bytes_u8(b) != 0;
	abbrev->attributes = *b;
	return !b->bad && code && code <= UINT32_MAX;
}

static void skip_attributes(struct bytes *b)
{
	struct abbrev_attribute attribute;

	while (abbrev_next(b, &attribute))
		continue;
}

bool abbrev_table_read(struct abbrev_table *table, struct bytes section, struct err *err)
{
	struct bytes b = section;
	struct abbrev abbrev;
	bool sorted = true;

	*table = (struct abbrev_table){ 0 };
	while (read_head(&b, &abbrev)) {
		struct abbrev *grown = vec_grow(table->items, table->count, &table->capacity,
		                                sizeof(*grown), err);

		if (!grown)
			return false;
		table->items = grown;
		sorted = sorted && (!table->count || grown[table->count - 1].code < abbrev.code);
		skip_attributes(&b);
		grown[table->count++] = abbrev;
	}
	if (!sorted)
		qsort(table->items, table->count, sizeof(*table->items), compare_codes);
	table->size = (uint64_t)(b.pos - section.pos);
	return true;
}

void abbrev_table_release(struct abbrev_table *table)
{
	free(table->items);
	*table = (struct abbrev_table){ 0 };
}

const struct abbrev *abbrev_search(const struct abbrev_table *table, uint64_t code)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->items[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->count || table->items[low].code != code)
		return NULL;
	return &table->items[low];
}

bool abbrev_walk(struct bytes *section, uint64_t code, struct abbrev *abbrev)
{
	while (read_head(section, abbrev)) {
		if (abbrev->code == code)
			return true;
		skip_attributes(section);
	}
	return false;
}
