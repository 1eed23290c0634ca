#include "util/deflate.h"

#include "util/vec.h"

#include <stdlib.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#define LEVEL 1
#define BASE64_PIECE (3u * 1024) /* bytes that are written at once */

#ifdef HAVE_LIBDEFLATE
bool deflate_zlib(const void *data, size_t size, uint8_t **out, size_t *out_size, struct err *err)
{
	struct libdeflate_compressor *packer = libdeflate_alloc_compressor(LEVEL);
	const size_t room = packer ? libdeflate_zlib_compress_bound(packer, size) : size;

	*out = packer ? vec_new(room, 1, err) : NULL;
	if (*out)
		*out_size = libdeflate_zlib_compress(packer, data, size, *out, room);
	if (packer)
		libdeflate_free_compressor(packer);
	return *out || err_nomem(err, room);
}
#elif defined(HAVE_ZLIB)
bool deflate_zlib(const void *data, size_t size, uint8_t **out, size_t *out_size, struct err *err)
{
	uLongf room = compressBound((uLong)size);

	*out = vec_new(room, 1, err);
	if (!*out)
		return false;
	if (compress2(*out, &room, data, (uLong)size, LEVEL) != Z_OK) {
		free(*out);
		return err_nomem(err, room);
	}
	*out_size = room;
	return true;
}
#else
bool deflate_zlib(const void *data, size_t size, uint8_t **out, size_t *out_size, struct err *err)
{
	(void)data, (void)size, (void)out, (void)out_size;
	return err_set(err, ERR_UNSUPPORTED, "this build has no library that packs");
}
#endif

bool deflate_can(void)
{
#if defined(HAVE_LIBDEFLATE) || defined(HAVE_ZLIB)
	return true;
#else
	return false;
#endif
}

/* Writes a group of up to three bytes as four characters. */
static void format_group(char out[4], const uint8_t *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint32_t bits = (uint32_t)data[0] << 16 | (uint32_t)(size > 1 ? data[1] : 0) << 8 |
	                      (size > 2 ? data[2] : 0);

	out[0] = digits[bits >> 18];
	out[1] = digits[bits >> 12 & 63];
	out[2] = size > 1 ? digits[bits >> 6 & 63] : '=';
	out[3] = size > 2 ? digits[bits & 63] : '=';
}

void print_base64(FILE *out, const uint8_t *data, size_t size)
{
	char text[BASE64_PIECE / 3 * 4];
	size_t used = 0;

	for (size_t i = 0; i < size; i += 3) {
		format_group(text + used, data + i, size - i);
		used += 4;
		if (used == sizeof(text)) {
			fwrite(text, 1, used, out);
			used = 0;
		}
	}
	fwrite(text, 1, used, out);
}
