#include "decode/stacks/cfi.h"

#include "decode/stacks/cfiprogram.h"
#include "util/vec.h"

#include <stdlib.h>

#define TABLE_ENTRY 8 /* bytes of .eh_frame_hdr's table: two signed words of 4 bytes */
/* Limit of entries nested in one another when an address is looked up. */
#define NESTED_MAX 8

void cfi_release(struct cfi *cfi)
{
	free(cfi->eh_index.ranges);
	free(cfi->debug_index.ranges);
	memset(&cfi->eh_index, 0, sizeof(cfi->eh_index));
	memset(&cfi->debug_index, 0, sizeof(cfi->debug_index));
}

/* The table of .eh_frame_hdr. */
struct header_table {
	const uint8_t *entries;
	uint64_t count;
};

/* All linkers write the same kind of table. For any other kind, an index is made here. */
static bool read_header(const struct cfi *cfi, struct header_table *table)
{
	const struct cfi_section *section = &cfi->eh_frame_hdr;
	struct bytes b = bytes_over(section->data, section->size, cfi->swap);
	uint8_t version = (uint8_t)bytes_uint(&b, 1);
	uint8_t frame_encoding = (uint8_t)bytes_uint(&b, 1);
	uint8_t count_encoding = (uint8_t)bytes_uint(&b, 1);
	uint8_t table_encoding = (uint8_t)bytes_uint(&b, 1);
	uint64_t frame;

	/* 0x3b: signed words of 4 bytes, relative to the section's start */
	if (b.bad || version != 1 || table_encoding != 0x3b ||
	    !cfi_pointer(cfi, section, &b, frame_encoding, &frame) ||
	    !cfi_pointer(cfi, section, &b, count_encoding, &table->count))
		return false;
	table->entries = b.pos;
	return frame == cfi->eh_frame.addr && table->count <= bytes_left(&b) / TABLE_ENTRY;
}

static uint64_t table_word(const struct cfi *cfi, const uint8_t *p)
{
	return cfi->eh_frame_hdr.addr + (uint64_t)(int64_t)(int32_t)load_u32(p, cfi->swap);
}

/* Finds the FDE for the address in the table; false if the table has none. */
static bool search_header(const struct cfi *cfi, const struct header_table *table, uint64_t addr,
                          uint64_t *offset)
{
	uint64_t low = 0, high = table->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (table_word(cfi, table->entries + middle * TABLE_ENTRY) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*offset = table_word(cfi, table->entries + (low - 1) * TABLE_ENTRY + 4) -
	          cfi->eh_frame.addr;
	return true;
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
static bool make_index(struct cfi_index *index, const struct cfi_source *source, struct err *err)
{
	struct cfi_entry entry;
	uint64_t offset = 0, next;
	enum cfi_parsed parsed;

	index->made = true;
	while ((parsed = cfi_entry_parse(source, offset, &entry, &next)) != CFI_PARSED_END) {
		if (parsed == CFI_PARSED_ENTRY) {
			struct cfi_range *ranges = vec_grow(index->ranges, index->count,
			                                    &index->capacity, sizeof(*ranges), err);

			if (!ranges)
				return false;
			index->ranges = ranges;
			ranges[index->count++] = (struct cfi_range){ entry.start, entry.end,
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
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->ranges[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
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
static bool row_at(const struct cfi_source *source, uint64_t offset, uint64_t addr,
                   struct cfi_row *row)
{
	struct cfi_entry entry;
	uint64_t next;

	return cfi_entry_parse(source, offset, &entry, &next) == CFI_PARSED_ENTRY &&
	       addr >= entry.start && addr < entry.end &&
	       cfi_program_run(source, &entry, addr, row);
}

static bool find_in_index(struct cfi_index *index, const struct cfi_source *source, uint64_t addr,
                          struct cfi_row *row, struct err *err)
{
	uint64_t offset;

	if (!source->section->data || (!index->made && !make_index(index, source, err)))
		return false;
	return search_index(index, addr, &offset) && row_at(source, offset, addr, row);
}

bool cfi_find_row(struct cfi *cfi, uint64_t addr, struct cfi_row *row, struct err *err)
{
	const struct cfi_source eh = { cfi, &cfi->eh_frame, true };
	const struct cfi_source debug = { cfi, &cfi->debug_frame, false };
	struct header_table table;
	uint64_t offset;

	if (cfi->eh_frame.data && read_header(cfi, &table)) {
		if (search_header(cfi, &table, addr, &offset) && row_at(&eh, offset, addr, row))
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
