/*
 * Tables of abbreviations (.debug_abbrev): which kind of DIE has which attributes, in which forms.
 * Format: DWARF 5, 7.5.3.
 */
#ifndef READPERF_DECODE_DWARF_ABBREV_H
#define READPERF_DECODE_DWARF_ABBREV_H

#include "decode/dwarf/form.h"
#include "util/errhandler.h"
#include "util/search.h"

struct abbrev {
	uint64_t code;
	uint16_t tag; /* UINT16_MAX: a tag beyond 16 bits, which is unknown */
	bool children;
	struct bytes attributes; /* for abbrev_next() */
};

struct abbrev_table {
	struct abbrev *items; /* ascending code */
	size_t count, capacity;
	uint64_t size; /* bytes in the section */
};

/* One attribute of an abbreviation. Names and forms beyond 16 bits are UINT16_MAX. */
struct abbrev_attribute {
	uint32_t name, form;
	int64_t value; /* of FORM_IMPLICIT_CONST */
};

/* Reads a table up to its end or damage. */
bool abbrev_table_read(struct abbrev_table *table, struct bytes section, struct err *err);
void abbrev_table_release(struct abbrev_table *table);
/* Moves forward in the table to the abbreviation with this code. False: there is none. */
bool abbrev_walk(struct bytes *section, uint64_t code, struct abbrev *abbrev);

/* The abbreviation with this code, or NULL. */
static inline const struct abbrev *abbrev_find(const struct abbrev_table *table, uint64_t code)
{
	uint64_t number = code - 1; /* compilers number abbreviations from 1 without gaps */

	if (number >= table->count || table->items[number].code != code)
		number = search_equal(table->items, table->count, sizeof(*table->items), code);
	return number < table->count ? &table->items[number] : NULL;
}

/* Reads the next attribute. False after the last one. */
static inline bool abbrev_next(struct bytes *attributes, struct abbrev_attribute *attribute)
{
	uint64_t name = bytes_uleb(attributes), form = bytes_uleb(attributes);

	attribute->name = (uint32_t)u64_min(name, UINT16_MAX);
	attribute->form = (uint32_t)u64_min(form, UINT16_MAX);
	attribute->value = form == FORM_IMPLICIT_CONST ? bytes_sleb(attributes) : 0;
	return !attributes->bad && (name || form);
}

#endif
