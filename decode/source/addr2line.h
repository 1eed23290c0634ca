/*
 * Addresses to source files and lines, from one binary's debug information: through libdw, or
 * through one addr2line process that is fed all addresses of that binary.
 */
#ifndef READPERF_DECODE_SOURCE_ADDR2LINE_H
#define READPERF_DECODE_SOURCE_ADDR2LINE_H

#include "util/errhandler.h"
#include "util/strings.h"

enum symbolizer { SYMBOLIZER_LIBDW, SYMBOLIZER_ADDR2LINE, SYMBOLIZER_NONE };

/* The best one built in. */
enum symbolizer symbolizer_default(void);

/* One frame of inlined code at an address. */
struct source_frame {
	uint32_t
		function; /* string: linkage name if there is one, else the name; empty: not known */
	uint32_t file;    /* string: of the line; empty: not known */
	uint32_t decl_file; /* string: where the function is defined; empty: not known */
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
	uint32_t
		frame_count; /* out: 0: no debug information; the last frame is the function itself */
};

/* Addresses in code of a jitdump file are its places there: where it was in memory, other code was before. */
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

/*
 * Answers all questions about one binary. Files are absolute where the debug information tells.
 * What is not known stays empty: that is no error. Broken debug information and a failing
 * addr2line are warnings to diag. False with err set only when memory is refused.
 */
bool source_lookup(enum symbolizer symbolizer, struct source_query *query, struct diag *diag,
                   struct err *err);

/* One more frame of the query, empty; NULL with err set when memory is refused. For who answers it. */
struct source_frame *source_frame_add(struct source_query *query, struct err *err);

#endif
