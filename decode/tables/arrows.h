/*
 * Arrows from jumps to where they go, beside a listing of instructions:
 *
 *      ,-- je
 *      |,> add
 *      ||
 *      |'- jne
 *      '-> ret
 */
#ifndef READPERF_DECODE_TABLES_ARROWS_H
#define READPERF_DECODE_TABLES_ARROWS_H

#include "util/errhandler.h"

#define ARROW_LEVELS_MOST 6
#define ARROWS_SIZE (ARROW_LEVELS_MOST + 4) /* bytes of a row's arrows, with the NUL */

/* From one row to another one. */
struct arrow {
	uint32_t from, to;
	uint8_t level; /* set by arrows_place(): 0 is the innermost; ARROW_LEVELS_MOST: not drawn */
};

struct arrows {
	struct arrow *items; /* owned */
	size_t count, capacity;
	unsigned levels; /* in use */
};

/* All zeros is empty. */
bool arrows_add(struct arrows *arrows, size_t from, size_t to, struct err *err);
/* Gives each arrow a level, short ones first, so that arrows of a level do not meet. */
bool arrows_place(struct arrows *arrows, size_t row_count, unsigned levels_most, struct err *err);
void arrows_release(struct arrows *arrows);

/*
 * The arrows beside a row, or (between) beside a line above it that is no row: levels + 3 columns,
 * of which the last one is blank; none without arrows.
 */
void arrows_draw(const struct arrows *arrows, size_t row, bool between, char text[ARROWS_SIZE]);

#endif
