/*
 * A message of protocol buffers (protobuf.dev/programming-guides/encoding), written by hand.
 *
 * Once err is set, nothing more is added; what a message has then does not matter.
 */
#ifndef READPERF_DECODE_EXPORTS_PROTOBUF_H
#define READPERF_DECODE_EXPORTS_PROTOBUF_H

#include "util/errhandler.h"

#include <stddef.h>
#include <stdint.h>

struct protobuf {
	uint8_t *bytes; /* malloc'd; the caller frees them */
	size_t count, capacity;
	struct err *err;
};

/* Adds a number without a field, as one of a packed list. */
void protobuf_put_varint(struct protobuf *message, uint64_t value);

/* Adds a field. One that is 0 is not written: readers take what is missing for 0. */
void protobuf_put_number(struct protobuf *message, unsigned field, uint64_t value);
void protobuf_put_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t count);

/* Moves the bytes of a message, or of a packed list, into a field of another one. */
void protobuf_put_part(struct protobuf *message, unsigned field, struct protobuf *part);

#endif
