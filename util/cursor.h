/*
 * A bounds-checked window over foreign bytes. Every read of a file that is not in the hot loop
 * passes here; the first overrun is reported with the window's name, and all later reads give 0.
 */
#ifndef READPERF_UTIL_CURSOR_H
#define READPERF_UTIL_CURSOR_H

#include "util/errhandler.h"
#include "util/types.h"

#include <string.h>

struct cursor {
	const uint8_t *pos, *end; /* unread: [pos, end) */
	uint64_t offset;          /* of pos, bytes from file start */
	const char *name;         /* "COMM record", for messages; borrowed */
	struct err *err;          /* borrowed */
	bool swap;                /* file byte order differs from ours */
};

/* Whether bytes of that order have to be swapped on this machine. */
static inline bool must_swap(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Unaligned loads from checked bytes. */
static inline uint16_t load_u16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load_u32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline struct cursor cursor_over(const uint8_t *data, size_t size, uint64_t offset,
                                        const char *name, bool swap, struct err *err)
{
	struct cursor c = { data, NULL, offset, name, err, swap };

	/* pointers are moved even where there are no bytes, so NULL will not do */
	if (!data)
		c.pos = (const uint8_t *)"";
	c.end = c.pos + size;
	return c;
}

static inline size_t cur_left(const struct cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* The only bounds check: size bytes, or NULL with the error set and the cursor emptied. */
const uint8_t *cur_take(struct cursor *c, uint64_t size);
/* A window of size bytes cut from the front; empty if they are not there. */
struct cursor cur_sub(struct cursor *c, uint64_t size, const char *name);
/* Whether so many items of size bytes are left; if not, as cur_take(). what: "entries" */
bool cur_fits(struct cursor *c, uint64_t count, size_t size, const char *what);

static inline uint8_t cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_take(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cur_u16(struct cursor *c)
{
	const uint8_t *p = cur_take(c, sizeof(uint16_t));

	return p ? load_u16(p, c->swap) : 0;
}

static inline uint32_t cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_take(c, sizeof(uint32_t));

	return p ? load_u32(p, c->swap) : 0;
}

static inline uint64_t cur_u64(struct cursor *c)
{
	const uint8_t *p = cur_take(c, sizeof(uint64_t));

	return p ? load_u64(p, c->swap) : 0;
}

/* The next text, which ends with a NUL, in place; "" with the error set if it does not end. */
const char *cur_string(struct cursor *c);
/*
 * The text up to the first NUL of the next size bytes, which are consumed. Without a NUL the text
 * is all of them. Not terminated: *length says how long it is.
 */
const char *cur_text(struct cursor *c, uint64_t size, size_t *length);

#endif
