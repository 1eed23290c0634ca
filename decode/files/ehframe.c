#include "decode/files/ehframe.h"

#include "util/cursor.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define SECTION_MAX ((uint64_t)1 << 30) /* no program's is as large; offsets fit in 32 bits */
#define WIDE_LENGTH 0xffffffffu         /* a 64-bit length follows */

/* A CIE or an FDE: its bytes behind the length. */
struct entry {
	uint32_t offset;    /* of the length field */
	uint32_t body, end; /* offsets: behind the length, and behind the entry */
	uint32_t id_size;   /* bytes of the id field: 4, or 8 */
	uint64_t id;        /* 0: a CIE; else how far before this field its CIE is */
};

static struct cursor cursor_at(const struct ehframe *frames, uint32_t from, uint32_t to,
                               struct err *err)
{
	return cursor_over(frames->data + from, to - from, from, ".eh_frame", frames->swap, err);
}

static uint64_t cur_uleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; cur_left(c); shift += 7) {
		uint8_t byte = cur_u8(c);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cur_u8(c); /* the last byte says that there is one more */
	return 0;
}

static int64_t cur_sleb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; cur_left(c);) {
		uint8_t byte = cur_u8(c);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= UINT64_MAX << shift;
		return (int64_t)value;
	}
	cur_u8(c);
	return 0;
}

/* A value in one of the forms, sign-extended where the form says so. */
static bool read_form(struct cursor *c, uint8_t form, bool wide, uint64_t *value)
{
	switch (form & EHFRAME_FORM) {
	case EHFRAME_ABSPTR:
		*value = wide ? cur_u64(c) : cur_u32(c);
		break;
	case EHFRAME_ULEB128:
		*value = cur_uleb(c);
		break;
	case EHFRAME_UDATA2:
		*value = cur_u16(c);
		break;
	case EHFRAME_UDATA4:
		*value = cur_u32(c);
		break;
	case EHFRAME_UDATA8:
	case EHFRAME_SDATA8:
		*value = cur_u64(c);
		break;
	case EHFRAME_SLEB128:
		*value = (uint64_t)cur_sleb(c);
		break;
	case EHFRAME_SDATA2:
		*value = (uint64_t)(int64_t)(int16_t)cur_u16(c);
		break;
	case EHFRAME_SDATA4:
		*value = (uint64_t)(int64_t)(int32_t)cur_u32(c);
		break;
	default:
		return false;
	}
	return c->err->code == ERR_NONE;
}

/* A pointer: absolute, or relative to where it is. */
static bool read_pointer(const struct ehframe *frames, struct cursor *c, uint8_t encoding,
                         uint64_t *value)
{
	uint64_t place = frames->addr + c->offset;

	if (!read_form(c, encoding, frames->wide, value))
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

/* The entry at *offset, which moves behind it; false at the end, and at what is damaged. */
static bool next_entry(const struct ehframe *frames, uint32_t *offset, struct entry *entry)
{
	struct err err = { .code = ERR_NONE };
	struct cursor c = cursor_at(frames, *offset, (uint32_t)frames->size, &err);
	uint64_t length = cur_u32(&c);

	*entry = (struct entry){ .offset = *offset, .id_size = 4 };
	if (length == WIDE_LENGTH) {
		length = cur_u64(&c);
		entry->id_size = 8;
	}
	if (err.code != ERR_NONE || length < entry->id_size || length > cur_left(&c))
		return false;
	entry->body = (uint32_t)(c.pos - frames->data);
	entry->end = entry->body + (uint32_t)length;
	entry->id = entry->id_size == 8 ? cur_u64(&c) : cur_u32(&c);
	*offset = entry->end;
	return true;
}

/* What the letters of the augmentation mean; true if all are known. */
static void read_augmentation(const struct ehframe *frames, struct cursor *c, const char *letters,
                              struct ehframe_cie *cie)
{
	uint64_t length = cur_uleb(c), ignored;
	struct cursor data = cur_sub(c, length, ".eh_frame augmentation");

	cie->augmented = true;
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = cur_u8(&data);
			break;
		case 'L':
			cie->lsda = cur_u8(&data);
			break;
		case 'P':
			if (!read_form(&data, cur_u8(&data), frames->wide, &ignored))
				return;
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* aarch64: return addresses are signed with the other key */
		case 'G': /* aarch64: memory tags */
			break;
		default:
			return;
		}
	}
	cie->plain = true;
}

bool ehframe_cie(const struct ehframe *frames, uint32_t offset, struct ehframe_cie *cie)
{
	struct err err = { .code = ERR_NONE };
	struct entry entry;
	struct cursor c;
	uint8_t version;
	const uint8_t *letters, *nul;

	memset(cie, 0, sizeof(*cie));
	cie->lsda = EHFRAME_OMIT;
	if (offset >= frames->size || !next_entry(frames, &offset, &entry) || entry.id)
		return false;
	c = cursor_at(frames, entry.body + entry.id_size, entry.end, &err);
	version = cur_u8(&c);
	letters = c.pos;
	nul = memchr(letters, 0, cur_left(&c));
	if (!nul || (version != 1 && version != 3 && version != 4))
		return false;
	cur_take(&c, (uint64_t)(nul - letters) + 1);
	if (version == 4)
		cur_u16(&c); /* sizes of an address and of a segment */
	cie->code_factor = cur_uleb(&c);
	cie->data_factor = cur_sleb(&c);
	cie->return_register = version == 1 ? cur_u8(&c) : cur_uleb(&c);
	if (*letters == 'z')
		read_augmentation(frames, &c, (const char *)letters, cie);
	else
		cie->plain = !*letters;
	cie->rules = (uint32_t)(c.pos - frames->data);
	cie->end = entry.end;
	return err.code == ERR_NONE;
}

/* Reads an FDE's bounds; false if it is damaged. Moves c behind them. */
static bool read_bounds(const struct ehframe *frames, const struct ehframe_cie *cie,
                        struct cursor *c, struct ehframe_entry *bounds)
{
	uint64_t size;

	if (!read_pointer(frames, c, cie->encoding, &bounds->start) ||
	    !read_form(c, cie->encoding & 7, frames->wide, &size))
		return false;
	bounds->end = u64_add_sat(bounds->start, size);
	return true;
}

bool ehframe_rules(const struct ehframe *frames, const struct ehframe_entry *entry,
                   const struct ehframe_cie *cie, uint32_t *rules, uint32_t *end)
{
	struct err err = { .code = ERR_NONE };
	uint32_t offset = entry->fde;
	struct ehframe_entry bounds;
	struct entry fde;
	struct cursor c;

	if (!next_entry(frames, &offset, &fde))
		return false;
	c = cursor_at(frames, fde.body + fde.id_size, fde.end, &err);
	if (!read_bounds(frames, cie, &c, &bounds))
		return false;
	if (cie->augmented)
		cur_take(&c, cur_uleb(&c));
	*rules = (uint32_t)(c.pos - frames->data);
	*end = fde.end;
	return err.code == ERR_NONE;
}

/* The CIE that was decoded last: most FDEs in a row have the same. */
struct last_cie {
	uint32_t offset;
	bool known, good;
	struct ehframe_cie cie;
};

static bool add_fde(struct ehframe *frames, const struct entry *entry, struct last_cie *last,
                    struct err *err)
{
	struct ehframe_entry added = { .fde = entry->offset }, *items;
	struct err problem = { .code = ERR_NONE };
	struct cursor c;

	if (entry->id > entry->body)
		return true;
	added.cie = entry->body - (uint32_t)entry->id;
	if (!last->known || last->offset != added.cie) {
		last->known = true;
		last->offset = added.cie;
		last->good = ehframe_cie(frames, added.cie, &last->cie) && last->cie.plain;
	}
	c = cursor_at(frames, entry->body + entry->id_size, entry->end, &problem);
	/* where the linker dropped a function, its address became 0 */
	if (!last->good || !read_bounds(frames, &last->cie, &c, &added) || !added.start ||
	    added.end <= added.start)
		return true;
	items = vec_grow(frames->items, frames->count, &frames->capacity, sizeof(*items), err);
	if (!items)
		return false;
	frames->items = items;
	items[frames->count++] = added;
	return true;
}

/* A length of 0 ends the list of one object file, behind which a linker may have put others. */
static bool skip_zeros(const struct ehframe *frames, uint32_t *offset)
{
	while (frames->size - *offset >= 4 && !load_u32(frames->data + *offset, false))
		*offset += 4;
	return *offset < frames->size;
}

/* Where the entries stop to ascend, from that one on. */
static size_t end_of_run(const struct ehframe *frames, size_t from)
{
	size_t end = from + (from < frames->count);

	while (end < frames->count && frames->items[end].start >= frames->items[end - 1].start)
		end++;
	return end;
}

/*
 * Merges [from, middle) and [middle, end), both of which ascend; of equal ones the first stays
 * first.
 */
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

/* Linkers leave a few runs, each of which ascends: .text.unlikely, .text.startup, .text. */
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

bool ehframe_read(struct ehframe *frames, const struct elf *elf, struct err *err)
{
	const struct elf_section *section = elf_find_section(elf, ".eh_frame");
	struct last_cie last = { .known = false };
	struct entry entry;
	uint32_t offset = 0;

	memset(frames, 0, sizeof(*frames));
	frames->wide = elf->wide;
	frames->swap = elf->swap;
	/* the addresses of a file that is not linked yet are not known */
	if (!section || elf->type == ELF_REL || section->size > SECTION_MAX ||
	    section->flags & ELF_SHF_COMPRESSED)
		return true;
	frames->data = elf_section_data(elf, section, err);
	if (!frames->data)
		return false;
	frames->size = (size_t)section->size;
	frames->addr = section->addr;
	while (skip_zeros(frames, &offset) && next_entry(frames, &offset, &entry))
		if (entry.id && !add_fde(frames, &entry, &last, err))
			return false;
	return sort_entries(frames, err);
}

void ehframe_release(struct ehframe *frames)
{
	free(frames->items);
	free(frames->data);
	memset(frames, 0, sizeof(*frames));
}

const struct ehframe_entry *ehframe_find(const struct ehframe *frames, uint64_t addr)
{
	size_t low = 0, high = frames->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (frames->items[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr < frames->items[low - 1].end ? &frames->items[low - 1] : NULL;
}
