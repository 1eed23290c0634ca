/*
 * A pack as it was read (symbolpack.h): between symbolpack.c, which reads, and packedsymbols.c,
 * which finds.
 */
#ifndef READPERF_DECODE_SYMBOLS_PACKROWS_H
#define READPERF_DECODE_SYMBOLS_PACKROWS_H

#include "decode/machine/binaries.h"
#include "decode/symbols/symtable.h"
#include "util/csvread.h"

#define NO_ROW UINT32_MAX

/* A function, or, with neither name nor bounds, why addresses of the binary have no name. */
struct pack_row {
	uint8_t build_id[PERF_BUILD_ID_SIZE]; /* padded with zeros */
	uint8_t origin;                       /* enum symbol_origin */
	bool bounded;
	uint32_t outer;     /* nearest earlier row that reaches further, or NO_ROW */
	uint64_t offset;    /* of its first byte, see symbols.csv */
	uint64_t size;      /* bytes */
	uint64_t link_addr; /* of its first byte */
	const char *binary, *name;
	struct packed_source source;
};

/* Rows of one binary: those of functions with a name, of functions without, of neither. */
struct pack_binary {
	const struct pack_row *rows;
	size_t named, bounded, count; /* rows before the first one that is not */
};

struct symbol_pack {
	struct csv_table table; /* its text is what rows point into */
	bool spreadsheet;
	struct pack_row *rows; /* sorted */
	size_t count, capacity;
	struct pack_binary *binaries; /* by build id, then name */
	size_t binary_count;
	size_t unusable;
};

#endif
