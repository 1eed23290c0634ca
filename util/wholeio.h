/*
 * Reads and writes that go on where the system was interrupted or handled only a part. All return
 * false with errno set.
 */
#ifndef READPERF_UTIL_WHOLEIO_H
#define READPERF_UTIL_WHOLEIO_H

#include "util/types.h"

/* Reads up to size bytes; *got is less only at the end of the file. */
bool read_whole(int fd, void *buffer, size_t size, size_t *got);
bool write_whole(int fd, const void *data, size_t size);
/* The same at an offset. It is an error (EIO) if the file ends before so many bytes. */
bool read_whole_at(int fd, void *buffer, size_t size, uint64_t offset);
bool write_whole_at(int fd, const void *data, size_t size, uint64_t offset);

#endif
