#include "perffile/input/stream.h"

#include "perffile/input/unpackguard.h"
#include "util/cursor.h"
#include "util/memory.h"
#include "util/origperf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#define BLOCK_BYTES (STREAM_BLOCK_SIZE - MEMORY_OWN) /* bytes to allocate */
#define BLOCK_ROOM (BLOCK_BYTES - offsetof(struct block, data))
/*
 * Freed blocks that are kept for reuse, 64 MB: the process had as many in use before. With 8 MB of
 * them recordings of a few large buffers, as of raw_syscalls, take 25 % more CPU time.
 */
#define SPARE_BLOCKS 512

/* The bytes of a block that have not been returned yet: [pos, end). */
struct stream_window {
	struct block *block;
	const uint8_t *pos, *end;
};

struct stream {
	struct block_pool *pool;
	const struct input *input;
	size_t file;
	bool swap;
	bool ended;
	struct stream_window outer; /* bytes of the file */
	uint64_t next;              /* offset in the file of the byte behind outer.end */
	uint64_t limit;             /* offset of the end in the file */
	struct stream_window inner; /* bytes that compressed records were inflated to */
	/* compressed records */
	const uint8_t *packed, *packed_end; /* not yet inflated; in outer's block */
	uint64_t packed_offset;             /* of the record they came in */
	uint64_t count[2], bytes[2], packed_total, inflated_total, inflated_records;
	bool zstd_broken;
#ifdef HAVE_ZSTD
	ZSTD_DStream *zstd;
#endif
};

static struct block *block_get(struct block_pool *pool, struct err *err)
{
	struct block *block = pool->free;
	void *memory = NULL;

	if (block) {
		pool->free = block->next;
		pool->free_count--;
	} else {
		if (posix_memalign(&memory, STREAM_BLOCK_SIZE, BLOCK_BYTES)) {
			err_nomem(err, BLOCK_BYTES);
			return NULL;
		}
		block = memory;
		if (pool->unshared)
			memory_let_fork(block, BLOCK_BYTES, false);
	}
	*block = (struct block){ .users = 1 };
	if (++pool->in_use > pool->most_in_use)
		pool->most_in_use = pool->in_use;
	return block;
}

static void block_free(const struct block_pool *pool, struct block *block)
{
	if (pool->unshared)
		memory_let_fork(block, BLOCK_BYTES, true);
	free(block);
}

void block_put(struct block_pool *pool, struct block *block)
{
	if (--block->users)
		return;
	pool->in_use--;
	if (pool->free_count >= SPARE_BLOCKS) {
		block_free(pool, block);
		return;
	}
	block->next = pool->free;
	pool->free = block;
	pool->free_count++;
}

void block_pool_release(struct block_pool *pool)
{
	while (pool->free) {
		struct block *next = pool->free->next;

		block_free(pool, pool->free);
		pool->free = next;
	}
	pool->free_count = 0;
}

static bool is_compressed(const struct raw_record *raw)
{
	return raw->type == PERF_RECORD_COMPRESSED || raw->type == PERF_RECORD_COMPRESSED2;
}

static size_t window_left(const struct stream_window *window)
{
	return (size_t)(window->end - window->pos);
}

/*
 * Moves the unread bytes to the front of a block that has room behind them. offset: of the block
 * from now on.
 */
static bool window_turn(struct stream *stream, struct stream_window *window, uint64_t offset,
                        struct err *err)
{
	struct block_pool *pool = stream->pool;
	size_t left = window_left(window);
	struct block *block = window->block;

	if (!block || block->users > 1) {
		block = block_get(pool, err);
		if (!block)
			return false;
	}
	if (left)
		memmove(block->data, window->pos, left);
	if (window->block && window->block != block)
		block_put(pool, window->block);
	block->offset = offset;
	block->part = input_part(stream->input, stream->file);
	window->block = block;
	window->pos = block->data;
	window->end = block->data + left;
	return true;
}

static size_t window_room(const struct stream_window *window)
{
	return window->block ? BLOCK_ROOM - (size_t)(window->end - window->block->data) : 0;
}

struct stream *stream_open(const struct input *input, size_t file, uint64_t offset, uint64_t end,
                           bool swap, struct block_pool *pool, struct err *err)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		err_nomem(err, sizeof(*stream));
		return NULL;
	}
	stream->pool = pool;
	stream->input = input;
	stream->file = file;
	stream->swap = swap;
	stream->next = offset;
	stream->limit = end;
	return stream;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	if (stream->outer.block)
		block_put(stream->pool, stream->outer.block);
	if (stream->inner.block)
		block_put(stream->pool, stream->inner.block);
#ifdef HAVE_ZSTD
	ZSTD_freeDStream(stream->zstd);
#endif
	free(stream);
}

uint64_t stream_position(const struct stream *stream)
{
	return stream->next - window_left(&stream->outer);
}

void stream_compressed(const struct stream *stream, uint64_t count[2], uint64_t bytes[2])
{
	memcpy(count, stream->count, sizeof(stream->count));
	memcpy(bytes, stream->bytes, sizeof(stream->bytes));
}

/* Whether the next bytes of the file follow the window; after a skip they may not. */
static bool goes_on(const struct stream *stream, const struct stream_window *window)
{
	const struct block *block = window->block;

	return block && block->offset + (uint64_t)(window->end - block->data) == stream->next;
}

/*
 * Reads until the outer window has `wanted` bytes or the input ends. Each block is filled to its
 * end, even if a pipe returns few bytes at a time.
 */
static bool fill_outer(struct stream *stream, size_t wanted, struct err *err)
{
	struct stream_window *window = &stream->outer;

	if ((!goes_on(stream, window) || window_room(window) < wanted - window_left(window)) &&
	    !window_turn(stream, window, stream_position(stream), err))
		return false;
	while (window_left(window) < wanted && !stream->ended) {
		size_t room = (size_t)u64_min(window_room(window), stream->limit - stream->next);
		uint8_t *at = window->block->data + (window->end - window->block->data);
		ssize_t n = 0;

		if (room)
			n = input_read(stream->input, stream->file, at, room, stream->next);
		if (n < 0)
			return err_errno(err, "cannot read");
		if (n == 0)
			stream->ended = true;
		window->end += n;
		stream->next += (uint64_t)n;
	}
	return true;
}

/* Whether a whole record is at the front of the window; *record then has its header. */
static bool peek_record(const struct stream *stream, const struct stream_window *window,
                        struct raw_record *record, size_t *wanted)
{
	size_t left = window_left(window);

	*wanted = PERF_RECORD_HEADER_SIZE;
	if (left < PERF_RECORD_HEADER_SIZE)
		return false;
	raw_record_read(record, window->pos, stream->swap);
	*wanted = record->size;
	return left >= record->size;
}

static enum stream_status inflate_fails(struct stream *stream, const char *why, struct err *err)
{
	stream->zstd_broken = true;
	stream->packed = stream->packed_end = NULL;
	stream->inner.pos = stream->inner.end;
	err_at(err, ERR_FORMAT, stream->packed_offset,
	       "COMPRESSED record: %s; what is compressed from here on is lost", why);
	return STREAM_SKIPPED;
}

/* Packed bytes read so far. If the whole recording is packed as well, no more than it has. */
static uint64_t packed_bytes_so_far(const struct stream *stream)
{
	return stream->input->packed ? u64_min(stream->packed_total, stream->input->packed)
	                             : stream->packed_total;
}

#ifdef HAVE_ZSTD
/* Before the first packed bytes are inflated. */
static enum stream_status begin_inflating(struct stream *stream, struct err *err)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const uint64_t size = (uint64_t)(stream->packed_end - stream->packed);

	if (memcmp(stream->packed, magic, (size_t)u64_min(size, sizeof(magic))))
		return inflate_fails(
			stream,
			"no zstd stream starts here: this is a later file of a "
			"`perf record -z --switch-output` series, which cannot be read without the earlier ones",
			err);
	stream->zstd = ZSTD_createDStream();
	if (stream->zstd)
		return STREAM_RECORD;
	err_nomem(err, ZSTD_DStreamInSize());
	return STREAM_FAILED;
}

/* Inflates some of the packed bytes into the inner window. */
static enum stream_status inflate_more(struct stream *stream, struct err *err)
{
	ZSTD_inBuffer in = { stream->packed, (size_t)(stream->packed_end - stream->packed), 0 };
	ZSTD_outBuffer out;
	size_t status;

	if (!stream->zstd) {
		const enum stream_status begun = begin_inflating(stream, err);

		if (begun != STREAM_RECORD)
			return begun;
	}
	if (window_room(&stream->inner) < PERF_RECORD_SIZE_MAX) {
		if (!window_turn(stream, &stream->inner, stream->packed_offset, err))
			return STREAM_FAILED;
		/* set once: from now on another thread may read it */
		stream->inner.block->inflated = true;
	}
	out.dst = stream->inner.block->data + (stream->inner.end - stream->inner.block->data);
	out.size = window_room(&stream->inner);
	out.pos = 0;
	status = ZSTD_decompressStream(stream->zstd, &out, &in);
	if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) {
		err_nomem(err, ZSTD_DStreamOutSize());
		return STREAM_FAILED;
	}
	if (ZSTD_isError(status))
		return inflate_fails(stream, ZSTD_getErrorName(status), err);
	if (in.size == 0 && out.pos == 0) {
		/* the previous output filled the window exactly to its end */
		stream->packed = stream->packed_end = NULL;
		return STREAM_RECORD;
	}
	if (in.pos == 0 && out.pos == 0)
		return inflate_fails(stream, "the zstd stream makes no progress", err);
	stream->packed += in.pos;
	stream->inner.end += out.pos;
	stream->packed_total += in.pos;
	stream->inflated_total += out.pos;
	/* a full output buffer may mean that bytes already taken in have more output */
	if (stream->packed == stream->packed_end && out.pos < out.size)
		stream->packed = stream->packed_end = NULL;
	if (stream->inflated_total > unpack_bytes_most(packed_bytes_so_far(stream)))
		return inflate_fails(stream,
		                     "inflates to more bytes than a recording of its size can hold",
		                     err);
	return STREAM_RECORD;
}
#else
static enum stream_status inflate_more(struct stream *stream, struct err *err)
{
	err_at(err, ERR_UNSUPPORTED, stream->packed_offset,
	       "the recording is compressed: reading it needs libzstd, which this build lacks");
	return STREAM_FAILED;
}
#endif

static void take_compressed(struct stream *stream, const struct raw_record *record)
{
	bool second = record->type == PERF_RECORD_COMPRESSED2;
	size_t head = second ? 16 : 8;
	uint64_t size = record->size < head ? 0 : record->size - head;

	stream->count[second]++;
	stream->bytes[second] += record->size;
	if (stream->zstd_broken || size == 0)
		return;
	if (second)
		size = u64_min(size, load_u64(record->data + 8, stream->swap));
	stream->packed = record->data + head;
	stream->packed_end = stream->packed + size;
	stream->packed_offset = record->offset;
}

static bool too_many(const struct stream *stream)
{
	return stream->inflated_records > unpack_records_most(packed_bytes_so_far(stream));
}

/* The next record of the inner window, if there is a whole one. */
static bool next_inner(struct stream *stream, struct raw_record *record, enum stream_status *status,
                       struct err *err)
{
	size_t wanted;

	*status = STREAM_RECORD;
	if (!peek_record(stream, &stream->inner, record, &wanted) &&
	    wanted >= PERF_RECORD_HEADER_SIZE)
		return false;
	record->offset = stream->packed_offset;
	if (wanted < PERF_RECORD_HEADER_SIZE) {
		*status = inflate_fails(stream, "a record in it has an impossible size", err);
	} else if (is_compressed(record)) {
		*status = inflate_fails(stream, "a compressed record lies inside of it", err);
	} else if (too_many(stream)) {
		*status = inflate_fails(
			stream, "inflates to more records than a recording of its size can hold",
			err);
	} else {
		stream->inflated_records++;
		stream->inner.pos += record->size;
	}
	return true;
}

static enum stream_status next_outer(struct stream *stream, struct raw_record *record,
                                     struct err *err)
{
	size_t wanted;

	while (!peek_record(stream, &stream->outer, record, &wanted)) {
		size_t left = window_left(&stream->outer);

		if (stream->ended && left == 0)
			return STREAM_END;
		if (stream->ended) {
			err_at(err, ERR_FORMAT, stream_position(stream),
			       "the recording is cut off: expected a record of %s%zu bytes, found %zu",
			       left < PERF_RECORD_HEADER_SIZE ? "at least " : "", wanted, left);
			return STREAM_DAMAGED;
		}
		if (!fill_outer(stream, wanted, err))
			return STREAM_FAILED;
	}
	record->offset = stream_position(stream);
	if (record->size < PERF_RECORD_HEADER_SIZE) {
		err_at(err, ERR_FORMAT, record->offset,
		       "record of type %" PRIu32 ": expected a size of at least 8, found %u",
		       record->type, record->size);
		return STREAM_DAMAGED;
	}
	stream->outer.pos += record->size;
	return STREAM_RECORD;
}

static bool inner_at_front(const struct stream *stream)
{
	return stream->inner.pos != stream->inner.end;
}

enum stream_status stream_next(struct stream *stream, struct raw_record *record, struct err *err)
{
	enum stream_status status;

	for (;;) {
		if (inner_at_front(stream) && next_inner(stream, record, &status, err))
			return status;
		if (stream->packed) {
			status = inflate_more(stream, err);
			if (status != STREAM_RECORD)
				return status;
			continue;
		}
		status = next_outer(stream, record, err);
		if (status == STREAM_END && inner_at_front(stream)) {
			stream->inner.pos = stream->inner.end;
			err_at(err, ERR_FORMAT, stream->packed_offset,
			       "COMPRESSED record: the last record in it is cut off");
			return STREAM_DAMAGED;
		}
		if (status != STREAM_RECORD || !is_compressed(record))
			return status;
		take_compressed(stream, record);
	}
}

struct stream_bytes stream_front(const struct stream *stream)
{
	if (inner_at_front(stream) && !too_many(stream))
		return (struct stream_bytes){ stream->inner.pos, stream->inner.end };
	/* bytes that are still packed come before the outer ones */
	if (inner_at_front(stream) || stream->packed)
		return (struct stream_bytes){ NULL, NULL };
	return (struct stream_bytes){ stream->outer.pos, stream->outer.end };
}

void stream_pass(struct stream *stream, const uint8_t *pos, size_t count)
{
	if (inner_at_front(stream)) {
		stream->inner.pos = pos;
		stream->inflated_records += count;
	} else {
		stream->outer.pos = pos;
	}
}

enum stream_status stream_skip(struct stream *stream, uint64_t size, struct err *err)
{
	uint8_t *buffer = NULL;
	size_t held = 0;

	return stream_take(stream, size, 0, &buffer, &held, err);
}

enum stream_status stream_take(struct stream *stream, uint64_t size, uint64_t limit,
                               uint8_t **buffer, size_t *held, struct err *err)
{
	uint64_t start = stream_position(stream), whole = size;

	while (size) {
		size_t left = window_left(&stream->outer);
		size_t piece = (size_t)u64_min(size, left), keep;
		uint8_t *grown;

		if (left == 0 && stream->input->seekable && limit == 0) {
			/* the rest is skipped without reading it */
			uint64_t step = u64_min(size, stream->limit - stream->next);

			stream->next += step;
			size -= step;
			if (size == 0)
				break;
		}
		if (left == 0 && !fill_outer(stream, 1, err))
			return STREAM_FAILED;
		if (left == 0 && window_left(&stream->outer) == 0) {
			err_at(err, ERR_FORMAT, start,
			       "the recording is cut off: expected %" PRIu64
			       " bytes of payload, found %" PRIu64,
			       whole, whole - size);
			return STREAM_DAMAGED;
		}
		keep = *held < limit ? (size_t)u64_min(piece, limit - *held) : 0;
		if (keep) {
			grown = realloc(*buffer, *held + keep);
			if (!grown) {
				err_nomem(err, *held + keep);
				return STREAM_FAILED;
			}
			memcpy(grown + *held, stream->outer.pos, keep);
			*buffer = grown;
			*held += keep;
		}
		stream->outer.pos += piece;
		size -= piece;
	}
	return STREAM_RECORD;
}
