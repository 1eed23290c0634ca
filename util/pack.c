#include "util/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define PIECE ((size_t)256 * 1024) /* bytes that are read or written at once */
#define GZIP_LEVEL 6               /* the defaults of gzip and zstd */
#define ZSTD_LEVEL 3

struct pipeline {
	int in_fd, out_fd;
	uint8_t *in, *out; /* of PIECE bytes each */
	off_t offset;      /* position in in_fd */
	size_t in_size;    /* bytes in `in` */
	bool ended;        /* the input ends with these bytes */
};

const char *pack_suffix(enum pack_format format)
{
	return format == PACK_GZIP ? ".gz" : format == PACK_ZSTD ? ".zst" : "";
}

bool pack_check(enum pack_format format, struct err *err)
{
#ifndef HAVE_ZLIB
	if (format == PACK_GZIP)
		return err_set(err, ERR_UNSUPPORTED,
		               "gzip needs zlib, which this build is without");
#endif
#ifndef HAVE_ZSTD
	if (format == PACK_ZSTD)
		return err_set(err, ERR_UNSUPPORTED,
		               "zstd needs libzstd, which this build is without");
#endif
	(void)format, (void)err;
	return true;
}

#if defined(HAVE_ZLIB) || defined(HAVE_ZSTD)
static bool read_piece(struct pipeline *pipeline, struct err *err)
{
	pipeline->in_size = 0;
	while (pipeline->in_size < PIECE) {
		ssize_t got = pread(pipeline->in_fd, pipeline->in + pipeline->in_size,
		                    PIECE - pipeline->in_size, pipeline->offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_errno(err, "cannot read what is to be packed");
		if (got == 0) {
			pipeline->ended = true;
			break;
		}
		pipeline->in_size += (size_t)got;
		pipeline->offset += got;
	}
	return true;
}

static bool write_piece(const struct pipeline *pipeline, size_t size, struct err *err)
{
	const uint8_t *data = pipeline->out;

	while (size) {
		ssize_t put = write(pipeline->out_fd, data, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			errno = put ? errno : ENOSPC;
			return err_errno(err, "cannot write");
		}
		data += put;
		size -= (size_t)put;
	}
	return true;
}
#endif

#ifdef HAVE_ZLIB
static bool gzip_piece(z_stream *stream, struct pipeline *pipeline, struct err *err)
{
	int status;

	stream->next_in = pipeline->in;
	stream->avail_in = (uInt)pipeline->in_size;
	do {
		stream->next_out = pipeline->out;
		stream->avail_out = (uInt)PIECE;
		status = deflate(stream, pipeline->ended ? Z_FINISH : Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return err_nomem(err, PIECE);
		if (!write_piece(pipeline, PIECE - stream->avail_out, err))
			return false;
	} while (stream->avail_out == 0);
	return true;
}

static bool pack_gzip(struct pipeline *pipeline, struct err *err)
{
	z_stream stream;
	bool ok = true;

	memset(&stream, 0, sizeof(stream));
	/* + 16: gzip's header, without a time */
	if (deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_nomem(err, PIECE);
	while (ok && !pipeline->ended)
		ok = read_piece(pipeline, err) && gzip_piece(&stream, pipeline, err);
	deflateEnd(&stream);
	return ok;
}
#else
static bool pack_gzip(struct pipeline *pipeline, struct err *err)
{
	(void)pipeline;
	return pack_check(PACK_GZIP, err);
}
#endif

#ifdef HAVE_ZSTD
static bool zstd_piece(ZSTD_CCtx *context, struct pipeline *pipeline, struct err *err)
{
	ZSTD_inBuffer in = { pipeline->in, pipeline->in_size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { pipeline->out, PIECE, 0 };

		left = ZSTD_compressStream2(context, &out, &in,
		                            pipeline->ended ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			return err_nomem(err, PIECE);
		if (ZSTD_isError(left))
			return err_set(err, ERR_IO, "cannot pack: %s", ZSTD_getErrorName(left));
		if (!write_piece(pipeline, out.pos, err))
			return false;
	} while (pipeline->ended ? left > 0 : in.pos < in.size);
	return true;
}

static bool pack_zstd(struct pipeline *pipeline, struct err *err)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	bool ok = true;

	if (!context)
		return err_nomem(err, PIECE);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	while (ok && !pipeline->ended)
		ok = read_piece(pipeline, err) && zstd_piece(context, pipeline, err);
	ZSTD_freeCCtx(context);
	return ok;
}
#else
static bool pack_zstd(struct pipeline *pipeline, struct err *err)
{
	(void)pipeline;
	return pack_check(PACK_ZSTD, err);
}
#endif

bool pack_fd(enum pack_format format, int in_fd, int out_fd, struct err *err)
{
	struct pipeline pipeline = { .in_fd = in_fd, .out_fd = out_fd };
	bool ok;

	pipeline.in = malloc(2 * PIECE);
	if (!pipeline.in)
		return err_nomem(err, 2 * PIECE);
	pipeline.out = pipeline.in + PIECE;
	ok = format == PACK_GZIP ? pack_gzip(&pipeline, err) : pack_zstd(&pipeline, err);
	free(pipeline.in);
	return ok;
}
