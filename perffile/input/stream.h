/*
 * One raw record at a time out of one file of the input, the zstd stream inside of it undone.
 */
#ifndef READPERF_PERFFILE_INPUT_STREAM_H
#define READPERF_PERFFILE_INPUT_STREAM_H

#include "perffile/input/input.h"
#include "util/cursor.h"
#include "util/origperf.h"

/*
 * Raw bytes wait in blocks until every record in them has been used. A block is aligned to this,
 * and no larger, so that a record's address tells its block.
 */
#define STREAM_BLOCK_SIZE ((size_t)256 * 1024)

struct block {
	struct block *next; /* in the pool's free list */
	uint64_t offset;    /* in the file, of its first byte, or of the compressed record that came
	                       out of;    later ones may fill it up */
	uint32_t users;   /* runs of records that wait or are under way, the stream that fills it */
	uint32_t waiting; /* of them, those that wait: the queue's */
	bool inflated;    /* its bytes come out of compressed records */
	const char *
		part; /* the directory's file that they are from, borrowed; NULL: not a directory */
	uint8_t data[];
};

struct block_pool {
	struct block *free;
	size_t free_count;
	size_t in_use, most_in_use; /* blocks */
};

void block_pool_release(struct block_pool *pool);
void block_put(struct block_pool *pool, struct block *block);

struct block *block_get(struct block_pool *pool, struct err *err);

static inline struct block *block_of(const uint8_t *record)
{
	return (struct block *)((uintptr_t)record & ~(uintptr_t)(STREAM_BLOCK_SIZE - 1));
}

/*
 * Where a record that waits in a block lies in its file; the compressed one that it came in, or one
 * before.
 */
static inline uint64_t block_offset(const uint8_t *record)
{
	const struct block *block = block_of(record);

	return block->inflated ? block->offset : block->offset + (uint64_t)(record - block->data);
}

/* A raw record where it lies. Valid until the next call, unless its block is held. */
struct raw_record {
	const uint8_t *data;
	uint64_t offset; /* of the record in its file, or of the compressed one that holds it */
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* bytes, with the header */
};

/* The whole record at data, in a block. */
static inline void raw_record_at(struct raw_record *raw, const uint8_t *data, bool swap)
{
	raw->data = data;
	raw->offset = block_offset(data);
	raw->type = load_u32(data, swap);
	raw->misc = load_u16(data + 4, swap);
	raw->size = load_u16(data + 6, swap);
}

enum stream_status {
	STREAM_RECORD,
	STREAM_END,
	STREAM_SKIPPED, /* something was passed over: err says what and where; go on with a fresh
	                   err */
	STREAM_DAMAGED, /* no more records can be had: err says what is wrong and where */
	STREAM_FAILED   /* the system or memory */
};

struct stream;

/*
 * The records of one file from offset up to end (UINT64_MAX: to the end of the file).
 * input and pool are borrowed. swap: the records are in the other byte order.
 */
struct stream *stream_open(const struct input *input, size_t file, uint64_t offset, uint64_t end,
                           bool swap, struct block_pool *pool, struct err *err);
void stream_free(struct stream *stream);

/* The next record; records inside compressed ones come as themselves. */
enum stream_status stream_next(struct stream *stream, struct raw_record *record, struct err *err);

/* Bytes of a block that have not been handed out: [pos, end). */
struct window {
	struct block *block;
	const uint8_t *pos, *end;
};

/* What stream_get() sees of a stream; all of it is stream.c's. */
struct stream_front {
	struct window outer; /* bytes of the file */
	uint64_t next;       /* offset in the file of the byte behind outer.end */
	bool swap;
	bool direct; /* no inflated bytes wait: the next record is at the outer window's front */
};

/* stream_next(), quicker for a record that lies whole at the front. */
static inline enum stream_status stream_get(struct stream *stream, struct raw_record *record,
                                            struct err *err)
{
	struct stream_front *front = (struct stream_front *)stream;
	size_t left = (size_t)(front->outer.end - front->outer.pos);
	const uint8_t *p = front->outer.pos;

	if (front->direct && left >= PERF_RECORD_HEADER_SIZE) {
		record->type = load_u32(p, front->swap);
		record->misc = load_u16(p + 4, front->swap);
		record->size = load_u16(p + 6, front->swap);
		if (record->size >= PERF_RECORD_HEADER_SIZE && record->size <= left &&
		    record->type != PERF_RECORD_COMPRESSED &&
		    record->type != PERF_RECORD_COMPRESSED2) {
			record->data = p;
			record->offset = front->next - left;
			front->outer.pos += record->size;
			return STREAM_RECORD;
		}
	}
	return stream_next(stream, record, err);
}

/*
 * The bytes at the front that lie in one piece, for a look at several records at once. They stay at
 * the front until stream_pass() is called; none may be there although stream_next() has a record.
 */
struct span {
	const uint8_t *pos, *end;
};

struct span stream_front(const struct stream *stream);
/* Hands out the first count records of that piece, which end at pos; none is compressed. */
void stream_pass(struct stream *stream, const uint8_t *pos, size_t count);

/* After a record whose payload lies behind it (TRACING_DATA, AUXTRACE): passes over size bytes. */
enum stream_status stream_skip(struct stream *stream, uint64_t size, struct err *err);
/* The same, but appends them to a malloc'd buffer of *held bytes, at most limit of them. */
enum stream_status stream_take(struct stream *stream, uint64_t size, uint64_t limit,
                               uint8_t **buffer, size_t *held, struct err *err);

/* Bytes of the file that the stream has consumed. */
uint64_t stream_position(const struct stream *stream);
/* Compressed records seen, and their bytes, which stream_next() does not hand out. */
void stream_compressed(const struct stream *stream, uint64_t count[2], uint64_t bytes[2]);

#endif
