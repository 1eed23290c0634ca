#ifdef HAVE_LIBDW
#include "decode/dwarf/reader.h"

#include <dwarf.h>

const char *dwarf_text_attr(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

bool dwarf_uint_attr(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

const struct dwarf_sections *reader_sections(struct dwarf_reader *reader, Dwarf *dwarf)
{
	if (dwarf == reader->main.dwarf)
		return &reader->main;
	if (dwarf != reader->other.dwarf)
		dwarf_sections_find(&reader->other, dwarf);
	return &reader->other;
}

void reader_drop_splits(struct dwarf_reader *reader)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->table_count; i++) {
		struct table_slot *slot = &reader->tables[i];

		if (slot->dwarf == reader->file.dwarf || slot->dwarf == reader->shared.dwarf)
			reader->tables[kept++] = *slot;
		else
			line_table_release(&slot->table);
	}
	reader->table_count = kept;
	reader->other.dwarf = NULL;
	names_drop_splits(&reader->names);
}

/* The table at offset of the .debug_line that goes with dwarf, read once; NULL: memory refused. */
static struct line_table *table_at(struct dwarf_reader *reader, Dwarf *dwarf, uint64_t offset,
                                   uint8_t address_size, const char *comp_dir)
{
	const struct dwarf_sections *sections = reader_sections(reader, dwarf);
	struct table_slot *slot;

	for (size_t i = reader->table_count; i-- > 0;)
		if (reader->tables[i].dwarf == dwarf && reader->tables[i].offset == offset)
			return &reader->tables[i].table;
	if (reader->table_count == TABLES_MAX)
		while (reader->table_count)
			line_table_release(&reader->tables[--reader->table_count].table);
	slot = &reader->tables[reader->table_count];
	slot->dwarf = dwarf;
	slot->offset = offset;
	if (!line_table_read(&slot->table, &sections->lines, offset, address_size, comp_dir,
	                     reader->err)) {
		line_table_release(&slot->table);
		return NULL;
	}
	reader->table_count++;
	points_work(&reader->points, slot->table.file_count + slot->table.dir_count);
	return &slot->table;
}

struct line_table *reader_table(struct dwarf_reader *reader, const struct unit *unit, bool *none)
{
	Dwarf_Die die = unit->die;
	uint64_t offset;

	*none = !dwarf_uint_attr(&die, DW_AT_stmt_list, &offset);
	if (*none)
		return NULL;
	return table_at(reader, reader->file.dwarf, offset, unit->scan.format.address_size,
	                unit->comp_dir);
}

/*
 * Whether the unit's split file has a table for it: gcc makes one, others use that of the unit that
 * names the file, and have one for types alone.
 */
static bool has_own_files(struct dwarf_reader *reader, const struct unit *unit)
{
	Dwarf_Die split = unit->split;
	const char *producer = dwarf_text_attr(&split, DW_AT_producer);

	return bytes_left(&reader_sections(reader, unit->dwarf)->lines.line) && producer &&
	       strncmp(producer, "GNU ", 4) == 0;
}

/*
 * The file with this number in the table of the unit that said it. STRING_NONE: memory refused.
 */
static uint32_t file_of(struct dwarf_reader *reader, const struct unit *unit, Dwarf_CU *cu,
                        uint64_t index)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cu);
	const char *comp_dir = unit->comp_dir;
	struct line_table *table;
	uint64_t offset = 0;
	Dwarf_Die die = unit->die;

	if (dwarf != reader->file.dwarf && dwarf != reader->shared.dwarf) {
		if (!has_own_files(reader, unit))
			dwarf = reader->file.dwarf;
	} else if (cu != unit->die.cu) {
		if (!dwarf_cu_die(cu, &die, NULL, NULL, NULL, NULL, NULL, NULL))
			return STRING_EMPTY;
		comp_dir = dwarf_text_attr(&die, DW_AT_comp_dir);
	}
	if ((dwarf == reader->file.dwarf || dwarf == reader->shared.dwarf) &&
	    !dwarf_uint_attr(&die, DW_AT_stmt_list, &offset))
		return STRING_EMPTY;
	table = table_at(reader, dwarf, offset, unit->scan.format.address_size, comp_dir);
	return table ? line_table_file(table, index, reader->query->strings, reader->err)
	             : STRING_NONE;
}

/*
 * The file that the unit was compiled from: where the functions belong that the compiler made up,
 * such as those that run static constructors.
 */
static uint32_t unit_file(struct dwarf_reader *reader, const struct unit *unit)
{
	Dwarf_Die die = unit->split;
	const char *name = dwarf_text_attr(&die, DW_AT_name);
	struct line_table *table;
	bool none;

	/* "<artificial>" is what link-time optimisation puts together. */
	if (!name || !*name || *name == '<')
		return STRING_EMPTY;
	table = reader_table(reader, unit, &none);
	if (table)
		return line_table_primary(table, name, reader->query->strings, reader->err);
	return none ? STRING_EMPTY : STRING_NONE;
}

/* The file that a DIE, or one that it refers to, is declared in. *none: it is not said. */
static uint32_t decl_file(struct dwarf_reader *reader, const struct unit *unit, Dwarf_Die *die,
                          bool *none)
{
	Dwarf_Attribute attr;
	Dwarf_Word index;

	*none = !dwarf_attr_integrate(die, DW_AT_decl_file, &attr);
	if (*none || dwarf_formudata(&attr, &index) != 0)
		return STRING_EMPTY;
	return file_of(reader, unit, attr.cu, index);
}

/* The file of a function that names none: that of what is around its description. */
static uint32_t orphan_file(struct dwarf_reader *reader, const struct unit *unit, Dwarf_Die *die)
{
	const struct scan_orphan *orphan;
	Dwarf_Die holder;
	bool none;

	dwarf_find_origin(die);
	if (die->cu != unit->split.cu)
		return STRING_EMPTY;
	orphan = scan_orphan_find(&reader->scan, dwarf_dieoffset(die));
	if (!orphan)
		return STRING_EMPTY;
	if (!orphan->holder)
		return dwarf_hasattr(die, DW_AT_artificial) ? unit_file(reader, unit)
		                                            : STRING_EMPTY;
	if (!dwarf_offdie(unit->dwarf, orphan->holder, &holder))
		return STRING_EMPTY;
	return decl_file(reader, unit, &holder, &none);
}

/* The file where a node's function is defined. */
static uint32_t node_file(struct dwarf_reader *reader, const struct unit *unit, uint32_t number)
{
	struct scan_node *node = &reader->scan.nodes[number];
	Dwarf_Die die;
	bool none;

	if (node->file != STRING_NONE)
		return node->file;
	node->file = STRING_EMPTY;
	if (!dwarf_offdie(unit->dwarf, node->offset, &die))
		return STRING_EMPTY;
	node->file = decl_file(reader, unit, &die, &none);
	if (none)
		node->file = orphan_file(reader, unit, &die);
	return node->file;
}

/* The name of a node's function. */
static uint32_t node_name(struct dwarf_reader *reader, const struct unit *unit, uint32_t number)
{
	struct scan_node *node = &reader->scan.nodes[number];

	if (node->name == STRING_NONE)
		node->name = reader_name(reader, unit, node->offset, node->parent != POINT_NONE);
	return node->name;
}

/* Where an inlined function was called from: the place of the frame around it. */
static bool call_site(struct dwarf_reader *reader, const struct unit *unit, uint32_t number,
                      uint32_t *file, uint32_t *line)
{
	uint64_t value;
	Dwarf_Die die;

	*file = *line = 0;
	if (!dwarf_offdie(unit->dwarf, reader->scan.nodes[number].offset, &die))
		return true;
	if (dwarf_uint_attr(&die, DW_AT_call_file, &value))
		*file = file_of(reader, unit, die.cu, value);
	if (dwarf_uint_attr(&die, DW_AT_call_line, &value))
		*line = (uint32_t)u64_min(value, UINT32_MAX);
	return *file != STRING_NONE;
}

/* The frames of an address, from the innermost to the function itself. */
static bool answer_frames(struct dwarf_reader *reader, const struct unit *unit,
                          const struct point *point)
{
	struct source_addr *addr = &reader->query->addrs[point->source];
	uint32_t node = point->node, file = addr->file, line = addr->line;

	addr->frame = (uint32_t)reader->query->frame_count;
	addr->frame_count = 0;
	do {
		struct source_frame *frame = source_frame_add(reader->query, reader->err);

		if (!frame)
			return false;
		addr->frame_count++;
		frame->file = file;
		frame->line = line;
		if (node == POINT_NONE)
			break;
		frame->function = node_name(reader, unit, node);
		frame->decl_file = node_file(reader, unit, node);
		/* Go does not say it of what it inlines: what is executed there is in that file, too */
		if (frame->decl_file == STRING_EMPTY)
			frame->decl_file = file;
		if (frame->function == STRING_NONE || frame->decl_file == STRING_NONE)
			return false;
		if (reader->scan.nodes[node].parent == POINT_NONE)
			break;
		if (!call_site(reader, unit, node, &file, &line))
			return false;
		node = reader->scan.nodes[node].parent;
	} while (points_work(&reader->points, 1));
	return true;
}

/* Takes over the row that the unit has found. */
static bool answer_row(struct dwarf_reader *reader, const struct unit *unit, struct point *point)
{
	struct source_addr *addr;
	uint32_t file;

	if (point->placed || point->sequence == UINT64_MAX)
		return true;
	file = point->entry_string = file_of(reader, unit, unit->die.cu, point->row_file);
	if (point->entry_file != point->row_file)
		point->entry_string = file_of(reader, unit, unit->die.cu, point->entry_file);
	if (file == STRING_NONE || point->entry_string == STRING_NONE)
		return false;
	point->placed = true;
	if (point->source == POINT_NONE)
		return true;
	addr = &reader->query->addrs[point->source];
	addr->file = file;
	addr->line = file ? (uint32_t)u64_min(point->row_line, UINT32_MAX) : 0;
	return true;
}

/*
 * The file of the function that starts at a point. Where debug information does not say it, it is
 * where the outermost inlined function is called from, and without one that of the first row.
 */
static bool answer_function(struct dwarf_reader *reader, const struct unit *unit,
                            const struct point *point)
{
	uint32_t *out = &reader->query->functions[point->function].file;
	uint32_t outer = point->node, inlined = POINT_NONE, file = STRING_EMPTY, line;

	if (*out && point->node == POINT_NONE)
		return true;
	while (outer != POINT_NONE && reader->scan.nodes[outer].parent != POINT_NONE) {
		inlined = outer;
		outer = reader->scan.nodes[outer].parent;
	}
	if (outer != POINT_NONE)
		file = node_file(reader, unit, outer);
	if (file == STRING_EMPTY && reader->scan.inlines) {
		if (inlined == POINT_NONE)
			file = point->placed ? point->entry_string : STRING_EMPTY;
		else if (!call_site(reader, unit, inlined, &file, &line))
			return false;
	}
	if (file != STRING_EMPTY)
		*out = file;
	return file != STRING_NONE;
}

static bool answer(struct dwarf_reader *reader, const struct unit *unit, struct point *point)
{
	bool open = !point->placed, node = point->node != POINT_NONE;
	struct source_addr *addr = NULL;

	if (point->done)
		node = false;
	if (!answer_row(reader, unit, point))
		return false;
	if (point->function != POINT_NONE && !point->done) {
		if (!answer_function(reader, unit, point))
			return false;
		/* Without a file it is read again, with inlined functions and rows. */
		point->done = node && (reader->scan.inlines ||
		                       reader->query->functions[point->function].file);
	} else {
		point->done |= node;
	}
	if (point->source != POINT_NONE)
		addr = &reader->query->addrs[point->source];
	if (!addr || !reader->query->inlines)
		return true;
	if (node || (open && point->placed && !addr->frame_count))
		return answer_frames(reader, unit, point);
	return true;
}

bool reader_answer(struct dwarf_reader *reader, const struct unit *unit)
{
	for (size_t i = 0; i < reader->claimed_count; i++)
		if (!answer(reader, unit, &reader->points.items[reader->claimed[i]]))
			return false;
	return true;
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_answer_unused;
#endif
