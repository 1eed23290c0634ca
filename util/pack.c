#include "util/pack.h"

#include "util/wholeio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define PIECE ((size_t)64 * 1024) /* packed bytes that are written at once */
#define GZIP_LEVEL 6              /* the defaults of gzip and zstd */
#define ZSTD_LEVEL 3

struct packer {
	enum pack_format format;
	int fd;
	bool ended;
	uint8_t *out; /* PIECE bytes; NULL: not started, or ended */
#ifdef HAVE_ZLIB
	z_stream gzip;
#endif
#ifdef HAVE_ZSTD
	ZSTD_CCtx *zstd;
#endif
};

#if defined(HAVE_ZLIB) || defined(HAVE_ZSTD)
/* Writes what is packed. Returns 0 or errno. */
static int write_packed(const struct packer *packer, size_t size)
{
	return write_whole(packer->fd, packer->out, size) ? 0 : errno;
}
#endif

#ifdef HAVE_ZLIB
static int gzip_start(struct packer *packer)
{
	/* + 16: gzip's header, without a time */
	return deflateInit2(&packer->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8,
	                    Z_DEFAULT_STRATEGY) == Z_OK
	               ? 0
	               : ENOMEM;
}

static int gzip_pack(struct packer *packer, const void *data, size_t size, bool end)
{
	z_stream *stream = &packer->gzip;
	int status = 0;

	stream->next_in = data;
	do {
		/* zlib counts in 32 bits */
		const size_t piece = size < PIECE ? size : PIECE;

		stream->avail_in = (uInt)piece;
		size -= piece;
		do {
			stream->next_out = packer->out;
			stream->avail_out = (uInt)PIECE;
			deflate(stream, end && !size ? Z_FINISH : Z_NO_FLUSH);
			status = write_packed(packer, PIECE - stream->avail_out);
		} while (!status && stream->avail_out == 0);
	} while (!status && size);
	return status;
}

static void gzip_stop(struct packer *packer)
{
	deflateEnd(&packer->gzip);
}
#define GZIP_FUNCTIONS gzip_start, gzip_pack, gzip_stop
#else
#define GZIP_FUNCTIONS NULL, NULL, NULL
#endif

#ifdef HAVE_ZSTD
static int zstd_start(struct packer *packer)
{
	packer->zstd = ZSTD_createCCtx();
	if (!packer->zstd)
		return ENOMEM;
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

static int zstd_pack(struct packer *packer, const void *data, size_t size, bool end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;
	int status;

	do {
		ZSTD_outBuffer out = { packer->out, PIECE, 0 };

		left = ZSTD_compressStream2(packer->zstd, &out, &in,
		                            end ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			return ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? ENOMEM
			                                                               : EIO;
		status = write_packed(packer, out.pos);
	} while (!status && (end ? left > 0 : in.pos < in.size));
	return status;
}

static void zstd_stop(struct packer *packer)
{
	ZSTD_freeCCtx(packer->zstd);
	packer->zstd = NULL;
}
#define ZSTD_FUNCTIONS zstd_start, zstd_pack, zstd_stop
#else
#define ZSTD_FUNCTIONS NULL, NULL, NULL
#endif

static const struct format {
	const char *name, *library, *suffix;
	/* NULL: this build is without the library; the result is 0 or an errno */
	int (*start)(struct packer *packer);
	int (*pack)(struct packer *packer, const void *data, size_t size, bool end);
	void (*stop)(struct packer *packer);
} formats[] = { [PACK_NONE] = { .suffix = "" },
	        [PACK_GZIP] = { "gzip", "zlib", ".gz", GZIP_FUNCTIONS },
	        [PACK_ZSTD] = { "zstd", "libzstd", ".zst", ZSTD_FUNCTIONS } };

const char *pack_suffix(enum pack_format format)
{
	return formats[format].suffix;
}

bool pack_check(enum pack_format format, struct err *err)
{
	return format == PACK_NONE || formats[format].pack ||
	       err_set(err, ERR_UNSUPPORTED, "%s needs %s, which this build is without",
	               formats[format].name, formats[format].library);
}

struct packer *packer_new(enum pack_format format, int fd, struct err *err)
{
	struct packer *packer;

	if (!pack_check(format, err))
		return NULL;
	packer = calloc(1, sizeof(*packer));
	if (!packer) {
		err_nomem(err, sizeof(*packer));
		return NULL;
	}
	packer->format = format;
	packer->fd = fd;
	return packer;
}

/* Frees what is large. */
static void packer_stop(struct packer *packer)
{
	if (packer->out)
		formats[packer->format].stop(packer);
	free(packer->out);
	packer->out = NULL;
}

void packer_free(struct packer *packer)
{
	if (packer)
		packer_stop(packer);
	free(packer);
}

static int packer_pack(struct packer *packer, const void *data, size_t size, bool end)
{
	int status = 0;

	if (!packer->out) {
		packer->out = malloc(PIECE);
		status = packer->out ? formats[packer->format].start(packer) : ENOMEM;
	}
	return status ? status : formats[packer->format].pack(packer, data, size, end);
}

int packer_write(struct packer *packer, const void *data, size_t size)
{
	return packer_pack(packer, data, size, false);
}

int packer_end(struct packer *packer)
{
	int status = packer->ended ? 0 : packer_pack(packer, NULL, 0, true);

	packer->ended = true;
	packer_stop(packer);
	return status;
}
