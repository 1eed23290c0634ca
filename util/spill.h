/*
 * Items of one size in an unnamed temporary file, for what memory should not hold: they are
 * appended in blocks, and read by any number of readers, each from its own block on.
 *
 * An item is an array of u64, and most words differ little from the same word of the item before.
 * So the file has the differences, in bytes of 7 bits as in LEB128: a fifth to a third of the size,
 * which matters more than the time to compute them.
 */
#ifndef READPERF_UTIL_SPILL_H
#define READPERF_UTIL_SPILL_H

#include "util/errhandler.h"

#define SPILL_WORDS_MOST 8 /* of an item */

/* Made by spill_init(); all zeros is a closed one. */
struct spill {
	const char *dir; /* borrowed; the file is made there when the first items are written */
	size_t words;    /* of an item */
	int fd;
	bool open;
	uint64_t size; /* bytes in the file */
	struct spill_block {
		uint64_t start; /* position in the file */
		size_t count;   /* items */
	} * blocks;
	size_t block_count, block_capacity;
	uint8_t *buffer; /* bytes that are not yet written */
	size_t used;
};

/* size: of an item, bytes: those of SPILL_WORDS_MOST u64 or fewer */
void spill_init(struct spill *spill, size_t size, const char *dir);
void spill_close(struct spill *spill);
/* Appends a block. False with err set, as when the disk is full. */
bool spill_write(struct spill *spill, const void *items, size_t count, struct err *err);

/* All zeros is a closed one. */
struct spill_reader {
	const struct spill *spill; /* borrowed; nothing is appended while it is read */
	size_t block, end;         /* the next block, and the one behind the last one */
	size_t left;               /* items of this block */
	uint64_t position;         /* in the file, of what follows the bytes in the buffer */
	uint8_t *buffer;
	size_t room, used, taken;        /* bytes */
	uint64_t item[SPILL_WORDS_MOST]; /* the last one */
};

/*
 * Reads the items of blocks from `first` up to `end`, `room` bytes at a time. False with err set
 * when memory is refused; spill_reader_close() must be called in any case.
 */
bool spill_reader_open(struct spill_reader *reader, const struct spill *spill, size_t first,
                       size_t end, size_t room, struct err *err);
void spill_reader_close(struct spill_reader *reader);
/* The next item, which is valid until the next call; NULL: there is none, or err is set. */
const void *spill_read(struct spill_reader *reader, struct err *err);

#endif
