#include "decode/dwarf/die.h"

/*
 * Limit of chains of DIEs that describe the same thing; longer ones are damage, and may be
 * circular.
 */
enum { CHAIN_MAX = 16 };

bool die_read(const struct die *die, struct facts *facts)
{
	struct dwarf_unit *unit = die->unit;
	const struct abbrev_table *table = unit_abbrevs(unit);
	struct bytes b = unit_bytes(unit);
	const struct abbrev *abbrev;
	const uint8_t *start = b.pos;

	if (!table || die->offset < unit->first)
		return false;
	bytes_skip(&b, die->offset - unit->offset);
	abbrev = abbrev_find(table, bytes_uleb(&b));
	if (b.bad || !abbrev)
		return false;
	facts->tag = abbrev->tag;
	facts->children = abbrev->children;
	facts_read(facts, abbrev->attributes, &b, unit->offset + (uint64_t)(b.pos - start),
	           &unit->format);
	facts->behind = unit->offset + (uint64_t)(b.pos - start);
	return !b.bad;
}

/* The DIE at an offset of a file's .debug_info. */
static bool refer_in_file(struct dwarf_file *file, uint64_t offset, struct die *to)
{
	if (!file || !file->list_count)
		return false;
	to->unit = unit_at(&file->lists[0], offset);
	to->offset = offset;
	return to->unit != NULL;
}

bool die_refer(struct dwarf_unit *unit, const struct facts *facts, enum fact fact, struct die *to)
{
	struct dwarf_file *file = unit->list->file;
	uint64_t value = facts->value[fact];

	switch (facts->form[fact]) {
	case FORM_REF1:
	case FORM_REF2:
	case FORM_REF4:
	case FORM_REF8:
	case FORM_REF_UDATA:
		*to = (struct die){ unit, u64_add_sat(unit->offset, value) };
		return to->offset >= unit->first && to->offset < unit->next;
	case FORM_REF_ADDR:
		return refer_in_file(file, value, to);
	case FORM_GNU_REF_ALT:
	case FORM_REF_SUP4:
	case FORM_REF_SUP8:
		return refer_in_file(file->shared, value, to);
	case FORM_REF_SIG8:
		to->unit = unit_of_type(file, value);
		to->offset = to->unit ? u64_add_sat(to->unit->offset, to->unit->type_offset) : 0;
		return to->unit && to->offset < to->unit->next;
	default:
		return false;
	}
}

/*
 * Goes from a DIE to the next one that describes the same thing: its abstract instance, or its
 * declaration. False: there is none.
 */
static bool die_follow(struct die *die, const struct facts *facts)
{
	struct dwarf_unit *unit = die->unit;

	return die_refer(unit, facts, FACT_ORIGIN, die) ||
	       die_refer(unit, facts, FACT_SPECIFICATION, die);
}

bool die_find(struct die *die, enum fact fact, struct facts *facts)
{
	for (int chain = 0; chain < CHAIN_MAX; chain++) {
		if (!die_read(die, facts))
			return false;
		if (facts->form[fact])
			return true;
		if (!die_follow(die, facts))
			return false;
	}
	return false;
}

void die_find_origin(struct die *die)
{
	struct facts facts;

	for (int chain = 0; chain < CHAIN_MAX; chain++)
		if (!die_read(die, &facts) || !die_follow(die, &facts))
			return;
}
