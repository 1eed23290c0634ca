#include "decode/dwarf/form.h"

/* How the values of a form are stored. */
enum kind {
	UNKNOWN,
	ADDRESS,
	OFFSET,
	ADDRESS_OR_OFFSET, /* an address in DWARF 2 */
	ULEB,
	SLEB,
	TEXT,
	BLOCK, /* preceded by its size, a ULEB or, in the next three, a number */
	BLOCK_1,
	BLOCK_2,
	BLOCK_4,
	BYTES /* and more: so many bytes; with BYTES alone the abbreviation has the value */
};

static enum kind kind_of(uint32_t form)
{
	static const uint8_t kinds[] = {
		[FORM_ADDR] = ADDRESS,
		[FORM_BLOCK2] = BLOCK_2,
		[FORM_BLOCK4] = BLOCK_4,
		[FORM_DATA2] = BYTES + 2,
		[FORM_DATA4] = BYTES + 4,
		[FORM_DATA8] = BYTES + 8,
		[FORM_STRING] = TEXT,
		[FORM_BLOCK] = BLOCK,
		[FORM_BLOCK1] = BLOCK_1,
		[FORM_DATA1] = BYTES + 1,
		[FORM_FLAG] = BYTES + 1,
		[FORM_SDATA] = SLEB,
		[FORM_STRP] = OFFSET,
		[FORM_UDATA] = ULEB,
		[FORM_REF_ADDR] = ADDRESS_OR_OFFSET,
		[FORM_REF1] = BYTES + 1,
		[FORM_REF2] = BYTES + 2,
		[FORM_REF4] = BYTES + 4,
		[FORM_REF8] = BYTES + 8,
		[FORM_REF_UDATA] = ULEB,
		[FORM_SEC_OFFSET] = OFFSET,
		[FORM_EXPRLOC] = BLOCK,
		[FORM_FLAG_PRESENT] = BYTES,
		[FORM_STRX] = ULEB,
		[FORM_ADDRX] = ULEB,
		[FORM_REF_SUP4] = BYTES + 4,
		[FORM_STRP_SUP] = OFFSET,
		[FORM_DATA16] = BYTES + 16,
		[FORM_LINE_STRP] = OFFSET,
		[FORM_REF_SIG8] = BYTES + 8,
		[FORM_IMPLICIT_CONST] = BYTES,
		[FORM_LOCLISTX] = ULEB,
		[FORM_RNGLISTX] = ULEB,
		[FORM_REF_SUP8] = BYTES + 8,
		[FORM_STRX1] = BYTES + 1,
		[FORM_STRX2] = BYTES + 2,
		[FORM_STRX3] = BYTES + 3,
		[FORM_STRX4] = BYTES + 4,
		[FORM_ADDRX1] = BYTES + 1,
		[FORM_ADDRX2] = BYTES + 2,
		[FORM_ADDRX3] = BYTES + 3,
		[FORM_ADDRX4] = BYTES + 4,
	};

	if (form < ARRAY_SIZE(kinds))
		return (enum kind)kinds[form];
	if (form == FORM_GNU_ADDR_INDEX || form == FORM_GNU_STR_INDEX)
		return ULEB;
	return form == FORM_GNU_REF_ALT || form == FORM_GNU_STRP_ALT ? OFFSET : UNKNOWN;
}

uint32_t form_size(uint32_t form, const struct dwarf_format *format)
{
	enum kind kind = kind_of(form);

	if (kind >= BYTES)
		return kind - BYTES;
	if (kind == ADDRESS || (kind == ADDRESS_OR_OFFSET && format->version <= 2))
		return format->address_size;
	return kind == OFFSET || kind == ADDRESS_OR_OFFSET ? format->offset_size : FORM_VARIABLE;
}

/* The form that precedes an indirect value. No compiler nests them. */
static uint32_t form_resolve(struct bytes *b, uint32_t form)
{
	return form == FORM_INDIRECT ? (uint32_t)u64_min(bytes_uleb(b), UINT16_MAX) : form;
}

void form_skip(struct bytes *b, uint32_t form, const struct dwarf_format *format)
{
	uint32_t size;
	enum kind kind;

	form = form_resolve(b, form);
	size = form_size(form, format);
	kind = kind_of(form);
	if (size != FORM_VARIABLE)
		bytes_skip(b, size);
	else if (kind == ULEB || kind == SLEB)
		bytes_uleb(b);
	else if (kind == TEXT)
		bytes_text(b);
	else if (kind == BLOCK)
		bytes_skip(b, bytes_uleb(b));
	else if (kind == UNKNOWN)
		bytes_fail(b);
	else
		bytes_skip(b, bytes_uint(b, 1u << (kind - BLOCK_1)));
}

uint64_t form_uint(struct bytes *b, uint32_t form, const struct dwarf_format *format)
{
	uint32_t size;

	form = form_resolve(b, form);
	if (form == FORM_FLAG_PRESENT)
		return 1;
	size = form_size(form, format);
	if (size != FORM_VARIABLE)
		return bytes_uint(b, size);
	switch (kind_of(form)) {
	case SLEB:
		return (uint64_t)bytes_sleb(b);
	case ULEB:
		return bytes_uleb(b);
	default:
		bytes_fail(b);
		return 0;
	}
}

bool form_is_number(uint32_t form)
{
	enum kind kind = kind_of(form);

	return kind != UNKNOWN && kind != TEXT && (kind < BLOCK || kind > BLOCK_4) &&
	       form != FORM_DATA16 && form != FORM_IMPLICIT_CONST;
}
