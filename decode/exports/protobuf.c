#include "decode/exports/protobuf.h"

#include "util/vec.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_byte(struct protobuf *message, uint8_t byte)
{
	if (vec_room(&message->bytes, message->count, &message->capacity, 1, message->err))
		message->bytes[message->count++] = byte;
}

void protobuf_put_varint(struct protobuf *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put_byte(message, (uint8_t)(value | 0x80));
	put_byte(message, (uint8_t)value);
}

void protobuf_put_number(struct protobuf *message, unsigned field, uint64_t value)
{
	if (!value)
		return;
	protobuf_put_varint(message, field << 3 | WIRE_VARINT);
	protobuf_put_varint(message, value);
}

void protobuf_put_bytes(struct protobuf *message, unsigned field, const void *bytes, size_t count)
{
	protobuf_put_varint(message, field << 3 | WIRE_BYTES);
	protobuf_put_varint(message, count);
	if (!count || !vec_reserve(&message->bytes, message->count + count, &message->capacity, 1,
	                           message->err))
		return;
	memcpy(message->bytes + message->count, bytes, count);
	message->count += count;
}

void protobuf_put_part(struct protobuf *message, unsigned field, struct protobuf *part)
{
	protobuf_put_bytes(message, field, part->bytes, part->count);
	part->count = 0;
}
