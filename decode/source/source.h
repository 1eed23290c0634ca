/*
 * Questions about addresses of one binary, and the answers: source files, lines, and inlined
 * functions. In: sorted addresses. Out: the same query, answered. The answers come from
 * decode/dwarf, from addr2line.h, or from the symbols of a jitdump.
 */
#ifndef READPERF_DECODE_SOURCE_SOURCE_H
#define READPERF_DECODE_SOURCE_SOURCE_H

#include "util/errhandler.h"
#include "util/strings.h"

/* One frame of inlined code at an address. */
struct source_frame {
	/* Strings; empty: not known. */
	uint32_t function;  /* the linkage name if there is one */
	uint32_t file;      /* of the line */
	uint32_t decl_file; /* where the function is defined */
	uint32_t line;      /* 0: not known */
};

/* A question about one function: its entry. */
struct source_function {
	uint64_t entry; /* in: link-time virtual address */
	uint32_t file;  /* out: string, the file with the definition; empty: not known */
};

/* A question about one address. */
struct source_addr {
	uint64_t addr;  /* in: link-time virtual address */
	uint32_t file;  /* out: string, from its row of the line table; empty: not known */
	uint32_t line;  /* out: 0: not known */
	uint32_t frame; /* out, with inlines: first of frame_count frames, innermost first */
	/* Out: 0 without debug information; the last frame is the function itself. */
	uint32_t frame_count;
};

/*
 * Addresses in code of a jitdump file are offsets in that file, because other code may have been at
 * the same memory address before.
 */
struct source_query {
	const char *path;        /* ELF file with the debug information; borrowed */
	const char *binary;      /* the binary that path is the debug file of, or NULL; borrowed */
	const char *symfs;       /* the root directory for paths in the debug information, or NULL;
	                            borrowed */
	int helper;              /* that opens files below /proc; 0: none */
	struct strings *strings; /* borrowed; files and functions are put here */
	struct source_function *functions; /* ascending entry, no duplicates; may be none */
	size_t function_count;
	struct source_addr *addrs; /* ascending addr, no duplicates; may be none */
	size_t addr_count;
	bool inlines;                /* fill the frames of addrs */
	struct source_frame *frames; /* out: malloc'd, the caller frees */
	size_t frame_count, frame_capacity;
};

/* Empties all answers; those that are not found stay empty. */
void source_clear(struct source_query *query);
/* Appends an empty frame to the query. */
struct source_frame *source_frame_add(struct source_query *query, struct err *err);
/*
 * Stores a path from debug information as a string. It is joined from up to three parts (NULL:
 * none); parts before an absolute one are dropped, and slashes are not doubled. Placeholders such
 * as "<built-in>" give STRING_EMPTY.
 */
uint32_t source_path_put(struct strings *strings, const char *base, const char *dir,
                         const char *name, struct err *err);

#endif
