#include "decode/symbols/nameless.h"

#include "decode/symbols/symbolfilter.h"
#include "util/search.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * The largest gap between two known functions that is taken as one function; a larger one may have
 * several, whose bounds are not known.
 */
#define GAP_MAX 4096
/* The bytes of the longest call, its prefix left out. */
#define CALL_MAX 7

/* Whether the last bytes are a call: E8 with 4 bytes, or FF /2 with an operand in 1 to 6 bytes. */
static bool ends_in_call(const uint8_t bytes[CALL_MAX])
{
	if (bytes[CALL_MAX - 5] == 0xe8)
		return true;
	for (size_t at = 0; at + 1 < CALL_MAX; at++)
		if (bytes[at] == 0xff && (bytes[at + 1] >> 3 & 7) == 2)
			return true;
	return false;
}

/* Whether a byte of the file is in a section of code; without sections all may be code. */
static bool may_be_code(const struct elf *elf, uint64_t offset)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (section->flags & SHF_EXECINSTR && elf_has_bytes(section) &&
		    offset >= section->offset && offset - section->offset < section->size)
			return true;
	}
	return !elf->section_count;
}

bool nameless_is_padding(const struct nameless *nameless, uint64_t offset)
{
	const struct elf *elf = nameless->elf;
	struct err problem = { .code = ERR_NONE };
	uint8_t bytes[CALL_MAX], last;

	if ((elf->machine != EM_X86_64 && elf->machine != EM_386) || offset < CALL_MAX - 1 ||
	    !elf_read(elf, offset - (CALL_MAX - 1), bytes, CALL_MAX, &problem))
		return false;
	/* int3, nop, or the end of a long nop; calls may end in these, too */
	last = bytes[CALL_MAX - 1];
	return (last == 0xcc || last == 0x90 || last == 0x00) && !ends_in_call(bytes) &&
	       may_be_code(elf, offset);
}

/* A function without a name: at first the gap between known functions around an address. */
struct gap {
	uint64_t addr, start, end; /* link-time addresses */
	bool bounded; /* a function bounds it on one side at least, and not only the section */
};

/* Cuts a known function off the gap. */
static void cut_gap(struct gap *gap, uint64_t from, uint64_t to)
{
	if (to <= gap->addr && to > gap->start) {
		gap->start = to;
		gap->bounded = true;
	}
	if (from > gap->addr && from < gap->end) {
		gap->end = from;
		gap->bounded = true;
	}
}

/* Finds the code section of a link-time address. */
static bool find_section(const struct elf *elf, struct gap *gap)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];

		if (!(section->flags & SHF_EXECINSTR) || gap->addr < section->addr ||
		    gap->addr - section->addr >= section->size)
			continue;
		gap->start = section->addr;
		gap->end = u64_add_sat(section->addr, section->size);
		return true;
	}
	return false;
}

/* Cuts the nearest symbols off, on both sides. */
static void cut_symbols(const struct symtable *table, uint64_t offset, struct gap *gap)
{
	size_t next = search_until(table->items, table->count, sizeof(*table->items), offset);
	/* the longest one at the same start may not be the last */
	size_t first = next > SYMBOL_NEIGHBOURS ? next - SYMBOL_NEIGHBOURS : 0;

	for (size_t i = first; i < table->count && i <= next; i++) {
		uint64_t from = symtable_link_addr(table, table->items[i].start);

		cut_gap(gap, from, u64_add_sat(from, table->items[i].size));
	}
}

/* Finds the gap between two known functions in one section. */
static bool find_gap(const struct nameless *nameless, uint64_t offset,
                     const struct frame_range *before, const struct frame_range *after,
                     struct gap *gap)
{
	uint64_t entry = nameless->elf->entry;

	if (!find_section(nameless->elf, gap))
		return false;
	cut_gap(gap, before->start, before->end);
	cut_gap(gap, after->start, after->end);
	cut_symbols(nameless->table, offset, gap);
	if (entry > gap->start && entry < gap->end) {
		*(entry <= gap->addr ? &gap->start : &gap->end) = entry;
		gap->bounded = true;
	}
	return gap->bounded && gap->end - gap->start <= GAP_MAX;
}

/* Finds the bounds of the function around gap->addr; false: they are not known. */
static bool find_bounds(struct nameless *nameless, uint64_t offset, struct gap *gap,
                        struct err *err)
{
	struct frame_range before, after;

	if (!nameless->frames_read &&
	    !frame_index_load(&nameless->frames, nameless->elf, true, err))
		return false;
	nameless->frames_read = true;
	if (!frame_index_around(&nameless->frames, gap->addr, &before, &after, err))
		return false;
	if (gap->addr >= before.end)
		return find_gap(nameless, offset, &before, &after, gap);
	gap->start = before.start;
	gap->end = before.end;
	return true;
}

const struct symbol *nameless_find(struct nameless *nameless, uint64_t offset,
                                   enum symbol_origin origin, struct err *err)
{
	struct symbol *found = &nameless->found;
	struct gap gap = { .addr = symtable_link_addr(nameless->table, offset) };

	if (offset >= found->start && offset < found->end)
		return found;
	if (!find_bounds(nameless, offset, &gap, err))
		return NULL;
	snprintf(nameless->name, sizeof(nameless->name), "[function at 0x%" PRIx64 "]", gap.start);
	/* start and end: of the part around the offset that is contiguous in the file */
	*found = (struct symbol){ .start = offset - u64_min(offset, gap.addr - gap.start),
		                  .end = u64_add_sat(offset, gap.end - gap.addr),
		                  .entry = gap.start,
		                  .name = nameless->name,
		                  .origin = (uint8_t)origin };
	return found;
}
