#include "decode/dwarf/die.h"

/*
 * Limit of chains of DIEs that describe the same thing; longer ones are damage, and may be
 * circular.
 */
enum { CHAIN_MAX = 16 };

bool die_read(const struct die *die, struct die_facts *facts)
{
	struct dwarf_unit *unit = die->unit;
	const struct abbrev_table *table = unit_abbrevs(unit);
	struct bytes b = unit_bytes(unit);
	const struct abbrev *abbrev;
	const uint8_t *start = b.pos;
	uint64_t cost = 0;

	if (!table || die->offset < unit->first)
		return false;
	bytes_skip(&b, die->offset - unit->offset);
	if (b.bad)
		return false;
	abbrev = abbrev_find(table, bytes_uleb(&b));
	if (abbrev)
		cost = facts_read(facts, abbrev, &b, unit->offset + (uint64_t)(b.pos - start),
		                  &unit->format);
	facts->behind = unit->offset + (uint64_t)(b.pos - start);
	/* any number of DIEs may refer to this one */
	cost += facts->behind - die->offset;
	return points_work(unit->list->file->points, cost) && abbrev && !b.bad;
}

/* The unit with the DIE at an offset of a file's .debug_info. */
static struct dwarf_unit *unit_in_file(struct dwarf_file *file, uint64_t offset)
{
	return file && file->list_count ? unit_at(&file->lists[0], offset) : NULL;
}

bool die_refer(struct dwarf_unit *unit, const struct die_facts *facts, enum die_fact fact,
               struct die *to)
{
	struct dwarf_file *file = unit->list->file;
	struct die found = { unit, facts->value[fact] };

	switch (facts->form[fact]) {
	case FORM_REF1:
	case FORM_REF2:
	case FORM_REF4:
	case FORM_REF8:
	case FORM_REF_UDATA:
		found.offset = u64_add_sat(unit->offset, found.offset);
		break;
	case FORM_REF_ADDR:
		found.unit = unit_in_file(file, found.offset);
		break;
	case FORM_GNU_REF_ALT:
	case FORM_REF_SUP4:
	case FORM_REF_SUP8:
		found.unit = unit_in_file(file->shared, found.offset);
		break;
	case FORM_REF_SIG8:
		found.unit = unit_of_type(file, found.offset);
		if (found.unit)
			found.offset = u64_add_sat(found.unit->offset, found.unit->type_offset);
		break;
	default:
		return false;
	}
	if (!found.unit || found.offset < found.unit->first || found.offset >= found.unit->next)
		return false;
	*to = found;
	return true;
}

bool die_find(struct die *die, enum die_fact fact, struct die_facts *facts)
{
	for (int chain = 0; chain < CHAIN_MAX; chain++) {
		struct dwarf_unit *unit = die->unit;

		if (!die_read(die, facts))
			return false;
		if (facts->form[fact])
			return true;
		/* its abstract instance, or its declaration */
		if (!die_refer(unit, facts, FACT_ORIGIN, die) &&
		    !die_refer(unit, facts, FACT_SPECIFICATION, die))
			return false;
	}
	return false;
}

void die_find_origin(struct die *die)
{
	struct die_facts facts;

	die_find(die, FACT_NONE, &facts);
}
