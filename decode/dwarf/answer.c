#include "decode/dwarf/answer.h"

static bool is_split(const struct dwarf_reader *reader, const struct dwarf_file *file)
{
	return file != &reader->file && file != &reader->shared;
}

void reader_drop_tables(struct dwarf_reader *reader, bool all)
{
	size_t kept = 0;

	for (size_t i = 0; i < reader->table_count; i++) {
		struct table_slot *slot = &reader->tables[i];

		if (!all && !is_split(reader, slot->file))
			reader->tables[kept++] = *slot;
		else
			line_table_release(&slot->table);
	}
	reader->table_count = kept;
}

/* The bytes of the table at offset, as far as they are there. */
static struct bytes table_bytes(struct dwarf_file *file, uint64_t offset)
{
	struct section *section = &file->sections[DWARF_LINE];
	uint64_t left = section->full_size - u64_min(offset, section->full_size);
	struct bytes b = section_part(section, offset, u64_min(left, 12)), start = b;
	uint64_t size = bytes_uint(&b, 4);

	if (size == UINT32_MAX)
		size = bytes_uint(&b, 8);
	if (b.bad)
		return b;
	return section_part(section, offset,
	                    u64_min(u64_add_sat(size, (uint64_t)(b.pos - start.pos)), left));
}

/* The table at offset of the .debug_line of a file, read once; NULL: memory is refused. */
static struct line_table *table_at(struct dwarf_reader *reader, struct dwarf_file *file,
                                   uint64_t offset, const struct dwarf_unit *unit,
                                   const char *comp_dir)
{
	struct line_place place = { .line_str = &file->sections[DWARF_LINE_STR],
		                    .str = &file->sections[DWARF_STR],
		                    .comp_dir = comp_dir,
		                    .address_size = unit->format.address_size };
	struct table_slot *slot;

	for (size_t i = reader->table_count; i-- > 0;)
		if (reader->tables[i].file == file && reader->tables[i].offset == offset)
			return &reader->tables[i].table;
	if (reader->table_count == TABLES_MAX)
		reader_drop_tables(reader, true);
	slot = &reader->tables[reader->table_count];
	slot->file = file;
	slot->offset = offset;
	place.line = table_bytes(file, offset);
	if (!line_table_read(&slot->table, &place, reader->err)) {
		line_table_release(&slot->table);
		return NULL;
	}
	reader->table_count++;
	points_work(&reader->points, slot->table.file_count + slot->table.dir_count);
	return &slot->table;
}

struct line_table *reader_table(struct dwarf_reader *reader, const struct unit_halves *unit,
                                bool *none)
{
	uint64_t offset;

	*none = !facts_uint(&unit->main->facts, FACT_STMT_LIST, &offset);
	if (*none)
		return NULL;
	return table_at(reader, &reader->file, offset, unit->main, unit->comp_dir);
}

/* A unit's own text that outlives it: tables keep its compilation directory. */
static const char *lasting_text(struct dwarf_reader *reader, struct dwarf_unit *unit,
                                enum fact fact)
{
	const char *text = unit_text(unit, &unit->facts, fact);
	uint32_t string;

	if (!text)
		return NULL;
	string = strings_put_text(reader->query->strings, text, reader->err);
	return string == STRING_NONE ? NULL : strings_get(reader->query->strings, string);
}

/*
 * Whether the unit's split file has a table for it: gcc makes one, others use that of the unit that
 * names the file, and have one for types alone.
 */
static bool has_own_files(struct dwarf_unit *unit)
{
	const char *producer = unit_text(unit, &unit->facts, FACT_PRODUCER);

	return unit->list->file->sections[DWARF_LINE].file && producer &&
	       strncmp(producer, "GNU ", 4) == 0;
}

/*
 * The file with this number in the table of the unit that said it. STRING_NONE: memory is refused.
 */
static uint32_t file_of(struct dwarf_reader *reader, const struct unit_halves *unit,
                        struct dwarf_unit *said, uint64_t index)
{
	struct dwarf_file *file = said->list->file;
	const struct dwarf_unit *teller = unit->main;
	const char *comp_dir = unit->comp_dir;
	struct line_table *table;
	uint64_t offset = 0;

	if (is_split(reader, file)) {
		if (!has_own_files(unit->split))
			file = &reader->file;
	} else if (said != unit->main) {
		teller = said;
		comp_dir = lasting_text(reader, said, FACT_COMP_DIR);
	}
	if (!is_split(reader, file) && !facts_uint(&teller->facts, FACT_STMT_LIST, &offset))
		return STRING_EMPTY;
	table = table_at(reader, file, offset, unit->main, comp_dir);
	return table ? line_table_file(table, index, reader->query->strings, reader->err)
	             : STRING_NONE;
}

/*
 * The file that the unit was compiled from: where the functions belong that the compiler made up,
 * such as those that run static constructors.
 */
static uint32_t unit_file(struct dwarf_reader *reader, const struct unit_halves *unit)
{
	const char *name = unit_text(unit->split, &unit->split->facts, FACT_NAME);
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
static uint32_t decl_file(struct dwarf_reader *reader, const struct unit_halves *unit,
                          struct die die, bool *none)
{
	struct facts facts;
	uint64_t index;

	*none = !die_find(&reader->dies, &die, FACT_DECL_FILE, &facts);
	if (*none || !facts_uint(&facts, FACT_DECL_FILE, &index))
		return STRING_EMPTY;
	return file_of(reader, unit, die.unit, index);
}

/* The file of a function that names none: that of what is around its description. */
static uint32_t orphan_file(struct dwarf_reader *reader, const struct unit_halves *unit,
                            struct die die)
{
	const struct scan_orphan *orphan;
	struct facts facts;
	struct die holder;
	bool none;

	die_find_origin(&reader->dies, &die);
	if (die.unit != unit->split)
		return STRING_EMPTY;
	orphan = scan_orphan_find(&reader->scan, die.offset);
	if (!orphan)
		return STRING_EMPTY;
	if (!orphan->holder)
		return die_read(&reader->dies, &die, &facts) && facts.form[FACT_ARTIFICIAL]
		               ? unit_file(reader, unit)
		               : STRING_EMPTY;
	holder = (struct die){ unit->split, orphan->holder };
	return decl_file(reader, unit, holder, &none);
}

/* The file where the function is defined whose DIE it is. */
static uint32_t function_file(struct dwarf_reader *reader, const struct unit_halves *unit,
                              struct die die)
{
	bool none;
	uint32_t file = decl_file(reader, unit, die, &none);

	return none ? orphan_file(reader, unit, die) : file;
}

/* The same of a function that is inlined in many places. */
static uint32_t inlined_file(struct dwarf_reader *reader, const struct unit_halves *unit,
                             struct die origin)
{
	struct map *files = &reader->names.files;
	uint64_t key = names_key(&reader->names, &origin);
	uint32_t file = map_get(files, key);

	if (file != MAP_NONE)
		return file;
	file = function_file(reader, unit, origin);
	if (file != STRING_NONE && file != STRING_EMPTY && !map_put(files, key, file, reader->err))
		return STRING_NONE;
	return file;
}

/* Where an inlined function was called from, as its DIE says: the place of the frame around it. */
static bool read_call(struct dwarf_reader *reader, const struct unit_halves *unit,
                      struct scan_node *node, const struct facts *facts)
{
	uint64_t value;

	node->call_file = STRING_EMPTY;
	if (facts_uint(facts, FACT_CALL_FILE, &value))
		node->call_file = file_of(reader, unit, unit->split, value);
	if (facts_uint(facts, FACT_CALL_LINE, &value))
		node->call_line = (uint32_t)u64_min(value, UINT32_MAX);
	return node->call_file != STRING_NONE;
}

/* Fills in what a node's DIEs say of it, once. False: memory is refused. */
static bool describe_node(struct dwarf_reader *reader, const struct unit_halves *unit,
                          struct scan_node *node)
{
	struct die die = { unit->split, node->offset }, origin;
	bool inlined = node->parent != POINT_NONE, named = reader->query->inlines;
	struct facts facts;

	if (node->file != STRING_NONE)
		return true;
	if (inlined && !die_read(&reader->dies, &die, &facts)) {
		node->name = node->file = node->call_file = STRING_EMPTY;
		return reader->err->code == ERR_NONE;
	}
	if (inlined && !read_call(reader, unit, node, &facts))
		return false;
	/* a call has no name of its own, and there may be many of one function */
	if (inlined && die_refer(die.unit, &facts, FACT_ORIGIN, &origin)) {
		node->name = named ? inlined_name(&reader->names, &origin) : STRING_EMPTY;
		node->file = inlined_file(reader, unit, origin);
	} else {
		node->name = named ? function_name(&reader->names, &die) : STRING_EMPTY;
		node->file = function_file(reader, unit, die);
	}
	return node->name != STRING_NONE && node->file != STRING_NONE &&
	       reader->err->code == ERR_NONE;
}

/* The frames of an address, from the innermost to the function itself. */
static bool answer_frames(struct dwarf_reader *reader, const struct unit_halves *unit,
                          const struct point *point)
{
	struct source_addr *addr = &reader->query->addrs[point->source];
	uint32_t number = point->node, file = addr->file, line = addr->line;

	addr->frame = (uint32_t)reader->query->frame_count;
	addr->frame_count = 0;
	do {
		struct source_frame *frame = source_frame_add(reader->query, reader->err);
		struct scan_node *node;

		if (!frame)
			return false;
		addr->frame_count++;
		frame->file = file;
		frame->line = line;
		if (number == POINT_NONE)
			break;
		node = &reader->scan.nodes[number];
		if (!describe_node(reader, unit, node))
			return false;
		frame->function = node->name;
		/*
		 * Go does not say it of what it inlines: what is executed there is in that file,
		 * too
		 */
		frame->decl_file = node->file == STRING_EMPTY ? file : node->file;
		file = node->call_file;
		line = node->call_line;
		number = node->parent;
	} while (number != POINT_NONE && points_work(&reader->points, 1));
	return true;
}

/* Takes over the row that the unit has found. */
static bool answer_row(struct dwarf_reader *reader, const struct unit_halves *unit,
                       struct point *point)
{
	struct source_addr *addr;
	uint32_t file;

	if (point->placed || point->sequence == UINT64_MAX)
		return true;
	file = point->entry_string = file_of(reader, unit, unit->main, point->row_file);
	if (point->entry_file != point->row_file)
		point->entry_string = file_of(reader, unit, unit->main, point->entry_file);
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
static bool answer_function(struct dwarf_reader *reader, const struct unit_halves *unit,
                            const struct point *point)
{
	uint32_t *out = &reader->query->functions[point->function].file;
	struct scan_node *nodes = reader->scan.nodes;
	uint32_t outer = point->node, inlined = POINT_NONE, file = STRING_EMPTY;

	if (*out && point->node == POINT_NONE)
		return true;
	while (outer != POINT_NONE && nodes[outer].parent != POINT_NONE) {
		inlined = outer;
		outer = nodes[outer].parent;
	}
	if (outer != POINT_NONE && !describe_node(reader, unit, &nodes[outer]))
		return false;
	if (outer != POINT_NONE)
		file = nodes[outer].file;
	if (file == STRING_EMPTY && reader->scan.inlines) {
		if (inlined == POINT_NONE)
			file = point->placed ? point->entry_string : STRING_EMPTY;
		else if (!describe_node(reader, unit, &nodes[inlined]))
			return false;
		else
			file = nodes[inlined].call_file;
	}
	if (file != STRING_EMPTY)
		*out = file;
	return file != STRING_NONE;
}

static bool answer_point(struct dwarf_reader *reader, const struct unit_halves *unit,
                         struct point *point)
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

bool reader_answer(struct dwarf_reader *reader, const struct unit_halves *unit)
{
	for (size_t i = 0; i < reader->points.claimed_count; i++)
		if (!answer_point(reader, unit, &reader->points.items[reader->points.claimed[i]]))
			return false;
	return true;
}
