/*
 * The bytes of a recording: from a file, a pipe, the files of a `perf record --threads` directory,
 * or a packed file. stream.h reads the records in them.
 */
#ifndef READPERF_PERFFILE_INPUT_INPUT_H
#define READPERF_PERFFILE_INPUT_INPUT_H

#include "util/errhandler.h"

#include <sys/types.h>

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
	bool single; /* it cannot be opened again as it is: standard input, or files[0] is a
	                temporary file, because it was a pipe or packed */
	bool directory;
	uint64_t packed; /* bytes of a packed input, before they were unpacked; else 0 */
	bool cut; /* a packed input was damaged, or a directory lacks a file; the rest is read */
	/* NULL, or called with its descriptor before a pipe is read: false ends the input there */
	bool (*wait)(void *context, int fd);
	void *context;    /* of wait; borrowed */
	uint8_t head[16]; /* the first bytes of files[0]; a pipe cannot return them again */
	uint8_t *ahead;   /* of a pipe, those behind the head that were looked at: lookahead.h */
	size_t ahead_size, ahead_capacity;
};

/*
 * Opens a file, a directory, or "-" for standard input. temp_dir: where an unnamed temporary file
 * may be made, for a packed recording or for the file layout coming through a pipe. False with err
 * set; input_close() must be called in any case.
 */
bool input_open(struct input *input, const char *path, const char *temp_dir, struct diag *diag,
                struct err *err);
void input_close(struct input *input);

/*
 * Copies a pipe to an unnamed temporary file, which takes its place, so that it can be read twice.
 * Does nothing to other inputs. Call it before anything but the head, and what was looked at, has
 * been read. False with err set.
 */
bool input_spool(struct input *input, const char *temp_dir, struct err *err);

/* The name of one file of a directory, for messages; NULL if the input is not a directory. */
const char *input_part(const struct input *input, size_t file);

/*
 * Reads at most size bytes at offset: 0 at the end, -1 with errno set. Of a pipe, offset must be
 * where the last read ended.
 */
ssize_t input_read(const struct input *input, size_t file, void *buffer, size_t size,
                   uint64_t offset);

/*
 * Reads exactly size bytes at offset of files[0], which must be seekable. False with err set if
 * there are fewer.
 */
bool input_read_at(const struct input *input, void *buffer, size_t size, uint64_t offset,
                   struct err *err);

#endif
