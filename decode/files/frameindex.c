#include "decode/files/frameindex.h"

#include "util/vec.h"

#include <stdlib.h>

/* Limit of entries nested in one another when an address is looked up. */
#define NESTED_MAX 8
#define TABLE_ITEM 8 /* bytes of an item of .eh_frame_hdr's table: two words */

/* *data: the bytes of the section, or NULL; `to` borrows them. */
static bool load_section(uint8_t **data, struct frame_section *to, struct elf *elf,
                         const char *name, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, name);
	struct err problem = { .code = ERR_NONE };

	if (!section)
		return true;
	*data = elf_section_unpacked(elf, section, &to->size, &problem);
	to->data = *data;
	to->addr = section->addr;
	return err_pass_nomem(err, &problem);
}

bool frame_index_load(struct frame_index *index, struct elf *elf, bool eh, struct err *err)
{
	struct frame_section header;

	*index = (struct frame_index){ .section = {
					       .eh = eh, .wide = elf->wide, .swap = elf->swap } };
	header = index->section;
	if (elf->type == ET_REL)
		return true;
	if (!eh)
		return load_section(&index->data, &index->section, elf, ".debug_frame", err) &&
		       (index->data ||
		        load_section(&index->data, &index->section, elf, ".zdebug_frame", err));
	if (!load_section(&index->data, &index->section, elf, ".eh_frame", err) ||
	    !load_section(&index->header, &header, elf, ".eh_frame_hdr", err))
		return false;
	if (index->data)
		frame_index_use_table(index, &header);
	return true;
}

void frame_index_use_table(struct frame_index *index, const struct frame_section *header)
{
	struct bytes b = bytes_over(header->data, header->size, header->swap);
	uint8_t version = bytes_u8(&b), frame_encoding = bytes_u8(&b);
	uint8_t count_encoding = bytes_u8(&b), table_encoding = bytes_u8(&b);
	uint64_t frame, count;

	/* all linkers write the same kind of table: signed words, relative to the section */
	if (b.bad || version != 1 || table_encoding != (FRAME_DATAREL | FRAME_SDATA4) ||
	    !frame_pointer(header, &b, frame_encoding, &frame) ||
	    !frame_pointer(header, &b, count_encoding, &count) || frame != index->section.addr ||
	    count > bytes_left(&b) / TABLE_ITEM)
		return;
	index->table = b.pos;
	index->table_addr = header->addr;
	index->count = (size_t)count;
}

static uint64_t table_word(const struct frame_index *index, size_t at)
{
	uint64_t addr = index->table_addr + (uint64_t)(int64_t)(int32_t)load_u32(
						    index->table + at, index->section.swap);

	return index->section.wide ? addr : addr & UINT32_MAX;
}

void frame_index_release(struct frame_index *index)
{
	free(index->ranges);
	free(index->data);
	free(index->header);
	*index = (struct frame_index){ 0 };
}

static int compare_ranges(const void *first, const void *second)
{
	const struct frame_range *a = first, *b = second;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end) /* the longest first, so that the others are nested in it */
		return a->end > b->end ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool list_functions(struct frame_index *index, struct err *err)
{
	struct frame_entry entry = { .start = 0 };
	uint64_t offset = 0, next;
	enum frame_parsed parsed;

	index->listed = true;
	while ((parsed = frame_entry_parse(&index->section, offset, &entry, &next)) != FRAME_END) {
		const struct frame_range range = { entry.start, entry.end, offset };

		/* if the linker dropped a function, its address became 0 */
		if (parsed == FRAME_ENTRY && entry.start &&
		    !vec_append(&index->ranges, &index->count, &index->capacity, &range,
		                sizeof(range), err))
			return false;
		offset = next;
	}
	if (index->count)
		qsort(index->ranges, index->count, sizeof(*index->ranges), compare_ranges);
	return true;
}

/* The start of the function with this number, in order of address. */
static uint64_t start_of(const struct frame_index *index, size_t number)
{
	return index->table ? table_word(index, number * TABLE_ITEM) : index->ranges[number].start;
}

/* The offset of its FDE. */
static uint64_t offset_of(const struct frame_index *index, size_t number)
{
	return index->table ? table_word(index, number * TABLE_ITEM + 4) - index->section.addr
	                    : index->ranges[number].entry;
}

/* *until: how many functions start at or before addr. */
static bool count_until(struct frame_index *index, uint64_t addr, size_t *until, struct err *err)
{
	size_t low = 0, high;

	if (index->section.data && !index->table && !index->listed && !list_functions(index, err))
		return false;
	high = index->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_of(index, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	*until = low;
	return true;
}

/* The function with this number; it is empty if its entry is damaged. */
static struct frame_range range_of(const struct frame_index *index, size_t number)
{
	struct frame_entry entry = { .start = 0 };
	uint64_t start = start_of(index, number), next, offset = offset_of(index, number);

	if (!index->table)
		return index->ranges[number];
	if (frame_entry_parse(&index->section, offset, &entry, &next) != FRAME_ENTRY ||
	    entry.start != start || !start)
		return (struct frame_range){ .start = start, .end = start };
	return (struct frame_range){ start, entry.end, offset };
}

bool frame_index_around(struct frame_index *index, uint64_t addr, struct frame_range *before,
                        struct frame_range *after, struct err *err)
{
	size_t until;

	*before = *after = (struct frame_range){ .start = 0 };
	if (!count_until(index, addr, &until, err))
		return false;
	if (until)
		*before = range_of(index, until - 1);
	if (until < index->count)
		*after = range_of(index, until);
	return true;
}

bool frame_index_find(struct frame_index *index, uint64_t addr, struct frame_entry *entry,
                      struct err *err)
{
	size_t until;
	uint64_t next;

	if (!count_until(index, addr, &until, err))
		return false;
	for (size_t i = 0; i < NESTED_MAX && i < until; i++) {
		size_t number = until - 1 - i;

		if (!index->table && addr >= index->ranges[number].end)
			continue;
		*entry = (struct frame_entry){ .start = 0 };
		return frame_entry_parse(&index->section, offset_of(index, number), entry, &next) ==
		               FRAME_ENTRY &&
		       addr >= entry->start && addr < entry->end;
	}
	return false;
}
