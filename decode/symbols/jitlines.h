/*
 * Source lines of code made at run time: the records of a jitdump file that stand before the code
 * they are about.
 */
#ifndef READPERF_DECODE_SYMBOLS_JITLINES_H
#define READPERF_DECODE_SYMBOLS_JITLINES_H

#include "util/cursor.h"
#include "util/hash.h"
#include "util/strings.h"

struct source_query;

/* From here on, up to the next one. */
struct jit_line {
	uint32_t offset; /* in its code */
	uint32_t order;  /* in its record */
	uint32_t file;   /* string of the lines; STRING_EMPTY: not known */
	uint32_t line;
};

/* The lines of one piece of code. */
struct jit_source {
	uint64_t place, end;   /* of the code's bytes in the file; place 0: not loaded */
	uint32_t first, count; /* of the lines */
};

/* All zero: none yet. */
struct jit_lines {
	struct jit_line *items;
	size_t count, capacity;
	struct jit_source *sources; /* finished: by place */
	size_t source_count, source_capacity;
	struct strings files;
	struct map waiting; /* address of code that is not loaded yet to its source, plus one; 0:
	                       none */
	size_t damaged;     /* records that were left out */
};

/* Takes the record of lines, without its header. False with err set only when memory is refused. */
bool jit_lines_read(struct jit_lines *lines, struct cursor *record, struct err *err);
/* Code came to addr: the lines that wait for it are those of [place, end) in the file. */
bool jit_lines_place(struct jit_lines *lines, uint64_t addr, uint64_t place, uint64_t end,
                     struct err *err);
/* After the last record. */
void jit_lines_finish(struct jit_lines *lines);
/*
 * Answers a query whose addresses are places in the file. False with err set when memory is
 * refused.
 */
bool jit_lines_answer(const struct jit_lines *lines, struct source_query *query, struct err *err);
void jit_lines_release(struct jit_lines *lines);

#endif
