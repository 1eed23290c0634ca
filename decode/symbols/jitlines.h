/*
 * Source lines of code made at run time: records of a jitdump file, each before the code that it
 * belongs to.
 */
#ifndef READPERF_DECODE_SYMBOLS_JITLINES_H
#define READPERF_DECODE_SYMBOLS_JITLINES_H

#include "util/cursor.h"
#include "util/hash.h"
#include "util/strings.h"

struct source_query;

/* A line, valid from this address up to the next one. */
struct jit_line {
	uint64_t key;  /* offset in its code, << 32, and position in its record */
	uint32_t file; /* string of the struct jit_lines; STRING_EMPTY: not known */
	uint32_t line;
};

/* The lines of one piece of code. */
struct jit_source {
	uint64_t place, end; /* file offsets of the bytes of the code; place 0: it was not loaded */
	uint32_t first, count; /* of the lines */
};

/* All zeros is valid and empty. */
struct jit_lines {
	struct jit_line *items;
	size_t count, capacity;
	struct jit_source *sources; /* sorted by place when finished */
	size_t source_count, source_capacity;
	struct strings files;
	struct map latest; /* address of code -> number of the last source for it */
	size_t damaged;    /* records that were dropped */
};

/* Reads a record of lines, without its header. */
bool jit_lines_read(struct jit_lines *lines, struct cursor *record, struct err *err);
/*
 * Code was loaded at addr; its bytes are at [place, end) of the file. The last lines read for addr
 * belong to it.
 */
void jit_lines_place(struct jit_lines *lines, uint64_t addr, uint64_t place, uint64_t end);
/* Call it after the last record. */
void jit_lines_finish(struct jit_lines *lines);
/* Answers a query whose addresses are offsets in the file. */
bool jit_lines_answer(const struct jit_lines *lines, struct source_query *query, struct err *err);
void jit_lines_release(struct jit_lines *lines);

#endif
