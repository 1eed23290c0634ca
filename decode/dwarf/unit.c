#include "decode/dwarf/unit.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

/* Lengths from this one on have a special meaning. */
#define LENGTH_ESCAPES UINT64_C(0xfffffff0)
/*
 * Bytes read at once for a unit's header and DIE. Most are smaller; a DIE with long texts may be
 * larger.
 */
enum { AHEAD_SIZE = 4096, AHEAD_MAX = 1 << 20 };
/* Cost of reading a unit's header again, compared with reading a byte. */
enum { UNIT_WORK = 256 };

void unit_list_release(struct unit_list *list)
{
	unit_list_unload(list);
	section_release(&list->section);
	free(list->found);
	free(list->ahead);
}

/* Reads the header. b is moved to the unit's DIE and cut to the unit. */
static bool read_header(struct dwarf_unit *unit, struct bytes *b, uint64_t left)
{
	struct dwarf_format *format = &unit->format;
	const uint8_t *start = b->pos;
	uint64_t length = bytes_part_length(b, &format->offset_size);

	if (format->offset_size == 4 && length >= LENGTH_ESCAPES)
		return false;
	left -= u64_min(left, (uint64_t)(b->pos - start));
	if (b->bad || length > left)
		return false;
	unit->next = unit->offset + (uint64_t)(b->pos - start) + length;
	b->end = b->pos + u64_min(length, bytes_left(b));
	format->version = (uint16_t)bytes_uint(b, 2);
	unit->kind = unit->list->types ? UNIT_TYPE : UNIT_COMPILE;
	if (format->version >= 5) {
		unit->kind = bytes_u8(b);
		format->address_size = bytes_u8(b);
	}
	unit->abbrevs = bytes_uint(b, format->offset_size);
	if (format->version < 5)
		format->address_size = bytes_u8(b);
	if (unit->kind == UNIT_SKELETON || unit->kind == UNIT_SPLIT_COMPILE ||
	    unit->kind == UNIT_TYPE || unit->kind == UNIT_SPLIT_TYPE)
		unit->id = bytes_uint(b, 8);
	if (unit->kind == UNIT_TYPE || unit->kind == UNIT_SPLIT_TYPE)
		unit->type_offset = bytes_uint(b, format->offset_size);
	unit->first = unit->offset + (uint64_t)(b->pos - start);
	unit->readable = !b->bad && format->version >= 2 && format->version <= 5;
	return true;
}

/* Finds the bases for references of the unit's DIE, and of the DIEs in it. */
static void find_bases(struct dwarf_unit *unit)
{
	struct section *sections = unit->list->file->sections;
	struct code_place *place = &unit->place;
	uint64_t base = 0;

	place->format = unit->format;
	facts_uint(&unit->facts, FACT_ADDR_BASE, &base);
	place->addrs = section_whole(&sections[DWARF_ADDR]);
	bytes_skip(&place->addrs, base);
	place->addrs.bad = false;
	place->ranges = section_whole(&sections[DWARF_RANGES]);
	place->rnglists = section_whole(&sections[DWARF_RNGLISTS]);
	/* lists of split files follow a single header: length, version, sizes, count */
	place->rnglists_base = unit->format.offset_size == 8 ? 20 : 12;
	facts_uint(&unit->facts, FACT_RNGLISTS_BASE, &place->rnglists_base);
	if (!code_addr(&unit->facts, FACT_LOW_PC, place, &place->base))
		place->base = 0;
}

/*
 * Reads the unit's DIE, which starts at the front of b. False: b or the DIE ends too early; the
 * attributes before that are kept.
 */
static bool read_facts(struct dwarf_unit *unit, struct bytes b)
{
	struct dwarf_file *file = unit->list->file;
	struct bytes table = section_whole(&file->sections[DWARF_ABBREV]), start;
	const uint8_t *front = b.pos;
	struct abbrev abbrev = { 0 };
	uint64_t code = bytes_uleb(&b);
	bool found;

	bytes_skip(&table, unit->abbrevs);
	start = table;
	found = !b.bad && !table.bad && abbrev_walk(&table, code, &abbrev);
	points_work(file->points, (uint64_t)(table.pos - start.pos));
	if (!found)
		return false;
	points_work(file->points,
	            facts_read(&unit->facts, &abbrev, &b, unit->first + (uint64_t)(b.pos - front),
	                       &unit->format));
	return !b.bad;
}

/* Finds the kind of an older unit by its attributes. */
static void find_kind(struct dwarf_unit *unit)
{
	if (unit->format.version < 5 && unit->kind == UNIT_COMPILE) {
		facts_uint(&unit->facts, FACT_DWO_ID, &unit->id);
		if (unit->facts.form[FACT_DWO_ID])
			unit->kind = unit->facts.form[FACT_DWO_NAME] && !unit->facts.children
			                     ? UNIT_SKELETON
			                     : UNIT_SPLIT_COMPILE;
	}
	unit->has_code = (unit->kind == UNIT_COMPILE || unit->kind == UNIT_SKELETON) &&
	                 (unit->facts.tag == TAG_COMPILE_UNIT ||
	                  unit->facts.tag == TAG_SKELETON_UNIT);
}

/* Reads the unit whose header is at offset. False: there is none. */
static bool read_unit(struct unit_list *list, uint64_t offset, struct dwarf_unit *unit)
{
	struct section *section = &list->section;
	uint64_t left = section->full_size - u64_min(offset, section->full_size);
	struct bytes b;

	*unit = (struct dwarf_unit){ .list = list, .offset = offset };
	if (!left)
		return false;
	b = section_fetch(section, offset, u64_min(AHEAD_SIZE, left), &list->ahead);
	if (b.bad || !read_header(unit, &b, left))
		return false;
	if (!unit->readable)
		return list->file->err->code == ERR_NONE;
	unit->readable = read_facts(unit, b);
	/* more bytes than were read ahead, for a DIE with long texts */
	if (!unit->readable && bytes_left(&b) < unit->next - unit->first) {
		b = section_fetch(section, unit->first,
		                  u64_min(AHEAD_MAX, unit->next - unit->first), &list->ahead);
		unit->readable = read_facts(unit, b);
	}
	if (unit->readable)
		find_kind(unit);
	if (unit->readable)
		find_bases(unit);
	return list->file->err->code == ERR_NONE;
}

static bool note_header(struct unit_list *list, const struct dwarf_unit *unit)
{
	const struct unit_header header = { unit->offset, NULL };

	if (unit->offset != list->walked)
		return true;
	list->walked = unit->next;
	return vec_append(&list->found, &list->count, &list->capacity, &header, sizeof(header),
	                  list->file->err);
}

bool unit_list_next(struct unit_list *list, uint64_t *offset, struct dwarf_unit *unit)
{
	if (!points_work(list->file->points, 1) || !read_unit(list, *offset, unit)) {
		if (*offset == list->walked)
			list->walked = UINT64_MAX;
		return false;
	}
	*offset = unit->next;
	return note_header(list, unit);
}

/* The last header found at or before offset; NULL: there is none. */
static struct unit_header *header_near(const struct unit_list *list, uint64_t offset)
{
	size_t behind = search_until(list->found, list->count, sizeof(*list->found), offset);

	return behind ? &list->found[behind - 1] : NULL;
}

struct dwarf_unit *unit_keep(const struct dwarf_unit *unit)
{
	struct unit_header *header = header_near(unit->list, unit->offset);
	struct dwarf_file *file = unit->list->file;

	/* it was found when it was read first, unless the file has changed since */
	if (!header || header->offset != unit->offset)
		return NULL;
	if (!header->kept && (header->kept = arena_alloc(&file->arena, sizeof(*unit), file->err)))
		*header->kept = *unit;
	return header->kept;
}

/* Reads and keeps the unit whose header is at or before offset. NULL: it cannot be read. */
static struct dwarf_unit *kept_unit(struct unit_list *list, uint64_t offset)
{
	const struct unit_header *header = header_near(list, offset);
	struct dwarf_unit unit, *kept = header ? header->kept : NULL;

	if (header && !kept && points_work(list->file->points, UNIT_WORK) &&
	    read_unit(list, header->offset, &unit))
		kept = unit_keep(&unit);
	return kept && kept->readable ? kept : NULL;
}

struct dwarf_unit *unit_at(struct unit_list *list, uint64_t offset)
{
	uint64_t walked = list->walked;
	struct dwarf_unit unit, *kept;

	while (walked <= offset && unit_list_next(list, &walked, &unit))
		continue;
	kept = kept_unit(list, offset);
	return kept && offset >= kept->first && offset < kept->next ? kept : NULL;
}

static bool find_types(struct dwarf_file *file, struct unit_list *list)
{
	struct dwarf_unit unit;
	uint64_t offset = 0;

	while (unit_list_next(list, &offset, &unit)) {
		const struct type_place place = { list, unit.offset };

		if (unit.kind != UNIT_TYPE && unit.kind != UNIT_SPLIT_TYPE)
			continue;
		if (!vec_append(&file->type_places, &file->type_count, &file->type_capacity, &place,
		                sizeof(place), file->err) ||
		    !map_put(&file->types, unit.id, (uint32_t)file->type_count - 1, file->err))
			return false;
	}
	return file->err->code == ERR_NONE;
}

struct dwarf_unit *unit_of_type(struct dwarf_file *file, uint64_t signature)
{
	const struct type_place *place;
	uint32_t number;

	for (size_t i = 0; !file->types_known && i < file->list_count; i++)
		if (!find_types(file, &file->lists[i]))
			return NULL;
	file->types_known = true;
	number = map_get(&file->types, signature);
	if (number == MAP_NONE)
		return NULL;
	place = &file->type_places[number];
	return kept_unit(place->list, place->offset);
}

struct bytes unit_bytes(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->list->file;
	struct section *section = &unit->list->section;
	uint64_t size = unit->next - unit->offset;
	struct bytes b;

	if (unit->data)
		return bytes_over(unit->data, (size_t)size, section->file->elf.swap);
	b = section_fetch(section, unit->offset, size, &unit->data);
	if (unit->data) {
		points_work(file->points, size);
		file->loaded += size;
	}
	return b;
}

void *read_tables_put(struct read_tables *tables, uint64_t offset, size_t size, bool *known,
                      struct err *err)
{
	uint32_t number = map_number(&tables->numbers, offset, err);
	void *item;

	*known = number < tables->count;
	if (*known)
		return tables->items[number];
	if (number == MAP_NONE || !vec_room(&tables->items, tables->count, &tables->capacity,
	                                    sizeof(*tables->items), err))
		return NULL;
	item = vec_new(1, size, err);
	if (item)
		tables->items[tables->count++] = item;
	return item;
}

const struct abbrev_table *unit_abbrevs(struct dwarf_unit *unit)
{
	struct dwarf_file *file = unit->list->file;
	struct abbrev_table *table;
	struct bytes section;
	uint64_t memory;
	bool known;

	if (unit->abbrev_table)
		return unit->abbrev_table;
	section = section_whole(&file->sections[DWARF_ABBREV]);
	bytes_skip(&section, unit->abbrevs);
	if (section.bad)
		return NULL;
	table = read_tables_put(&file->abbrevs, unit->abbrevs, sizeof(*table), &known, file->err);
	if (table && !known) {
		if (!abbrev_table_read(table, section, file->err))
			return NULL;
		memory = table->count * sizeof(*table->items);
		/* in a damaged file tables may overlap, so the budget limits their memory, too */
		points_work(file->points, table->size + memory);
		file->loaded += memory;
	}
	unit->abbrev_table = table;
	return table;
}

void unit_unload(struct dwarf_unit *unit)
{
	if (unit->data)
		unit->list->file->loaded -= unit->next - unit->offset;
	free(unit->data);
	unit->data = NULL;
	unit->abbrev_table = NULL;
	free(unit->scopes.items);
	unit->scopes = (struct unit_scopes){ 0 };
}

void unit_list_unload(struct unit_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->found[i].kept)
			unit_unload(list->found[i].kept);
}

/* The text at an offset of the section, which is in the unit. */
static const char *text_in_unit(struct dwarf_unit *unit, uint64_t offset)
{
	struct bytes b = unit_bytes(unit);
	const uint8_t *start;
	const char *text;

	bytes_skip(&b, offset - unit->offset);
	start = b.pos;
	text = bytes_text(&b);
	return points_work(unit->list->file->points, (uint64_t)(b.pos - start)) ? text : NULL;
}

/* The text with this number in the unit's list of texts. */
static const char *indexed_text(struct dwarf_unit *unit, uint64_t index)
{
	struct section *sections = unit->list->file->sections;
	struct bytes b = section_whole(&sections[DWARF_STR_OFFSETS]);
	/* without a base, the list begins after a header, or, before DWARF 5, without one */
	uint64_t size = unit->format.offset_size, offset, base = 0;
	bool bad = false;

	if (unit->format.version >= 5)
		base = size == 8 ? 16 : 8;
	facts_uint(&unit->facts, FACT_STR_OFFSETS_BASE, &base);
	bytes_skip(&b, base);
	offset = bytes_item(b, index, (unsigned)size, &bad);
	return bad ? NULL : section_text(&sections[DWARF_STR], offset, unit->list->file->points);
}

const char *unit_text(struct dwarf_unit *unit, const struct die_facts *facts, enum die_fact fact)
{
	struct dwarf_file *file = unit->list->file;
	uint64_t value = facts->value[fact];

	switch (facts->form[fact]) {
	case FORM_STRING:
		return text_in_unit(unit, value);
	case FORM_STRP:
		return section_text(&file->sections[DWARF_STR], value, file->points);
	case FORM_LINE_STRP:
		return section_text(&file->sections[DWARF_LINE_STR], value, file->points);
	case FORM_STRP_SUP:
	case FORM_GNU_STRP_ALT:
		return file->shared ? section_text(&file->shared->sections[DWARF_STR], value,
		                                   file->points)
		                    : NULL;
	case FORM_STRX:
	case FORM_STRX1:
	case FORM_STRX2:
	case FORM_STRX3:
	case FORM_STRX4:
	case FORM_GNU_STR_INDEX:
		return indexed_text(unit, value);
	default:
		return NULL;
	}
}
