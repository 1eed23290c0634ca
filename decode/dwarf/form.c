#include "decode/dwarf/form.h"

uint32_t form_size(uint32_t form, const struct dwarf_format *format)
{
	switch (form) {
	case FORM_FLAG_PRESENT:
	case FORM_IMPLICIT_CONST:
		return 0;
	case FORM_DATA1:
	case FORM_REF1:
	case FORM_FLAG:
	case FORM_STRX1:
	case FORM_ADDRX1:
		return 1;
	case FORM_DATA2:
	case FORM_REF2:
	case FORM_STRX2:
	case FORM_ADDRX2:
		return 2;
	case FORM_STRX3:
	case FORM_ADDRX3:
		return 3;
	case FORM_DATA4:
	case FORM_REF4:
	case FORM_STRX4:
	case FORM_ADDRX4:
	case FORM_REF_SUP4:
		return 4;
	case FORM_DATA8:
	case FORM_REF8:
	case FORM_REF_SIG8:
	case FORM_REF_SUP8:
		return 8;
	case FORM_DATA16:
		return 16;
	case FORM_ADDR:
		return format->address_size;
	case FORM_STRP:
	case FORM_LINE_STRP:
	case FORM_SEC_OFFSET:
	case FORM_STRP_SUP:
	case FORM_GNU_REF_ALT:
	case FORM_GNU_STRP_ALT:
		return format->offset_size;
	case FORM_REF_ADDR:
		return format->version <= 2 ? format->address_size : format->offset_size;
	default:
		return FORM_VARIABLE;
	}
}

/* The form that precedes an indirect value. No compiler nests them. */
static uint32_t form_resolve(struct bytes *b, uint32_t form)
{
	uint64_t real = form;

	if (form == FORM_INDIRECT)
		real = bytes_uleb(b);
	return real > UINT16_MAX ? FORM_INDIRECT : (uint32_t)real;
}

void form_skip(struct bytes *b, uint32_t form, const struct dwarf_format *format)
{
	uint32_t size;

	form = form_resolve(b, form);
	size = form_size(form, format);
	if (size != FORM_VARIABLE) {
		bytes_skip(b, size);
		return;
	}
	switch (form) {
	case FORM_SDATA:
	case FORM_UDATA:
	case FORM_REF_UDATA:
	case FORM_STRX:
	case FORM_ADDRX:
	case FORM_LOCLISTX:
	case FORM_RNGLISTX:
	case FORM_GNU_ADDR_INDEX:
	case FORM_GNU_STR_INDEX:
		bytes_uleb(b);
		break;
	case FORM_STRING:
		bytes_text(b);
		break;
	case FORM_BLOCK1:
		bytes_skip(b, bytes_u8(b));
		break;
	case FORM_BLOCK2:
		bytes_skip(b, bytes_uint(b, 2));
		break;
	case FORM_BLOCK4:
		bytes_skip(b, bytes_uint(b, 4));
		break;
	case FORM_BLOCK:
	case FORM_EXPRLOC:
		bytes_skip(b, bytes_uleb(b));
		break;
	default:
		bytes_fail(b);
	}
}

uint64_t form_uint(struct bytes *b, uint32_t form, const struct dwarf_format *format)
{
	uint32_t size;

	form = form_resolve(b, form);
	size = form_size(form, format);
	switch (form) {
	case FORM_SDATA:
		return (uint64_t)bytes_sleb(b);
	case FORM_UDATA:
	case FORM_REF_UDATA:
	case FORM_STRX:
	case FORM_ADDRX:
	case FORM_LOCLISTX:
	case FORM_RNGLISTX:
	case FORM_GNU_ADDR_INDEX:
	case FORM_GNU_STR_INDEX:
		return bytes_uleb(b);
	case FORM_FLAG_PRESENT:
		return 1;
	default:
		break;
	}
	if (size == 0 || size > 8) {
		bytes_fail(b);
		return 0;
	}
	return bytes_uint(b, size);
}

bool form_is_number(uint32_t form)
{
	switch (form) {
	case FORM_STRING:
	case FORM_BLOCK:
	case FORM_BLOCK1:
	case FORM_BLOCK2:
	case FORM_BLOCK4:
	case FORM_EXPRLOC:
	case FORM_DATA16:
	case FORM_INDIRECT:
	case FORM_IMPLICIT_CONST:
		return false;
	default:
		return true;
	}
}
