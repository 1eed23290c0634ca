#include "decode/symbols/packedsymbols.h"

#include "decode/symbols/packrows.h"
#include "util/search.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 1024 /* limit of nested functions that are searched, as in a symbol table */

struct packed_symbols {
	const struct pack_binary *binary;
	uint64_t base;           /* address of offset 0 */
	struct symbol symbols[]; /* one for each of the bounded rows */
};

/* The number of binaries with a smaller build id. */
static size_t count_before(const struct symbol_pack *pack, const uint8_t *build_id)
{
	size_t low = 0, high = pack->binary_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memcmp(pack->binaries[middle].rows->build_id, build_id, PERF_BUILD_ID_SIZE) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The binary with the same build id, preferably with the same name, or NULL. */
static const struct pack_binary *find_binary(const struct symbol_pack *pack,
                                             const struct binary *binary,
                                             const struct strings *strings)
{
	const struct pack_binary *found = NULL;
	uint8_t build_id[PERF_BUILD_ID_SIZE] = { 0 };

	if (!pack || !binary->build_id.size || binary->guest)
		return NULL;
	memcpy(build_id, binary->build_id.bytes, binary->build_id.size);
	for (size_t i = count_before(pack, build_id); i < pack->binary_count; i++) {
		const struct pack_binary *next = &pack->binaries[i];

		if (memcmp(next->rows->build_id, build_id, sizeof(build_id)))
			break;
		if (!strcmp(next->rows->binary, strings_get(strings, binary->name)))
			return next;
		found = found ? found : next;
	}
	return found;
}

/* The start of the kernel: it differs after each boot, so a pack has offsets from it. */
static uint64_t base_of(const struct binary *binary)
{
	return binary->kind == BINARY_KERNEL ? binary->start : 0;
}

/* The innermost row around the offset, or NO_ROW. */
static uint32_t find_around(const struct pack_row *rows, size_t count, uint64_t offset)
{
	uint32_t row = (uint32_t)search_until(rows, count, sizeof(*rows), offset) - 1;

	for (int depth = 0; row != NO_ROW && offset - rows[row].offset >= rows[row].size; depth++)
		row = depth < DEPTH_MAX ? rows[row].outer : NO_ROW;
	return row;
}

/* Searches first the functions with a name, then those without. */
static uint32_t find_row(const struct pack_binary *binary, uint64_t offset)
{
	uint32_t row = find_around(binary->rows, binary->named, offset);

	if (row != NO_ROW)
		return row;
	row = find_around(binary->rows + binary->named, binary->bounded - binary->named, offset);
	return row == NO_ROW ? row : row + (uint32_t)binary->named;
}

bool symbol_pack_names_all(const struct symbol_pack *pack, const struct binary *binary,
                           const struct strings *strings, const uint64_t *addrs, size_t count)
{
	const struct pack_binary *found = find_binary(pack, binary, strings);

	for (size_t i = 0; found && i < count; i++)
		if (find_row(found, addrs[i] - base_of(binary)) == NO_ROW)
			return false;
	return found != NULL;
}

struct packed_symbols *packed_symbols_new(const struct symbol_pack *pack,
                                          const struct binary *binary,
                                          const struct strings *strings, struct err *err)
{
	const struct pack_binary *found = find_binary(pack, binary, strings);
	struct packed_symbols *packed;
	size_t size;

	if (!found)
		return NULL;
	size = sizeof(*packed) + found->bounded * sizeof(packed->symbols[0]);
	packed = malloc(size);
	if (!packed) {
		err_nomem(err, size);
		return NULL;
	}
	packed->binary = found;
	packed->base = base_of(binary);
	for (size_t i = 0; i < found->bounded; i++) {
		const struct pack_row *row = &found->rows[i];

		packed->symbols[i] = (struct symbol){ .start = packed->base + row->offset,
			                              .end = packed->base + row->offset + row->size,
			                              .entry = row->link_addr,
			                              .name = row->name,
			                              .packed = &row->source,
			                              .origin = row->origin };
	}
	return packed;
}

void packed_symbols_free(struct packed_symbols *packed)
{
	free(packed);
}

const struct symbol *packed_symbols_find(const struct packed_symbols *packed, uint64_t addr)
{
	uint32_t row = find_row(packed->binary, addr - packed->base);

	return row == NO_ROW ? NULL : &packed->symbols[row];
}

uint64_t packed_symbols_link_addr(const struct packed_symbols *packed, uint64_t addr)
{
	const struct pack_binary *binary = packed->binary;
	uint64_t offset = addr - packed->base;
	uint32_t row = find_row(binary, offset);
	size_t before = search_until(binary->rows, binary->named, sizeof(*binary->rows), offset);

	if (row == NO_ROW && before)
		row = (uint32_t)before - 1;
	return row == NO_ROW ? addr
	                     : binary->rows[row].link_addr + (offset - binary->rows[row].offset);
}

bool packed_symbols_reason(const struct packed_symbols *packed, enum symbol_origin *reason)
{
	const struct pack_binary *binary = packed->binary;

	if (binary->bounded == binary->count)
		return false;
	*reason = (enum symbol_origin)binary->rows[binary->bounded].origin;
	return true;
}
