#include "util/cursor.h"

#include <inttypes.h>

const uint8_t *cur_take(struct cursor *c, uint64_t size)
{
	const uint8_t *p = c->pos;

	if (size > cur_left(c)) {
		err_at(c->err, ERR_FORMAT, c->offset,
		       "%s: expected %" PRIu64 " more bytes, found %zu", c->name, size,
		       cur_left(c));
		c->offset += cur_left(c);
		c->pos = c->end;
		return NULL;
	}
	c->pos += size;
	c->offset += size;
	return p;
}

bool cur_fits(struct cursor *c, uint64_t count, size_t size, const char *what)
{
	size_t left = cur_left(c);

	if (count <= left / size)
		return true;
	err_at(c->err, ERR_FORMAT, c->offset, "%s: %" PRIu64 " %s do not fit in %zu bytes", c->name,
	       count, what, left);
	cur_take(c, left);
	return false;
}

struct cursor cur_sub(struct cursor *c, uint64_t size, const char *name)
{
	struct cursor sub = *c;
	const uint8_t *p = cur_take(c, size);

	sub.name = name;
	sub.pos = p ? p : c->end;
	sub.end = p ? p + size : c->end;
	return sub;
}

const char *cur_text(struct cursor *c, uint64_t size, size_t *length)
{
	const uint8_t *p = cur_take(c, size);
	const uint8_t *nul;

	*length = 0;
	if (!p)
		return "";
	nul = memchr(p, 0, (size_t)size);
	*length = nul ? (size_t)(nul - p) : (size_t)size;
	return (const char *)p;
}

const char *cur_string(struct cursor *c)
{
	size_t left = cur_left(c), length = strnlen((const char *)c->pos, left);

	if (length == left) {
		err_at(c->err, ERR_FORMAT, c->offset, "%s: a text without an end", c->name);
		return "";
	}
	return (const char *)cur_take(c, length + 1);
}
