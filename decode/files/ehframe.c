#include "decode/files/ehframe.h"

#include "util/bytes.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

/* bytes; larger than in any program, and offsets fit in 32 bits */
#define SECTION_MAX ((uint64_t)1 << 30)
#define WIDE_LENGTH 0xffffffffu /* a 64-bit length follows */

/* A CIE or an FDE. */
struct entry {
	uint32_t offset;    /* of the length field */
	uint32_t body, end; /* offsets: after the length field, and after the entry */
	uint32_t id_size;   /* bytes of the id field: 4, or 8 */
	uint64_t id;        /* 0: a CIE; otherwise the distance from this field back to the CIE */
};

static struct bytes part_of(const struct ehframe *frames, uint32_t from, uint32_t to)
{
	return bytes_over(frames->data + from, to - from, frames->swap);
}

bool ehframe_form(struct bytes *b, uint8_t form, bool wide, uint64_t *value)
{
	switch (form & EHFRAME_FORM) {
	case EHFRAME_ABSPTR:
		*value = bytes_uint(b, wide ? 8 : 4);
		break;
	case EHFRAME_ULEB128:
		*value = bytes_uleb(b);
		break;
	case EHFRAME_UDATA2:
		*value = bytes_uint(b, 2);
		break;
	case EHFRAME_UDATA4:
		*value = bytes_uint(b, 4);
		break;
	case EHFRAME_UDATA8:
	case EHFRAME_SDATA8:
		*value = bytes_uint(b, 8);
		break;
	case EHFRAME_SLEB128:
		*value = (uint64_t)bytes_sleb(b);
		break;
	case EHFRAME_SDATA2:
		*value = (uint64_t)(int64_t)(int16_t)bytes_uint(b, 2);
		break;
	case EHFRAME_SDATA4:
		*value = (uint64_t)(int64_t)(int32_t)bytes_uint(b, 4);
		break;
	default:
		return false;
	}
	return !b->bad;
}

/* Reads a pointer, absolute or relative to its own address. */
static bool read_pointer(const struct ehframe *frames, struct bytes *b, uint8_t encoding,
                         uint64_t *value)
{
	uint64_t place = frames->addr + (uint64_t)(b->pos - frames->data);

	if (!ehframe_form(b, encoding, frames->wide, value))
		return false;
	switch (encoding & (EHFRAME_APPLICATION | EHFRAME_INDIRECT)) {
	case 0:
		break;
	case EHFRAME_PCREL:
		*value += place;
		break;
	default:
		return false;
	}
	if (!frames->wide)
		*value &= UINT32_MAX;
	return true;
}

/* The entry at *offset, which is moved behind it; false at the end, and at damage. */
static bool next_entry(const struct ehframe *frames, uint32_t *offset, struct entry *entry)
{
	struct bytes b = part_of(frames, *offset, (uint32_t)frames->size);
	uint64_t length = bytes_uint(&b, 4);

	*entry = (struct entry){ .offset = *offset, .id_size = 4 };
	if (length == WIDE_LENGTH) {
		length = bytes_uint(&b, 8);
		entry->id_size = 8;
	}
	if (b.bad || length < entry->id_size || length > bytes_left(&b))
		return false;
	entry->body = (uint32_t)(b.pos - frames->data);
	entry->end = entry->body + (uint32_t)length;
	entry->id = bytes_uint(&b, entry->id_size);
	*offset = entry->end;
	return true;
}

/* Finds the encoding of FDEs by the letters of the augmentation; true if all letters are known. */
static bool read_augmentation(const struct ehframe *frames, struct bytes *b, const char *letters,
                              uint8_t *encoding)
{
	uint64_t length = bytes_uleb(b), ignored;
	struct bytes data = *b;

	bytes_skip(b, length);
	data.end = b->pos;

	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			*encoding = bytes_u8(&data);
			break;
		case 'L':
			bytes_u8(&data);
			break;
		case 'P':
			if (!ehframe_form(&data, bytes_u8(&data), frames->wide, &ignored))
				return false;
			break;
		case 'S': /* of a signal handler's frame */
		case 'B': /* aarch64: return addresses are signed with the other key */
		case 'G': /* aarch64: memory tags */
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

/* Decodes the CIE at that offset; false if it is damaged, or of a kind that is not known. */
static bool read_cie(const struct ehframe *frames, uint32_t offset, uint8_t *encoding)
{
	struct entry entry;
	struct bytes b;
	uint8_t version;
	const char *letters;

	*encoding = EHFRAME_ABSPTR;
	if (offset >= frames->size || !next_entry(frames, &offset, &entry) || entry.id)
		return false;
	b = part_of(frames, entry.body + entry.id_size, entry.end);
	version = bytes_u8(&b);
	letters = bytes_text(&b);
	if (!letters || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4)
		bytes_skip(&b, 2); /* sizes of an address and of a segment */
	bytes_uleb(&b);            /* factors of code and data */
	bytes_sleb(&b);
	if (version == 1) /* the register of the return address */
		bytes_u8(&b);
	else
		bytes_uleb(&b);
	if (*letters == 'z' ? !read_augmentation(frames, &b, letters, encoding) : *letters != 0)
		return false;
	return !b.bad;
}

/* Reads an FDE. False if it or its CIE is damaged or unknown, or if its function was dropped. */
static bool read_fde(struct ehframe *frames, const struct entry *entry, struct ehframe_entry *fde)
{
	struct bytes b;
	uint64_t size;

	if (!entry->id || entry->id > entry->body)
		return false;
	fde->fde = entry->offset;
	fde->cie = entry->body - (uint32_t)entry->id;
	if (!frames->cie_known || frames->cie != fde->cie) {
		frames->cie_known = true;
		frames->cie = fde->cie;
		frames->cie_good = read_cie(frames, fde->cie, &frames->encoding);
	}
	b = part_of(frames, entry->body + entry->id_size, entry->end);
	if (!frames->cie_good || !read_pointer(frames, &b, frames->encoding, &fde->start) ||
	    !ehframe_form(&b, frames->encoding & 7, frames->wide, &size))
		return false;
	fde->end = u64_add_sat(fde->start, size);
	/* if the linker dropped a function, its address became 0 */
	return fde->start && fde->end > fde->start;
}

static bool add_fde(struct ehframe *frames, const struct ehframe_entry *added, struct err *err)
{
	struct ehframe_entry *items = vec_grow(frames->items, frames->count, &frames->capacity,
	                                       sizeof(*items), err);

	if (!items)
		return false;
	frames->items = items;
	items[frames->count++] = *added;
	return true;
}

/* A length of 0 ends the list of one object file; linkers may append other lists after it. */
static bool skip_zeros(const struct ehframe *frames, uint32_t *offset)
{
	while (frames->size - *offset >= 4 && !load_u32(frames->data + *offset, false))
		*offset += 4;
	return *offset < frames->size;
}

/* The end of the run of ascending entries that starts at `from`. */
static size_t end_of_run(const struct ehframe *frames, size_t from)
{
	size_t end = from + (from < frames->count);

	while (end < frames->count && frames->items[end].start >= frames->items[end - 1].start)
		end++;
	return end;
}

/* Merges [from, middle) and [middle, end), which are both ascending; the merge is stable. */
static void merge_runs(const struct ehframe_entry *items, size_t from, size_t middle, size_t end,
                       struct ehframe_entry *merged)
{
	size_t left = from, right = middle;

	for (size_t i = from; i < end; i++) {
		bool first = right == end ||
		             (left < middle && items[left].start <= items[right].start);

		merged[i] = items[first ? left++ : right++];
	}
}

/* Linkers leave a few runs, each of which is ascending: .text.unlikely, .text.startup, .text. */
static bool sort_entries(struct ehframe *frames, struct err *err)
{
	while (end_of_run(frames, 0) < frames->count) {
		struct ehframe_entry *merged = malloc(frames->count * sizeof(*merged));
		size_t from, middle, end;

		if (!merged)
			return err_nomem(err, frames->count * sizeof(*merged));
		for (from = 0; from < frames->count; from = end) {
			middle = end_of_run(frames, from);
			end = end_of_run(frames, middle);
			merge_runs(frames->items, from, middle, end, merged);
		}
		free(frames->items);
		frames->items = merged;
		frames->capacity = frames->count;
	}
	return true;
}

/* Lists all entries in order of address. */
static bool list_entries(struct ehframe *frames, struct err *err)
{
	struct ehframe_entry fde;
	struct entry entry;
	uint32_t offset = 0;

	while (skip_zeros(frames, &offset) && next_entry(frames, &offset, &entry))
		if (read_fde(frames, &entry, &fde) && !add_fde(frames, &fde, err))
			return false;
	return sort_entries(frames, err);
}

/*
 * The encoding that all linkers use: signed words of 4 bytes, relative to the section of the table.
 */
#define TABLE_DATAREL (EHFRAME_DATAREL | EHFRAME_SDATA4)
#define TABLE_ITEM 8 /* bytes: the start of a function, and the place of its FDE */

/*
 * Uses the table in .eh_frame_hdr. False if it has another form; then all entries must be listed.
 */
static bool take_table(struct ehframe *frames, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".eh_frame_hdr");
	uint64_t count = 0, place;
	uint8_t encodings[3];
	struct bytes b;

	if (!section || section->size > SECTION_MAX || section->flags & ELF_SHF_COMPRESSED)
		return true;
	frames->header = elf_section_data(elf, section, err);
	if (!frames->header)
		return false;
	frames->header_addr = section->addr;
	b = bytes_over(frames->header, (size_t)section->size, frames->swap);
	if (bytes_u8(&b) != 1)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++)
		encodings[i] = bytes_u8(&b);
	if (encodings[0] != (EHFRAME_PCREL | EHFRAME_SDATA4) || encodings[2] != TABLE_DATAREL)
		return true;
	place = section->addr + (uint64_t)(b.pos - frames->header);
	place += (uint64_t)(int64_t)(int32_t)bytes_uint(&b, 4);
	if (!frames->wide)
		place &= UINT32_MAX;
	if (!ehframe_form(&b, encodings[1], frames->wide, &count) || place != frames->addr ||
	    count > bytes_left(&b) / TABLE_ITEM)
		return true;
	frames->table = b.pos;
	frames->count = (size_t)count;
	return true;
}

bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".eh_frame");

	memset(frames, 0, sizeof(*frames));
	frames->wide = elf->wide;
	frames->swap = elf->swap;
	/* in a file that is not linked yet, addresses are not known */
	if (!section || elf->type == ELF_REL || section->size > SECTION_MAX ||
	    section->flags & ELF_SHF_COMPRESSED)
		return true;
	frames->data = elf_section_data(elf, section, err);
	if (!frames->data)
		return false;
	frames->size = (size_t)section->size;
	frames->addr = section->addr;
	return take_table(frames, elf, err) && (frames->table || list_entries(frames, err));
}

void ehframe_release(struct ehframe *frames)
{
	free(frames->items);
	free(frames->data);
	free(frames->header);
	memset(frames, 0, sizeof(*frames));
}

/* A word of the table, as an address. */
static uint64_t table_addr(const struct ehframe *frames, size_t at)
{
	uint64_t word = (uint64_t)(int64_t)(int32_t)load_u32(frames->table + at, frames->swap);

	return frames->wide ? frames->header_addr + word
	                    : (frames->header_addr + word) & UINT32_MAX;
}

static uint64_t start_of(const struct ehframe *frames, size_t number)
{
	return frames->table ? table_addr(frames, number * TABLE_ITEM)
	                     : frames->items[number].start;
}

/* The entry with this number, in order of address; it is empty if it is damaged. */
static struct ehframe_entry entry_at(struct ehframe *frames, size_t number)
{
	struct ehframe_entry found = { 0 };
	struct entry entry;
	uint64_t offset;
	uint32_t next;

	if (!frames->table)
		return frames->items[number];
	offset = table_addr(frames, number * TABLE_ITEM + 4) - frames->addr;
	next = (uint32_t)offset;
	if (offset >= frames->size || !next_entry(frames, &next, &entry) ||
	    !read_fde(frames, &entry, &found) || found.start != start_of(frames, number))
		found.start = found.end = start_of(frames, number);
	return found;
}

void ehframe_around(struct ehframe *frames, uint64_t addr, struct ehframe_entry *before,
                    struct ehframe_entry *after)
{
	size_t low = 0, high = frames->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (start_of(frames, middle) <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	*before = low ? entry_at(frames, low - 1) : (struct ehframe_entry){ 0 };
	*after = low < frames->count ? entry_at(frames, low) : (struct ehframe_entry){ 0 };
}
