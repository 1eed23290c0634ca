/*
 * Unnamed temporary files: they vanish with their descriptor, so that nothing stays behind however
 * the process ends. A spool is one of them: bytes are appended now, and read again later in the
 * same order.
 */
#ifndef READPERF_UTIL_SPOOL_H
#define READPERF_UTIL_SPOOL_H

#include "util/errhandler.h"

#include <string.h>

/* The descriptor of an unnamed file in a folder, or -1 with err set. */
int temp_file_open(const char *dir, struct err *err);

struct spool {
	bool open, reading;
	int fd;
	uint8_t *buffer;     /* what comes behind the bytes of the file; reading: a part of them */
	size_t used, taken;  /* bytes in the buffer; of them, those that were read */
	uint64_t size, next; /* bytes in the file; the next one that the buffer has not */
};

/* All zeros is closed. False with err set; spool_close() in any case. */
bool spool_open(struct spool *spool, const char *dir, struct err *err);
void spool_close(struct spool *spool);

/* Writes what is in the buffer. */
bool spool_flush(struct spool *spool, struct err *err);

#define SPOOL_BUFFER ((size_t)64 * 1024)

/* Appends bytes, fewer than SPOOL_BUFFER. */
static inline bool spool_append(struct spool *spool, const void *data, size_t size, struct err *err)
{
	if (SPOOL_BUFFER - spool->used < size && !spool_flush(spool, err))
		return false;
	memcpy(spool->buffer + spool->used, data, size);
	spool->used += size;
	return true;
}

/* Bytes that were appended so far. */
static inline uint64_t spool_size(const struct spool *spool)
{
	return spool->size + spool->used;
}

/* Reads, or writes over, bytes that were appended: while there are more to append. */
bool spool_get(struct spool *spool, uint64_t offset, void *data, size_t size, struct err *err);
bool spool_put(struct spool *spool, uint64_t offset, const void *data, size_t size,
               struct err *err);

/* From here on, spool_take() reads from the start; nothing can be appended any more. */
bool spool_rewind(struct spool *spool, struct err *err);
/* The next bytes, fewer than SPOOL_BUFFER; they stay until the next call. NULL with err set. */
const void *spool_take(struct spool *spool, size_t size, struct err *err);

#endif
