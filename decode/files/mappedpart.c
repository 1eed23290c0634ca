#include "decode/files/locate.h"

static uint64_t page_start(uint64_t offset, uint64_t page)
{
	return offset & ~(page - 1);
}

static uint64_t page_end(uint64_t offset, uint64_t page)
{
	return u64_add_sat(offset, page - 1) & ~(page - 1);
}

/* Whether code of the file, one segment or several adjacent ones, begins and ends there. */
static bool is_code(const struct elf *elf, uint64_t start, uint64_t end, uint64_t page)
{
	bool begins = false, ends = false;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];

		if (!(segment->flags & PF_X))
			continue;
		begins |= page_start(segment->offset, page) == start;
		ends |= page_end(u64_add_sat(segment->offset, segment->file_size), page) == end;
	}
	return begins && ends;
}

/*
 * Loaders first map the memory range of the whole file, with the permissions of the first segment.
 */
static bool is_whole_image(const struct elf *elf, const struct binary_extent *part, uint64_t page)
{
	const struct elf_segment *first = elf->segments, *last = first + elf->segment_count - 1;
	uint64_t start = page_start(first->vaddr, page);
	uint64_t end = page_end(u64_add_sat(last->vaddr, last->memory_size), page);

	return (first->flags & PF_X) && part->offset == page_start(first->offset, page) &&
	       end > start && part->size == end - start;
}

/* Some programs map a file as a whole, to read it or to place its segments themselves. */
static bool is_whole_file(const struct elf *elf, const struct binary_extent *part, uint64_t page)
{
	return part->offset == 0 && part->size == page_end(elf->size, page);
}

static bool fits_with_pages(const struct elf *elf, const struct binary *binary, uint64_t page)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < binary->extent_count; i++) {
		const struct binary_extent *part = &binary->extents[i];
		uint64_t part_end = u64_add_sat(part->offset, part->size);

		if (is_code(elf, part->offset, part_end, page) || is_whole_image(elf, part, page) ||
		    is_whole_file(elf, part, page))
			return true;
		start = u64_min(start, part->offset);
		end = u64_max(end, part_end);
	}
	/* pieces of code whose pages have different permissions */
	return is_code(elf, start, end, page);
}

static bool has_code(const struct elf *elf)
{
	for (size_t i = 0; i < elf->segment_count; i++)
		if (elf->segments[i].flags & PF_X)
			return true;
	return false;
}

bool elf_fits_mapped_parts(const struct elf *elf, const struct binary *binary)
{
	static const uint64_t pages[] = { 4096, 16384, 65536 };
	const bool x86 = elf->machine == EM_386 || elf->machine == EM_X86_64;
	const size_t kinds = x86 ? 1 : ARRAY_SIZE(pages);

	if (!binary->extent_count || binary->extents_cut || !has_code(elf))
		return true;
	for (size_t i = 0; i < kinds; i++)
		if (fits_with_pages(elf, binary, pages[i]))
			return true;
	return false;
}
