/*
 * For unit tests: recordings put together byte by byte, in either byte order, and opened as
 * readperf opens them. Written from the format reference alone, with no line of readperf's own
 * decoding, so that both must be wrong in the same way for a mistake to pass.
 */
#ifndef READPERF_TESTS_RECORDING_H
#define READPERF_TESTS_RECORDING_H

#include "perffile/input/input.h"
#include "perffile/perffile.h"

#include <pthread.h>

/* Bytes that grow, in the byte order of the producer. */
struct image {
	uint8_t *data;
	size_t size, capacity;
	bool big_endian;
	size_t data_section; /* where the records start, in the file layout */
};

void image_init(struct image *image, bool big_endian);
void image_release(struct image *image);
void image_put(struct image *image, uint64_t value, size_t size);
void image_u8(struct image *image, uint8_t value);
void image_u16(struct image *image, uint16_t value);
void image_u32(struct image *image, uint32_t value);
void image_u64(struct image *image, uint64_t value);
void image_bytes(struct image *image, const void *data, size_t size);
void image_zeros(struct image *image, size_t count);
/* With its NUL, and zeros up to a multiple of 8. */
void image_text8(struct image *image, const char *text);
/* Writes over what is there. */
void image_patch(struct image *image, size_t at, uint64_t value, size_t size);

/* A record: what is put between the two calls is its payload. */
size_t record_begin(struct image *image, uint32_t type, uint16_t misc);
void record_end(struct image *image, size_t start);

/* An attr as a test wants it. 0 for size: 136 bytes. */
struct test_attr {
	uint32_t type, size;
	uint64_t config, period, sample_type, read_format;
	uint64_t flags;    /* bit n is flag n of the format reference, 2.3 */
	uint64_t branches, regs_user, regs_intr;
	uint32_t stack_user;
	int32_t clockid;
	uint64_t ids[4];
	size_t id_count;
};

#define FLAG(n) ((uint64_t)1 << (n))

void image_attr(struct image *image, const struct test_attr *attr);
/* The file layout: header of header_size bytes, ids, attrs; records follow. */
void file_begin(struct image *image, const struct test_attr *attrs, size_t count,
                uint64_t header_size);
/* Ends the records; with the size of the data section in the header. */
void file_end(struct image *image);
/* The pipe layout: 16 bytes and a HEADER_ATTR record per attr; records follow. */
void pipe_begin(struct image *image, const struct test_attr *attrs, size_t count);

/* Values of the fields that a sample or trailer may have. */
struct test_fields {
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t pid, tid, cpu;
};

/* The trailer of a record other than SAMPLE (format reference, 3.2). */
void image_trailer(struct image *image, uint64_t sample_type, const struct test_fields *fields);
/* Fields 1 to 9 of a sample (format reference, 4.1). */
void image_fixed(struct image *image, uint64_t sample_type, const struct test_fields *fields);

/* Whole records of the usual kinds. */
void put_sample(struct image *image, uint64_t sample_type, uint16_t misc,
                const struct test_fields *fields);
void put_comm(struct image *image, uint64_t trailer, uint16_t misc, const char *name,
              const struct test_fields *fields);
void put_mmap(struct image *image, uint64_t trailer, uint16_t misc, const char *name,
              uint64_t start, uint64_t length, uint64_t pgoff, const struct test_fields *fields);
/* FORK or EXIT. */
void put_task(struct image *image, uint32_t type, uint64_t trailer, uint32_t ppid, uint16_t misc,
              const struct test_fields *fields);

/* A recording that is open. */
struct opened {
	char path[64];
	struct input input;
	struct session session;
	struct diag diag;
	struct err err;
	struct read_summary summary;
	bool read;
	unsigned warnings;
	char warning[ERR_TEXT_SIZE + 100]; /* the last one */
	/* what feeds a pipe */
	pthread_t feeder;
	bool piped;
	int feed;
	const struct image *image;
};

/* A new file with these bytes; path has room for 64. */
void write_temporary(char *path, const void *data, size_t size);
/* Opens the image as a file. False if session_open() refuses it; opened_close() is due. */
bool opened_file(struct opened *opened, const struct image *image);
/* Opens it as the end of a pipe; image must stay until opened_close(). */
bool opened_pipe(struct opened *opened, const struct image *image);
void opened_close(struct opened *opened);

/* What a test remembers of a delivered record. */
struct seen {
	struct record record; /* without the pointers */
	char text[128];       /* its name, path or comm */
	uint64_t values[16];  /* numbers of its lists, as far as they fit */
	size_t value_count;
};

struct seen_list {
	struct seen *items;
	size_t count, capacity;
};

struct record_handler seen_handler(struct seen_list *list);
void seen_release(struct seen_list *list);
/* perffile_read() with that handler; false if it fails. */
bool read_seen(struct opened *opened, struct seen_list *list);
/* Whether they are sorted by time, and by nr where that is the same. */
bool seen_in_order(const struct seen_list *list);

#endif
