#include "decode/dwarf/abbrev.h"

#include "util/vec.h"

#include <stdlib.h>

/*
 * Reads the head of the next abbreviation. False at the end of the table, or of what can be read.
 */
static bool read_head(struct bytes *b, struct abbrev *abbrev)
{
	abbrev->code = bytes_uleb(b);
	abbrev->tag = (uint16_t)u64_min(bytes_uleb(b), UINT16_MAX);
	abbrev->children = bytes_u8(b) != 0;
	abbrev->attributes = *b;
	return !b->bad && abbrev->code && abbrev->code <= UINT32_MAX;
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
		sorted = sorted &&
		         (!table->count || table->items[table->count - 1].code < abbrev.code);
		skip_attributes(&b);
		if (!vec_append(&table->items, &table->count, &table->capacity, &abbrev,
		                sizeof(abbrev), err))
			return false;
	}
	if (!sorted)
		qsort(table->items, table->count, sizeof(*table->items), search_compare);
	table->size = (uint64_t)(b.pos - section.pos);
	return true;
}

void abbrev_table_release(struct abbrev_table *table)
{
	free(table->items);
	*table = (struct abbrev_table){ 0 };
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
