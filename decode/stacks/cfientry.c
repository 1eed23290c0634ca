#include "decode/stacks/cfientry.h"

/* Encodings of pointers: Linux Standard Base 5.0 Core, 10.5. */
enum {
	ENCODING_OMITTED = 0xff,
	ENCODING_INDIRECT = 0x80,

	ENCODING_FORMAT = 0x0f,
	FORMAT_ABSOLUTE = 0,
	FORMAT_ULEB = 1,
	FORMAT_U16 = 2,
	FORMAT_U32 = 3,
	FORMAT_U64 = 4,
	FORMAT_SLEB = 9,
	FORMAT_S16 = 10,
	FORMAT_S32 = 11,
	FORMAT_S64 = 12,

	ENCODING_BASE = 0x70,
	BASE_NONE = 0,
	BASE_HERE = 0x10,
	BASE_TEXT = 0x20,
	BASE_DATA = 0x30
};

#define LONG_LENGTH 0xffffffffu /* the length itself follows, in 8 bytes */
#define AUGMENTATION_MAX 16

static bool read_format(struct bytes *b, uint8_t format, uint64_t *value)
{
	switch (format) {
	case FORMAT_ABSOLUTE:
	case FORMAT_U64:
	case FORMAT_S64:
		*value = bytes_uint(b, 8);
		break;
	case FORMAT_ULEB:
		*value = bytes_uleb(b);
		break;
	case FORMAT_SLEB:
		*value = (uint64_t)bytes_sleb(b);
		break;
	case FORMAT_U16:
		*value = bytes_uint(b, 2);
		break;
	case FORMAT_U32:
		*value = bytes_uint(b, 4);
		break;
	case FORMAT_S16:
		*value = (uint64_t)(int16_t)bytes_uint(b, 2);
		break;
	case FORMAT_S32:
		*value = (uint64_t)(int32_t)bytes_uint(b, 4);
		break;
	default:
		return false;
	}
	return !b->bad;
}

bool cfi_pointer(const struct cfi *cfi, const struct cfi_section *section, struct bytes *b,
                 uint8_t encoding, uint64_t *pointer)
{
	uint64_t here = section->addr + (uint64_t)(b->pos - section->data);

	if (encoding == ENCODING_OMITTED || (encoding & ENCODING_INDIRECT) ||
	    !read_format(b, encoding & ENCODING_FORMAT, pointer))
		return false;
	switch (encoding & ENCODING_BASE) {
	case BASE_NONE:
		return true;
	case BASE_HERE:
		*pointer += here;
		return true;
	case BASE_TEXT:
		*pointer += cfi->text_addr;
		return true;
	case BASE_DATA:
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
			if (encoding != ENCODING_OMITTED &&
			    !read_format(&data, encoding & ENCODING_FORMAT, &unused))
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

	*common = (struct cfi_common){ .encoding = FORMAT_ABSOLUTE };
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
	    !read_format(b, encoding & ENCODING_FORMAT, &length))
		return false;
	/* a length is never negative, but has the same encoding as addresses */
	if ((encoding & ENCODING_FORMAT) == FORMAT_S32)
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
