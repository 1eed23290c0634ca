#include "decode/dwarf/code.h"

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

/* Receives the points in ranges. */
struct receiver {
	struct points *points;
	void (*visit)(void *context, size_t number, uint64_t size);
	void *context;
};

static void visit_range(const struct receiver *to, uint64_t low, uint64_t high)
{
	const struct points *points = to->points;

	if (low < points->lowest)
		return;
	for (size_t i = points_from(points, low); i < points->count; i++) {
		if (points->items[i].addr >= high || !points_work(to->points, 1))
			break;
		to->visit(to->context, i, high - low);
	}
}

static uint64_t indexed_addr(const struct code_place *place, uint64_t index, bool *bad)
{
	return bytes_item(place->addrs, index, place->format.address_size, bad);
}

static bool is_addr_index(uint32_t form)
{
	return form == FORM_ADDRX || form == FORM_GNU_ADDR_INDEX ||
	       (form >= FORM_ADDRX1 && form <= FORM_ADDRX4);
}

bool code_addr(const struct die_facts *facts, enum die_fact fact, const struct code_place *place,
               uint64_t *addr)
{
	bool bad = !facts->form[fact];

	*addr = facts->value[fact];
	if (is_addr_index(facts->form[fact]))
		*addr = indexed_addr(place, *addr, &bad);
	return !bad;
}

static uint64_t read_addr(struct bytes *b, const struct code_place *place)
{
	return bytes_uint(b, place->format.address_size);
}

static uint64_t read_addrx(struct bytes *b, const struct code_place *place)
{
	return indexed_addr(place, bytes_uleb(b), &b->bad);
}

/* Reads a list of .debug_ranges: pairs relative to a base. */
static void each_range(const struct code_place *place, uint64_t offset, const struct receiver *to)
{
	struct bytes b = bytes_at(&place->ranges, offset);
	uint8_t size = place->format.address_size;
	uint64_t base = place->base, select = size < 8 ? ((uint64_t)1 << 8 * size) - 1 : UINT64_MAX;

	while (points_work(to->points, 1)) {
		uint64_t low = read_addr(&b, place), high = read_addr(&b, place);

		if (b.bad || (low == 0 && high == 0))
			break;
		if (low == select)
			base = high;
		else
			visit_range(to, base + low, base + high);
	}
}

/* Reads a list of .debug_rnglists. */
static void each_in_rnglist(const struct code_place *place, uint64_t offset,
                            const struct receiver *to)
{
	struct bytes b = bytes_at(&place->rnglists, offset);
	const uint8_t *start = b.pos;
	uint64_t base = place->base, low, high;

	/* numbers may have any number of bytes */
	while (points_work(to->points, (uint64_t)(b.pos - start))) {
		uint8_t kind;

		start = b.pos;
		kind = bytes_u8(&b);
		if (b.bad || kind == RLE_END || kind > RLE_START_LENGTH)
			break;
		if (kind == RLE_BASE_ADDRX || kind == RLE_BASE_ADDR) {
			base = kind == RLE_BASE_ADDR ? read_addr(&b, place) : read_addrx(&b, place);
			continue;
		}
		if (kind == RLE_OFFSET_PAIR)
			low = base + bytes_uleb(&b);
		else if (kind == RLE_STARTX_ENDX || kind == RLE_STARTX_LENGTH)
			low = read_addrx(&b, place);
		else
			low = read_addr(&b, place);
		if (kind == RLE_OFFSET_PAIR)
			high = base + bytes_uleb(&b);
		else if (kind == RLE_STARTX_ENDX)
			high = read_addrx(&b, place);
		else if (kind == RLE_START_END)
			high = read_addr(&b, place);
		else
			high = low + bytes_uleb(&b);
		if (!b.bad)
			visit_range(to, low, high);
	}
}

/* The offset of a list, given its number. */
static uint64_t rnglist_offset(const struct code_place *place, uint64_t index)
{
	bool bad = false;
	uint64_t offset = bytes_item(bytes_at(&place->rnglists, place->rnglists_base), index,
	                             place->format.offset_size, &bad);

	return bad ? UINT64_MAX : u64_add_sat(offset, place->rnglists_base);
}

void code_each(const struct die_facts *facts, const struct code_place *place, struct points *points,
               void (*visit)(void *context, size_t number, uint64_t size), void *context)
{
	const struct receiver to = { points, visit, context };
	const uint32_t form = facts->form[FACT_RANGES], high_form = facts->form[FACT_HIGH_PC];
	const uint64_t ranges = facts->value[FACT_RANGES];
	uint64_t low, high;

	if (form && place->format.version < 5)
		each_range(place, ranges, &to);
	else if (form == FORM_RNGLISTX)
		each_in_rnglist(place, rnglist_offset(place, ranges), &to);
	else if (form)
		each_in_rnglist(place, ranges, &to);
	if (form || !code_addr(facts, FACT_LOW_PC, place, &low) ||
	    !code_addr(facts, FACT_HIGH_PC, place, &high))
		return;
	/* otherwise it is the size of the code */
	if (high_form != FORM_ADDR && !is_addr_index(high_form))
		high = u64_add_sat(low, high);
	visit_range(&to, low, high);
}
