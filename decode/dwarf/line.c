#include "decode/dwarf/line.h"

#include "util/path.h"
#include "util/vec.h"

#include <stdlib.h>

enum { LINE_VERSION_MIN = 2, LINE_VERSION_MAX = 5 };

/* Content types of DWARF 5 entries. */
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

/* Standard and extended opcodes. */
enum {
	OP_EXTENDED,
	OP_COPY,
	OP_ADVANCE_PC,
	OP_ADVANCE_LINE,
	OP_SET_FILE,
	OP_CONST_ADD_PC = 8,
	OP_FIXED_ADVANCE_PC
};
enum { OP_END_SEQUENCE = 1, OP_SET_ADDRESS = 2, OP_DEFINE_FILE = 3 };

static bool add_dir(struct line_table *table, const char *name)
{
	return vec_append(&table->dirs, &table->dir_count, &table->dir_capacity, &name,
	                  sizeof(name), table->file->err);
}

static bool add_file(struct line_table *table, const char *name, uint64_t dir)
{
	const struct line_file file = { name, dir, STRING_NONE };

	return vec_append(&table->files, &table->file_count, &table->file_capacity, &file,
	                  sizeof(file), table->file->err);
}

/* Reads a text in the form of an entry; NULL if that form is not for texts. */
static const char *entry_text(const struct line_table *table, struct bytes *b, uint32_t form)
{
	struct section *sections = table->file->sections;

	if (form == FORM_STRING)
		return bytes_text(b);
	if (form == FORM_LINE_STRP || form == FORM_STRP)
		return section_text(&sections[form == FORM_STRP ? DWARF_STR : DWARF_LINE_STR],
		                    form_uint(b, form, &table->format), table->file->points);
	form_skip(b, form, &table->format);
	return NULL;
}

/*
 * Reads one of the two lists of DWARF 5: directories or files, each described by its own formats.
 */
static bool read_entries(struct line_table *table, struct bytes *b, bool files)
{
	uint8_t format_count = bytes_u8(b);
	struct bytes formats = *b;
	uint64_t count;

	for (unsigned i = 0; i < format_count; i++) {
		bytes_uleb(b);
		bytes_uleb(b);
	}
	formats.end = b->pos;
	count = bytes_uleb(b);
	/* an entry takes at least one byte, so no more entries are possible */
	for (count = u64_min(count, bytes_left(b)); count && !b->bad; count--) {
		struct bytes f = formats;
		const char *name = NULL;
		uint64_t dir = 0;

		/* each entry goes through all formats, even if it has no bytes itself */
		if (!points_work(table->file->points, bytes_left(&f)))
			break;
		while (bytes_left(&f)) {
			uint64_t content = bytes_uleb(&f);
			uint32_t form = (uint32_t)u64_min(bytes_uleb(&f), UINT32_MAX);

			if (content == CONTENT_PATH)
				name = entry_text(table, b, form);
			else if (content == CONTENT_DIRECTORY)
				dir = form_uint(b, form, &table->format);
			else
				form_skip(b, form, &table->format);
		}
		if (b->bad)
			break;
		if (files ? !add_file(table, name, dir) : !add_dir(table, name))
			return false;
	}
	return true;
}

/* Reads the lists of DWARF 2 to 4: texts, ended by an empty one. */
static bool read_lists(struct line_table *table, struct bytes *b)
{
	const char *name;

	while ((name = bytes_text(b)) && *name)
		if (!add_dir(table, name))
			return false;
	while ((name = bytes_text(b)) && *name) {
		uint64_t dir = bytes_uleb(b);

		bytes_uleb(b); /* time */
		bytes_uleb(b); /* size */
		if (!b->bad && !add_file(table, name, dir))
			return false;
	}
	return true;
}

bool line_table_read(struct line_table *table, struct bytes b)
{
	struct bytes program;
	uint64_t size;

	size = bytes_part_length(&b, &table->format.offset_size);
	if (b.bad)
		return true;
	b.end = b.pos + u64_min(size, bytes_left(&b));
	table->format.version = (uint16_t)bytes_uint(&b, 2);
	if (table->format.version < LINE_VERSION_MIN || table->format.version > LINE_VERSION_MAX)
		return true;
	if (table->format.version >= 5) {
		table->format.address_size = bytes_u8(&b);
		bytes_u8(&b); /* size of a segment selector */
	}
	size = bytes_uint(&b, table->format.offset_size);
	program = bytes_at(&b, size);
	table->min_length = bytes_u8(&b);
	table->max_ops = table->format.version >= 4 ? bytes_u8(&b) : 1;
	bytes_u8(&b); /* default_is_stmt */
	table->line_base = (int8_t)bytes_u8(&b);
	table->line_range = bytes_u8(&b);
	table->opcode_base = bytes_u8(&b);
	table->opcode_lengths = b.pos;
	bytes_skip(&b, table->opcode_base ? table->opcode_base - 1u : 0);
	if (b.bad || program.bad)
		return true;
	table->program = program;
	b.end = program.pos > b.pos ? program.pos : b.pos;
	/* in a damaged file tables may lie over each other */
	if (!points_work(table->file->points, bytes_left(&b)))
		return true;
	if (table->format.version < 5)
		return read_lists(table, &b);
	return read_entries(table, &b, false) && read_entries(table, &b, true);
}

void line_table_release(struct line_table *table)
{
	free(table->dirs);
	free(table->files);
	*table = (struct line_table){ 0 };
}

/*
 * The directory that a file's directory is relative to. In DWARF 5 directory 0 is that of the
 * compilation itself.
 */
static const char *base_dir(const struct line_table *table, const struct line_file *file)
{
	if (table->format.version >= 5 && file->dir == 0 && table->comp_dir &&
	    *table->comp_dir != '/')
		return NULL;
	return table->comp_dir;
}

/* Takes the steps for reading a text, or NULL, from the budget. False when it is used up. */
static bool pay_text(const struct line_table *table, const char *text)
{
	return points_work(table->file->points, text ? strlen(text) : 0);
}

uint32_t line_table_file(struct line_table *table, uint64_t index, struct strings *strings)
{
	/* before DWARF 5, directory 0 is that of the compilation, and is not in the list */
	uint64_t base = table->format.version >= 5 ? 0 : 1;
	struct line_file *file;
	const char *dir = NULL, *outer;

	if (index < base || index - base >= table->file_count)
		return STRING_EMPTY;
	file = &table->files[index - base];
	if (!file->name || !*file->name)
		return STRING_EMPTY;
	if (file->dir >= base && file->dir - base < table->dir_count)
		dir = table->dirs[file->dir - base];
	if (file->string != STRING_NONE)
		return file->string;
	outer = base_dir(table, file);
	/* any number of files may be in one directory */
	if (!pay_text(table, outer) || !pay_text(table, dir))
		return STRING_EMPTY;
	file->string = source_path_put(strings, outer, dir, file->name, table->file->err);
	return file->string;
}

uint32_t line_table_primary(struct line_table *table, const char *name, struct strings *strings)
{
	const char *base = path_base(name);

	if (table->format.version >= 5)
		return line_table_file(table, 0, strings);
	/* the list may be searched for any number of functions */
	if (!points_work(table->file->points, table->file_count * strlen(name)) ||
	    !pay_text(table, table->comp_dir))
		return STRING_EMPTY;
	for (size_t i = 0; i < table->file_count; i++) {
		const char *file = table->files[i].name;

		if (file && (strcmp(file, name) == 0 || strcmp(file, base) == 0))
			return line_table_file(table, i + 1, strings);
	}
	return source_path_put(strings, table->comp_dir, NULL, name, table->file->err);
}

/* The registers of the line number program, and what was found. */
struct line_state {
	uint64_t addr, file, line, op_index;
	/* The previous row, which is valid up to the current address. */
	uint64_t prev_addr, prev_file, prev_line;
	uint64_t first_file; /* of the first row at prev_addr */
	uint64_t sequence;   /* address of the sequence's first row */
	bool open;           /* a sequence has begun */
	size_t next;         /* index of the first point at or above prev_addr */
	uint64_t next_addr;  /* its address */
};

static void state_reset(struct line_state *state)
{
	*state = (struct line_state){ .file = 1, .line = 1 };
}

/* Assigns the previous row to all points that it covers. */
static void cover_points(struct line_state *state, struct points *points)
{
	size_t i = state->next;

	for (; i < points->count && points->items[i].addr < state->addr; i++) {
		struct point *point = &points->items[i];

		if (point->placed || !points_are_claimed(points, i) ||
		    point->sequence <= state->sequence)
			continue;
		/* a row of an earlier sequence with exactly this start came first */
		point->sequence = state->sequence;
		point->row_file = state->prev_file;
		point->row_line = state->prev_line;
		point->entry_file = point->addr == state->prev_addr ? state->first_file
		                                                    : state->prev_file;
	}
	points_work(points, i - state->next);
	state->next = i;
	state->next_addr = i < points->count ? points->items[i].addr : UINT64_MAX;
}

static void emit_row(struct line_state *state, struct points *points)
{
	if (!state->open || state->addr < state->prev_addr) {
		if (!state->open)
			state->sequence = state->addr;
		state->open = true;
		state->next = points_from(points, state->addr);
		state->next_addr = 0;
		state->first_file = state->file;
	} else if (state->addr != state->prev_addr) {
		if (state->addr > state->next_addr)
			cover_points(state, points);
		state->first_file = state->file;
	}
	state->prev_addr = state->addr;
	state->prev_file = state->file;
	state->prev_line = state->line;
}

static void advance_address(struct line_state *state, const struct line_table *table,
                            uint64_t steps)
{
	if (table->max_ops > 1) {
		steps += state->op_index;
		state->op_index = steps % table->max_ops;
		steps /= table->max_ops;
	}
	state->addr += steps * table->min_length;
}

static bool run_extended(struct line_state *state, struct line_table *table)
{
	uint64_t size = bytes_uleb(&table->program);
	struct bytes b = table->program;
	const char *name;
	uint64_t dir;

	bytes_skip(&table->program, size);
	if (table->program.bad || size == 0)
		return true;
	b.end = table->program.pos;
	switch (bytes_u8(&b)) {
	case OP_END_SEQUENCE:
		emit_row(state, table->file->points);
		state_reset(state);
		break;
	case OP_SET_ADDRESS:
		state->addr = bytes_uint(&b, (unsigned)u64_min(size - 1, 16));
		state->op_index = 0;
		break;
	case OP_DEFINE_FILE:
		name = bytes_text(&b);
		dir = bytes_uleb(&b);
		/* it is defined again for each unit that shares the program */
		if (name && points_work(table->file->points, sizeof(struct line_file)))
			return add_file(table, name, dir);
		break;
	default:
		break;
	}
	return true;
}

static void run_standard(struct line_state *state, struct line_table *table, uint8_t opcode)
{
	struct bytes *b = &table->program;

	switch (opcode) {
	case OP_COPY:
		emit_row(state, table->file->points);
		break;
	case OP_ADVANCE_PC:
		advance_address(state, table, bytes_uleb(b));
		break;
	case OP_ADVANCE_LINE:
		state->line += (uint64_t)bytes_sleb(b);
		break;
	case OP_SET_FILE:
		state->file = bytes_uleb(b);
		break;
	case OP_CONST_ADD_PC:
		advance_address(state, table, (255u - table->opcode_base) / table->line_range);
		break;
	case OP_FIXED_ADVANCE_PC:
		state->addr += bytes_uint(b, 2);
		state->op_index = 0;
		break;
	default: /* columns, and what else is of no use here */
		for (unsigned i = 0; i < table->opcode_lengths[opcode - 1]; i++)
			bytes_uleb(b);
	}
}

bool line_table_run(struct line_table *table)
{
	struct points *points = table->file->points;
	struct bytes *b = &table->program;
	const struct bytes start = *b;
	struct line_state state;
	bool ok = true;

	state_reset(&state);
	if (table->line_range == 0 || !points_work(points, bytes_left(b)))
		return true;
	/* rows that go back and forth cost more than their bytes */
	while (ok && bytes_left(b) && points->work) {
		uint8_t opcode = bytes_u8(b);

		if (opcode >= table->opcode_base) {
			uint8_t step = (uint8_t)(opcode - table->opcode_base);

			advance_address(&state, table, step / table->line_range);
			state.line += (uint64_t)(int64_t)(table->line_base +
			                                  step % table->line_range);
			emit_row(&state, points);
		} else if (opcode == OP_EXTENDED) {
			ok = run_extended(&state, table);
		} else {
			run_standard(&state, table, opcode);
		}
	}
	*b = start;
	return ok;
}
