/*
 * Items of one size in an unnamed temporary file, for what memory should not hold: they are
 * appended, and read by any number of readers, each from its own position on.
 */
#ifndef READPERF_UTIL_SPILL_H
#define READPERF_UTIL_SPILL_H

#include "util/errhandler.h"

/* Made by spill_init(); all zeros is a closed one. */
struct spill {
	const char *dir; /* borrowed; the file is made there when the first items are written */
	size_t size;     /* of an item, bytes */
	uint64_t count;  /* items in the file */
	int fd;
	bool open;
};

void spill_init(struct spill *spill, size_t size, const char *dir);
void spill_close(struct spill *spill);
/* Appends items. False with err set, as when the disk is full. */
bool spill_write(struct spill *spill, const void *items, size_t count, struct err *err);

/* All zeros is a closed one. */
struct spill_reader {
	const struct spill *spill; /* borrowed; nothing is appended while it is read */
	uint64_t next, end;        /* numbers of the items that follow those in the buffer */
	uint8_t *buffer;
	size_t room, used, taken; /* items */
};

/*
 * Reads the items from `first` up to `end`, `room` at a time. False with err set when memory is
 * refused; spill_reader_close() must be called in any case.
 */
bool spill_reader_open(struct spill_reader *reader, const struct spill *spill, uint64_t first,
                       uint64_t end, size_t room, struct err *err);
void spill_reader_close(struct spill_reader *reader);
/* The next item, which is valid until the next call; NULL: there is none, or err is set. */
const void *spill_read(struct spill_reader *reader, struct err *err);

#endif
