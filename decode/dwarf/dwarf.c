#include "decode/dwarf/dwarf.h"

#include "decode/dwarf/answer.h"
#include "decode/files/procfiles.h"
#include "decode/files/rootfs.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>

/* Cached data is released when it exceeds so many bytes. */
enum { FORGET_BYTES = 8 << 20 };

static void claim_point(void *context, size_t number, uint64_t size)
{
	(void)size;
	points_claim(context, number);
}

/* Whether a claimed point is an address without a row so far. */
static bool needs_rows(const struct dwarf_reader *reader)
{
	for (size_t i = 0; i < reader->points.claimed_count; i++) {
		const struct point *point = &reader->points.items[reader->points.claimed[i]];

		if (!point->placed && point->source != POINT_NONE)
			return true;
	}
	return false;
}

/*
 * Whether a claimed point is a function without a file. *again: the unit's functions must be read
 * once more for that, and the points have been prepared for it.
 */
static bool needs_more(struct dwarf_reader *reader, bool *again)
{
	bool any = false;

	*again = false;
	for (size_t i = 0; i < reader->points.claimed_count; i++) {
		struct point *point = &reader->points.items[reader->points.claimed[i]];

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

static bool run_rows(struct dwarf_reader *reader)
{
	struct line_table *table = reader_table(reader);

	return table ? line_table_run(table) : reader->err->code == ERR_NONE;
}

/*
 * Finds the half of the unit that is to be scanned: it is in the main file, or in its split file.
 * False: it cannot be read.
 */
static bool find_halves(struct dwarf_reader *reader)
{
	struct dwarf_unit *main = reader->main;
	struct code_place *place;
	uint64_t base = 0;

	reader->split = splits_find(&reader->splits, main);
	if (!reader->split || !unit_abbrevs(reader->split) || unit_bytes(reader->split).bad)
		return false;
	place = &reader->split->place;
	if (reader->split != main) {
		place->addrs = main->place.addrs;
		place->base = main->place.base;
	}
	if (reader->split != main && main->format.version < 5) {
		facts_uint(&main->facts, FACT_RANGES_BASE, &base);
		place->ranges = bytes_at(&main->place.ranges, base);
	}
	reader->comp_dir = reader_comp_dir(reader, main);
	if (!reader->comp_dir)
		reader->comp_dir = reader_comp_dir(reader, reader->split);
	return reader->err->code == ERR_NONE;
}

/*
 * Reads the unit for the points that it has claimed or, if its code may be anywhere, that it
 * covers.
 */
static bool read_halves(struct dwarf_reader *reader)
{
	struct points *points = &reader->points;
	struct scan *scan = &reader->scan;
	bool again, ok;

	scan->inlines = reader->query->inlines;
	scan->scoped = scan->inlines && unit_has_scopes(reader->split);
	scan->brief = !scan->inlines && !points->anywhere;
	ok = scan_unit(scan, reader->split) &&
	     ((!points->anywhere && !needs_rows(reader)) || run_rows(reader)) &&
	     reader_answer(reader);
	points->anywhere = false;
	if (ok && scan->skipped && needs_more(reader, &again)) {
		scan->brief = false;
		ok = scan_unit(scan, reader->split) && reader_answer(reader);
	}
	if (!ok || !needs_more(reader, &again))
		return ok;
	scan->inlines = true;
	return (!again || scan_unit(scan, reader->split)) && run_rows(reader) &&
	       reader_answer(reader);
}

/* Releases the memory of data that can be read again, if there is much of it. */
static void unload_unit(struct dwarf_reader *reader)
{
	struct dwarf_file *file = &reader->file;

	unit_unload(reader->main);
	if (file->loaded + reader->shared.loaded < FORGET_BYTES)
		return;
	dwarf_file_forget(file);
	if (file->shared)
		dwarf_file_forget(file->shared);
}

/* Answers the points that the unit has claimed, or that it covers. */
static bool read_unit(struct dwarf_reader *reader, const struct dwarf_unit *found)
{
	bool ok = true;

	reader->main = unit_keep(found);
	if (!reader->main)
		return false;
	if (find_halves(reader))
		ok = read_halves(reader);
	unload_unit(reader);
	return ok && reader->err->code == ERR_NONE;
}

/*
 * Whether a unit may have code at other addresses than it says. DWARF 2 has no ranges: a unit with
 * code in several sections gives no address, or that of one section. In the output of perf inject
 * --jit only rows have addresses.
 */
static bool may_be_anywhere(const struct dwarf_unit *unit)
{
	const uint16_t *form = unit->facts.form;

	return (unit->facts.children || form[FACT_STMT_LIST]) && !form[FACT_RANGES] &&
	       (!form[FACT_HIGH_PC] || unit->format.version == 2);
}

static bool read_units(struct dwarf_reader *reader)
{
	struct unit_list *list = &reader->file.lists[0];
	struct dwarf_unit unit;
	uint64_t offset = 0, start = 0;

	for (; points_work(&reader->points, 1) && unit_list_next(list, &offset, &unit);
	     start = offset) {
		if (!unit.readable || !unit.has_code)
			continue;
		if (may_be_anywhere(&unit) &&
		    !vec_append(&reader->anywhere, &reader->anywhere_count,
		                &reader->anywhere_capacity, &start, sizeof(start), reader->err))
			return false;
		points_next_unit(&reader->points, false);
		code_each(&unit.facts, &unit.place, &reader->points, claim_point, &reader->points);
		if (reader->points.claimed_count && !read_unit(reader, &unit))
			return false;
	}
	return reader->err->code == ERR_NONE;
}

/* Reads the units that do not say where their code is, for all points that have no answer yet. */
static bool read_anywhere(struct dwarf_reader *reader)
{
	struct unit_list *list = &reader->file.lists[0];
	struct dwarf_unit unit;

	for (size_t i = 0; i < reader->anywhere_count; i++) {
		uint64_t offset = reader->anywhere[i];

		points_next_unit(&reader->points, true);
		if (!points_work(&reader->points, 1) || !unit_list_next(list, &offset, &unit))
			break;
		if (!read_unit(reader, &unit))
			return false;
	}
	return reader->err->code == ERR_NONE;
}

static void release_reader(struct dwarf_reader *reader)
{
	scan_release(&reader->scan);
	splits_release(&reader->splits);
	dwarf_file_release(&reader->file);
	dwarf_file_release(&reader->shared);
	points_release(&reader->points);
	free(reader->anywhere);
}

/* The lowest address of code; 0 if there is none. */
static uint64_t lowest_code(const struct elf *elf)
{
	uint64_t lowest = UINT64_MAX;

	/* files that are not linked have code from address 0 on */
	if (elf->type == ET_REL)
		return 0;
	for (size_t i = 0; i < elf->section_count; i++)
		if ((elf->sections[i].flags & SHF_EXECINSTR) && elf->sections[i].size)
			lowest = u64_min(lowest, elf->sections[i].addr);
	return lowest == UINT64_MAX ? 0 : lowest;
}

static bool read_all(struct dwarf_reader *reader, struct diag *diag)
{
	struct source_query *query = reader->query;

	points_pay(&reader->points, reader->file.source.elf.size);
	dwarf_file_open_shared(&reader->shared, &reader->file, query->path, query->symfs, diag);
	reader->points.lowest = lowest_code(&reader->file.source.elf);
	reader->scan.functions = true;
	return reader->err->code == ERR_NONE && read_units(reader) && read_anywhere(reader);
}

/* Adds to the error about refused memory what the memory was for, and what the user can do. */
static void explain_refusal(struct err *err, const char *path)
{
	uint64_t size = err->size;

	*err = (struct err){ .code = ERR_NONE };
	err_set(err, ERR_NOMEM,
	        "%s: out of memory: %" PRIu64
	        " more bytes were needed for its debug information; --no-source does without",
	        path, size);
	err->size = size;
}

static void warn_of_gaps(const struct dwarf_reader *reader, struct diag *diag)
{
	const char *path = reader->query->path;

	if (reader->file.source.changed)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: cannot be read any more; it may have been changed", path);
	else if (!reader->points.work)
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: debug information is damaged; reading it was stopped", path);
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
	reader->splits = (struct splits){
		.query = query, .diag = diag, .points = &reader->points, .err = err
	};
	ok = points_make(&reader->points, query, err);
	reader->points.work = WORK_MIN + reader->points.count * (uint64_t)WORK_PER_POINT;
	if (ok && reader->points.count &&
	    dwarf_file_open(&reader->file, proc_files_open(query->helper, NULL, query->path),
	                    &reader->points, err) &&
	    reader->file.list_count && read_all(reader, diag))
		warn_of_gaps(reader, diag);
	ok = err->code == ERR_NONE;
	if (!ok)
		explain_refusal(err, query->path);
	*unreadable = ok && reader->file.source.packed && reader->file.list_count &&
	              (reader->file.lists[0].section.bad ||
	               reader->file.sections[DWARF_ABBREV].bad);
	release_reader(reader);
	free(reader);
	return ok;
}
