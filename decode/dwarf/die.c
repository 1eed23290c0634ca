#include "decode/dwarf/die.h"

/*
 * Limit of chains of DIEs that describe the same thing; longer ones are damage, and may be
 * circular.
 */
enum { CHAIN_MAX = 16 };

void dies_release(struct dies *dies)
{
	for (uint32_t i = 0; i < dies->slot_count; i++)
		abbrev_table_release(&dies->slots[i].table);
	dies->slot_count = dies->slot_next = 0;
}

void dies_forget(struct dies *dies, const struct dwarf_file *file)
{
	for (uint32_t i = 0; i < dies->slot_count; i++)
		if (dies->slots[i].file == file)
			dies->slots[i].file = NULL;
}

static bool slot_is_of(const struct abbrev_slot *slot, const struct dwarf_unit *unit)
{
	return slot->file == unit->list->file && slot->offset == unit->abbrevs;
}

/* A slot for another table. */
static struct abbrev_slot *free_slot(struct dies *dies)
{
	struct abbrev_slot *slot;

	if (dies->slot_count < ABBREV_TABLES_MAX)
		return &dies->slots[dies->slot_count++];
	slot = &dies->slots[dies->slot_next++ % ABBREV_TABLES_MAX];
	abbrev_table_release(&slot->table);
	return slot;
}

const struct abbrev_table *dies_abbrevs(struct dies *dies, struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->list->file;
	struct abbrev_slot *slot;
	struct bytes section;

	if (unit->slot < dies->slot_count && slot_is_of(&dies->slots[unit->slot], unit))
		return &dies->slots[unit->slot].table;
	for (uint32_t i = dies->slot_count; i-- > 0;) {
		if (slot_is_of(&dies->slots[i], unit)) {
			unit->slot = i;
			return &dies->slots[i].table;
		}
	}
	section = section_whole(&file->sections[DWARF_ABBREV]);
	bytes_skip(&section, unit->abbrevs);
	if (section.bad)
		return NULL;
	slot = free_slot(dies);
	*slot = (struct abbrev_slot){ file, unit->abbrevs, { 0 } };
	if (!abbrev_table_read(&slot->table, section, file->err)) {
		slot->file = NULL;
		return NULL;
	}
	points_work(file->points, slot->table.size);
	unit->slot = (uint32_t)(slot - dies->slots);
	return &slot->table;
}

bool die_read(struct dies *dies, const struct die *die, struct facts *facts)
{
	struct dwarf_unit *unit = die->unit;
	const struct abbrev_table *table = dies_abbrevs(dies, unit);
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

bool die_find(struct dies *dies, struct die *die, enum fact fact, struct facts *facts)
{
	for (int chain = 0; chain < CHAIN_MAX; chain++) {
		if (!die_read(dies, die, facts))
			return false;
		if (facts->form[fact])
			return true;
		if (!die_follow(die, facts))
			return false;
	}
	return false;
}

void die_find_origin(struct dies *dies, struct die *die)
{
	struct facts facts;

	for (int chain = 0; chain < CHAIN_MAX; chain++)
		if (!die_read(dies, die, &facts) || !die_follow(die, &facts))
			return;
}
