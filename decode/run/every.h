/*
 * A stream of hours, slice by slice (--every): `perf record -o - ... | readperf --every=10s -o DIR
 * -` writes a folder start=TIME of tables for each slice of time, as soon as the slice is over.
 *
 *   perf --> reader --> time? --> process of the slice, which writes its tables (sliceprocess.h)
 *             (order)     |
 *                         +-----> struct carried: what goes on in the next slice
 *
 * In:  a recording through a pipe; SIGHUP begins a new slice, SIGTERM and SIGINT end the last one.
 * Out: folders, and a line on standard output for each. Messages go to the sink.
 */
#ifndef READPERF_DECODE_RUN_EVERY_H
#define READPERF_DECODE_RUN_EVERY_H

#include "decode/run/sliceprocess.h"

#include <signal.h>
#include <stdio.h>

#define SLICES_PENDING 2 /* slices whose tables are being written, at most */

struct pending_slice {
	pid_t process;
	uint64_t start; /* ns */
	_Atomic bool *has_folder;
};

struct every {
	const struct options *options;   /* borrowed, like the others */
	const struct message_sink *sink; /* of messages about the stream and its slices */
	struct err err;                  /* why it failed */
	/* what follows is set by every_run() */
	struct input input;
	struct session session;
	struct diag diag; /* of the stream; what is about the records, the slices say */
	struct read_summary summary;
	struct slice_setup setup;
	struct carried *carried;
	/* records of the tool, each slice begins with them; tracing: the place of that record */
	uint8_t *preamble;
	size_t preamble_size, preamble_capacity, tracing_place;
	uint8_t *tracing; /* the record before the tracing data; malloc'd; NULL: there is none */
	size_t tracing_size;
	struct slice_process slice;
	struct pending_slice pending[SLICES_PENDING]; /* the oldest first */
	size_t pending_count;
	bool begun;       /* the first slice has begun: start is set */
	bool cut;         /* the next record begins a new slice */
	bool slice_lost;  /* the rest of this slice's records is dropped */
	uint64_t start;   /* ns: time of the slice's beginning */
	uint64_t end;     /* ns: where the next one begins */
	uint64_t due;     /* the same, or 0; for struct read_options */
	uint64_t newest;  /* ns: time of the slice's last record */
	uint64_t to_wall; /* modulo 2^64: wall time in ns minus the stream's time, with has_wall */
	bool has_wall;
	int signals;                     /* descriptor from which signals are read; -1 */
	bool stopping;                   /* a signal said so */
	double stop_until;               /* s: when the stream ends, with stopping */
	uint64_t started, lost, damaged; /* slices */
	double began;                    /* s */
};

/* Set all zeros and the first three members before. Returns the exit status. */
int every_run(struct every *every);
void every_release(struct every *every);
/* For --verbose, after every_run(): what it cost. */
void every_print_figures(const struct every *every, FILE *out);

#endif
