/* For unit tests: puts together foreign bytes, in either byte order. */
#ifndef READPERF_TESTS_BYTES_H
#define READPERF_TESTS_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct foreign_bytes {
	uint8_t data[4096];
	size_t size;
	bool big_endian;
};

static inline void put(struct foreign_bytes *bytes, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size && bytes->size < sizeof(bytes->data); i++) {
		size_t shift = 8 * (bytes->big_endian ? size - 1 - i : i);

		bytes->data[bytes->size++] = (uint8_t)(value >> shift);
	}
}

static inline void put_u16(struct foreign_bytes *bytes, uint16_t value)
{
	put(bytes, value, 2);
}

static inline void put_u32(struct foreign_bytes *bytes, uint32_t value)
{
	put(bytes, value, 4);
}

static inline void put_u64(struct foreign_bytes *bytes, uint64_t value)
{
	put(bytes, value, 8);
}

static inline void put_bytes(struct foreign_bytes *bytes, const void *data, size_t size)
{
	if (size > sizeof(bytes->data) - bytes->size)
		size = sizeof(bytes->data) - bytes->size;
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
}

/* With its NUL. */
static inline void put_text(struct foreign_bytes *bytes, const char *text)
{
	put_bytes(bytes, text, strlen(text) + 1);
}

static inline void put_zeros(struct foreign_bytes *bytes, size_t count)
{
	while (count--)
		put(bytes, 0, 1);
}

/* The strings of feature sections: a length, the text, zeros up to a multiple of 64. */
static inline void put_str(struct foreign_bytes *bytes, const char *text)
{
	size_t size = (strlen(text) + 64) / 64 * 64;

	put_u32(bytes, (uint32_t)size);
	put_text(bytes, text);
	put_zeros(bytes, size - strlen(text) - 1);
}

/* Tracing data up to the first formats; its texts are empty. */
static inline void put_tracing_start(struct foreign_bytes *bytes)
{
	put_bytes(bytes, "\x17\x08\x44tracing", 10);
	put_text(bytes, "0.6");
	put_zeros(bytes, 2);
	put_u32(bytes, 4096);
	put_text(bytes, "header_page");
	put_u64(bytes, 0);
	put_text(bytes, "header_event");
	put_u64(bytes, 0);
}

/* A copy of exactly size bytes, so that a sanitizer sees every read behind them. Free it. */
static inline uint8_t *exact_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (copy)
		memcpy(copy, data, size);
	return copy;
}

#endif
