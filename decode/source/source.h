/*
 * Questions about the addresses of one binary, and their answers: source files, lines, and the
 * functions that were inlined there. What enters: sorted addresses. Who answers them from debug
 * information is in rooms of their own: addr2line.h here, decode/dwarf, and symbols of jitdumps.
 */
#ifndef READPERF_DECODE_SOURCE_SOURCE_H
#define READPERF_DECODE_SOURCE_SOURCE_H

#include "util/errhandler.h"
#include "util/strings.h"

/* One frame of inlined code at an address. */
struct source_frame {
	/* strings; empty: not known */
	uint32_t function;  /* linkage name if there is one, else the name */
	uint32_t file;      /* of the line */
	uint32_t decl_file; /* where the function is defined */
	uint32_t line;      /* 0: not known */
};

/* A question about one function: its entry. */
struct source_function {
	uint64_t entry; /* in: link-time virtual address */
	uint32_t file;  /* out: string, the file that holds the definition; empty: not known */
};

/* A question about one address. */
struct source_addr {
	uint64_t addr;  /* in: link-time virtual address */
	uint32_t file;  /* out: string, of its line row; empty: not known */
	uint32_t line;  /* out: 0: not known */
	uint32_t frame; /* out, with inlines: first of frame_count frames, innermost first */
	/* out: 0: no debug information; the last frame is the function itself */
	uint32_t frame_count;
};

/*
 * Addresses in code of a jitdump file are its places there: where it was in memory, other code was
 * before.
 */
struct source_query {
	const char *path;        /* ELF file with the debug information; borrowed */
	const char *binary;      /* the binary that path is the debug file of, or NULL; borrowed */
	const char *symfs;       /* the root of paths in the debug information, or NULL; borrowed */
	struct strings *strings; /* borrowed; files and functions are put here */
	struct source_function *functions; /* ascending entry, no duplicates; may be none */
	size_t function_count;
	struct source_addr *addrs; /* ascending addr, no duplicates; may be none */
	size_t addr_count;
	bool inlines;                /* fill the frames of addrs */
	struct source_frame *frames; /* out: malloc'd, the caller frees */
	size_t frame_count, frame_capacity;
};

#define SOURCE_NONE UINT32_MAX

/* An address that is asked about, by either kind of question or by both. */
struct source_point {
	uint64_t addr;
	uint32_t function; /* index of the question about a function's entry, or SOURCE_NONE */
	uint32_t source;   /* index of the question about an address, or SOURCE_NONE */
};

/* How far source_point_next() has come. */
struct source_place {
	size_t functions, addrs;
};

/* Empties all answers, so that what nobody answers is empty. */
void source_clear(struct source_query *query);
/* One more frame of the query, empty; NULL with err set when memory is refused. */
struct source_frame *source_frame_add(struct source_query *query, struct err *err);
/*
 * Walks all addresses that are asked about, ascending and each once. place: all zero at first.
 * False behind the last one.
 */
bool source_point_next(const struct source_query *query, struct source_place *place,
                       struct source_point *point);
/*
 * Puts a path that debug information tells, joined of up to three parts (NULL: left out): what is
 * before an absolute part does not count, and slashes are not doubled. Names such as "<built-in>",
 * which are no files, give STRING_EMPTY. STRING_NONE with err set: memory is refused.
 */
uint32_t source_path_put(struct strings *strings, const char *base, const char *dir,
                         const char *name, struct err *err);

#endif
