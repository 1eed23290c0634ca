/*
 * gzip, xz and zstd, told apart by their first bytes. A library that was not there at build time
 * gives ERR_UNSUPPORTED and an error that names it.
 */
#ifndef READPERF_UTIL_INFLATE_H
#define READPERF_UTIL_INFLATE_H

#include "util/errhandler.h"

/* Bytes that inflate_recognises() wants to see. */
#define INFLATE_MAGIC_SIZE 6

/* Whether these first bytes of a file are one of the known formats. */
bool inflate_recognises(const uint8_t *data, size_t size);

/*
 * Unpacks a whole memory block.
 *
 * cap    bytes: more output than this is an error (ERR_LIMIT)
 * *out   malloc'd, the caller frees; set on success only
 */
bool inflate_memory(const uint8_t *data, size_t size, size_t cap, uint8_t **out, size_t *out_size,
                    struct err *err);

/*
 * Sees what was unpacked before it is written, piece by piece. False with err set ends the
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
 * Unpacks a block that is known to give exactly out_size bytes. False if it does not, if no library
 * of this build can, or, with err set, if memory is refused; out holds anything then.
 */
bool inflate_exact(enum inflate_format format, const uint8_t *data, size_t size, uint8_t *out,
                   size_t out_size, struct err *err);

#endif
