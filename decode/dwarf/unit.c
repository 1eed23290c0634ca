#ifdef HAVE_LIBDW
#include "decode/dwarf/unit.h"

#include "decode/dwarf/file.h"

/* Kinds of units (DWARF 5), and the tags of those that have code. */
enum { UNIT_COMPILE = 1, UNIT_SKELETON = 4 };
enum { TAG_COMPILE_UNIT = 0x11, TAG_SKELETON_UNIT = 0x4a };
enum { ATTR_RNGLISTS_BASE = 0x74, ATTR_ADDR_BASE = 0x73, ATTR_GNU_ADDR_BASE = 0x2133 };
/* Lengths from here on are no lengths. */
#define LENGTH_ESCAPES UINT64_C(0xfffffff0)

/* The header. b moves to the unit's DIE and ends with the unit. */
static bool read_header(struct dwarf_unit *unit, struct bytes *b, uint64_t *abbrevs)
{
	struct dwarf_format *format = &unit->scan.format;
	uint64_t length = bytes_uint(b, 4);
	uint8_t kind = UNIT_COMPILE;

	format->offset_size = 4;
	if (length == UINT32_MAX) {
		format->offset_size = 8;
		length = bytes_uint(b, 8);
	} else if (length >= LENGTH_ESCAPES) {
		return false;
	}
	if (b->bad || length > bytes_left(b))
		return false;
	b->end = b->pos + length;
	unit->next = (uint64_t)(b->end - unit->scan.info.pos);
	format->version = (uint16_t)bytes_uint(b, 2);
	if (format->version >= 5) {
		kind = bytes_u8(b);
		format->address_size = bytes_u8(b);
	}
	*abbrevs = bytes_uint(b, format->offset_size);
	if (format->version < 5)
		format->address_size = bytes_u8(b);
	if (kind == UNIT_SKELETON)
		bytes_skip(b, 8);
	unit->has_code = format->version >= 2 && format->version <= 5 &&
	                 (kind == UNIT_COMPILE || kind == UNIT_SKELETON);
	return true;
}

/* Moves b from the front of a table to the attributes of the abbreviation with this code. */
static bool find_abbrev(struct bytes *b, uint64_t wanted, uint64_t *tag)
{
	while (!b->bad) {
		uint64_t code = bytes_uleb(b), name, form;

		*tag = bytes_uleb(b);
		bytes_u8(b);
		if (code == wanted || !code)
			return code && !b->bad;
		do {
			name = bytes_uleb(b);
			form = bytes_uleb(b);
			if (form == FORM_IMPLICIT_CONST)
				bytes_sleb(b);
		} while (name || form);
	}
	return false;
}

/* Reads the attributes that matter; abbrev is at their names, b at their values. */
static void read_attributes(struct dwarf_unit *unit, struct bytes *abbrev, struct bytes *b,
                            uint64_t *addr_base)
{
	const struct dwarf_format *format = &unit->scan.format;

	while (!b->bad && !abbrev->bad) {
		uint32_t name = (uint32_t)u64_min(bytes_uleb(abbrev), UINT16_MAX);
		uint32_t form = (uint32_t)u64_min(bytes_uleb(abbrev), UINT16_MAX);
		int64_t value = form == FORM_IMPLICIT_CONST ? bytes_sleb(abbrev) : 0;

		if (!name && !form)
			return;
		if (code_has(name))
			code_read(&unit->code, name, form, value, b, format);
		else if (name == ATTR_ADDR_BASE || name == ATTR_GNU_ADDR_BASE)
			*addr_base = form_uint(b, form, format);
		else if (name == ATTR_RNGLISTS_BASE)
			unit->scan.rnglists_base = form_uint(b, form, format);
		else
			form_skip(b, form, format);
	}
}

bool dwarf_unit_read(struct dwarf_unit *unit, const struct dwarf_sections *sections,
                     uint64_t offset, struct points *points)
{
	struct bytes b = bytes_at(&sections->info, offset), abbrev, start;
	uint64_t abbrevs, tag, addr_base = 0;

	*unit = (struct dwarf_unit){ .scan.info = sections->info };
	if (!bytes_left(&b) || !read_header(unit, &b, &abbrevs))
		return false;
	if (!unit->has_code)
		return true;
	unit->scan.first = (uint64_t)(b.pos - sections->info.pos);
	start = abbrev = bytes_at(&sections->abbrev, abbrevs);
	unit->has_code = find_abbrev(&abbrev, bytes_uleb(&b), &tag) && !b.bad &&
	                 (tag == TAG_COMPILE_UNIT || tag == TAG_SKELETON_UNIT);
	points_work(points, (uint64_t)(abbrev.pos - start.pos));
	if (!unit->has_code)
		return true;
	unit->scan.rnglists_base = unit->scan.format.offset_size == 8 ? 20 : 12;
	read_attributes(unit, &abbrev, &b, &addr_base);
	unit->scan.rnglists = sections->rnglists;
	unit->scan.ranges = sections->ranges;
	unit->scan.addrs = bytes_at(&sections->addr, addr_base);
	unit->scan.addrs.bad = false;
	if (!code_low(&unit->code, &unit->scan, &unit->scan.base))
		unit->scan.base = 0;
	return true;
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_unit_unused;
#endif
