/*
 * The process that makes the tables of one slice of a stream. To it, the slice is a recording that
 * comes through a pipe: the records of the tool from the beginning of the stream, then those of the
 * slice, in order of time. It begins with what goes on from the slices before (struct carried),
 * which it has because it is a copy of the process that reads the stream.
 *
 *   every.c  --- records --->  slice process  (counts, names, writes the tables, names the folder)
 *
 * So a slice leaves no memory behind, the stream is read on while tables are written, and a disk
 * that is full or slow, or a crash, costs only this slice.
 */
#ifndef READPERF_DECODE_RUN_SLICEPROCESS_H
#define READPERF_DECODE_RUN_SLICEPROCESS_H

#include "decode/run/worker.h"
#include "decode/files/keptfiles.h"
#include "decode/tables/about.h"
#include "decode/tally/carried.h"

#define SAID_MOST 512

/* Shared by the process that reads the stream and those of the slices. */
struct slice_board {
	struct slice_times times[16]; /* of the slices, in turn; written before the pipe ends */
	_Atomic bool has_folder[16];  /* of the same: its tables are there, whatever follows */
	/* hashes of the warnings that were printed: each is printed for one slice only */
	_Atomic uint64_t said[SAID_MOST];
};

struct slice_setup {
	const struct options *options;
	const struct message_sink *sink;
	struct slice_board *board;
	struct kept_files *kept; /* NULL: files are looked for as the slice ends */
	uint32_t kept_slice;     /* the number that the next slice has there */
	int close_first; /* descriptor that the process of a slice must not keep: the stream */
};

#define SLICE_BUFFER (256 * 1024)

struct slice_process {
	pid_t process; /* 0: there is none */
	int pipe;
	struct slice_times *times; /* on the board, as is the next one */
	_Atomic bool *has_folder;
	size_t used;
	uint8_t buffer[SLICE_BUFFER]; /* what was not written to the pipe yet */
};

/* Gives a pipe the most room that users may have without asking, if it is one. */
void pipe_widen(int pipe);

/* NULL with err set. */
struct slice_board *slice_board_new(struct err *err);
void slice_board_free(struct slice_board *board); /* accepts NULL */

/* Whether a warning of this kind was printed before, for any slice; from now on it was. */
bool slice_board_said(struct slice_board *board, const char *text);

/* number: how many were started before. False with err set. */
bool slice_start(struct slice_process *slice, const struct slice_setup *setup,
                 struct carried *carried, uint64_t number, struct err *err);
/* Writes bytes of its recording. False: it has gone, or took none for `patience` ms. */
bool slice_write(struct slice_process *slice, const void *data, size_t size, int patience);
/*
 * Tells it that the slice is over, and which it was. It goes on by itself; the caller waits for it
 * some time. False as above.
 */
bool slice_end(struct slice_process *slice, const struct slice_times *times, int patience);
/* Ends it without tables. */
void slice_kill(struct slice_process *slice);

#endif
