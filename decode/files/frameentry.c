#include "decode/files/frameentry.h"

/*
 * More bytes than compilers write before the program of an entry. Any number of FDEs may refer to a
 * CIE, and any number of lookups lead to an FDE, so what is read of them each time must be little.
 */
#define FIELDS_MAX 256

/* The parts of an encoding, and the forms that compilers for Linux use. */
enum {
	FORM = 0x0f,
	FORM_UDATA4 = 0x03,
	FORM_UDATA8 = 0x04,
	FORM_SDATA8 = 0x0c,
	FORM_UNSIGNED = 0x07, /* the bits of a form that remain if it is made unsigned */
	RELATIVE = 0xf0       /* what the value is relative to, or how it leads to the pointer */
};

/* Reads a value in one of the forms, sign-extended if the form is signed. */
static bool read_form(struct bytes *b, uint8_t form, bool wide, uint64_t *value)
{
	switch (form & FORM) {
	case FRAME_ABSPTR:
		*value = bytes_uint(b, wide ? 8 : 4);
		break;
	case FORM_UDATA4:
		*value = bytes_uint(b, 4);
		break;
	case FORM_UDATA8:
	case FORM_SDATA8:
		*value = bytes_uint(b, 8);
		break;
	case FRAME_SDATA4:
		*value = (uint64_t)(int64_t)(int32_t)bytes_uint(b, 4);
		break;
	default:
		return false;
	}
	return !b->bad;
}

bool frame_pointer(const struct frame_section *section, struct bytes *b, uint8_t encoding,
                   uint64_t *pointer)
{
	const bool relative = (encoding & RELATIVE) == FRAME_PCREL;
	const uint64_t here = section->addr + (uint64_t)(b->pos - section->data);

	if ((encoding & RELATIVE && !relative) || !read_form(b, encoding, section->wide, pointer))
		return false;
	*pointer += relative ? here : 0;
	if (!section->wide)
		*pointer &= UINT32_MAX;
	return true;
}

/* Reads an augmentation that starts with z; letters after an unknown one cannot be interpreted. */
static bool read_augmentation(const struct frame_section *section, const char *letters,
                              struct bytes *b, struct frame_common *common)
{
	uint64_t size = bytes_uleb(b), unused;
	struct bytes data = *b;

	bytes_skip(b, size);
	if (b->bad)
		return false;
	data.end = b->pos;
	common->augmented = true;
	for (size_t i = 0; letters[i]; i++) {
		switch (letters[i]) {
		case 'R':
			common->encoding = bytes_u8(&data);
			break;
		case 'P': {
			uint8_t encoding = bytes_u8(&data);

			/* neither the pointer itself nor an indirection is needed here */
			if (encoding != FRAME_OMIT &&
			    !read_form(&data, encoding, section->wide, &unused))
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
			return section->eh && !data.bad;
		}
	}
	return !data.bad;
}

/* The fields that CIEs and FDEs begin with. */
struct entry_head {
	uint64_t id_offset; /* of the field id */
	uint64_t id;        /* tells CIEs from FDEs; in an FDE it says where its CIE is */
	bool is_common, is_terminator;
};

/* Reads the fields, and cuts b to what follows in this entry. False: the section ends here. */
static bool read_head(const struct frame_section *section, struct bytes *b, struct entry_head *head)
{
	uint8_t offset_size;
	uint64_t length = bytes_part_length(b, &offset_size);

	if (b->bad || length > bytes_left(b))
		return false;
	b->end = b->pos + length;
	*head = (struct entry_head){ .id_offset = (uint64_t)(b->pos - section->data),
		                     .is_terminator = !length };
	if (!length)
		return true;
	head->id = bytes_uint(b, section->eh ? 4 : offset_size);
	head->is_common = head->id == (section->eh        ? 0
	                               : offset_size == 8 ? UINT64_MAX
	                                                  : UINT32_MAX);
	return true;
}

static bool read_common(const struct frame_section *section, uint64_t offset,
                        struct frame_common *common)
{
	const unsigned word = section->wide ? 8 : 4;
	struct bytes whole = bytes_over(section->data, section->size, section->swap);
	struct bytes b = bytes_at(&whole, offset);
	const uint8_t *end;
	const char *augmentation;
	struct entry_head head;
	uint8_t version;

	*common = (struct frame_common){ .offset = offset, .encoding = FRAME_ABSPTR };
	if (!read_head(section, &b, &head) || head.is_terminator)
		return false;
	end = b.end;
	b.end = b.pos + u64_min(FIELDS_MAX, bytes_left(&b));
	version = bytes_u8(&b);
	augmentation = bytes_text(&b);
	if (b.bad || !head.is_common || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4 && bytes_uint(&b, 1) != word)
		return false;
	if (version == 4 && bytes_uint(&b, 1) != 0) /* segments */
		return false;
	common->code_align = bytes_uleb(&b);
	common->data_align = bytes_sleb(&b);
	common->return_register = version == 1 ? bytes_uint(&b, 1) : bytes_uleb(&b);
	if (augmentation[0] == 'z') {
		if (!read_augmentation(section, augmentation + 1, &b, common))
			return false;
	} else if (augmentation[0]) {
		return false;
	}
	common->program = b;
	common->program.end = end;
	common->good = !b.bad;
	return common->good;
}

/* Reads the addresses of an FDE; b is after the field that says where its CIE is. */
static bool read_entry(const struct frame_section *section, struct bytes *b,
                       struct frame_entry *entry)
{
	const uint8_t *end = b->end;
	uint8_t encoding = entry->common.encoding;
	uint64_t length;

	b->end = b->pos + u64_min(FIELDS_MAX, bytes_left(b));
	/* a length is never negative, but has as many bytes as an address */
	if (!frame_pointer(section, b, encoding, &entry->start) ||
	    !read_form(b, encoding & FORM_UNSIGNED, section->wide, &length))
		return false;
	if (!length || __builtin_add_overflow(entry->start, length, &entry->end))
		return false;
	if (entry->common.augmented)
		bytes_skip(b, bytes_uleb(b));
	entry->program = *b;
	entry->program.end = end;
	return !b->bad;
}

enum frame_parsed frame_entry_parse(const struct frame_section *section, uint64_t offset,
                                    struct frame_entry *entry, uint64_t *next)
{
	struct bytes whole = bytes_over(section->data, section->size, section->swap);
	struct bytes b = bytes_at(&whole, offset);
	struct entry_head head;
	uint64_t common;

	if (!bytes_left(&b) || !read_head(section, &b, &head))
		return FRAME_END;
	*next = (uint64_t)(b.end - section->data);
	if (head.is_terminator || b.bad || head.is_common)
		return FRAME_OTHER;
	/* in .eh_frame the field is the distance backwards to the CIE */
	common = section->eh ? head.id_offset - head.id : head.id;
	if (!(entry->common.good && entry->common.offset == common) &&
	    !read_common(section, common, &entry->common))
		return FRAME_OTHER;
	return read_entry(section, &b, entry) ? FRAME_ENTRY : FRAME_OTHER;
}
