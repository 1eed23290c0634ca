/*
 * Unpacks gzip, xz and zstd, which are recognised by their first bytes. Where a library was missing
 * at build time, the error is ERR_UNSUPPORTED and names it.
 */
#ifndef READPERF_UTIL_INFLATE_H
#define READPERF_UTIL_INFLATE_H

#include "util/errhandler.h"

/* How many first bytes inflate_recognises() needs. */
#define INFLATE_MAGIC_SIZE 6

/* Whether these first bytes of a file are one of the known formats. */
bool inflate_recognises(const uint8_t *data, size_t size);

/*
 * Unpacks a whole memory block.
 *
 * cap    bytes: more output than this is an error (ERR_LIMIT)
 * *out   malloc'd, followed by a NUL, the caller frees; set on success only
 */
bool inflate_memory(const uint8_t *data, size_t size, size_t cap, uint8_t **out, size_t *out_size,
                    struct err *err);

/*
 * Is shown the unpacked bytes piece by piece, before they are written. False with err set ends the
 * unpacking.
 */
struct inflate_watch {
	bool (*look)(void *context, const uint8_t *data, size_t size, struct err *err);
	void *context;
};

/*
 * Unpacks from in_fd's position to its end, appending to out_fd. Neither needs to be seekable. Data
 * that ends early is ERR_FORMAT; what was unpacked until then has been written.
 */
bool inflate_fd(int in_fd, int out_fd, const struct inflate_watch *watch, struct err *err);

/* How a section of an ELF file may be packed. */
enum inflate_format { INFLATE_ZLIB, INFLATE_ZSTD };

/*
 * Unpacks a block whose unpacked size is known. False if it does not have that size, if this build
 * has no library for it, or, with err set, if memory is refused; the contents of out are undefined
 * then.
 */
bool inflate_exact(enum inflate_format format, const uint8_t *data, size_t size, uint8_t *out,
                   size_t out_size, struct err *err);

#endif
