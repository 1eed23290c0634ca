#include "decode/dwarf/dwarf.h"

#ifdef HAVE_LIBDW
#include "decode/dwarf/reader.h"
#include "decode/dwarf/unit.h"
#include "util/memory.h"
#include "util/vec.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

/* Pages of the file are given back after that many bytes were read. */
enum { FORGET_BYTES = 8 << 20 };

/* Bytes that libdw takes for each unit that it has seen, and as many again. */
#define UNIT_MEMORY ((size_t)2048)

static bool add_claim(struct dwarf_reader *reader, size_t point)
{
	uint32_t *grown = vec_grow(reader->claimed, reader->claimed_count,
	                           &reader->claimed_capacity, sizeof(*grown), reader->err);

	if (!grown)
		return false;
	reader->claimed = grown;
	reader->claimed[reader->claimed_count++] = (uint32_t)point;
	return true;
}

/* Claims the points in [low, high) for the current unit. */
static bool claim(struct dwarf_reader *reader, uint64_t low, uint64_t high)
{
	struct points *points = &reader->points;

	if (low < reader->file.image.lowest)
		return true;
	for (size_t i = points_from(points, low); i < points->count; i++) {
		struct point *point = &points->items[i];

		if (point->addr >= high || !points_work(points, 1))
			break;
		if (point->unit == reader->unit || (point->done && point->placed))
			continue;
		point->unit = reader->unit;
		point->node = POINT_NONE;
		point->size = UINT64_MAX;
		if (!point->placed)
			point->sequence = UINT64_MAX;
		if (!add_claim(reader, i))
			return false;
	}
	return true;
}

static void claim_range(void *context, uint64_t low, uint64_t high)
{
	struct dwarf_reader *reader = context;

	if (reader->err->code == ERR_NONE)
		claim(reader, low, high);
}

/* Whether any claimed point is an address that has no row yet. */
static bool needs_rows(const struct dwarf_reader *reader)
{
	for (size_t i = 0; i < reader->claimed_count; i++) {
		const struct point *point = &reader->points.items[reader->claimed[i]];

		if (!point->placed && point->source != POINT_NONE)
			return true;
	}
	return false;
}

/*
 * Whether any claimed point is a function without a file. *again: the unit's functions must be read
 * again for it; the points are made ready for that.
 */
static bool needs_more(struct dwarf_reader *reader, bool *again)
{
	bool any = false;

	*again = false;
	for (size_t i = 0; i < reader->claimed_count; i++) {
		struct point *point = &reader->points.items[reader->claimed[i]];

		if (point->function == POINT_NONE ||
		    reader->query->functions[point->function].file != STRING_EMPTY)
			continue;
		any = true;
		if (!point->done && point->node != POINT_NONE) {
			*again = true;
			point->node = POINT_NONE;
			point->size = UINT64_MAX;
		}
	}
	return any;
}

static bool run_rows(struct dwarf_reader *reader, struct unit *unit)
{
	bool none;
	struct line_table *table = reader_table(reader, unit, &none);

	if (!table)
		return none;
	reader->touched += bytes_left(&table->program);
	return line_table_run(table, &reader->points, reader->unit, reader->err);
}

/* Cuts off the front of a section, for what counts from a base. */
static struct bytes from_base(const struct bytes *section, uint64_t base)
{
	struct bytes b = bytes_at(section, base);

	b.bad = false;
	return b;
}

/* What the scan must know beyond the unit's header. */
static void unit_bases(struct dwarf_reader *reader, struct unit *unit)
{
	const struct dwarf_sections *sections = reader_sections(reader, unit->dwarf);
	bool split = unit->dwarf != reader->file.dwarf;
	struct scan_unit *scan = &unit->scan;
	uint64_t base = 0;
	Dwarf_Addr low;

	scan->base = dwarf_lowpc(&unit->die, &low) == 0 ? low : 0;
	scan->lowest = reader->file.image.lowest;
	if (!dwarf_uint_attr(&unit->die, DW_AT_addr_base, &base))
		dwarf_uint_attr(&unit->die, DW_AT_GNU_addr_base, &base);
	scan->addrs = from_base(&reader->main.addr, base);
	base = 0;
	dwarf_uint_attr(&unit->die, DW_AT_GNU_ranges_base, &base);
	scan->ranges = from_base(&reader->main.ranges, split ? base : 0);
	scan->rnglists = sections->rnglists;
	/* A split file's lists follow one header: length, version, sizes, count. */
	scan->rnglists_base = scan->format.offset_size == 8 ? 20 : 12;
	if (!split && dwarf_uint_attr(&unit->die, DW_AT_rnglists_base, &base))
		scan->rnglists_base = base;
}

bool reader_place(struct dwarf_reader *reader, Dwarf_CU *cu, struct scan_unit *place)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cu);
	const struct dwarf_sections *sections = reader_sections(reader, dwarf);
	Dwarf_Off abbrevs, end, start;
	Dwarf_Half version;
	Dwarf_Die die;

	if (!dwarf_cu_die(cu, &die, &version, &abbrevs, &place->format.address_size,
	                  &place->format.offset_size, NULL, NULL))
		return false;
	place->format.version = version;
	place->first = dwarf_dieoffset(&die);
	start = place->first - dwarf_cuoffset(&die);
	if (dwarf_next_unit(dwarf, start, &end, NULL, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	place->end = end;
	place->info = sections->info;
	place->abbrevs = bytes_at(&sections->abbrev, abbrevs);
	return true;
}

/*
 * Finds where the unit's DIEs are: in the main file, or in the split one that it names. *found:
 * they can be read. False with err set only when memory is refused.
 */
static bool unit_locate(struct dwarf_reader *reader, struct unit *unit, bool *found)
{
	Dwarf_Die split = unit->die;

	*found = false;
	reader_drop_splits(reader);
	if (!splits_find(&reader->splits, &unit->die, &reader->points, &split, reader->err))
		return false;
	unit->split = split;
	unit->dwarf = dwarf_cu_getdwarf(split.cu);
	if (!reader_place(reader, split.cu, &unit->scan))
		return true;
	unit->comp_dir = dwarf_text_attr(&unit->die, DW_AT_comp_dir);
	if (!unit->comp_dir)
		unit->comp_dir = dwarf_text_attr(&split, DW_AT_comp_dir);
	unit_bases(reader, unit);
	*found = true;
	return true;
}

/* Reads the unit's functions, its rows, or both, and answers from them. */
static bool read_once(struct dwarf_reader *reader, struct unit *unit, bool functions, bool rows)
{
	if (functions) {
		reader->touched += unit->scan.end - unit->scan.first;
		if (!scan_unit(&reader->scan, &unit->scan, reader->unit, reader->err))
			return false;
	}
	if (rows && !run_rows(reader, unit))
		return false;
	return reader_answer(reader, unit);
}

/* Answers the points that the unit has claimed. */
static bool read_claimed(struct dwarf_reader *reader, Dwarf_Die *die)
{
	struct unit unit = { .die = *die };
	bool ok, again, found;

	if (!reader->claimed_count)
		return true;
	if (!unit_locate(reader, &unit, &found) || !found)
		return !found && reader->err->code == ERR_NONE;
	reader->scan.scoped = reader->query->inlines && dwarf_has_scopes(unit.split.cu);
	ok = read_once(reader, &unit, true, needs_rows(reader));
	if (ok && needs_more(reader, &again)) {
		reader->scan.inlines = true;
		ok = read_once(reader, &unit, again, true);
		reader->scan.inlines = reader->query->inlines;
	}
	if (reader->touched >= FORGET_BYTES) {
		dwarf_image_forget(&reader->file.image);
		dwarf_image_forget(&reader->shared.image);
		splits_forget(&reader->splits);
		reader->touched = 0;
	}
	return ok;
}

static bool add_anywhere(struct dwarf_reader *reader, uint64_t offset)
{
	uint64_t *grown = vec_grow(reader->anywhere, reader->anywhere_count,
	                           &reader->anywhere_capacity, sizeof(*grown), reader->err);

	if (!grown)
		return false;
	reader->anywhere = grown;
	reader->anywhere[reader->anywhere_count++] = offset;
	return true;
}

/* Has libdw find a DIE. False if there is none; with err set if there may be too little memory. */
static bool find_die(struct dwarf_reader *reader, uint64_t offset, Dwarf_Die *die)
{
	/* it takes in all units up to there */
	size_t size = DWARF_MEMORY + (reader->passed - reader->known) * UNIT_MEMORY;

	reader->known = reader->passed;
	if (reader->limited && !memory_has(size, reader->err))
		return false;
	return dwarf_offdie(reader->file.dwarf, offset, die);
}

static bool read_unit(struct dwarf_reader *reader, const struct dwarf_unit *unit)
{
	const struct dwarf_code *code = &unit->code;
	Dwarf_Die die;

	reader->unit++;
	reader->claimed_count = 0;
	if (!code->high_form && !code->ranges_form)
		return add_anywhere(reader, unit->scan.first);
	code_each(code, &unit->scan, &reader->points, claim_range, reader);
	if (reader->err->code != ERR_NONE)
		return false;
	if (!reader->claimed_count || !find_die(reader, unit->scan.first, &die))
		return reader->err->code == ERR_NONE;
	return read_claimed(reader, &die);
}

/* Units that do not say where their code is are asked about all that is still open. */
static bool read_anywhere(struct dwarf_reader *reader)
{
	for (size_t i = 0; i < reader->anywhere_count; i++) {
		Dwarf_Die die;

		reader->unit++;
		reader->claimed_count = 0;
		if (!claim(reader, reader->file.image.lowest, UINT64_MAX))
			return false;
		if (find_die(reader, reader->anywhere[i], &die) && !read_claimed(reader, &die))
			return false;
		if (reader->err->code != ERR_NONE)
			return false;
	}
	return true;
}

static bool read_units(struct dwarf_reader *reader)
{
	struct dwarf_unit unit = { 0 };

	while (points_work(&reader->points, 1) &&
	       dwarf_unit_read(&unit, &reader->main, unit.next, &reader->points)) {
		reader->passed++;
		if (unit.has_code && !read_unit(reader, &unit))
			return false;
	}
	return read_anywhere(reader);
}

static void release(struct dwarf_reader *reader)
{
	while (reader->table_count)
		line_table_release(&reader->tables[--reader->table_count].table);
	scan_release(&reader->scan);
	names_release(&reader->names);
	free(reader->points.items);
	free(reader->claimed);
	free(reader->anywhere);
	splits_release(&reader->splits);
	dwarf_file_release(&reader->file);
	dwarf_file_release(&reader->shared);
}

/* False if there is nothing to read; with err set: memory refused. */
static bool open_files(struct dwarf_reader *reader, struct diag *diag)
{
	const struct source_query *query = reader->query;

	if (!dwarf_file_open(&reader->file, query->path, reader->err))
		return false;
	dwarf_file_open_shared(&reader->shared, &reader->file, query->path, query->symfs, diag,
	                       reader->err);
	return reader->err->code == ERR_NONE;
}

/* Answers the query from the open files. */
static bool read_all(struct dwarf_reader *reader)
{
	dwarf_sections_find(&reader->main, reader->file.dwarf);
	reader->scan.points = &reader->points;
	reader->scan.functions = true;
	reader->scan.inlines = reader->query->inlines;
	if (!points_make(&reader->points, reader->query, reader->err))
		return false;
	reader->points.work = WORK_MIN + reader->points.count * (uint64_t)WORK_PER_POINT;
	points_pay(&reader->points, reader->file.image.file_size);
	/* what was refused in between may be missing */
	return read_units(reader) && memory_has(DWARF_MEMORY, reader->err);
}

/* Says in the error that memory was refused what it was for, and what can be done. */
static void advise(struct err *err, const char *path)
{
	uint64_t size = err->size;

	*err = (struct err){ .code = ERR_NONE };
	err_set(err, ERR_NOMEM,
	        "%s: out of memory: %" PRIu64
	        " more bytes were needed for its debug information; --no-source does without",
	        path, size);
	err->size = size;
}

bool dwarf_lookup(struct source_query *query, bool *unreadable, struct diag *diag, struct err *err)
{
	struct dwarf_reader *reader = calloc(1, sizeof(*reader));
	bool ok;

	*unreadable = false;
	source_clear(query);
	if (!reader)
		return err_nomem(err, sizeof(*reader));
	reader->query = query;
	reader->err = err;
	reader->limited = memory_is_limited();
	splits_init(&reader->splits, query, diag);
	if (open_files(reader, diag) && read_all(reader) && !reader->points.work)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: debug information is damaged, reading it was given up", query->path);
	ok = err->code == ERR_NONE;
	if (!ok)
		advise(err, query->path);
	*unreadable = ok && reader->file.image.changed && !bytes_left(&reader->main.info);
	release(reader);
	free(reader);
	return ok;
}
#else
bool dwarf_lookup(struct source_query *query, bool *unreadable, struct diag *diag, struct err *err)
{
	(void)diag;
	(void)err;
	source_clear(query);
	*unreadable = true;
	return true;
}
#endif
