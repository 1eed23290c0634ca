/*
 * Writes a flame graph as one SVG file that loads nothing from elsewhere. It has two parts: first
 * the frames that are wide enough to be seen, as plain shapes that need neither script nor style;
 * then a table of all frames, and a script (flame.js) that draws them, with zoom, search, keyboard
 * and links.
 */
#ifndef READPERF_DECODE_EXPORTS_FLAME_H
#define READPERF_DECODE_EXPORTS_FLAME_H

#include "decode/exports/labeltree.h"

/* The colours of frames; flame.js uses the same numbers. */
enum flame_kind {
	FLAME_USER,
	FLAME_CPLUSPLUS,
	FLAME_KERNEL,
	FLAME_JIT,
	FLAME_INLINE,
	FLAME_UNNAMED,
	FLAME_STATE, /* the thread does not run */
	FLAME_KINDS
};

/*
 * Frame 0 contains all others, and is the only one of depth 0; frame n + 1 is node n of the tree in
 * order. A label is "function TAB binary TAB kind", of texts without control characters.
 */
struct flame_graph {
	const char *title, *summary; /* without control characters */
	struct label_tree tree;      /* its nodes have the samples of all that they call, too */
	struct label_node all;       /* frame 0, with a label of the tree */
	bool clock;                  /* periods are nanoseconds */
	bool differential;           /* coloured by the difference of period and base */
};

/* name: of the function. */
enum flame_kind flame_kind_of_call(enum call_kind kind, const char *name);

/*
 * Writes the part that needs no script, without the head of a file: for a page of HTML. False with
 * err set when memory is refused.
 */
bool flame_print_still(FILE *out, const struct flame_graph *graph, struct err *err);

/* Writes the file; ferror() tells if that failed. False with err set when memory is refused. */
bool flame_print(FILE *out, const struct flame_graph *graph, struct err *err);

#endif
