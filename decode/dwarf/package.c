#include "decode/dwarf/package.h"

enum { VERSION_GNU = 2, VERSION_DWARF5 = 5 };

/* The next count items of size bytes each. */
static struct bytes take_items(struct bytes *b, uint64_t count, uint64_t size)
{
	struct bytes part = *b;
	uint64_t total;

	if (__builtin_mul_overflow(count, size, &total))
		bytes_fail(b);
	else
		bytes_skip(b, total);
	part.end = b->pos;
	part.bad = b->bad;
	return part;
}

static uint32_t word_at(const struct bytes *words, uint64_t number)
{
	bool bad = false;

	return (uint32_t)bytes_item(*words, number, 4, &bad);
}

/* Reads the version; in version 5 the field has only half the size. */
static uint32_t read_version(struct bytes *b)
{
	struct bytes half = *b;
	uint32_t version = (uint32_t)bytes_uint(b, 4);

	return bytes_uint(&half, 2) == VERSION_DWARF5 ? VERSION_DWARF5 : version;
}

static void find_columns(struct package_index *index, const struct bytes *sections,
                         uint32_t version)
{
	/* both versions use the same numbers for what is read here, with one exception */
	static const uint32_t wanted[PACKAGE_SECTIONS] = { [PACKAGE_INFO] = 1,
		                                           [PACKAGE_ABBREV] = 3,
		                                           [PACKAGE_LINE] = 4,
		                                           [PACKAGE_STR_OFFSETS] = 6,
		                                           [PACKAGE_RNGLISTS] = 8 };

	for (int i = 0; i < PACKAGE_SECTIONS; i++)
		index->column[i] = UINT32_MAX;
	for (uint32_t column = index->columns; column-- > 0;) {
		uint32_t section = word_at(sections, column);

		for (int i = 0; i < PACKAGE_SECTIONS; i++)
			if (section == wanted[i])
				index->column[i] = column;
	}
	/* in version 5 the number means macros */
	if (version == VERSION_GNU)
		index->column[PACKAGE_RNGLISTS] = UINT32_MAX;
}

bool package_index_read(struct package_index *index, const struct bytes *section)
{
	struct bytes b = *section, sections;
	uint32_t version = read_version(&b);

	*index = (struct package_index){ 0 };
	if (version != VERSION_GNU && version != VERSION_DWARF5)
		return false;
	index->columns = (uint32_t)bytes_uint(&b, 4);
	index->units = (uint32_t)bytes_uint(&b, 4);
	index->slots = (uint32_t)bytes_uint(&b, 4);
	/* the search requires a power of two */
	if (b.bad || !index->columns || !index->units || !index->slots ||
	    (index->slots & (index->slots - 1)))
		return false;
	index->ids = take_items(&b, index->slots, 8);
	index->rows = take_items(&b, index->slots, 4);
	sections = take_items(&b, index->columns, 4);
	index->offsets = take_items(&b, (uint64_t)index->units * index->columns, 4);
	index->sizes = take_items(&b, (uint64_t)index->units * index->columns, 4);
	if (b.bad)
		return false;
	find_columns(index, &sections, version);
	return index->column[PACKAGE_INFO] != UINT32_MAX &&
	       index->column[PACKAGE_ABBREV] != UINT32_MAX;
}

bool package_index_find(const struct package_index *index, uint64_t id, struct points *points,
                        struct package_part parts[PACKAGE_SECTIONS])
{
	uint32_t mask = index->slots - 1, slot = (uint32_t)id & mask;
	uint32_t step = ((uint32_t)(id >> 32) & mask) | 1, row = 0;

	for (uint32_t tried = 0; tried < index->slots && points_work(points, 1); tried++) {
		bool bad = false;

		row = word_at(&index->rows, slot);
		if (!row || bytes_item(index->ids, slot, 8, &bad) == id)
			break;
		row = 0;
		slot = (slot + step) & mask;
	}
	if (!row || row > index->units)
		return false;
	for (int i = 0; i < PACKAGE_SECTIONS; i++) {
		uint64_t cell = (uint64_t)(row - 1) * index->columns + index->column[i];

		parts[i] = (struct package_part){ 0, 0 };
		if (index->column[i] == UINT32_MAX)
			continue;
		parts[i].offset = word_at(&index->offsets, cell);
		parts[i].size = word_at(&index->sizes, cell);
	}
	return true;
}
