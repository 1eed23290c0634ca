/*
 * Unnamed temporary files, which disappear with their descriptor, however the process ends. A spool
 * is such a file: bytes are appended to it, and later read in the same order.
 */
#ifndef READPERF_UTIL_SPOOL_H
#define READPERF_UTIL_SPOOL_H

#include "util/errhandler.h"

#include <string.h>

/* Makes an unnamed file in a folder; returns its descriptor, or -1 with err set. */
int temp_file_open(const char *dir, struct err *err);

struct spool {
	bool open, reading;
	int fd;
	uint8_t *buffer;     /* bytes that follow those in the file; when reading: a part of them */
	size_t used, taken;  /* used: bytes in the buffer; taken: those of them that were read */
	uint64_t size, next; /* size: bytes in the file; next: position of the next byte to be read
	                        into the buffer */
};

/* All zeros is a closed spool. False with err set; spool_close() must be called in any case. */
bool spool_open(struct spool *spool, const char *dir, struct err *err);
void spool_close(struct spool *spool);

/* Writes the contents of the buffer. */
bool spool_flush(struct spool *spool, struct err *err);

#define SPOOL_BUFFER ((size_t)64 * 1024)

/*
 * Appends fewer than SPOOL_BUFFER bytes, which the caller writes to where the result points, before
 * the next call. NULL with err set.
 */
static inline void *spool_room(struct spool *spool, size_t size, struct err *err)
{
	if (SPOOL_BUFFER - spool->used < size && !spool_flush(spool, err))
		return NULL;
	spool->used += size;
	return spool->buffer + spool->used - size;
}

/* Appends fewer than SPOOL_BUFFER bytes. */
static inline bool spool_append(struct spool *spool, const void *data, size_t size, struct err *err)
{
	void *room = spool_room(spool, size, err);

	if (room)
		memcpy(room, data, size);
	return room != NULL;
}

/* Number of bytes appended so far. */
static inline uint64_t spool_size(const struct spool *spool)
{
	/* what is read from a file passes through the buffer */
	return spool->size + (spool->reading && spool->size ? 0 : spool->used);
}

/* Reads or overwrites bytes that were appended; allowed as long as bytes are appended. */
bool spool_get(struct spool *spool, uint64_t offset, void *data, size_t size, struct err *err);
bool spool_put(struct spool *spool, uint64_t offset, const void *data, size_t size,
               struct err *err);

/* Reads bytes after spool_rewind(), beside spool_take(). */
bool spool_read_at(const struct spool *spool, uint64_t offset, void *data, size_t size,
                   struct err *err);

/* From now on spool_take() reads from the start; nothing can be appended any more. */
bool spool_rewind(struct spool *spool, struct err *err);
/*
 * A spool that reads the bytes of another one, from the start and beside other readers. After
 * spool_rewind() of that one, which must outlive it. False with err set when memory is refused;
 * spool_close() must be called in any case.
 */
bool spool_reader(struct spool *reader, const struct spool *of, struct err *err);
/* Bytes behind the next ones, so many further on, if they are in the buffer; else NULL. */
static inline const void *spool_ahead(const struct spool *spool, size_t skipped, size_t size)
{
	return spool->used - spool->taken < skipped + size ? NULL
	                                                   : spool->buffer + spool->taken + skipped;
}
/* Returns the next bytes, fewer than SPOOL_BUFFER; valid until the next call. NULL with err set. */
const void *spool_take(struct spool *spool, size_t size, struct err *err);

#endif
