/*
 * The names of places: the result of naming_run(), used by every projection of the cells. Texts are
 * strings of the recording.
 *
 *   places[place] ---> functions[...]   the function that its samples are counted for
 *                 \--> frames[...]      with --inline: all functions there, the innermost first
 */
#ifndef READPERF_DECODE_NAMING_PLACENAMES_H
#define READPERF_DECODE_NAMING_PLACENAMES_H

#include "util/strings.h"

#define PLACE_NO_FRAMES UINT32_MAX

/* A function of a binary; or, without a name, the addresses that have none for the same reason. */
struct function_name {
	uint64_t start, end; /* [start, end), as objdump prints them; both 0: not known */
	uint64_t offset;     /* of start, in the file or from the start of the kernel */
	uint32_t binary;     /* number */
	uint32_t name;       /* string: as tables print it, "[unknown]" if there is none */
	uint32_t file;       /* string: where it is defined; empty: not known */
	uint32_t alike; /* the first function with the same name and file in a binary with the same
	                   name */
	uint32_t line;  /* of start, in the file; 0: not known, or not asked for */
	uint8_t origin; /* enum symbol_origin */
};

struct place_name {
	uint64_t link_addr; /* as objdump prints it */
	uint32_t function;  /* number */
	uint32_t file;      /* string: of the line; empty: not known */
	uint32_t line;      /* 0: not known */
	uint32_t frames; /* index of the first frame, or PLACE_NO_FRAMES: nothing is inlined here */
};

/* One of the functions at a place with inlined code. */
struct frame_name {
	uint32_t function;   /* number */
	uint32_t file, line; /* of the place, in this function */
	bool outermost; /* the last frame of the place: the function that the others are inlined
	                   into */
};

struct place_names {
	struct function_name *functions; /* those of a binary are contiguous */
	size_t function_count, function_capacity;
	struct place_name *places; /* by number of the place */
	size_t place_count;
	struct frame_name *frames;
	size_t frame_count, frame_capacity;
	size_t binaries, symbols; /* how many were used, for -v */
};

/* All zeros is empty; this frees everything. */
void place_names_release(struct place_names *names);

#endif
