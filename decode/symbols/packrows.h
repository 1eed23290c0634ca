/*
 * The rows of a pack in memory (symbolpack.h); symbolpack.c fills them, packedsymbols.c searches
 * them.
 */
#ifndef READPERF_DECODE_SYMBOLS_PACKROWS_H
#define READPERF_DECODE_SYMBOLS_PACKROWS_H

#include "decode/machine/binaries.h"
#include "decode/symbols/symtable.h"
#include "util/csvread.h"

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
	const struct pack_row *rows;
	size_t named, bounded, count; /* named, bounded: where the second and third part begin */
};

struct symbol_pack {
	struct csv_table table; /* the rows point into its text */
	struct pack_row *rows;  /* sorted */
	size_t count, capacity;
	struct pack_binary *binaries; /* ordered by build id, then name */
	size_t binary_count;
	size_t unusable;
};

#endif
