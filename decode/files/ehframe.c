#include "decode/files/ehframe.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* bytes; larger than in any program, and offsets fit in 32 bits */
#define SECTION_MAX ((uint64_t)1 << 30)

/* Parses the FDE at that offset; false if it is damaged, or if its function was dropped. */
static bool read_fde(struct ehframe *frames, uint64_t offset, struct ehframe_entry *fde,
                     uint64_t *next)
{
	const struct frame_entry *entry = &frames->last;

	if (frame_entry_parse(&frames->section, offset, &frames->last, next) != FRAME_ENTRY)
		return false;
	*fde = (struct ehframe_entry){ entry->start, entry->end, (uint32_t)offset,
		                       (uint32_t)entry->common.offset };
	return fde->start != 0; /* if the linker dropped a function, its address became 0 */
}

static bool add_fde(struct ehframe *frames, const struct ehframe_entry *added, struct err *err)
{
	if (!vec_room(&frames->items, frames->count, &frames->capacity, sizeof(*added), err))
		return false;
	frames->items[frames->count++] = *added;
	return true;
}

static int compare_entries(const void *a, const void *b)
{
	const struct ehframe_entry *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->fde > y->fde) - (x->fde < y->fde);
}

/* Lists all entries in order of address. */
static bool list_entries(struct ehframe *frames, struct err *err)
{
	struct ehframe_entry fde;

	for (uint64_t offset = 0, next = 0;; offset = next) {
		next = UINT64_MAX;
		if (read_fde(frames, offset, &fde, &next) && !add_fde(frames, &fde, err))
			return false;
		if (next == UINT64_MAX)
			break;
	}
	if (frames->count)
		qsort(frames->items, frames->count, sizeof(*frames->items), compare_entries);
	return true;
}

/* Uses the table in .eh_frame_hdr, if it has the usual form. */
static bool read_table(struct ehframe *frames, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".eh_frame_hdr");
	struct frame_section header = frames->section;

	if (!section || section->size > SECTION_MAX || section->flags & SHF_COMPRESSED)
		return true;
	frames->header = elf_section_data(elf, section, err);
	if (!frames->header)
		return false;
	header.data = frames->header;
	header.size = (size_t)section->size;
	header.addr = section->addr;
	frame_table_read(&frames->table, &header, frames->section.addr);
	if (frames->table.words)
		frames->count = (size_t)frames->table.count;
	return true;
}

bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".eh_frame");

	memset(frames, 0, sizeof(*frames));
	/* in a file that is not linked yet, addresses are not known */
	if (!section || elf->type == ET_REL || section->size > SECTION_MAX ||
	    section->flags & SHF_COMPRESSED)
		return true;
	frames->data = elf_section_data(elf, section, err);
	if (!frames->data)
		return false;
	frames->section = (struct frame_section){ .data = frames->data,
		                                  .size = (size_t)section->size,
		                                  .addr = section->addr,
		                                  .eh = true,
		                                  .wide = elf->wide,
		                                  .swap = elf->swap };
	return read_table(frames, elf, err) && (frames->table.words || list_entries(frames, err));
}

void ehframe_release(struct ehframe *frames)
{
	free(frames->items);
	free(frames->data);
	free(frames->header);
	memset(frames, 0, sizeof(*frames));
}

/* The entry with this number, in order of address; it is empty if it is damaged. */
static struct ehframe_entry entry_at(struct ehframe *frames, size_t number)
{
	struct ehframe_entry found = { 0 };
	uint64_t start, offset, next;

	if (!frames->table.words)
		return frames->items[number];
	start = frame_table_start(&frames->table, number);
	offset = frame_table_entry(&frames->table, number) - frames->section.addr;
	if (!read_fde(frames, offset, &found, &next) || found.start != start)
		found = (struct ehframe_entry){ .start = start, .end = start };
	return found;
}

void ehframe_around(struct ehframe *frames, uint64_t addr, struct ehframe_entry *before,
                    struct ehframe_entry *after)
{
	size_t until = frames->table.words
	                       ? (size_t)frame_table_until(&frames->table, addr)
	                       : search_until(frames->items, frames->count, sizeof(*before), addr);

	*before = until ? entry_at(frames, until - 1) : (struct ehframe_entry){ 0 };
	*after = until < frames->count ? entry_at(frames, until) : (struct ehframe_entry){ 0 };
}
