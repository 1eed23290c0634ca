#include "decode/dwarf_scan.h"

#include "decode/dwarf_abbrev.h"
#include "util/strings.h"
#include "util/vec.h"

#include <stdlib.h>

/* Deeper nesting than any compiler's; below it functions are taken as siblings. */
enum { DEPTH_MAX = 256 };

/* Entries of DWARF 5 range lists. */
enum {
	RLE_END,
	RLE_BASE_ADDRX,
	RLE_STARTX_ENDX,
	RLE_STARTX_LENGTH,
	RLE_OFFSET_PAIR,
	RLE_BASE_ADDR,
	RLE_START_END,
	RLE_START_LENGTH
};

/* Instead of a node: inside a function that covers no point. */
#define NODE_OUTSIDE (POINT_NONE - 1)

/* Where a function's code is, as its attributes say it. */
struct code {
	uint64_t low, high, ranges;
	uint32_t ranges_form; /* 0: no ranges */
	bool has_low, has_high;
};

const struct scan_orphan *scan_orphan_find(const struct scan *scan, uint64_t offset)
{
	size_t low = 0, high = scan->orphan_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->orphans[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == scan->orphan_count || scan->orphans[low].offset != offset)
		return NULL;
	return &scan->orphans[low];
}

void scan_release(struct scan *scan)
{
	free(scan->nodes);
	free(scan->orphans);
	free(scan->abbrevs);
	free(scan->steps);
	*scan = (struct scan){ 0 };
}

/* Offers a range of `node` to the points. True if any lies in it. */
static bool cover(struct scan *scan, const struct scan_unit *unit, uint32_t node, uint64_t low,
                  uint64_t high)
{
	struct points *points = scan->points;
	bool any = false;
	size_t i;

	if (low < unit->lowest || high <= low)
		return false;
	for (i = points_from(points, low); i < points->count && points->items[i].addr < high; i++) {
		struct point *point = &points->items[i];

		if (!points_work(points, 1))
			return any;
		if (point->unit != scan->unit || point->done)
			continue;
		any = true;
		if (high - low <= point->size) {
			point->size = high - low;
			point->node = node;
		}
	}
	return any;
}

static uint64_t indexed_addr(const struct scan_unit *unit, uint64_t index, bool *bad)
{
	struct bytes b = unit->addrs;
	uint64_t offset;

	if (__builtin_mul_overflow(index, unit->format.address_size, &offset))
		bytes_fail(&b);
	bytes_skip(&b, offset);
	offset = bytes_uint(&b, unit->format.address_size);
	*bad |= b.bad;
	return offset;
}

static uint64_t read_addr(struct bytes *b, const struct scan_unit *unit)
{
	return bytes_uint(b, unit->format.address_size);
}

static uint64_t read_addrx(struct bytes *b, const struct scan_unit *unit)
{
	return indexed_addr(unit, bytes_uleb(b), &b->bad);
}

/* A list of .debug_ranges: pairs that count from a base. */
static bool cover_ranges(struct scan *scan, const struct scan_unit *unit, uint32_t node,
                         uint64_t offset)
{
	struct bytes b = bytes_at(&unit->ranges, offset);
	uint8_t size = unit->format.address_size;
	uint64_t base = unit->base, select = size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;
	bool any = false;

	while (points_work(scan->points, 1)) {
		uint64_t low = read_addr(&b, unit), high = read_addr(&b, unit);

		if (b.bad || (low == 0 && high == 0))
			break;
		if (low == select)
			base = high;
		else
			any |= cover(scan, unit, node, base + low, base + high);
	}
	return any;
}

/* A list of .debug_rnglists. */
static bool cover_rnglist(struct scan *scan, const struct scan_unit *unit, uint32_t node,
                          uint64_t offset)
{
	struct bytes b = bytes_at(&unit->rnglists, offset);
	uint64_t base = unit->base, low, high;
	bool any = false;

	while (points_work(scan->points, 1)) {
		uint8_t kind = bytes_u8(&b);

		if (b.bad || kind == RLE_END || kind > RLE_START_LENGTH)
			break;
		if (kind == RLE_BASE_ADDRX || kind == RLE_BASE_ADDR) {
			base = kind == RLE_BASE_ADDR ? read_addr(&b, unit) : read_addrx(&b, unit);
			continue;
		}
		if (kind == RLE_OFFSET_PAIR)
			low = base + bytes_uleb(&b);
		else if (kind == RLE_STARTX_ENDX || kind == RLE_STARTX_LENGTH)
			low = read_addrx(&b, unit);
		else
			low = read_addr(&b, unit);
		if (kind == RLE_OFFSET_PAIR)
			high = base + bytes_uleb(&b);
		else if (kind == RLE_STARTX_ENDX)
			high = read_addrx(&b, unit);
		else if (kind == RLE_START_END)
			high = read_addr(&b, unit);
		else
			high = low + bytes_uleb(&b);
		if (!b.bad)
			any |= cover(scan, unit, node, low, high);
	}
	return any;
}

/* The offset of a list that is named by its number. */
static uint64_t rnglist_offset(const struct scan_unit *unit, uint64_t index)
{
	struct bytes b = bytes_at(&unit->rnglists, unit->rnglists_base);
	uint64_t offset;

	if (__builtin_mul_overflow(index, unit->format.offset_size, &offset))
		return UINT64_MAX;
	bytes_skip(&b, offset);
	offset = bytes_uint(&b, unit->format.offset_size);
	return b.bad ? UINT64_MAX : u64_add_sat(offset, unit->rnglists_base);
}

static bool cover_code(struct scan *scan, const struct scan_unit *unit, uint32_t node,
                       const struct code *code)
{
	if (code->ranges_form && unit->format.version < 5)
		return cover_ranges(scan, unit, node, code->ranges);
	if (code->ranges_form == FORM_RNGLISTX)
		return cover_rnglist(scan, unit, node, rnglist_offset(unit, code->ranges));
	if (code->ranges_form)
		return cover_rnglist(scan, unit, node, code->ranges);
	return code->has_low && code->has_high && cover(scan, unit, node, code->low, code->high);
}

static bool is_addr_index(uint32_t form)
{
	return form == FORM_ADDRX || form == FORM_GNU_ADDR_INDEX ||
	       (form >= FORM_ADDRX1 && form <= FORM_ADDRX4);
}

/* Reads the attributes of a function that say where its code is; passes over the others. */
static struct code read_code(struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                             const struct scan_abbrev *abbrev)
{
	const struct scan_step *step = scan->steps + abbrev->first_step;
	const struct scan_step *end = step + abbrev->step_count;
	struct code code = { 0 };
	bool relative = false;

	for (; step < end; step++) {
		uint64_t value = (uint64_t)step->value;
		bool bad = false;

		if (step->name != ATTR_LOW_PC && step->name != ATTR_HIGH_PC &&
		    step->name != ATTR_RANGES) {
			form_skip(b, step->form, &unit->format);
			continue;
		}
		if (step->form != FORM_IMPLICIT_CONST)
			value = form_uint(b, step->form, &unit->format);
		if (is_addr_index(step->form))
			value = indexed_addr(unit, value, &bad);
		if (step->name == ATTR_RANGES) {
			code.ranges = value;
			code.ranges_form = step->form;
		} else if (step->name == ATTR_LOW_PC) {
			code.low = value;
			code.has_low = !bad;
		} else {
			code.high = value;
			code.has_high = !bad;
			relative = step->form != FORM_ADDR && !is_addr_index(step->form);
		}
	}
	if (relative)
		code.high = u64_add_sat(code.low, code.high);
	return code;
}

/* The DIE that is being read. */
struct die {
	const struct scan_abbrev *abbrev;
	uint64_t offset;
	uint64_t holder; /* as in struct scan_orphan */
	uint32_t node;   /* at first the node around it, then the one around its children */
};

/* What a DIE tells those inside it. */
struct around {
	uint64_t holder;
	uint32_t node;
};

static bool add_orphan(struct scan *scan, const struct die *die, struct err *err)
{
	struct scan_orphan *grown = scan->orphans;

	if (scan->orphan_count == scan->orphan_capacity) {
		grown = vec_grow(grown, scan->orphan_count, &scan->orphan_capacity, sizeof(*grown),
		                 err);
		if (!grown)
			return false;
		scan->orphans = grown;
	}
	scan->orphans[scan->orphan_count++] = (struct scan_orphan){ die->offset, die->holder };
	return true;
}

static bool add_node(struct scan *scan, const struct die *die, uint32_t parent, struct err *err)
{
	struct scan_node *grown = scan->nodes;

	if (scan->node_count == scan->node_capacity) {
		grown = vec_grow(grown, scan->node_count, &scan->node_capacity, sizeof(*grown),
		                 err);
		if (!grown)
			return false;
		scan->nodes = grown;
	}
	scan->nodes[scan->node_count++] = (struct scan_node){
		die->offset, parent, STRING_NONE, STRING_NONE
	};
	return true;
}

/* A DIE with code. */
static bool function(struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                     struct die *die, struct err *err)
{
	struct code code = read_code(scan, unit, b, die->abbrev);
	uint32_t number = (uint32_t)scan->node_count;
	bool inlined = die->abbrev->kind == ABBREV_INLINED;

	if (b->bad || (inlined && die->node == NODE_OUTSIDE) || number >= NODE_OUTSIDE - 1)
		return true;
	/*
	 * An inlined function that covers no point still links those inside it to the outer one:
	 * compilers move parts of them out of its ranges.
	 */
	if (!cover_code(scan, unit, number, &code) && !inlined) {
		die->node = NODE_OUTSIDE;
		return true;
	}
	if (!add_node(scan, die, inlined ? die->node : POINT_NONE, err))
		return false;
	die->node = number;
	return true;
}

static inline void pass_over(const struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                             const struct scan_abbrev *abbrev)
{
	const struct scan_step *step = scan->steps + abbrev->first_step;
	const struct scan_step *end = step + abbrev->step_count;

	for (; step < end; step++) {
		bytes_skip(b, step->name);
		if (step->form)
			form_skip(b, step->form, &unit->format);
	}
}

/* The DIE at b, if there is one that can be read. */
static bool read_die(struct scan *scan, const struct scan_unit *unit, struct bytes *b,
                     struct die *die, struct err *err)
{
	if (die->abbrev->orphan && !add_orphan(scan, die, err))
		return false;
	if (die->abbrev->kind == ABBREV_PLAIN)
		pass_over(scan, unit, b, die->abbrev);
	else if (!function(scan, unit, b, die, err))
		return false;
	if (die->abbrev->holder)
		die->holder = die->offset;
	return true;
}

bool scan_unit(struct scan *scan, const struct scan_unit *unit, uint32_t number, struct err *err)
{
	struct around around[DEPTH_MAX] = { { 0, NODE_OUTSIDE } };
	struct bytes b = bytes_at(&unit->info, unit->first);
	uint64_t depth = 0;

	scan->unit = number;
	scan->node_count = scan->orphan_count = 0;
	if (b.bad || unit->end < unit->first)
		return true;
	if (!abbrevs_read(scan, unit, err))
		return false;
	b.end = b.pos + u64_min(unit->end - unit->first, bytes_left(&b));
	if (!points_work(scan->points, bytes_left(&b)))
		return true;
	while (bytes_left(&b)) {
		const struct around *outer = &around[u64_min(depth, DEPTH_MAX - 1)];
		struct die die = { .offset = (uint64_t)(b.pos - unit->info.pos) };
		uint64_t code = bytes_uleb(&b);

		if (code == 0) {
			/* Padding behind the unit DIE's children ends it too. */
			if (depth <= 1)
				break;
			depth--;
			continue;
		}
		die.holder = outer->holder;
		die.node = outer->node;
		die.abbrev = abbrevs_find(scan, code);
		if (!die.abbrev)
			break;
		if (!read_die(scan, unit, &b, &die, err))
			return false;
		if (b.bad)
			break;
		if (die.abbrev->children && ++depth < DEPTH_MAX)
			around[depth] = (struct around){ die.holder, die.node };
		if (depth == 0)
			break;
	}
	return true;
}
