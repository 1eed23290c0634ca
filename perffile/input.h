/*
 * Where bytes come from: a file, a pipe, the files of a `perf record --threads` directory, a packed
 * file, zstd streams inside of them. Hands out one raw record at a time.
 */
#ifndef READPERF_PERFFILE_INPUT_H
#define READPERF_PERFFILE_INPUT_H

#include "util/errhandler.h"

/* One open file of the recording. */
struct input_file {
	int fd;
	char *path;
	uint64_t size; /* bytes; of a pipe: UINT64_MAX */
};

struct input {
	struct input_file *files; /* [0] has the header, the others are bare record streams */
	size_t file_count, file_capacity;
	bool seekable;
	bool directory;
	uint8_t head[16];  /* the first bytes of files[0], which a pipe has already given */
	char *path;        /* of files[0]'s directory or file, as the user named it */
};

/*
 * Opens a file, a directory, or "-" for standard input. temp_dir: where an unnamed temporary file
 * may be made for a packed recording or a seekable layout that comes through a pipe.
 * False with err set; input_close() is due in any case.
 */
bool input_open(struct input *input, const char *path, const char *temp_dir, struct diag *diag,
                struct err *err);
void input_close(struct input *input);

/*
 * Reads exactly size bytes at offset of files[0], which is seekable. False with err set if they are
 * not all there.
 */
bool input_read_at(const struct input *input, void *buffer, size_t size, uint64_t offset,
                   struct err *err);

/*
 * Raw bytes wait in blocks until every record in them has been used. A block is aligned to its size
 * so that a record's address tells its block.
 */
#define BLOCK_SIZE ((size_t)256 * 1024)

struct block {
	struct block *next;  /* in the pool's free list */
	uint32_t users;      /* records that wait, and the stream that fills it */
};

struct block_pool {
	struct block *free;
	size_t free_count;
	size_t in_use, most_in_use; /* blocks */
};

void block_pool_release(struct block_pool *pool);
void block_put(struct block_pool *pool, struct block *block);

static inline struct block *block_of(const uint8_t *record)
{
	return (struct block *)((uintptr_t)record & ~(uintptr_t)(BLOCK_SIZE - 1));
}

/* A raw record where it lies. Valid until the next call, unless its block is held. */
struct raw_record {
	const uint8_t *data;
	uint64_t offset; /* of the record in its file, or of the compressed one that holds it */
	uint32_t type;
	uint16_t misc;
	uint16_t size;   /* bytes, with the header */
};

enum stream_status { STREAM_RECORD, STREAM_END, STREAM_DAMAGED, STREAM_FAILED };

struct stream;

/*
 * The records of one file from offset up to end (UINT64_MAX: to the end of the file).
 * file and pool are borrowed. swap: the records are in the other byte order.
 */
struct stream *stream_open(const struct input *input, size_t file, uint64_t offset, uint64_t end,
                           bool swap, struct block_pool *pool, struct err *err);
void stream_free(struct stream *stream);

/*
 * The next record; records inside compressed ones come as themselves. STREAM_DAMAGED: err says what
 * is wrong with the file and where; no more records can be had. STREAM_FAILED: the system or memory.
 */
enum stream_status stream_next(struct stream *stream, struct raw_record *record, struct err *err);

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
