#include "util/inflate.h"

#include "util/vec.h"
#include "util/wholeio.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif
#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifdef HAVE_LZMA
#include <lzma.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define BLOCK_SIZE 65536
/* What xz may use for its dictionary; the largest preset needs 65 MiB. */
#define LZMA_MEMORY (UINT64_C(160) << 20)
/* log2 of the largest window that zstd may ask for. */
#define ZSTD_WINDOW 27

struct source {
	const uint8_t *data; /* unread bytes */
	size_t left;
	int fd;         /* -1: the bytes in memory are all there are */
	uint8_t *block; /* of BLOCK_SIZE, if there is an fd */
};

struct sink {
	uint8_t *data; /* malloc'd, if there is no fd */
	size_t size, capacity, cap;
	int fd;
	const struct inflate_watch *watch; /* with an fd */
};

/* Reads more input if all of it was used. At the end of the input, left stays 0. */
static bool source_fill(struct source *source, struct err *err)
{
	if (source->left || source->fd < 0)
		return true;
	source->data = source->block;
	return read_whole(source->fd, source->block, BLOCK_SIZE, &source->left) ||
	       err_errno(err, "cannot read packed data");
}

#if defined(HAVE_ZLIB) || defined(HAVE_LZMA) || defined(HAVE_ZSTD)
static bool sink_put(struct sink *sink, const uint8_t *data, size_t size, struct err *err)
{
	if (!size)
		return true;
	if (sink->fd >= 0)
		return sink->watch->look(sink->watch->context, data, size, err) &&
		       (write_whole(sink->fd, data, size) ||
		        err_errno(err, "cannot write unpacked data"));
	if (size > sink->cap - sink->size)
		return err_set(err, ERR_LIMIT, "packed data unpacks to more than %zu bytes",
		               sink->cap);
	if (!vec_reserve(&sink->data, sink->size + size, &sink->capacity, 1, err))
		return false;
	memcpy(sink->data + sink->size, data, size);
	sink->size += size;
	return true;
}

static bool cut_off(struct err *err)
{
	return err_set(err, ERR_FORMAT, "packed data ends early");
}
#endif

#ifdef HAVE_ZLIB
/* Unpacks one gzip member after the other; zeros behind the last one are padding. */
static bool gzip_members(z_stream *stream, struct source *source, struct sink *sink, uint8_t *block,
                         struct err *err)
{
	bool ended = false;

	for (;;) {
		uInt offered;
		int status;

		if (!source_fill(source, err))
			return false;
		if (!source->left)
			return ended || cut_off(err);
		if (ended && *source->data != 0x1f)
			return true;
		if (ended && inflateReset(stream) != Z_OK)
			return err_set(err, ERR_FORMAT, "gzip cannot be started again");
		offered = source->left > BLOCK_SIZE ? BLOCK_SIZE : (uInt)source->left;
		stream->next_in = source->data;
		stream->avail_in = offered;
		stream->next_out = block;
		stream->avail_out = BLOCK_SIZE;
		status = inflate(stream, Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return err_nomem(err, BLOCK_SIZE);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return err_set(err, ERR_FORMAT, "gzip data is damaged");
		source->data += offered - stream->avail_in;
		source->left -= offered - stream->avail_in;
		if (!sink_put(sink, block, BLOCK_SIZE - stream->avail_out, err))
			return false;
		ended = status == Z_STREAM_END;
	}
}

static bool inflate_gzip(struct source *source, struct sink *sink, uint8_t *block, struct err *err)
{
	z_stream stream;
	bool ok;

	memset(&stream, 0, sizeof(stream));
	if (inflateInit2(&stream, 15 + 16) != Z_OK)
		return err_nomem(err, BLOCK_SIZE);
	ok = gzip_members(&stream, source, sink, block, err);
	inflateEnd(&stream);
	return ok;
}
#else
#define inflate_gzip NULL
#endif

#ifdef HAVE_LZMA
static bool xz_blocks(lzma_stream *stream, struct source *source, struct sink *sink, uint8_t *block,
                      struct err *err)
{
	for (;;) {
		lzma_ret status;

		if (!source_fill(source, err))
			return false;
		stream->next_in = source->data;
		stream->avail_in = source->left;
		stream->next_out = block;
		stream->avail_out = BLOCK_SIZE;
		status = lzma_code(stream, source->left ? LZMA_RUN : LZMA_FINISH);
		source->data = stream->next_in;
		source->left = stream->avail_in;
		if (!sink_put(sink, block, BLOCK_SIZE - stream->avail_out, err))
			return false;
		if (status == LZMA_STREAM_END)
			return true;
		if (status == LZMA_MEM_ERROR)
			return err_nomem(err, BLOCK_SIZE);
		if (status == LZMA_MEMLIMIT_ERROR)
			return err_set(err, ERR_LIMIT, "xz data asks for too large a dictionary");
		if (status == LZMA_BUF_ERROR)
			return cut_off(err);
		if (status != LZMA_OK)
			return err_set(err, ERR_FORMAT, "xz data is damaged");
	}
}

static bool inflate_xz(struct source *source, struct sink *sink, uint8_t *block, struct err *err)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	bool ok;

	if (lzma_stream_decoder(&stream, LZMA_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		return err_nomem(err, BLOCK_SIZE);
	ok = xz_blocks(&stream, source, sink, block, err);
	lzma_end(&stream);
	return ok;
}
#else
#define inflate_xz NULL
#endif

#ifdef HAVE_ZSTD
static bool zstd_fails(size_t status, struct err *err)
{
	switch (ZSTD_getErrorCode(status)) {
	case ZSTD_error_memory_allocation:
		return err_nomem(err, (size_t)1 << ZSTD_WINDOW); /* at most */
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_set(err, ERR_LIMIT, "zstd data asks for too large a window");
	default:
		return err_set(err, ERR_FORMAT, "zstd data is damaged: %s",
		               ZSTD_getErrorName(status));
	}
}

static bool zstd_frames(ZSTD_DStream *stream, struct source *source, struct sink *sink,
                        uint8_t *block, struct err *err)
{
	size_t status = 1;

	for (;;) {
		ZSTD_outBuffer out = { block, BLOCK_SIZE, 0 };
		ZSTD_inBuffer in;

		if (!source_fill(source, err))
			return false;
		in.src = source->data;
		in.size = source->left;
		in.pos = 0;
		if (!in.size && !status)
			return true;
		status = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(status))
			return zstd_fails(status, err);
		source->data += in.pos;
		source->left -= in.pos;
		if (!in.size && !out.pos && status)
			return cut_off(err);
		if (!sink_put(sink, block, out.pos, err))
			return false;
	}
}

static bool inflate_zstd(struct source *source, struct sink *sink, uint8_t *block, struct err *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	bool ok;

	if (!stream)
		return err_nomem(err, BLOCK_SIZE);
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, ZSTD_WINDOW);
	ok = zstd_frames(stream, source, sink, block, err);
	ZSTD_freeDStream(stream);
	return ok;
}
#else
#define inflate_zstd NULL
#endif

static const struct packing {
	const char *magic; /* the first bytes */
	size_t magic_size;
	const char *name, *library;
	/* NULL: this build is without the library */
	bool (*unpack)(struct source *source, struct sink *sink, uint8_t *block, struct err *err);
} packings[] = { { "\x1f\x8b\x08", 3, "gzip", "zlib", inflate_gzip },
	         { "\xfd\x37zXZ\0", 6, "xz", "liblzma", inflate_xz },
	         { "\x28\xb5\x2f\xfd", 4, "zstd", "libzstd", inflate_zstd } };

/* NULL: it is not packed. */
static const struct packing *packing_of(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(packings); i++)
		if (size >= packings[i].magic_size &&
		    !memcmp(data, packings[i].magic, packings[i].magic_size))
			return &packings[i];
	return NULL;
}

bool inflate_recognises(const uint8_t *data, size_t size)
{
	return packing_of(data, size) != NULL;
}

static bool inflate_any(struct source *source, struct sink *sink, struct err *err)
{
	const struct packing *packing = packing_of(source->data, source->left);
	uint8_t *block;
	bool ok;

	if (!packing)
		return err_set(err, ERR_FORMAT, "neither gzip nor xz nor zstd data");
	if (!packing->unpack)
		return err_set(err, ERR_UNSUPPORTED,
		               "%s data needs %s, which this build is without", packing->name,
		               packing->library);
	block = malloc(BLOCK_SIZE);
	if (!block)
		return err_nomem(err, BLOCK_SIZE);
	ok = packing->unpack(source, sink, block, err);
	free(block);
	return ok;
}

bool inflate_memory(const uint8_t *data, size_t size, size_t cap, uint8_t **out, size_t *out_size,
                    struct err *err)
{
	struct source source = { data, size, -1, NULL };
	struct sink sink = { NULL, 0, 0, cap, -1, NULL };

	if (!inflate_any(&source, &sink, err)) {
		free(sink.data);
		return false;
	}
	*out = realloc(sink.data, sink.size + 1);
	if (!*out) {
		free(sink.data);
		return err_nomem(err, sink.size + 1);
	}
	(*out)[sink.size] = 0;
	*out_size = sink.size;
	return true;
}

bool inflate_fd(int in_fd, int out_fd, const struct inflate_watch *watch, struct err *err)
{
	struct source source = { NULL, 0, in_fd, malloc(BLOCK_SIZE) };
	struct sink sink = { NULL, 0, 0, 0, out_fd, watch };
	bool ok;

	if (!source.block)
		return err_nomem(err, BLOCK_SIZE);
	ok = source_fill(&source, err) && inflate_any(&source, &sink, err);
	free(source.block);
	return ok;
}

#if defined(HAVE_LIBDEFLATE)
static bool exact_zlib(const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                       struct err *err)
{
	struct libdeflate_decompressor *unpacker = libdeflate_alloc_decompressor();
	bool ok;

	if (!unpacker)
		return err_nomem(err, BLOCK_SIZE);
	ok = libdeflate_zlib_decompress(unpacker, data, size, out, out_size, NULL) ==
	     LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(unpacker);
	return ok;
}
#elif defined(HAVE_ZLIB)
static bool exact_zlib(const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                       struct err *err)
{
	uLongf got = out_size;
	const int status = uncompress(out, &got, data, size);

	if (status == Z_MEM_ERROR)
		return err_nomem(err, BLOCK_SIZE);
	return status == Z_OK && got == out_size;
}
#else
#define exact_zlib NULL
#endif

#ifdef HAVE_ZSTD
static bool exact_zstd(const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                       struct err *err)
{
	size_t got = ZSTD_decompress(out, out_size, data, size);

	if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return err_nomem(err, BLOCK_SIZE);
	return got == out_size;
}
#else
#define exact_zstd NULL
#endif

bool inflate_exact(enum inflate_format format, const uint8_t *data, size_t size, uint8_t *out,
                   size_t out_size, struct err *err)
{
	static bool (*const exact[])(const uint8_t *, size_t, uint8_t *, size_t, struct err *) = {
		[INFLATE_ZLIB] = exact_zlib, [INFLATE_ZSTD] = exact_zstd
	};

	return exact[format] && exact[format](data, size, out, out_size, err);
}
