#include "decode/stacks/cfi.h"

#include "decode/stacks/cfiprogram.h"
#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>

/* Limit of entries nested in one another when an address is looked up. */
#define NESTED_MAX 8

void cfi_release(struct cfi *cfi)
{
	free(cfi->eh_index.ranges);
	free(cfi->debug_index.ranges);
	memset(&cfi->eh_index, 0, sizeof(cfi->eh_index));
	memset(&cfi->debug_index, 0, sizeof(cfi->debug_index));
}

/* A section as the reader of entries wants it. */
static struct frame_section section_of(const struct cfi *cfi, const struct cfi_section *section,
                                       bool eh)
{
	return (struct frame_section){ .data = section->data,
		                       .size = section->size,
		                       .addr = section->addr,
		                       .text_addr = cfi->text_addr,
		                       .data_addr = cfi->data_addr,
		                       .eh = eh,
		                       .wide = true,
		                       .swap = cfi->swap };
}

static int compare_ranges(const void *first, const void *second)
{
	const struct cfi_range *a = first, *b = second;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end) /* the longest first, so that the others are nested in it */
		return a->end > b->end ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Makes an index of all entries of a section. False with err set when memory is refused. */
static bool make_index(struct cfi_index *index, const struct frame_section *section,
                       struct err *err)
{
	struct frame_entry entry = { 0 };
	uint64_t offset = 0, next;
	enum frame_parsed parsed;

	index->made = true;
	while ((parsed = frame_entry_parse(section, offset, &entry, &next)) != FRAME_END) {
		if (parsed == FRAME_ENTRY) {
			if (!vec_room(&index->ranges, index->count, &index->capacity,
			              sizeof(*index->ranges), err))
				return false;
			index->ranges[index->count++] = (struct cfi_range){ entry.start, entry.end,
				                                            offset };
		}
		offset = next;
	}
	if (index->count)
		qsort(index->ranges, index->count, sizeof(*index->ranges), compare_ranges);
	return true;
}

/* Finds the FDE with the innermost range that covers the address. */
static bool search_index(const struct cfi_index *index, uint64_t addr, uint64_t *offset)
{
	size_t low = search_until(index->ranges, index->count, sizeof(*index->ranges), addr);

	for (size_t i = 0; i < NESTED_MAX && low; i++) {
		low--;
		if (addr < index->ranges[low].end) {
			*offset = index->ranges[low].entry;
			return true;
		}
	}
	return false;
}

/* Computes the row of the entry at that offset, if the entry covers the address. */
static bool row_at(const struct frame_section *section, uint64_t offset, uint64_t addr,
                   struct cfi_row *row)
{
	struct frame_entry entry = { 0 };
	uint64_t next;

	return frame_entry_parse(section, offset, &entry, &next) == FRAME_ENTRY &&
	       addr >= entry.start && addr < entry.end &&
	       cfi_program_run(section, &entry, addr, row);
}

static bool find_in_index(struct cfi_index *index, const struct frame_section *section,
                          uint64_t addr, struct cfi_row *row, struct err *err)
{
	uint64_t offset;

	if (!section->data || (!index->made && !make_index(index, section, err)))
		return false;
	return search_index(index, addr, &offset) && row_at(section, offset, addr, row);
}

bool cfi_find_row(struct cfi *cfi, uint64_t addr, struct cfi_row *row, struct err *err)
{
	const struct frame_section eh = section_of(cfi, &cfi->eh_frame, true);
	const struct frame_section debug = section_of(cfi, &cfi->debug_frame, false);
	const struct frame_section header = section_of(cfi, &cfi->eh_frame_hdr, true);
	struct frame_table table;
	uint64_t until;

	frame_table_read(&table, &header, eh.addr);
	if (eh.data && table.words) {
		until = frame_table_until(&table, addr);
		if (until && row_at(&eh, frame_table_entry(&table, until - 1) - eh.addr, addr, row))
			return true;
	} else if (find_in_index(&cfi->eh_index, &eh, addr, row, err)) {
		return true;
	}
	return err->code == ERR_NONE && find_in_index(&cfi->debug_index, &debug, addr, row, err);
}

bool cfi_find_rule(struct cfi *cfi, uint64_t addr, struct unwind_rule *rule, struct err *err)
{
	struct cfi_row row;

	*rule = (struct unwind_rule){ .kind = UNWIND_NONE };
	if (cfi_find_row(cfi, addr, &row, err))
		cfi_shorten(cfi->machine, &row, rule);
	return err->code == ERR_NONE;
}
