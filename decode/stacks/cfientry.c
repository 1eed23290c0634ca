#include "decode/stacks/cfientry.h"

#include "decode/files/ehframe.h"

#define LONG_LENGTH 0xffffffffu /* the length itself follows, in 8 bytes */
#define AUGMENTATION_MAX 16

bool cfi_pointer(const struct cfi *cfi, const struct cfi_section *section, struct bytes *b,
                 uint8_t encoding, uint64_t *pointer)
{
	uint64_t here = section->addr + (uint64_t)(b->pos - section->data);

	if (encoding == EHFRAME_OMIT || (encoding & EHFRAME_INDIRECT) ||
	    !ehframe_form(b, encoding, true, pointer))
		return false;
	switch (encoding & EHFRAME_APPLICATION) {
	case 0:
		return true;
	case EHFRAME_PCREL:
		*pointer += here;
		return true;
	case EHFRAME_TEXTREL:
		*pointer += cfi->text_addr;
		return true;
	case EHFRAME_DATAREL:
		/* in .eh_frame_hdr, pointers are relative to the section itself */
		*pointer += section == &cfi->eh_frame_hdr ? section->addr : cfi->data_addr;
		return true;
	default:
		return false;
	}
}

/* Reads an augmentation that starts with z; letters after an unknown one cannot be interpreted. */
static bool read_augmentation(const struct cfi_source *source, const char *letters, struct bytes *b,
                              struct cfi_common *common)
{
	uint64_t size = bytes_uleb(b), unused;
	struct bytes data = *b;

	bytes_skip(b, size);
	if (b->bad)
		return false;
	data.end = b->pos;
	common->augmented = true;
	for (size_t i = 0; i < AUGMENTATION_MAX && letters[i]; i++) {
		switch (letters[i]) {
		case 'R':
			common->encoding = (uint8_t)bytes_uint(&data, 1);
			break;
		case 'P': {
			uint8_t encoding = (uint8_t)bytes_uint(&data, 1);

			/* neither the pointer itself nor an indirection is needed here */
			if (encoding != EHFRAME_OMIT &&
			    !ehframe_form(&data, encoding, true, &unused))
				return false;
			break;
		}
		case 'L':
			bytes_skip(&data, 1);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* aarch64: which key signs return addresses */
		case 'G': /* aarch64: stack memory is tagged */
			break;
		default:
			return source->eh && !data.bad;
		}
	}
	return !data.bad;
}

/* Reads the length field of an entry, and cuts b to the entry. A length of 0 is a terminator. */
static bool read_length(struct bytes *b, uint64_t *length, bool *is_long)
{
	*length = bytes_uint(b, 4);
	*is_long = *length == LONG_LENGTH;
	if (*is_long)
		*length = bytes_uint(b, 8);
	if (b->bad || *length > bytes_left(b))
		return false;
	b->end = b->pos + *length;
	return true;
}

/* Reads the field that distinguishes CIEs from FDEs; in an FDE it says where its CIE is. */
static uint64_t read_id(const struct cfi_source *source, struct bytes *b, bool is_long)
{
	return bytes_uint(b, is_long && !source->eh ? 8 : 4);
}

static bool is_common(const struct cfi_source *source, uint64_t id, bool is_long)
{
	return id == (source->eh ? 0 : is_long ? UINT64_MAX : UINT32_MAX);
}

static bool read_common(const struct cfi_source *source, uint64_t offset, struct cfi_common *common)
{
	const struct cfi_section *section = source->section;
	struct bytes whole = bytes_over(section->data, section->size, source->cfi->swap);
	struct bytes b = bytes_at(&whole, offset);
	const char *augmentation;
	uint64_t length, id;
	uint8_t version;
	bool is_long;

	*common = (struct cfi_common){ .encoding = EHFRAME_ABSPTR };
	if (!read_length(&b, &length, &is_long) || !length)
		return false;
	id = read_id(source, &b, is_long);
	version = (uint8_t)bytes_uint(&b, 1);
	augmentation = bytes_text(&b);
	if (b.bad || !is_common(source, id, is_long) ||
	    (version != 1 && version != 3 && version != 4))
		return false;
	/* gcc 2 wrote a pointer here */
	if (augmentation[0] == 'e' && augmentation[1] == 'h') {
		bytes_skip(&b, 8);
		augmentation += 2;
	}
	if (version == 4 && bytes_uint(&b, 1) != 8)
		return false;
	if (version == 4 && bytes_uint(&b, 1) != 0) /* segments */
		return false;
	common->code_align = bytes_uleb(&b);
	common->data_align = bytes_sleb(&b);
	common->return_register = version == 1 ? bytes_uint(&b, 1) : bytes_uleb(&b);
	if (augmentation[0] == 'z') {
		if (!read_augmentation(source, augmentation + 1, &b, common))
			return false;
	} else if (augmentation[0]) {
		return false;
	}
	common->program = b;
	return !b.bad && common->return_register < CFI_REGISTERS;
}

/* Reads the addresses of an FDE; b is after the field that says where its CIE is. */
static bool read_entry(const struct cfi_source *source, struct bytes *b, struct cfi_entry *entry)
{
	uint8_t encoding = entry->common.encoding;
	uint64_t length;

	if (!cfi_pointer(source->cfi, source->section, b, encoding, &entry->start) ||
	    !ehframe_form(b, encoding, true, &length))
		return false;
	/* a length is never negative, but has the same encoding as addresses */
	if ((encoding & EHFRAME_FORM) == EHFRAME_SDATA4)
		length &= UINT32_MAX;
	if (!length || __builtin_add_overflow(entry->start, length, &entry->end))
		return false;
	if (entry->common.augmented)
		bytes_skip(b, bytes_uleb(b));
	entry->program = *b;
	return !b->bad;
}

enum cfi_parsed cfi_entry_parse(const struct cfi_source *source, uint64_t offset,
                                struct cfi_entry *entry, uint64_t *next)
{
	const struct cfi_section *section = source->section;
	struct bytes whole = bytes_over(section->data, section->size, source->cfi->swap);
	struct bytes b = bytes_at(&whole, offset);
	uint64_t length, id, id_at, common_at;
	bool is_long;

	if (!bytes_left(&b) || !read_length(&b, &length, &is_long))
		return CFI_PARSED_END;
	*next = (uint64_t)(b.end - section->data);
	if (!length)
		return CFI_PARSED_OTHER;
	id_at = (uint64_t)(b.pos - section->data);
	id = read_id(source, &b, is_long);
	if (b.bad || is_common(source, id, is_long))
		return CFI_PARSED_OTHER;
	/* in .eh_frame it is the distance backwards to the CIE */
	common_at = source->eh ? id_at - id : id;
	if (!read_common(source, common_at, &entry->common) || !read_entry(source, &b, entry))
		return CFI_PARSED_OTHER;
	return CFI_PARSED_ENTRY;
}
