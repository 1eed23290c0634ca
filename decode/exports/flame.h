/*
 * Writes a flame graph as one SVG file that loads nothing from elsewhere.
 *
 * In:  frames in depth-first order, each with the cost of itself and all that it calls.
 * Out: the file, in two parts: first the frames that are wide enough to be seen, as plain shapes
 * that need neither script nor style; then a table of all frames, and a script (flame.js) that
 * draws them, with zoom, search, keyboard and links.
 */
#ifndef READPERF_DECODE_EXPORTS_FLAME_H
#define READPERF_DECODE_EXPORTS_FLAME_H

#include "util/errhandler.h"

#include <stdio.h>

/* The colours of frames; flame.js uses the same numbers. */
enum flame_kind {
	FLAME_USER,
	FLAME_CPLUSPLUS,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINE,
	FLAME_UNNAMED
};

struct flame_frame {
	uint64_t period, samples; /* of the frame and all that it calls */
	int64_t delta;  /* change of the period, compared with the other side of a comparison */
	uint32_t name;  /* index in struct flame_graph */
	uint32_t depth; /* 0: the first frame, which contains all others */
};

struct flame_name {
	const char *function, *binary; /* UTF-8 without control characters; borrowed */
	enum flame_kind kind;
};

/* All of it is borrowed. */
struct flame_graph {
	const char *title;
	const struct flame_name *names;
	size_t name_count;
	const struct flame_frame *frames; /* in depth-first order; only the first one has depth 0 */
	size_t count;
	bool clock;        /* periods are nanoseconds */
	bool differential; /* coloured by delta */
};

/* Writes the file; ferror() tells if that failed. False with err set when memory is refused. */
bool flame_print(FILE *out, const struct flame_graph *graph, struct err *err);

/* The kind of a function in user code that has a name: C++ or other. */
enum flame_kind flame_kind_of_name(const char *function);

#endif
