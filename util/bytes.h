/*
 * Reads the bytes of debug information and of unwind tables. Unlike struct cursor, this reader
 * makes no error messages: it runs over tens of megabytes, and damage there only means that
 * something is not known.
 */
#ifndef READPERF_UTIL_BYTES_H
#define READPERF_UTIL_BYTES_H

#include "util/cursor.h"

struct bytes {
	const uint8_t *pos, *end; /* unread: [pos, end) */
	bool swap;                /* file byte order differs from ours */
	bool bad;                 /* a read passed the end; all later reads give 0 */
};

static inline struct bytes bytes_over(const uint8_t *data, size_t size, bool swap)
{
	/* pointers are moved even where there are no bytes, so NULL will not do */
	const uint8_t *start = data ? data : (const uint8_t *)"";
	struct bytes b = { start, start + (data ? size : 0), swap, false };

	return b;
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->pos);
}

static inline void bytes_fail(struct bytes *b)
{
	b->pos = b->end;
	b->bad = true;
}

static inline void bytes_skip(struct bytes *b, uint64_t size)
{
	if (size > bytes_left(b))
		bytes_fail(b);
	else
		b->pos += size;
}

/* A window that starts offset bytes into data; empty and bad if that is outside. */
static inline struct bytes bytes_at(const struct bytes *data, uint64_t offset)
{
	struct bytes b = *data;

	bytes_skip(&b, offset);
	return b;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	if (b->pos < b->end)
		return *b->pos++;
	b->bad = true;
	return 0;
}

/* An unsigned integer of 1, 2, 3, 4 or 8 bytes; other sizes are bad. */
static inline uint64_t bytes_uint(struct bytes *b, unsigned size)
{
	const uint8_t *p = b->pos;

	if (size > bytes_left(b)) {
		bytes_fail(b);
		return 0;
	}
	b->pos += size;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return load_u16(p, b->swap);
	case 3:
		return must_swap(true) == b->swap ? (uint64_t)p[0] << 16 | load_u16(p + 1, b->swap)
		                                  : (uint64_t)p[2] << 16 | load_u16(p, b->swap);
	case 4:
		return load_u32(p, b->swap);
	case 8:
		return load_u64(p, b->swap);
	default:
		bytes_fail(b);
		return 0;
	}
}

/* An item of a list of numbers of size bytes each; *bad is set if the list ends before it. */
static inline uint64_t bytes_item(struct bytes list, uint64_t index, unsigned size, bool *bad)
{
	uint64_t offset, value;

	if (__builtin_mul_overflow(index, size, &offset))
		bytes_fail(&list);
	bytes_skip(&list, offset);
	value = bytes_uint(&list, size);
	*bad |= list.bad;
	return value;
}

/*
 * The length that parts of debug information begin with: 4 bytes, or 8 behind a mark. *offset_size:
 * how many bytes offsets have in that part.
 */
static inline uint64_t bytes_part_length(struct bytes *b, uint8_t *offset_size)
{
	uint64_t length = bytes_uint(b, 4);

	*offset_size = length == UINT32_MAX ? 8 : 4;
	return length == UINT32_MAX ? bytes_uint(b, 8) : length;
}

/* 7 bits in each byte, the lowest first; those beyond 64 are dropped. *bits: how many were read. */
static inline uint64_t bytes_leb(struct bytes *b, unsigned *bits)
{
	uint64_t value = 0;

	*bits = 0;
	while (b->pos < b->end) {
		uint8_t byte = *b->pos++;

		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += *bits < 64 ? 7 : 0;
		if (!(byte & 0x80))
			return value;
	}
	b->bad = true;
	return 0;
}

static inline uint64_t bytes_uleb(struct bytes *b)
{
	unsigned bits;

	/* nearly all have one byte */
	if (b->pos < b->end && *b->pos < 0x80)
		return *b->pos++;
	return bytes_leb(b, &bits);
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	unsigned bits;
	uint64_t value = bytes_leb(b, &bits);

	/* the highest bit that was read is the sign */
	if (bits && bits < 64 && value >> (bits - 1))
		value |= ~(uint64_t)0 << bits;
	return (int64_t)value;
}

/* The NUL-terminated text at the front, or NULL. */
static inline const char *bytes_text(struct bytes *b)
{
	const uint8_t *start = b->pos;
	const uint8_t *nul = bytes_left(b) ? memchr(start, 0, bytes_left(b)) : NULL;

	if (!nul) {
		bytes_fail(b);
		return NULL;
	}
	b->pos = nul + 1;
	return (const char *)start;
}

#endif
