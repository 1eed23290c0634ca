#include "decode/symbols/symbolpack.h"

#include "decode/files/rootfs.h"
#include "util/csvread.h"
#include "util/cursor.h"
#include "util/digits.h"
#include "util/search.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PACK_MOST ((size_t)1 << 30) /* bytes; the pack of a large recording has a few megabytes */
#define DEPTH_MAX 1024 /* limit of nested functions that are searched, as in a symbol table */
#define NO_ROW UINT32_MAX

/* A function; or, without name and bounds, the reason why addresses of the binary have no name. */
struct pack_row {
	uint64_t offset;                      /* of its first byte, as in symbols.csv */
	uint8_t build_id[PERF_BUILD_ID_SIZE]; /* padded with zeros */
	uint8_t origin;                       /* enum symbol_origin */
	bool bounded;
	uint32_t outer;     /* the nearest earlier row that ends later, or NO_ROW */
	uint64_t size;      /* bytes */
	uint64_t link_addr; /* of its first byte */
	const char *binary, *name;
	struct packed_source source;
};

/* The rows of one binary: first functions with a name, then those without, then reasons. */
struct pack_binary {
	uint64_t key; /* the first bytes of the build id, big-endian */
	const struct pack_row *rows;
	size_t named, bounded, count; /* named, bounded: where the second and third part begin */
};

enum pack_column {
	PACK_BUILD_ID,
	PACK_BINARY,
	PACK_START,
	PACK_END,
	PACK_FUNCTION,
	PACK_SYMBOLS,
	PACK_OFFSET,
	PACK_FILE,
	PACK_LINE,
	PACK_COLUMNS
};

struct symbol_pack {
	struct csv_table table;  /* the rows point into its text */
	size_t at[PACK_COLUMNS]; /* numbers of its columns */
	struct pack_row *rows;   /* sorted */
	size_t count, capacity;
	struct pack_binary *binaries; /* ordered by build id, then name */
	size_t binary_count;
	size_t unusable;
};

/* --- reading */

static const char *const column_names[PACK_COLUMNS] = {
	[PACK_BUILD_ID] = "build_id", [PACK_BINARY] = "binary",     [PACK_START] = "start",
	[PACK_END] = "end",           [PACK_FUNCTION] = "function", [PACK_SYMBOLS] = "symbols",
	[PACK_OFFSET] = "offset",     [PACK_FILE] = "source_file",  [PACK_LINE] = "line",
};

/* The text in the row that was read last. */
static const char *cell_of(const struct symbol_pack *pack, enum pack_column column)
{
	return csv_table_text(&pack->table, pack->at[column]);
}

static bool bad_cell(const struct symbol_pack *pack, enum pack_column column, const char *expected,
                     struct err *err)
{
	return err_set(err, ERR_FORMAT, "%s: line %" PRIu64 ": %s: expected %s, found '%.40s'",
	               pack->table.name, pack->table.line, column_names[column], expected,
	               cell_of(pack, column));
}

static bool parse_address(const struct symbol_pack *pack, enum pack_column column, uint64_t *addr)
{
	return parse_hex(cell_of(pack, column), strlen(cell_of(pack, column)), addr);
}

static bool parse_build_id(const char *text, uint8_t *id)
{
	size_t length = strlen(text);

	if (length % 2 || length > 2 * PERF_BUILD_ID_SIZE)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (hex_digit(text[i]) < 0)
			return false;
		id[i / 2] = (uint8_t)(id[i / 2] << 4 | hex_digit(text[i]));
	}
	return true;
}

/* Reads the numbers in the row of a function. */
static bool read_numbers(struct pack_row *row, const struct symbol_pack *pack, struct err *err)
{
	static const char address[] = "an address (0x and up to 16 digits)";
	uint64_t end, line = 0;

	if (!parse_address(pack, PACK_START, &row->link_addr))
		return bad_cell(pack, PACK_START, address, err);
	if (!parse_address(pack, PACK_END, &end) || end < row->link_addr)
		return bad_cell(pack, PACK_END, "an address that is not before start", err);
	if (!parse_address(pack, PACK_OFFSET, &row->offset))
		return bad_cell(pack, PACK_OFFSET, address, err);
	if (!csv_table_u64(&pack->table, pack->at[PACK_LINE], &line, err))
		return false;
	row->size = u64_min(end - row->link_addr, UINT64_MAX - row->offset);
	row->source.line = (uint32_t)u64_min(line, UINT32_MAX);
	row->bounded = row->size != 0;
	return true;
}

/* Stores the row that was read, or drops it if it is of no use. */
static bool read_pack_row(struct symbol_pack *pack, struct err *err)
{
	struct pack_row row = { .outer = NO_ROW };

	row.origin = (uint8_t)symbol_origin_find(cell_of(pack, PACK_SYMBOLS));
	if (!parse_build_id(cell_of(pack, PACK_BUILD_ID), row.build_id))
		return bad_cell(pack, PACK_BUILD_ID, "a build id", err);
	if (row.origin == ORIGIN_COUNT)
		return bad_cell(pack, PACK_SYMBOLS, "a word of results.csv, such as symtab", err);
	if (*cell_of(pack, PACK_START) && !read_numbers(&row, pack, err))
		return false;
	if (!*cell_of(pack, PACK_BUILD_ID)) {
		pack->unusable += row.bounded;
		return true;
	}
	/* inlined functions have no address range of their own */
	if (!row.bounded && !symbol_origin_is_reason((enum symbol_origin)row.origin))
		return true;
	row.binary = cell_of(pack, PACK_BINARY);
	row.name = cell_of(pack, PACK_FUNCTION);
	row.source.file = cell_of(pack, PACK_FILE);
	if (pack->count >= NO_ROW)
		return err_set(err, ERR_LIMIT, "%s: too many rows", pack->table.name);
	return vec_append(&pack->rows, &pack->count, &pack->capacity, &row, sizeof(row), err);
}

/* The part of the binary's rows that a row belongs to, see struct pack_binary. */
static int tier_of(const struct pack_row *row)
{
	if (!row->bounded)
		return 2;
	return symbol_origin_is_reason((enum symbol_origin)row->origin);
}

static int compare_binaries(const struct pack_row *a, const struct pack_row *b)
{
	int order = memcmp(a->build_id, b->build_id, PERF_BUILD_ID_SIZE);

	return order ? order : strcmp(a->binary, b->binary);
}

/* Order by binary, part and start; of two with the same start, the longer one comes first. */
static int compare_rows(const void *a, const void *b)
{
	const struct pack_row *x = a, *y = b;
	int order = compare_binaries(x, y);

	if (!order)
		order = tier_of(x) - tier_of(y);
	if (!order)
		order = u64_order(x->offset, y->offset);
	if (!order)
		order = u64_order(y->size, x->size);
	return order ? order : strcmp(x->name, y->name);
}

/* Sets `outer` of count rows of the same part. */
static void link_rows(struct pack_row *rows, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t end = rows[i].offset + rows[i].size;
		uint32_t outer = (uint32_t)(i - 1);

		while (outer != NO_ROW && rows[outer].offset + rows[outer].size <= end)
			outer = rows[outer].outer;
		rows[i].outer = outer;
	}
}

static uint64_t key_of(const uint8_t *build_id)
{
	return load_u64(build_id, must_swap(true));
}

/* Finds the binaries in the sorted rows. */
static bool find_binaries(struct symbol_pack *pack, struct err *err)
{
	struct pack_row *rows = pack->rows;
	size_t capacity = 0;

	for (size_t i = 0, first = 0; i < pack->count; first = i) {
		struct pack_binary found = { .key = key_of(rows[first].build_id),
			                     .rows = rows + first };

		for (; i < pack->count && !compare_binaries(&rows[i], &rows[first]); i++) {
			found.named += tier_of(&rows[i]) == 0;
			found.bounded += rows[i].bounded;
		}
		found.count = i - first;
		link_rows(rows + first, found.named);
		link_rows(rows + first + found.named, found.bounded - found.named);
		if (!vec_append(&pack->binaries, &pack->binary_count, &capacity, &found,
		                sizeof(found), err))
			return false;
	}
	return true;
}

static bool read_rows(struct symbol_pack *pack, struct err *err)
{
	for (unsigned i = 0; i < PACK_COLUMNS; i++) {
		pack->at[i] = csv_table_column(&pack->table, column_names[i]);
		if (pack->at[i] == SIZE_MAX)
			return err_set(err, ERR_FORMAT,
			               "%s: expected a symbols.csv of readperf, found no column "
			               "'%s'",
			               pack->table.name, column_names[i]);
	}
	while (csv_table_next(&pack->table))
		if (!read_pack_row(pack, err))
			return false;
	if (pack->count)
		qsort(pack->rows, pack->count, sizeof(*pack->rows), compare_rows);
	return find_binaries(pack, err);
}

struct symbol_pack *symbol_pack_parse(char *text, size_t size, const char *name, struct err *err)
{
	struct symbol_pack *pack = vec_new(1, sizeof(*pack), err);

	if (!pack) {
		free(text);
		return NULL;
	}
	if (csv_table_open(&pack->table, text, size, name, err) && read_rows(pack, err))
		return pack;
	symbol_pack_free(pack);
	return NULL;
}

struct symbol_pack *symbol_pack_read(const char *path, struct err *err)
{
	int fd = rootfs_open(NULL, path);
	size_t size;
	char *text;

	if (fd < 0) {
		err_errno(err, "--symbol-pack=%s", path);
		return NULL;
	}
	text = rootfs_slurp_text(fd, PACK_MOST, &size, err);
	return text ? symbol_pack_parse(text, size, path, err) : NULL;
}

void symbol_pack_free(struct symbol_pack *pack)
{
	if (!pack)
		return;
	csv_table_close(&pack->table);
	free(pack->rows);
	free(pack->binaries);
	free(pack);
}

size_t symbol_pack_unusable(const struct symbol_pack *pack)
{
	return pack->unusable;
}

/* --- lookups */

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
	for (size_t i = search_below(pack->binaries, pack->binary_count, sizeof(*found),
	                             key_of(build_id));
	     i < pack->binary_count && pack->binaries[i].key == key_of(build_id); i++) {
		const struct pack_binary *next = &pack->binaries[i];

		if (memcmp(next->rows->build_id, build_id, sizeof(build_id)))
			continue;
		if (!strcmp(next->rows->binary, strings_get(strings, binary->name)))
			return next;
		found = found ? found : next;
	}
	return found;
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
static uint32_t find_row(const struct packed_symbols *packed, uint64_t offset)
{
	const struct pack_binary *binary = packed->binary;
	uint32_t row;

	if (!binary)
		return NO_ROW;
	row = find_around(binary->rows, binary->named, offset);
	if (row != NO_ROW)
		return row;
	row = find_around(binary->rows + binary->named, binary->bounded - binary->named, offset);
	return row == NO_ROW ? row : row + (uint32_t)binary->named;
}

struct packed_symbols packed_symbols_of(const struct symbol_pack *pack, const struct binary *binary,
                                        const struct strings *strings)
{
	/* the kernel starts somewhere else after each boot, so a pack has offsets from its start */
	const uint64_t base = binary->kind == BINARY_KERNEL ? binary->start : 0;

	return (struct packed_symbols){ find_binary(pack, binary, strings), .base = base };
}

const struct symbol *packed_symbols_find(struct packed_symbols *packed, uint64_t addr)
{
	const uint32_t number = find_row(packed, addr - packed->base);
	const struct pack_row *row;

	if (number == NO_ROW)
		return NULL;
	row = &packed->binary->rows[number];
	packed->found = (struct symbol){ .start = packed->base + row->offset,
		                         .end = packed->base + row->offset + row->size,
		                         .entry = row->link_addr,
		                         .name = row->name,
		                         .packed = &row->source,
		                         .origin = row->origin };
	return &packed->found;
}

bool packed_symbols_find_all(const struct packed_symbols *packed, const uint64_t *addrs,
                             size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (find_row(packed, addrs[i] - packed->base) == NO_ROW)
			return false;
	return packed->binary != NULL;
}

uint64_t packed_symbols_link_addr(const struct packed_symbols *packed, uint64_t addr)
{
	const struct pack_binary *binary = packed->binary;
	uint64_t offset = addr - packed->base;
	uint32_t row = find_row(packed, offset);
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
