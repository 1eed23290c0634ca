/* Reads one raw record at a time from one file of the input, and decompresses zstd inside of it. */
#ifndef READPERF_PERFFILE_INPUT_STREAM_H
#define READPERF_PERFFILE_INPUT_STREAM_H

#include "perffile/input/input.h"
#include "util/cursor.h"
#include "util/origperf.h"

/*
 * Raw bytes are kept in blocks until every record in them has been used. A block is aligned to this
 * number and not larger, so the block can be computed from the address of a record.
 */
#define STREAM_BLOCK_SIZE ((size_t)256 * 1024)

struct block {
	struct block *next; /* in the pool's free list */
	uint64_t offset;  /* file offset of its first byte, or of the compressed record that it was
	                     inflated from; a later one may have filled the rest */
	uint32_t users;   /* number of uses: spans of records that wait or are being delivered, and
	                     the stream that fills it */
	uint32_t waiting; /* those of the uses that are spans in the window */
	bool inflated;    /* its bytes were inflated from compressed records */
	const char *part; /* name of the directory's file that they are from, borrowed; NULL: not a
	                     directory */
	uint8_t data[];
};

struct block_pool {
	struct block *free;
	size_t free_count;
	size_t in_use, most_in_use; /* blocks */
	bool unshared; /* processes that are forked do not get the blocks, see memory_let_fork();
	                  set it before the first block is taken */
};

void block_pool_release(struct block_pool *pool);
void block_put(struct block_pool *pool, struct block *block);

static inline struct block *block_of(const uint8_t *record)
{
	return (struct block *)((uintptr_t)record & ~(uintptr_t)(STREAM_BLOCK_SIZE - 1));
}

/*
 * The file offset of a record in a block. Of a record that was compressed, the offset of the
 * compressed record, or of an earlier one.
 */
static inline uint64_t block_offset(const uint8_t *record)
{
	const struct block *block = block_of(record);

	return block->inflated ? block->offset : block->offset + (uint64_t)(record - block->data);
}

/* A raw record, in place. Valid until the next call, unless its block is held. */
struct raw_record {
	const uint8_t *data;
	uint64_t offset; /* of the record in its file, or of the compressed one that holds it */
	uint32_t type;
	uint16_t misc;
	uint16_t size; /* bytes, with the header */
};

/* Sets all of raw but the offset from the header at data. */
static inline void raw_record_read(struct raw_record *raw, const uint8_t *data, bool swap)
{
	raw->data = data;
	raw->type = load_u32(data, swap);
	raw->misc = load_u16(data + 4, swap);
	raw->size = load_u16(data + 6, swap);
}

/* Sets raw to the whole record at data, which lies in a block. */
static inline void raw_record_at(struct raw_record *raw, const uint8_t *data, bool swap)
{
	raw_record_read(raw, data, swap);
	raw->offset = block_offset(data);
}

enum stream_status {
	STREAM_RECORD,
	STREAM_END,
	STREAM_SKIPPED, /* something was skipped: err says what and where; go on with a fresh err */
	STREAM_DAMAGED, /* there are no more records: err says what is wrong and where */
	STREAM_FAILED   /* the system or memory refused something */
};

struct stream;

/*
 * The records of one file from offset up to end (UINT64_MAX: to the end of the file).
 * input and pool are borrowed. swap: the records are in the other byte order.
 */
struct stream *stream_open(const struct input *input, size_t file, uint64_t offset, uint64_t end,
                           bool swap, struct block_pool *pool, struct err *err);
void stream_free(struct stream *stream);

/* Reads the next record. Records inside of compressed ones are returned one by one. */
enum stream_status stream_next(struct stream *stream, struct raw_record *record, struct err *err);

/*
 * The bytes at the front that are contiguous, for looking at several records at once. They stay at
 * the front until stream_pass() is called. There may be none although stream_next() has a record.
 */
struct stream_bytes {
	const uint8_t *pos, *end;
};

struct stream_bytes stream_front(const struct stream *stream);
/* Passes the first count records of those bytes, which end at pos; none may be compressed. */
void stream_pass(struct stream *stream, const uint8_t *pos, size_t count);

/* Skips size bytes: the payload that follows some records (TRACING_DATA, AUXTRACE). */
enum stream_status stream_skip(struct stream *stream, uint64_t size, struct err *err);
/* The same, but appends them to a malloc'd buffer of *held bytes, at most limit of them. */
enum stream_status stream_take(struct stream *stream, uint64_t size, uint64_t limit,
                               uint8_t **buffer, size_t *held, struct err *err);

/* Bytes of the file that have been consumed. */
uint64_t stream_position(const struct stream *stream);
/* Number and bytes of the compressed records so far, which stream_next() does not return. */
void stream_compressed(const struct stream *stream, uint64_t count[2], uint64_t bytes[2]);

#endif
